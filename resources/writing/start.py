"""What a new object begins with: an example of its operator, an object that exists already, or nothing.

One word says which, in the address and in the menu: `example:NAME`, `from:NAME`, `empty`. `?example=NAME`, `?example=-`
and `?from=NAME` mean the same.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from kube.client import ClusterClient
from kube.errors import KubeError
from kube.objects import KubeObject, name_of, without_last_applied
from resources.forms.schema import Schema
from resources.place import Place
from resources.writing import draft
from resources.writing.examples import Offer

EMPTY = "empty"
#: At most this many objects are in the menu; `?from=NAME` works for every one.
_OBJECTS = 50
_ANNOTATIONS = frozenset(
    [
        "deployment.kubernetes.io/revision",
        "pv.kubernetes.io/bind-completed",
        "pv.kubernetes.io/bound-by-controller",
        "volume.kubernetes.io/selected-node",
        "volume.kubernetes.io/storage-provisioner",
        "volume.beta.kubernetes.io/storage-provisioner",
        "olm.operatorGroup",
        "olm.operatorNamespace",
        "olm.targetNamespaces",
    ]
)
# What the server gives to one object and refuses in the next.
_GIVEN: dict[tuple[str, str], tuple[str, ...]] = {
    ("", "Service"): ("clusterIP", "clusterIPs", "healthCheckNodePort"),
    ("", "PersistentVolumeClaim"): ("volumeName",),
    ("", "PersistentVolume"): ("claimRef",),
    ("", "Pod"): ("nodeName",),
    ("", "Namespace"): ("finalizers",),
}
_JOB_LABELS = ("controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name")


@dataclass(frozen=True, slots=True)
class Start:
    """One entry of the menu."""

    value: str
    label: str
    description: str = ""


def wanted(query: Mapping[str, str]) -> str:
    """What the address asks for; '' leaves the choice to us: the first example."""
    if found := query.get("start", ""):
        return found
    if name := query.get("from", ""):
        return f"from:{name}"
    example = query.get("example", "")
    return EMPTY if example == "-" else f"example:{example}" if example else ""


def chosen(offer: Offer, asked: str) -> str:
    """The menu's entry that is taken, where the address names none or one that is gone."""
    if asked == EMPTY or asked.startswith("from:"):
        return asked
    names = [f"example:{example.name}" for example in offer.examples]
    return asked if asked in names else EMPTY if asked or not names else names[0]


def by_default(client: ClusterClient, place: Place, offer: Offer) -> str:
    """The menu's entry where the address names none: what the operator wants to be created first only while nothing
    is there.
    """
    first, *others = offer.examples or (None,)
    if first and first.is_first and others and objects(client, place):
        return f"example:{others[0].name}"
    return chosen(offer, "")


def begin(client: ClusterClient, place: Place, schema: Schema, offer: Offer, start: str) -> KubeObject:
    """The object that `start` (of `chosen`) means. Raises KubeError when the one to be copied can't be read."""
    kind, _, name = start.partition(":")
    if kind == "from":
        found = client.get(place.type, name, place.namespace)
        return draft.begin(place.type, place.namespace, schema, as_new(found, f"{name}-copy"))
    example = next((example.object for example in offer.examples if kind == "example" and example.name == name), None)
    return draft.begin(place.type, place.namespace, schema, example)


def as_new(obj: KubeObject, name: str = "") -> KubeObject:
    """The object without what makes it that one: what the server gave it, its owners, its status.

    `name`: another name for it.
    """
    made = draft.own(obj)
    metadata: dict[str, Any] = {
        key: value for key, value in made["metadata"].items() if key not in ("ownerReferences", "finalizers")
    }
    if name:
        metadata["name"] = name[:253]
    annotations = {
        key: value
        for key, value in without_last_applied(metadata.get("annotations")).items()
        if key not in _ANNOTATIONS
    }
    if annotations:
        metadata["annotations"] = annotations
    else:
        metadata.pop("annotations", None)
    made["metadata"] = metadata
    if isinstance(made.get("spec"), dict):
        made["spec"] = _spec(made)
    return made


def _spec(obj: KubeObject) -> dict[str, Any]:
    group = str(obj.get("apiVersion") or "").rpartition("/")[0]
    kind = str(obj.get("kind") or "")
    spec = {key: value for key, value in obj["spec"].items() if key not in _GIVEN.get((group, kind), ())}
    if (group, kind) == ("", "Service") and isinstance(spec.get("ports"), list):
        spec["ports"] = [
            {key: value for key, value in port.items() if key != "nodePort"} if isinstance(port, dict) else port
            for port in spec["ports"]
        ]
    if (group, kind) == ("batch", "Job") and not spec.get("manualSelector"):
        spec.pop("selector", None)
        template = spec.get("template")
        if isinstance(template, dict) and isinstance(template.get("metadata"), dict):
            labels = template["metadata"].get("labels") or {}
            labels = {key: value for key, value in labels.items() if key not in _JOB_LABELS}
            spec["template"] = {**template, "metadata": {**template["metadata"], "labels": labels}}
    return spec


def examples(offer: Offer) -> tuple[Start, ...]:
    return tuple(Start(f"example:{example.name}", example.name, example.description) for example in offer.examples)


def objects(client: ClusterClient, place: Place) -> tuple[Start, ...]:
    """Existing objects to copy, by name; none where they can't be listed."""
    try:
        rows = client.table(place.type, place.namespace, limit=_OBJECTS).rows
    except KubeError:
        return ()
    return (
        tuple(Start(f"from:{name}", name) for row in rows if (name := name_of(row.object)))
        if place.namespace or not place.type.namespaced
        else ()
    )
