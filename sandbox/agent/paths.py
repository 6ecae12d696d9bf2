"""Where a resource is served: ``leases.coordination.k8s.io`` → ``/apis/coordination.k8s.io/v1``, by asking the API
server.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import quote, urlencode

from ..errors import NotFound
from .connection import Connection


@dataclass(frozen=True, slots=True)
class Served:
    """One resource. ``prefix`` is its group and version's path."""

    prefix: str
    plural: str
    kind: str
    namespaced: bool

    @property
    def api_version(self) -> str:
        return self.prefix.removeprefix("/apis/").removeprefix("/api/")

    def path(self, namespace: str = "", name: str = "", subresource: str = "", **query: str | int) -> str:
        """A path with its query; parameters that are empty are left out."""
        parts = [self.prefix.strip("/")]
        if namespace and self.namespaced:
            parts += ["namespaces", quote(namespace, safe="")]
        parts += [self.plural, quote(name, safe=""), subresource]
        return "/" + "/".join(filter(None, parts)) + _query(query)


def _query(query: Mapping[str, str | int]) -> str:
    given = {name: value for name, value in query.items() if value != ""}
    return f"?{urlencode(given)}" if given else ""


class Paths:
    """The paths of resources; discovery documents are cached."""

    def __init__(self, connection: Connection):
        self._connection = connection
        self._known: dict[str, Served] = {}

    def find(self, key: str) -> Served:
        """The resource in the version that its group prefers; NotFound."""
        if key not in self._known:
            plural, _, group = key.partition(".")
            prefix = "/api/v1"
            if group:
                found = self._connection.ask("GET", f"/apis/{group}")
                prefix = f"/apis/{found['preferredVersion']['groupVersion']}"
            for resource in self._connection.ask("GET", prefix)["resources"]:
                name = f"{resource['name']}.{group}" if group else resource["name"]
                self._known[name] = Served(prefix, resource["name"], resource["kind"], bool(resource["namespaced"]))
            if key not in self._known:
                raise NotFound(plural, "", group)
        return self._known[key]
