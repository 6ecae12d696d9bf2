"""O3: what goes with an instance, what stays, and whether that can be undone."""

from typing import Any

import pytest

from kube.discovery import ResourceType
from kube.errors import Forbidden
from resources.page import deletion_impact
from resources.tree import Belongings, owned_tree

THING = ResourceType(group="x.example.com", version="v1", plural="things", kind="Thing", namespaced=True)
SET = ResourceType(group="apps", version="v1", plural="statefulsets", kind="StatefulSet", namespaced=True)
DEPLOYMENT = ResourceType(group="apps", version="v1", plural="deployments", kind="Deployment", namespaced=True)
POD, CLAIM = (
    ResourceType(group="", version="v1", plural=plural, kind=kind, namespaced=True)
    for plural, kind in (("pods", "Pod"), ("pvcs", "PersistentVolumeClaim"))
)
VOLUMES = ResourceType(group="", version="v1", plural="persistentvolumes", kind="PersistentVolume", namespaced=False)
MARKS = (("app.kubernetes.io/instance", "db"),)


def obj(name: str, *owners: str, labels: dict[str, str] | None = None, **parts: Any) -> dict[str, Any]:
    references = [{"uid": owner, "kind": "X", "name": owner} for owner in owners]
    return {
        "metadata": {
            "name": name,
            "uid": name,
            "namespace": "shop",
            "ownerReferences": references,
            "labels": labels or {},
        },
        **parts,
    }


def claim(name: str, *owners: str, volume: str = "") -> dict[str, Any]:
    return obj(name, *owners, spec={"resources": {"requests": {"storage": "8Gi"}}, "volumeName": volume})


class Cluster:
    """Of volumes only `kept` can be read, and it is retained."""

    def find(self, *_about: str) -> ResourceType:
        return VOLUMES

    def get(self, _type: ResourceType, name: str) -> dict[str, Any]:
        if name != "kept":
            raise Forbidden("no")
        return {"spec": {"persistentVolumeReclaimPolicy": "Retain"}}


def impact_of(
    monkeypatch: pytest.MonkeyPatch,
    *objects: tuple[ResourceType, dict[str, Any]],
    type_: ResourceType = THING,
    **more: Any,
) -> deletion_impact.Impact:
    owner = obj("db", **more)
    found = Belongings(tuple(owned_tree(owner, objects, (), MARKS)))
    monkeypatch.setattr(deletion_impact, "belongings", lambda *_about: found)
    return deletion_impact.impact(Cluster(), type_, owner)  # type: ignore[arg-type]


def named(found: deletion_impact.Impact) -> dict[str, list[str]]:
    return {group.type.kind: [place.name for place in group.places] for group in found.goes}


def test_o3_what_goes_and_what_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """O3: by references, transitively; not by labels, not objects with another owner too, nor what those own."""
    found = impact_of(
        monkeypatch,
        (SET, obj("set", "db", spec={"volumeClaimTemplates": [{"metadata": {"name": "data"}}]})),
        (POD, obj("set-0", "set")),
        (CLAIM, claim("data-set-0")),
        (DEPLOYMENT, obj("helper", labels=dict(MARKS))),
        (POD, obj("helper-1", "helper")),
        (DEPLOYMENT, obj("shared", "db", "elsewhere")),
    )
    assert named(found) == {"StatefulSet": ["set"], "Pod": ["set-0"]}
    assert {(item.place.name, item.how) for item in found.stays} == {
        ("data-set-0", "claim"),
        ("helper", "label"),
        ("shared", "owner"),
    }
    assert (found.lost, found.way) == ((), "partly")


def test_o3_data_that_is_lost_can_not_be_undone(monkeypatch: pytest.MonkeyPatch) -> None:
    """O3: a claim that goes takes its data along, unless its volume is retained."""
    found = impact_of(monkeypatch, (CLAIM, claim("data", "db", volume="gone")))
    assert ([(item.place.name, item.size) for item in found.lost], found.way) == ([("data", "8Gi")], "lost")
    found = impact_of(monkeypatch, (CLAIM, claim("data", "db", volume="kept")))
    assert (found.lost, found.claims[0].volume, found.way) == ((), "kept", "partly")


@pytest.mark.parametrize(
    ("type_", "finalizers", "way"),
    [(THING, [], "again"), (THING, ["x.example.com/clean"], "partly"), (SET, [], "again")],
)
def test_o3_when_it_can_be_undone(
    monkeypatch: pytest.MonkeyPatch, type_: ResourceType, finalizers: list[str], way: str
) -> None:
    """O3: an operator's finalizer may remove what the cluster does not know."""
    owner = obj("db")
    owner["metadata"]["finalizers"] = finalizers
    monkeypatch.setattr(deletion_impact, "belongings", lambda *_about: Belongings())
    assert deletion_impact.impact(Cluster(), type_, owner).way == way  # type: ignore[arg-type]
