"""From a recorded version to an object to send: its user-written parts, laid over the object as it is now. Pure.

Never sent back: the status, owner references, finalizers, and values that were not recorded (stored_object.py): those
stay as they are now.
"""

from typing import Any

from kube.objects import KubeObject, is_last_applied, without_last_applied
from resources.history import stored_object
from resources.state.health import mapping
from resources.writing.draft import SERVERS

_KEPT_HERE = ("labels", "annotations")


def written(version: KubeObject, live: KubeObject) -> KubeObject:
    """The live object with the spec, labels and annotations of `version`; its own metadata names it to the server."""
    now = {key: value for key, value in mapping(live.get("metadata")).items() if key != "managedFields"}
    metadata = {key: value for key, value in now.items() if key not in _KEPT_HERE}
    then = mapping(version.get("metadata"))
    if labels := then.get("labels"):
        metadata["labels"] = labels
    # The copies that programs keep (what kubectl applied last) stay: only so kopf sees that something changed.
    notes = {key: value for key, value in mapping(now.get("annotations")).items() if is_last_applied(key)}
    notes |= without_last_applied(then.get("annotations"))
    if notes:
        metadata["annotations"] = notes
    body = {key: value for key, value in version.items() if key not in ("status", "metadata", "apiVersion", "kind")}
    made: dict[str, Any] = {
        "apiVersion": live.get("apiVersion"),
        "kind": live.get("kind"),
        "metadata": metadata,
        **body,
    }
    found: KubeObject = stored_object.unmasked(made, live)
    return found


def anew(version: KubeObject) -> KubeObject:
    """An object to be created again: without what only a server writes, owners (they may be gone) and finalizers (no
    controller has started work that they would guard).
    """
    metadata = {
        key: value
        for key, value in mapping(version.get("metadata")).items()
        if key not in (*SERVERS, "ownerReferences", "finalizers")
    }
    if "annotations" in metadata:
        metadata["annotations"] = without_last_applied(metadata["annotations"])
    made = {**{key: value for key, value in version.items() if key != "status"}, "metadata": metadata}
    found: KubeObject = stored_object.unmasked(made, {})
    return found


def lost(kind: str, version: KubeObject) -> list[str]:
    """Codes for what creating it again does not bring back: values, owners, data, contents, instances, identity."""
    found = []
    if stored_object.any_hidden(version):
        found.append("values")
    if mapping(version.get("metadata")).get("ownerReferences"):
        found.append("owners")
    contents = {
        "PersistentVolumeClaim": "data",
        "PersistentVolume": "data",
        "Namespace": "contents",
        "CustomResourceDefinition": "instances",
    }
    return [*found, contents.get(kind, "owned")]
