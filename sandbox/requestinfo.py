"""The meaning of a request's path before any lookup: the RequestInfo of kube-apiserver.

Authorization, routing and error texts all read this one value.
"""

from __future__ import annotations

from dataclasses import dataclass

_VERBS = {"GET": "get", "HEAD": "get", "POST": "create", "PUT": "update", "PATCH": "patch", "DELETE": "delete"}
#: Below a namespace these are subresources of the Namespace itself.
_NAMESPACE_SUBRESOURCES = ("status", "finalize")


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestInfo:
    """``resource`` is empty for paths without an API resource (discovery, health)."""

    verb: str
    path: str
    group: str = ""
    version: str = ""
    namespace: str = ""
    resource: str = ""
    name: str = ""
    subresource: str = ""
    #: What follows the subresource (proxy paths).
    rest: tuple[str, ...] = ()

    @property
    def is_resource(self) -> bool:
        return bool(self.resource)


def selected_name(info: RequestInfo, selector: str) -> str:
    """The one name that a list, watch or deletion of a collection is about: the permission to get it allows to list
    just it.
    """
    if info.name or info.verb not in ("list", "watch", "deletecollection"):
        return info.name
    for part in selector.split(","):
        field, equals, value = part.replace("==", "=").partition("=")
        if field == "metadata.name" and equals:
            return value
    return ""


def parse(method: str, path: str, parts: list[str], watch: bool) -> RequestInfo:
    """``parts``: the decoded path segments, without empty ones; ``watch``: ?watch=true."""
    verb = _VERBS.get(method, method.lower())
    if len(parts) >= 3 and parts[0] == "api":
        group, version, rest = "", parts[1], parts[2:]
    elif len(parts) >= 4 and parts[0] == "apis":
        group, version, rest = parts[1], parts[2], parts[3:]
    else:
        return RequestInfo(verb=verb, path=path)
    namespace = ""
    old_watch = rest[0] == "watch" and len(rest) > 1 and verb == "get"
    if old_watch:
        rest = rest[1:]
    if rest[0] == "namespaces" and len(rest) > 1:
        namespace = rest[1]
        if len(rest) > 2 and rest[2] not in _NAMESPACE_SUBRESOURCES:
            rest = rest[2:]
    resource = rest[0]
    name = rest[1] if len(rest) > 1 else ""
    subresource = rest[2] if len(rest) > 2 else ""
    if old_watch:
        verb = "watch"
    elif not name and verb == "get":
        verb = "watch" if watch else "list"
    elif not name and verb == "delete":
        verb = "deletecollection"
    return RequestInfo(
        verb=verb,
        path=path,
        group=group,
        version=version,
        namespace=namespace,
        resource=resource,
        name=name,
        subresource=subresource,
        rest=tuple(rest[3:]),
    )
