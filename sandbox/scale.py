"""The scale subresource: an autoscaling/v1 Scale in front of the fields that the kind says."""

from __future__ import annotations

from typing import Any

from structural.causes import FieldCause

from .columns.column import selector_text
from .errors import BadRequest, Invalid, unreadable_patch
from .jsonpath import compile_path
from .objects import Object, copy
from .resources import Resource

MAX_INT32 = 2**31 - 1


def scale_of(resource: Resource, obj: Object) -> Object:
    """The Scale of an object."""
    assert resource.scale is not None
    metadata = obj["metadata"]
    fields = ("name", "namespace", "uid", "resourceVersion", "creationTimestamp")
    status: Object = {"replicas": _number(obj, resource.scale.status_replicas)}
    selector = _selector(resource, obj)
    if selector:
        status["selector"] = selector
    return {
        "kind": "Scale",
        "apiVersion": "autoscaling/v1",
        "metadata": {name: metadata[name] for name in fields if name in metadata},
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


def _wrong_type(replicas: Any) -> str:
    """Go's error for a value that isn't a number."""
    given = "bool" if isinstance(replicas, bool) else "string" if isinstance(replicas, str) else "number"
    return f"json: cannot unmarshal {given} into Go struct field ScaleSpec.spec.replicas of type int32"


def missing_replicas(resource: Resource, obj: Object) -> bool:
    """Whether a custom resource has no replicas where its CRD says they are; it has no Scale to read then."""
    assert resource.scale is not None
    return bool(resource.custom) and not compile_path(resource.scale.replicas)(obj)


def replicas_causes(resource: Resource, obj: Object, subresource: str) -> list[FieldCause]:
    """Replicas of a custom resource with a scale subresource are int32 and not negative, whatever its schema says."""
    if resource.scale is None or not resource.custom:
        return []
    paths = [resource.scale.replicas] if subresource != "status" else []
    return [cause for path in (*paths, resource.scale.status_replicas) for cause in _number_causes(obj, path)]


def _number_causes(obj: Object, path: str) -> list[FieldCause]:
    found = compile_path(path)(obj)
    value = found[0] if found else 0
    if not isinstance(value, int) or isinstance(value, bool):
        kinds = {bool: "bool", str: "string", float: "float64", dict: "map[string]interface {}", list: "[]interface {}"}
        given = "<nil>" if value is None else kinds[type(value)]
        shown = "<nil>" if value is None else str(value)
        why = f"{path} accessor error: {shown} is of the type {given}, expected int64"
        return [FieldCause(path, "FieldValueInvalid", f"Invalid value: 0: {why}")]
    if value < 0:
        return [FieldCause(path, "FieldValueInvalid", f"Invalid value: {value}: should be a non-negative integer")]
    if value > MAX_INT32:
        return [
            FieldCause(
                path, "FieldValueInvalid", f"Invalid value: {value}: should be less than or equal to {MAX_INT32}"
            )
        ]
    return []


def with_scale(resource: Resource, obj: Object, scale: Object) -> Object:
    """The object with the replicas of a Scale."""
    assert resource.scale is not None
    replicas = (scale.get("spec") or {}).get("replicas", 0)
    name = (scale.get("metadata") or {}).get("name") or obj["metadata"]["name"]
    if name != obj["metadata"]["name"]:
        raise BadRequest(
            f"the name of the object ({name}) does not match the name on the URL ({obj['metadata']['name']})"
        )
    if not isinstance(replicas, int) or isinstance(replicas, bool):
        raise unreadable_patch(scale, _wrong_type(replicas))
    if replicas < 0 and not resource.custom:
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
