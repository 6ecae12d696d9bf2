"""Requests to the API server as plain values: no I/O here, so the sync and the async transport send the same ones.

Rules of addresses and parameters: https://kubernetes.io/docs/reference/using-api/api-concepts/
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import quote, urlencode

import msgspec

from kube.discovery import ResourceType, path_segment
from kube.objects import TABLE

Query = tuple[tuple[str, str], ...]
PatchStyle = Literal["merge", "json", "strategic", "apply"]
JSON = "application/json"
# The name under which server-side apply remembers which fields are ours.
FIELD_MANAGER = "operator-console"
_PATCH_TYPES = {
    "merge": "application/merge-patch+json",
    "json": "application/json-patch+json",
    "strategic": "application/strategic-merge-patch+json",
    "apply": "application/apply-patch+yaml",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiRequest:
    """`ref` says which object this is about, for error texts: 'pods "web-0" in namespace "shop"'."""

    method: str
    path: str
    query: Query = ()
    body: bytes | None = None
    content_type: str = ""
    accept: str = JSON
    ref: str = ""
    headers: Query = ()

    @property
    def target(self) -> str:
        """Path and query, as they stand in the request line."""
        return f"{self.path}?{urlencode(self.query, quote_via=quote)}" if self.query else self.path

    @property
    def safe(self) -> bool:
        """May be sent again when a kept connection turns out to be dead."""
        return self.method in ("GET", "HEAD")


def _ref(type_: ResourceType, namespace: str, name: str = "") -> str:
    what = f'{type_.plural} "{name}"' if name else type_.plural
    return f'{what} in namespace "{namespace}"' if namespace and type_.namespaced else what


def _query(pairs: Mapping[str, str | int | bool | None]) -> Query:
    """Leaves out what is empty; True is written the way Go reads it."""
    return tuple((key, "true" if value is True else str(value)) for key, value in pairs.items() if value)


def _dry(dry_run: bool) -> str:
    return "All" if dry_run else ""


def get(type_: ResourceType, name: str, namespace: str = "") -> ApiRequest:
    return ApiRequest(method="GET", path=type_.path(namespace, name), ref=_ref(type_, namespace, name))


def get_table(type_: ResourceType, name: str, namespace: str = "", include: str = "Metadata") -> ApiRequest:
    """One object as a Table of one row."""
    plain = get(type_, name, namespace)
    return dataclasses.replace(plain, query=(("includeObject", include),), accept=TABLE)


def list_objects(
    type_: ResourceType, namespace: str = "", *, labels: str = "", fields: str = "", limit: int = 0, continue_: str = ""
) -> ApiRequest:
    query = _query({"labelSelector": labels, "fieldSelector": fields, "limit": limit, "continue": continue_})
    return ApiRequest(method="GET", path=type_.path(namespace), query=query, ref=_ref(type_, namespace))


def list_table(
    type_: ResourceType,
    namespace: str = "",
    *,
    labels: str = "",
    fields: str = "",
    limit: int = 0,
    continue_: str = "",
    include: str = "Metadata",
) -> ApiRequest:
    """The same list as columns and cells. `include`: None, Metadata or Object beside the cells."""
    plain = list_objects(type_, namespace, labels=labels, fields=fields, limit=limit, continue_=continue_)
    return ApiRequest(
        method="GET", path=plain.path, query=(*plain.query, ("includeObject", include)), accept=TABLE, ref=plain.ref
    )


def watch_table(
    type_: ResourceType,
    namespace: str,
    resource_version: str,
    seconds: int,
    include: str = "Metadata",
    *,
    labels: str = "",
    fields: str = "",
) -> ApiRequest:
    """Changes after `resource_version` as Tables of one row, with bookmarks; the server ends it after `seconds`."""
    query = _query(
        {
            "watch": True,
            "allowWatchBookmarks": True,
            "labelSelector": labels,
            "fieldSelector": fields,
            "resourceVersion": resource_version,
            "timeoutSeconds": seconds,
            "includeObject": include,
        }
    )
    return ApiRequest(method="GET", path=type_.path(namespace), query=query, accept=TABLE, ref=_ref(type_, namespace))


def watch_objects(
    type_: ResourceType, namespace: str, resource_version: str, seconds: int, *, labels: str = "", fields: str = ""
) -> ApiRequest:
    """Changes after `resource_version` as whole objects, with bookmarks; the server ends it after `seconds`."""
    tables = watch_table(type_, namespace, resource_version, seconds, "", labels=labels, fields=fields)
    return dataclasses.replace(tables, accept=JSON)


def create(type_: ResourceType, obj: dict[str, Any], namespace: str = "", *, dry_run: bool = False) -> ApiRequest:
    metadata = obj.get("metadata") or {}
    namespace = namespace or str(metadata.get("namespace") or "")
    query = _query({"fieldValidation": "Strict", "fieldManager": FIELD_MANAGER, "dryRun": _dry(dry_run)})
    ref = _ref(type_, namespace, str(metadata.get("name") or metadata.get("generateName") or ""))
    return ApiRequest(
        method="POST",
        path=type_.path(namespace),
        query=query,
        body=msgspec.json.encode(obj),
        content_type=JSON,
        ref=ref,
    )


def replace(
    type_: ResourceType, obj: dict[str, Any], namespace: str = "", *, subresource: str = "", dry_run: bool = False
) -> ApiRequest:
    metadata = obj.get("metadata") or {}
    namespace, name = namespace or str(metadata.get("namespace") or ""), str(metadata.get("name") or "")
    query = _query({"fieldValidation": "Strict", "fieldManager": FIELD_MANAGER, "dryRun": _dry(dry_run)})
    path = type_.path(namespace, name, subresource)
    return ApiRequest(
        method="PUT",
        path=path,
        query=query,
        body=msgspec.json.encode(obj),
        content_type=JSON,
        ref=_ref(type_, namespace, name),
    )


def patch(
    type_: ResourceType,
    name: str,
    change: Any,
    namespace: str = "",
    *,
    style: PatchStyle = "merge",
    subresource: str = "",
    dry_run: bool = False,
    force: bool = False,
) -> ApiRequest:
    """`change`: a mapping, or for style 'json' a list of operations. `force` takes over others' fields (apply only)."""
    query = _query(
        {"fieldValidation": "Strict", "fieldManager": FIELD_MANAGER, "dryRun": _dry(dry_run), "force": force}
    )
    path = type_.path(namespace, name, subresource)
    body = msgspec.json.encode(change)
    return ApiRequest(
        method="PATCH",
        path=path,
        query=query,
        body=body,
        content_type=_PATCH_TYPES[style],
        ref=_ref(type_, namespace, name),
    )


