"""In what order what an install made is deleted: without a cluster."""

from typing import Any

import pytest

from kube.errors import NotFound
from operatorhub import olm
from operatorhub.bootstrap import apply
from operatorhub.install.created_objects import DeletionTarget


class Cluster:
    """An object that is deleted is still there for two more reads: its finalizers go first."""

    def __init__(self) -> None:
        self.deleted: dict[str, int] = {}
        self.order: list[str] = []

    def find(self, group: str, version: str, plural: str) -> str:
        return plural

    def get(self, _type: str, name: str, _namespace: str = "") -> dict[str, Any]:
        left = self.deleted.get(name, 3)
        if name in self.deleted:
            self.deleted[name] = left - 1
        if left <= 0:
            self.order.append(f"{name} is gone")
            raise NotFound(name)
        return {"metadata": {"name": name, "uid": f"uid of {name}"}}

    def delete(self, _type: str, name: str, *_more: Any, **_options: Any) -> None:
        self.order.append(f"{name} is deleted")
        self.deleted[name] = 2


def test_objects_of_olm_are_gone_before_its_programs_are_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    cluster = Cluster()
    monkeypatch.setattr(apply.time, "sleep", lambda seconds: None)
    targets = (
        DeletionTarget(
            group="apps",
            version="v1",
            plural="deployments",
            kind="Deployment",
            namespace="olm",
            name="program",
            uid="uid of program",
        ),
        DeletionTarget(
            group=olm.GROUP,
            version="v1",
            plural="operatorgroups",
            kind="OperatorGroup",
            namespace="olm",
            name="group",
            uid="uid of group",
        ),
    )
    found = apply.remove(cluster, targets, lambda ref, outcome: None)  # type: ignore[arg-type]
    assert [removed.outcome for removed in found] == ["removed", "removed"]
    assert cluster.order == ["group is deleted", "group is gone", "program is deleted"]
