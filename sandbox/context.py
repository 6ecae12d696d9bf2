"""What controllers get besides the Cluster: paths, addresses, tokens, and the registration of HTTP routes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from .http import Handler
from .objects import Object

#: The shortest that API servers allow: a program that never reloads its token fails while it is tried out, not in
#: production.
POD_TOKEN_SECONDS = 600


@dataclass(frozen=True, slots=True)
class Route:
    """One extra route. ``segments`` are literals or ``{name}``; ``{name...}`` at the end takes the rest of the path."""

    method: str | None
    segments: tuple[str, ...]
    handler: Handler

    def match(self, method: str, parts: list[str]) -> dict[str, str] | None:
        """The path parameters, or None when this route is not meant."""
        if self.method is not None and self.method != method:
            return None
        params: dict[str, str] = {}
        for index, segment in enumerate(self.segments):
            if segment.endswith("...}"):
                params[segment[1:-4]] = "/".join(parts[index:])
                return params
            if index >= len(parts):
                return None
            if segment.startswith("{"):
                params[segment[1:-1]] = parts[index]
            elif segment != parts[index]:
                return None
        return params if len(parts) == len(self.segments) else None


@dataclass(slots=True, kw_only=True)
class Context:
    """Shared by all controllers of one sandbox.

    ``api_url`` is the plain http:// address of this sandbox: for programs on this machine that send tokens without TLS
    (kubectl does not; ``admin_kubeconfig`` has the https:// address of the same port). ``authority`` is the certificate
    (PEM) that vouches for the https:// address. ``pod_token(pod, account)`` gives a Pod's bearer token: good for
    POD_TOKEN_SECONDS and as long as the Pod is there; NotFound without that ServiceAccount. ``secret_token(namespace,
    account, secret)`` gives the one that a Secret keeps; None on a node, which fills no Secrets.
    """

    data_dir: Path
    api_url: str
    admin_kubeconfig: Path
    images: Path | None
    catalogs: tuple[Path, ...]
    pod_token: Callable[[Object, str], str]
    authority: Path
    secret_token: Callable[[str, str, str], str] | None = None
    routes: list[Route] = field(default_factory=list)
    aggregated: dict[tuple[str, str], list[dict[str, Any]]] = field(default_factory=dict)
    #: (group, version) of an aggregated API whose server is unavailable (apiservices.py)
    unavailable: set[tuple[str, str]] = field(default_factory=set)

    def handle(self, method: str | None, path_template: str, handler: Handler) -> None:
        """Adds a route, e.g. ``("GET", "/api/v1/namespaces/{namespace}/pods/{name}/log", log)``.

        Routes are tried before the built-in ones, after authentication and authorization (RBAC sees the resource and
        subresource of the path). ``None`` as method means any; a WebSocket handshake counts as GET.
        """
        parts = tuple(part for part in path_template.split("/") if part)
        self.routes.append(Route(method, parts, handler))

    def announce(self, group: str, version: str, resources: list[dict[str, Any]]) -> None:
        """Adds an API served by routes to discovery: ``resources`` are APIResource dicts.

        Each has name, singularName, namespaced, kind, verbs and, if any, shortNames and categories.
        """
        self.aggregated[group, version] = resources
