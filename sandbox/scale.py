"""The scale subresource: an autoscaling/v1 Scale in front of the fields that the kind says."""

from __future__ import annotations

from typing import Any

from .columns.column import selector_text
from .errors import BadRequest, Invalid
from .jsonpath import compile_path
from .objects import Object, copy
from .resources import Resource

Value = Any


def scale_of(resource: Resource, obj: Object) -> Object:
    """The Scale of an object."""
    assert resource.scale is not None
    metadata = obj["metadata"]
    kept = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    status: Object = {"replicas": _number(obj, resource.scale.status_replicas)}
    selector = _selector(resource, obj)
    if selector:
        status["selector"] = selector
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {name: metadata[name] for name in kept if name in metadata},
        "spec": {"replicas": _number(obj, resource.scale.replicas)},
        "status": status,
    }


def _number(obj: Object, path: str) -> int:
    found = compile_path(path)(obj)
    return int(found[0]) if found and isinstance(found[0], int | float) else 0


def _selector(resource: Resource, obj: Object) -> str:
    assert resource.scale is not None
    if resource.scale.selector:
        found = compile_path(resource.scale.selector)(obj)
        return str(found[0]) if found and found[0] else ""
    selector = (obj.get("spec") or {}).get("selector")
    if not selector:
        return ""
    if "matchLabels" in selector or "matchExpressions" in selector:
        return selector_text(selector)
    return ",".join(f"{key}={value}" for key, value in sorted(selector.items()))


def with_scale(resource: Resource, obj: Object, scale: Object) -> Object:
    """The object with the replicas of a Scale."""
    assert resource.scale is not None
    replicas = (scale.get("spec") or {}).get("replicas", 0)
    if not isinstance(replicas, int) or isinstance(replicas, bool):
        raise BadRequest("spec.replicas must be an integer")
    if replicas < 0:
        if resource.custom:
            cause = (
                resource.scale.replicas,
                "FieldValueInvalid",
                f"Invalid value: {replicas}: should be a non-negative integer",
            )
            raise Invalid(resource.kind, obj["metadata"]["name"], [cause], resource.group)
        text = f"Invalid value: {replicas}: must be greater than or equal to 0"
        raise Invalid("Scale", obj["metadata"]["name"], [("spec.replicas", "FieldValueInvalid", text)], "autoscaling")
    result: Object = copy(obj)
    *parents, last = resource.scale.replicas.lstrip(".").split(".")
    at = result
    for name in parents:
        at = at.setdefault(name, {})
    at[last] = replicas
    version = (scale.get("metadata") or {}).get("resourceVersion")
    if version:
        result["metadata"]["resourceVersion"] = version
    return result
