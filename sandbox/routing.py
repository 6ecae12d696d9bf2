"""The resource of a path, and the errors for paths without one: two layers, built-in routes and those of CRDs."""

from __future__ import annotations

from .errors import MethodNotAllowed, NotFound
from .http import Response
from .requestinfo import RequestInfo
from .resources import Registry, Resource

_ACROSS_NAMESPACES = ("list", "watch")
_OF_ONE = frozenset(("get", "update", "patch", "delete"))


class NoSuchPage(NotFound):
    """404 in plain text: nothing at all serves the path."""


def no_such_page() -> Response:
    """The API server's response for paths that nothing serves."""
    return Response(b"404 page not found\n", 404, "text/plain; charset=utf-8")


def built_in(registry: Registry, group: str) -> bool:
    """Whether kube-apiserver has routes of its own below this group's path."""
    return any(not resource.custom and resource.group == group for resource in registry.all())


def resource_of(registry: Registry, info: RequestInfo, method: str) -> Resource:
    """The resource; NoSuchPage, NotFound or MethodNotAllowed where it doesn't have the path or the method."""
    resource = registry.find(info.group, info.version, info.resource)
    if resource is None:
        raise NotFound if built_in(registry, info.group) else NoSuchPage
    inside = bool(info.namespace) and info.resource != "namespaces"
    everywhere = resource.namespaced and not inside
    if resource.custom:
        if inside != resource.namespaced and not (everywhere and info.verb in _ACROSS_NAMESPACES):
            raise NoSuchPage
        return resource
    if (inside and not resource.namespaced) or (everywhere and info.name and info.verb != "watch"):
        raise NotFound
    if (info.rest and info.subresource != "proxy") or (info.name and not _OF_ONE & set(resource.verbs)):
        raise NotFound
    if method == "HEAD" or (everywhere and info.verb not in _ACROSS_NAMESPACES and not _review(resource)):
        raise MethodNotAllowed
    return resource


def _review(resource: Resource) -> bool:
    return resource.verbs == ("create",)
