"""The steps of an InstallPlan, on a cluster that only takes note."""

import asyncio
import json
from typing import Any

from sandbox.olm import installplans
from sandbox.olm.names import CRDS


class Noting:
    """Serves every CRD as soon as it is created. `happened`: what was created, and the requests answered."""

    def __init__(self) -> None:
        self.happened: list[str] = []

    def create(self, _resource: str, obj: dict[str, Any]) -> None:
        self.happened.append(obj["metadata"]["name"])
        asyncio.get_running_loop().call_soon(self.happened.append, "answered")

    def get(self, resource: str, _name: str) -> dict[str, Any]:
        assert resource == CRDS
        return {"status": {"conditions": [{"type": "Established", "status": "True"}]}}

    def patch(self, *_arguments: Any) -> None:
        """The plan's status."""

    def check(self, _obj: dict[str, Any]) -> None:
        """Every account may."""


def step(name: str, size: int) -> dict[str, Any]:
    kind = "CustomResourceDefinition"
    crd = {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": kind,
        "metadata": {"name": name},
        "spec": {"x": "y" * size},
    }
    resource = {"group": "apiextensions.k8s.io", "version": "v1", "kind": kind, "manifest": json.dumps(crd)}
    return {"status": "Unknown", "resolving": "a.v1", "resource": {**resource, "name": name}}


async def test_19_requests_are_answered_between_two_steps_of_a_large_plan() -> None:
    """Issue 19: the CRDs of a large plan held the event loop together; a starved cluster was taken for dead and
    killed.
    """
    cluster: Any = Noting()
    steps = [step("a", installplans.LARGE), step("b", 1)]
    plan = {"metadata": {"name": "p", "namespace": "n"}, "status": {"plan": steps}}
    await installplans.Execution(cluster, plan, cluster).run()
    assert [step["status"] for step in steps] == ["Created", "Created"]
    assert cluster.happened[:3] == ["a", "answered", "b"]
