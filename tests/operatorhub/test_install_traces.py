"""What an install has left that may be deleted: without a cluster."""

from types import SimpleNamespace
from typing import Any

import pytest

from kube.errors import NotFound
from kube.types.olm import Step, StepResource
from operatorhub.install import created_objects


class Cluster:
    """Has every CustomResourceDefinition that it is asked for, and no objects of its kind."""

    def find(self, group: str, version: str, plural: str) -> str:
        if plural != "customresourcedefinitions":
            raise NotFound("not served")
        return plural

    def table(self, type_: str, fields: str = "", **_more: Any) -> Any:
        name = fields.removeprefix("metadata.name=")
        return SimpleNamespace(rows=[SimpleNamespace(object={"metadata": {"name": name, "uid": f"uid of {name}"}})])


def step(status: str) -> Step:
    """Of a plan, with a CRD."""
    return Step(resource=StepResource(kind="CustomResourceDefinition", name="things.example.com"), status=status)


@pytest.mark.parametrize(
    ("status", "deleted", "remaining"),
    [("Created", ["things.example.com"], 0), ("Present", [], 1), ("NotPresent", [], 0), ("Unknown", [], 0)],
)
def test_only_a_definition_that_the_plan_created_is_deleted(status: str, deleted: list[str], remaining: int) -> None:
    stays: list[str] = []
    found = list(created_objects._definitions(Cluster(), "here", [step(status)], stays))  # type: ignore[arg-type]
    assert [(target.name, target.keeps) for target in found] == [(name, "") for name in deleted]
    assert len(stays) == remaining
