"""An object as people read it: without managedFields, and a Secret without its values unless they were asked for."""

from typing import Any

from kube import copies
from kube.objects import KubeObject

MASK = "••••••"


def shown(obj: KubeObject, masked: bool) -> KubeObject:
    """`masked`: values of `data` and `stringData` are dots. The object itself is not changed."""
    metadata = {key: value for key, value in obj["metadata"].items() if key != "managedFields"}
    found: dict[str, Any] = {**obj, "metadata": metadata}
    if masked:
        for part in ("data", "stringData"):
            if isinstance(found.get(part), dict):
                found[part] = dict.fromkeys(found[part], MASK)
        if metadata.get("annotations"):
            found["metadata"] = {**metadata, "annotations": copies.without(metadata["annotations"])}
    return found
