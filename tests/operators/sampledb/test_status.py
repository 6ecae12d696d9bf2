"""What a database says of itself, from what is observed."""

from typing import Any

import pytest

from operators.sampledb.status import Observed, phase, status

from .databases import database


def seen(ready: int = 1, replicas: int = 1, init: str = "Complete", upgrade: str = "", **numbers: Any) -> Observed:
    observed = {"observedGeneration": 1, "replicas": replicas, "readyReplicas": ready, **numbers}
    return Observed({"metadata": {"generation": 1}, "status": observed}, init, upgrade, "7.2", "7.2.4")


UP = {"version": "7.2.4", "phase": "Ready", "observedGeneration": 1}


@pytest.mark.parametrize(
    ("spec", "before", "observed", "word"),
    [
        ({}, {}, seen(ready=0, replicas=0, init=""), "Creating"),
        ({}, {}, seen(init=""), "Initializing"),
        ({}, {}, seen(), "Ready"),
        ({}, {}, seen(init="Failed"), "Failed"),
        ({"replicas": 0}, UP, seen(ready=0, replicas=0), "Stopped"),
        ({"replicas": 3}, {**UP, "observedGeneration": 0}, seen(), "Scaling"),
        ({}, {**UP, "observedGeneration": 0}, seen(ready=3, replicas=3), "Scaling"),
        ({}, UP, seen(ready=0), "Degraded"),
        ({}, UP, seen(currentRevision="a", updateRevision="b"), "Updating"),
        ({"version": "8.0"}, UP, seen(), "Upgrading"),
        ({"version": "8.0"}, UP, seen(upgrade="Failed"), "Failed"),
    ],
)
def test_phases(spec: dict[str, Any], before: dict[str, Any], observed: Observed, word: str) -> None:
    assert phase(database(before, **spec), observed)[0] == word


def test_ready_is_ready() -> None:
    found = status(database(), seen())
    assert found["endpoint"] == "example.demo.svc:6379"
    assert found["version"] == "7.2.4"
    assert (found["replicas"], found["readyReplicas"]) == (1, 1)
    values = {one["type"]: one["status"] for one in found["conditions"]}
    assert values == {"Ready": "True", "Progressing": "False", "Initialized": "True"}


def test_a_condition_keeps_its_time_while_it_holds() -> None:
    first = status(database(), seen())
    first["conditions"][0]["lastTransitionTime"] = "2020-01-01T00:00:00Z"
    second = status(database(first), seen())
    assert second["conditions"][0]["lastTransitionTime"] == "2020-01-01T00:00:00Z"
    third = status(database(first), seen(ready=0))
    assert third["conditions"][0]["lastTransitionTime"] != "2020-01-01T00:00:00Z"


def test_a_failure_says_what_to_do() -> None:
    assert "read its log" in phase(database(), seen(init="Failed"))[1]
