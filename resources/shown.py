"""An object as people read it: without managedFields, and a Secret without its values unless they were asked for."""

from typing import Any

from kube.objects import KubeObject

MASK = "••••••"
# kubectl apply keeps the whole object, values and all, in this annotation.
_APPLIED = "kubectl.kubernetes.io/last-applied-configuration"


def shown(obj: KubeObject, masked: bool) -> KubeObject:
    """`masked`: values of `data` and `stringData` are dots. The object itself is not changed."""
    metadata = {key: value for key, value in obj["metadata"].items() if key != "managedFields"}
    found: dict[str, Any] = {**obj, "metadata": metadata}
    if masked:
        for part in ("data", "stringData"):
            if isinstance(found.get(part), dict):
                found[part] = dict.fromkeys(found[part], MASK)
        notes = dict(metadata.get("annotations") or {})
        if notes.pop(_APPLIED, None):
            found["metadata"] = {**metadata, "annotations": notes}
    return found
