"""An object that somebody is writing: what it begins with, and how what became of it is sent to the cluster.

An existing object is never overwritten as a whole: what changed is sent as a patch with the resourceVersion that it was compared with.
"""

from typing import Any

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import Conflict
from kube.objects import KubeObject, name_of, namespace_of, uid_of
from kube.patches import merge_patch
from resources.diff import Clash, json_patch, merge, says_null
from resources.forms.paths import words
from resources.forms.schema import Schema, kind_of

_TRIES = 4
#: metadata that the server writes.
_SERVERS = (
    "resourceVersion",
    "uid",
    "creationTimestamp",
    "generation",
    "managedFields",
    "selfLink",
    "deletionTimestamp",
)


class Clashing(Exception):
    """Somebody else changed the same fields. `merged`: theirs with mine laid over it; `theirs`: what stands in the cluster."""

    def __init__(self, clashes: tuple[Clash, ...], merged: KubeObject, theirs: KubeObject) -> None:
        super().__init__(", ".join(words(clash.path) for clash in clashes))
        self.clashes = clashes
        self.merged = merged
        self.theirs = theirs


def begin(type_: ResourceType, namespace: str, schema: Schema, example: KubeObject | None) -> KubeObject:
    """A new object: the example without what the server writes, or the least that every object has."""
    made: dict[str, Any] = {"apiVersion": type_.api_version, "kind": type_.kind, "metadata": {}}
    root = schema.node(schema.root)
    if example is None and kind_of(schema.child(root, "spec")) == "object":
        made["spec"] = {}
    made |= {key: value for key, value in (example or {}).items() if key not in ("apiVersion", "kind", "status")}
    metadata = made["metadata"] if isinstance(made["metadata"], dict) else {}
    metadata = {key: value for key, value in metadata.items() if key not in (*_SERVERS, "namespace")}
    made["metadata"] = {**metadata, **({"namespace": namespace} if type_.namespaced and namespace else {})}
    return made


def editable(obj: KubeObject) -> KubeObject:
    """What the form of an existing object carries: without status and managedFields, which are large and nobody's to type."""
    metadata = {key: value for key, value in obj["metadata"].items() if key != "managedFields"}
    return {**{key: value for key, value in obj.items() if key != "status"}, "metadata": metadata}


def update(client: ClusterClient, type_: ResourceType, began: KubeObject, mine: KubeObject) -> KubeObject:
    """Send what changed. Returns the object as it is then. Raises Clashing, and KubeError.

    Changes of others to other fields (an operator's status among them) are no conflict.
    """
    name, namespace = name_of(began), namespace_of(began)
    for attempt in range(_TRIES):
        live = client.get(type_, name, namespace)
        theirs = editable(live)
        if uid_of(live) != uid_of(began):
            raise Clashing((Clash(("metadata", "uid"), uid_of(began), uid_of(live)),), mine, theirs)
        settled = {
            "resourceVersion": live["metadata"].get("resourceVersion"),
            "generation": live["metadata"].get("generation"),
        }
        merged, clashes = merge(_settle(began, settled), _settle(mine, settled), theirs)
        if clashes:
            raise Clashing(clashes, merged, theirs)
        if merged == theirs:
            return live
        try:
            return _send(client, type_, name, namespace, theirs, merged)
        except Conflict:
            if attempt == _TRIES - 1:
                raise
    raise AssertionError("the last try returns or raises")


def _settle(obj: KubeObject, settled: dict[str, Any]) -> KubeObject:
    """With the server's own counters as they are now, which are nobody's change."""
    metadata = {**obj["metadata"], **{key: value for key, value in settled.items() if value is not None}}
    return {**obj, "metadata": metadata}


def _send(
    client: ClusterClient, type_: ResourceType, name: str, namespace: str, old: KubeObject, new: KubeObject
) -> KubeObject:
    version = old["metadata"]["resourceVersion"]
    patch = merge_patch(old, new)
    if says_null(patch, new):
        place = {"op": "replace", "path": "/metadata/resourceVersion", "value": version}
        return client.patch(type_, name, [*json_patch(old, new), place], namespace, style="json")
    patch["metadata"] = {**(patch.get("metadata") or {}), "resourceVersion": version}
    return client.patch(type_, name, patch, namespace)
