"""What keeps a Pod from running, from its status."""

from typing import Any

import pytest

from examples.operators.pod_problems import StatusProblem, trouble


def test_a_pod_that_only_just_waits_has_no_trouble() -> None:
    waiting = {"state": {"waiting": {"reason": "ContainerCreating"}}}
    pod: dict[str, Any] = {"metadata": {"name": "x-0"}, "status": {"containerStatuses": [waiting]}}
    assert trouble(pod) is None
    waiting["state"]["waiting"] = {"reason": "CreateContainerConfigError", "message": 'secret "mine" not found'}
    assert trouble(pod) == StatusProblem(
        "CreateContainerConfigError", 'the Pod x-0 does not start: secret "mine" not found'
    )


@pytest.mark.parametrize(("made", "is_trouble"), [("2026-01-01T00:00:00Z", True), ("2999-01-01T00:00:00Z", False)])
def test_a_pod_that_no_node_takes(made: str, is_trouble: bool) -> None:
    condition = {"type": "PodScheduled", "status": "False", "message": "0/3 nodes are available"}
    found = trouble({"metadata": {"name": "x-0", "creationTimestamp": made}, "status": {"conditions": [condition]}})
    wanted = StatusProblem("Unschedulable", "no node takes the Pod x-0: 0/3 nodes are available")
    assert found == (wanted if is_trouble else None)
