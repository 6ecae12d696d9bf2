"""apiVersion and kind of a body: those of the path, or what the API server says of others (runtime scheme,
create.go).
"""

from __future__ import annotations

from typing import Any

from .errors import BadRequest, Invalid
from .objects import Object
from .resources import Registry, Resource
from .schemas import Undecodable, schema

#: Versions that are served no more, but whose objects the API server still knows to be the same.
_OLD = {
    "extensions/v1beta1": ("DaemonSet", "Deployment", "Ingress", "NetworkPolicy", "ReplicaSet"),
    "apps/v1beta1": ("ControllerRevision", "Deployment", "StatefulSet"),
    "apps/v1beta2": ("ControllerRevision", "DaemonSet", "Deployment", "ReplicaSet", "StatefulSet"),
    "batch/v1beta1": ("CronJob",),
    "networking.k8s.io/v1beta1": ("Ingress", "IngressClass"),
    "policy/v1beta1": ("PodDisruptionBudget",),
    "rbac.authorization.k8s.io/v1beta1": ("ClusterRole", "ClusterRoleBinding", "Role", "RoleBinding"),
    "storage.k8s.io/v1beta1": ("StorageClass",),
    "coordination.k8s.io/v1beta1": ("Lease",),
    "discovery.k8s.io/v1beta1": ("EndpointSlice",),
    "events.k8s.io/v1": ("Event",),
    "v1": ("Event",),
}
_SCHEME = "pkg/runtime/scheme.go:111"


def check_type(registry: Registry, resource: Resource, obj: Any, patched: bool = False) -> None:
    """The body must be an object of the kind and version of the path; what it leaves out is filled in."""
    if not isinstance(obj, dict):
        raise BadRequest("the request body must be a JSON object")
    if resource.custom:
        _check_custom(resource, obj, patched)
    else:
        _check_builtin(registry, resource, obj)
    if obj.get("metadata") is None:
        obj["metadata"] = {}
    if resource.custom and not isinstance(obj["metadata"], dict):
        raise BadRequest("metadata must be an object")


def _check_custom(resource: Resource, obj: Object, patched: bool) -> None:
    api_version, kind = obj.get("apiVersion"), obj.get("kind")
    metadata = obj.get("metadata")
    name = str(metadata.get("name", "")) if isinstance(metadata, dict) else ""
    if not kind:
        raise BadRequest("Object 'Kind' is missing in 'unstructured object has no kind'")
    if api_version != resource.api_version and patched:
        wrong = f'Invalid value: "{api_version or ""}": must be {resource.api_version}'
        raise Invalid(resource.kind, name, [("apiVersion", "FieldValueInvalid", wrong)], resource.group)
    if api_version != resource.api_version:
        raise _other_version(resource, str(api_version or ""))
    if kind != resource.kind:
        cause = ("kind", "FieldValueInvalid", f'Invalid value: "{kind}": must be {resource.kind}')
        raise Invalid(str(kind), name, [cause], resource.group)


def _other_version(resource: Resource, api_version: str) -> BadRequest:
    return BadRequest(
        f"the API version in the data ({api_version}) does not match the expected API version ({resource.api_version})"
    )


def _check_builtin(registry: Registry, resource: Resource, obj: Object) -> None:
    api_version = str(obj.get("apiVersion") or resource.api_version)
    kind = str(obj.get("kind") or resource.kind)
    obj["apiVersion"], obj["kind"] = api_version, kind
    if (api_version, kind) == (resource.api_version, resource.kind):
        return
    version = api_version.rpartition("/")[2]
    if kind == resource.kind and kind in _OLD.get(api_version, ()):
        raise _other_version(resource, api_version)
    if not _known(registry, api_version, kind):
        why = f'no kind "{kind}" is registered for version "{api_version}" in scheme "{_SCHEME}"'
        raise Undecodable(resource, why, kind, version)
    group = resource.group.partition(".")[0] or "core"
    why = f"converting ({version}.{kind}) to ({group}.{resource.kind}): unknown conversion"
    raise Undecodable(resource, why, kind, version)


def _known(registry: Registry, api_version: str, kind: str) -> bool:
    """Whether kube-apiserver has a Go type for it: a built-in kind, or a list of one."""
    group, _, version = api_version.rpartition("/")
    for name in (kind, kind.removesuffix("List")):
        found = registry.by_kind(api_version, name)
        if (found is not None and not found.custom) or name in _OLD.get(api_version, ()):
            return True
        if schema is not None and schema.builtin(group, version, name) is not None:
            return True
    return False