def delete(
    type_: ResourceType,
    name: str,
    namespace: str = "",
    *,
    dry_run: bool = False,
    propagation: str = "",
    uid: str = "",
    resource_version: str = "",
) -> ApiRequest:
    """`propagation`: Foreground, Background, Orphan or '' (the type's default).

    `uid` guards against a namesake made meanwhile.
    """
    options: dict[str, Any] = {"apiVersion": "v1", "kind": "DeleteOptions"}
    if propagation:
        options["propagationPolicy"] = propagation
    if dry_run:
        options["dryRun"] = ["All"]
    preconditions = {key: value for key, value in (("uid", uid), ("resourceVersion", resource_version)) if value}
    if preconditions:
        options["preconditions"] = preconditions
    body = msgspec.json.encode(options)
    return ApiRequest(
        method="DELETE",
        path=type_.path(namespace, name),
        query=(),
        body=body,
        content_type=JSON,
        ref=_ref(type_, namespace, name),
    )


def access_review(
    verb: str, type_: ResourceType, namespace: str = "", name: str = "", subresource: str = ""
) -> ApiRequest:
    """SelfSubjectAccessReview: may the sender do this?"""
    attributes = {
        "verb": verb,
        "group": type_.group,
        "version": type_.version,
        "resource": type_.plural,
        "subresource": subresource,
        "namespace": namespace if type_.namespaced else "",
        "name": name,
    }
    spec = {"resourceAttributes": {key: value for key, value in attributes.items() if value}}
    return _review("SelfSubjectAccessReview", spec, f"the right to {verb} {type_.plural}")


def rules_review(namespace: str) -> ApiRequest:
    """SelfSubjectRulesReview: what may the sender do in this namespace?"""
    return _review("SelfSubjectRulesReview", {"namespace": namespace}, f'rights in namespace "{namespace}"')


def self_review() -> ApiRequest:
    """SelfSubjectReview: who is the sender?"""
    return _review("SelfSubjectReview", {}, "who the sender is", group="authentication.k8s.io")


def _review(kind: str, spec: dict[str, Any], ref: str, *, group: str = "authorization.k8s.io") -> ApiRequest:
    review = {"apiVersion": f"{group}/v1", "kind": kind, **({"spec": spec} if spec else {})}
    return ApiRequest(
        method="POST",
        path=f"/apis/{group}/v1/{kind.lower()}s",
        query=(),
        body=msgspec.json.encode(review),
        content_type=JSON,
        ref=ref,
    )


def pod_log(
    pod: str,
    namespace: str,
    *,
    container: str = "",
    tail: int = 0,
    previous: bool = False,
    timestamps: bool = False,
    since_seconds: int = 0,
    since_time: str = "",
    follow: bool = False,
    limit_bytes: int = 0,
) -> ApiRequest:
    """`tail`: lines from the end, 0 = all.

    `since_time` is RFC 3339; the API server takes one of both. `limit_bytes`: from the first of these lines.
    """
    query = _query(
        {
            "container": container,
            "tailLines": tail,
            "previous": previous,
            "timestamps": timestamps,
            "sinceSeconds": since_seconds,
            "sinceTime": since_time,
            "follow": follow,
            "limitBytes": limit_bytes,
        }
    )
    path = f"/api/v1/namespaces/{path_segment(namespace)}/pods/{path_segment(pod)}/log"
    return ApiRequest(
        method="GET", path=path, query=query, accept="*/*", ref=f'the log of pod "{pod}" in namespace "{namespace}"'
    )


def exec_(pod: str, namespace: str, container: str, command: tuple[str, ...]) -> ApiRequest:
    """The WebSocket of a command with a terminal: what it writes to stderr comes on stdout."""
    path = f"/api/v1/namespaces/{path_segment(namespace)}/pods/{path_segment(pod)}/exec"
    flags = (("container", container), ("stdin", "true"), ("stdout", "true"), ("tty", "true"))
    query = tuple(pair for pair in flags if pair[1]) + tuple(("command", part) for part in command)
    return ApiRequest(
        method="GET", path=path, query=query, accept="*/*", ref=f'a command in pod "{pod}" of namespace "{namespace}"'
    )


def port_forward(pod: str, namespace: str, port: int) -> ApiRequest:
    """The WebSocket of one TCP connection to `port` of the pod.

    The kubelet answers, and not every kubelet takes a request that accepts JSON only.
    """
    path = f"/api/v1/namespaces/{path_segment(namespace)}/pods/{path_segment(pod)}/portforward"
    ref = f'port {port} of pod "{pod}" in namespace "{namespace}"'
    return ApiRequest(method="GET", path=path, query=(("ports", str(port)),), accept="*/*", ref=ref)
