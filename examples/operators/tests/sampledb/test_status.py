"""What a database says of itself, from what is observed."""

from typing import Any

import pytest

from examples.operators.pod_problems import StatusProblem
from examples.operators.sampledb.health import full
from examples.operators.sampledb.observation import Fact, Observation, Release, Restore, Work
from examples.operators.sampledb.status import leaving, phase, status
from examples.operators.sampledb.versions import refusal

from .databases import database


def seen(
    ready: int = 1, replicas: int = 1, init: str = "Complete", more: dict[str, Any] | None = None, **rest: Any
) -> Observation:
    observed = {"observedGeneration": 1, "replicas": replicas, "readyReplicas": ready, **(more or {})}
    filled = {"release": Release("7.2"), "running": "7.2.4", "init": Work(init, "line 2"), **rest}
    return Observation(stateful_set={"metadata": {"generation": 1}, "status": observed}, **filled)


UP = {"version": "7.2.4", "phase": "Ready", "observedGeneration": 1}
STUCK = StatusProblem("CrashLoopBackOff", "the Pod does not start")


@pytest.mark.parametrize(
    ("spec", "before", "observed", "word", "reason"),
    [
        ({}, {}, seen(ready=0, replicas=0, init=""), "Creating", "Creating"),
        ({}, {}, seen(ready=0, problem=STUCK), "Pending", "CrashLoopBackOff"),
        ({}, {}, seen(init="", restore=Restore("Running")), "Restoring", "Restoring"),
        ({}, {}, seen(init="", restore=Restore("Failed")), "Failed", "RestoreFailed"),
        ({}, {}, seen(init=""), "Initializing", "Initializing"),
        ({}, {}, seen(), "Ready", "DatabaseReady"),
        ({}, {}, seen(init="Failed"), "Failed", "SetUpFailed"),
        ({}, {}, seen(refused=StatusProblem("NameTaken", "no")), "Failed", "NameTaken"),
        ({"replicas": 0}, UP, seen(ready=0, replicas=0), "Stopped", "Stopped"),
        ({"replicas": 3}, {**UP, "observedGeneration": 0}, seen(), "Scaling", "Scaling"),
        ({}, {**UP, "observedGeneration": 0}, seen(ready=3, replicas=3), "Scaling", "Scaling"),
        ({}, UP, seen(ready=0), "Degraded", "PodsNotReady"),
        ({}, UP, seen(ready=0, problem=STUCK), "Degraded", "CrashLoopBackOff"),
        ({}, UP, seen(problem=StatusProblem("VolumeFull", "full")), "Degraded", "VolumeFull"),
        ({}, UP, seen(more={"currentRevision": "a", "updateRevision": "b"}), "Updating", "Updating"),
        ({"version": "8.0"}, UP, seen(), "Upgrading", "Upgrading"),
        ({"version": "8.0"}, UP, seen(release=Release("7.2", Work("Failed"))), "Failed", "UpgradeFailed"),
        ({"version": "6.2"}, UP, seen(release=Release("7.2", refused="no")), "Failed", "UpgradeRefused"),
    ],
)
def test_phases(spec: dict[str, Any], before: dict[str, Any], observed: Observation, word: str, reason: str) -> None:
    assert phase(database(before, **spec), observed)[:2] == (word, reason)


def test_ready_is_ready() -> None:
    found = status(database(), seen(facts=(Fact("StorageReady", None, "Bound", "x"),)))
    assert found["endpoint"] == "example.demo.svc:6379"
    assert (found["version"], found["deployedVersion"]) == ("7.2.4", "7.2")
    assert (found["replicas"], found["readyReplicas"]) == (1, 1)
    values = {condition["type"]: condition["status"] for condition in found["conditions"]}
    assert values == {"Ready": "True", "Progressing": "False", "Initialized": "True", "StorageReady": "Unknown"}


def test_a_condition_keeps_its_time_while_it_holds() -> None:
    first = status(database(), seen())
    first["conditions"][0]["lastTransitionTime"] = "2020-01-01T00:00:00Z"
    second = status(database(first), seen())
    assert second["conditions"][0]["lastTransitionTime"] == "2020-01-01T00:00:00Z"
    third = status(database(first), seen(ready=0))
    assert third["conditions"][0]["lastTransitionTime"] != "2020-01-01T00:00:00Z"


def test_a_wish_that_failed_does_not_stop_the_database() -> None:
    found = status(database(UP, version="8.0"), seen(release=Release("7.2", Work("Failed", "no room"))))
    ready, progressing = found["conditions"][:2]
    assert (found["phase"], ready["status"], progressing["reason"]) == ("Failed", "True", "UpgradeFailed")
    assert "no room. 7.2 runs on" in progressing["message"]


def test_a_release_that_can_not_be_reached_is_not_written_beside_the_wish() -> None:
    """The CRD's rule would refuse the whole status."""
    assert "deployedVersion" not in status(database(version="8.0"), seen(release=Release("6.2", refused="no")))


def test_leaving_keeps_what_is_known_of_the_rest() -> None:
    before = status(database(), seen(facts=(Fact("StorageReady", True, "Bound", "x"),)))
    found = leaving(database(before), "Failed", "SnapshotFailed", "no room")
    assert found["phase"] == "Failed"
    conditions = {condition["type"]: (condition["status"], condition["reason"]) for condition in found["conditions"]}
    assert conditions["Ready"] == ("False", "SnapshotFailed")
    assert conditions["StorageReady"] == ("True", "Bound")


@pytest.mark.parametrize(
    ("engine", "deployed", "wanted", "words"),
    [
        ("redis", "6.2", "7.2", ""),
        ("redis", "7.2", "8.0", ""),
        ("valkey", "7.2", "8.0", ""),
        ("redis", "8.0", "8.0", ""),
        ("redis", "6.2", "8.0", "set spec.version to 7.2 first, then to 8.0"),
        ("redis", "8.0", "7.2", "it can not go back to 7.2"),
        ("redis", "8.0", "9.0", "there is no newer release"),
    ],
)
def test_steps_of_an_upgrade(engine: str, deployed: str, wanted: str, words: str) -> None:
    found = refusal(engine, deployed, wanted)
    assert words in found
    assert bool(words) == bool(found)


@pytest.mark.parametrize(
    ("log", "is_full"),
    [
        ("* Ready to accept connections", False),
        ("# Error writing to the AOF file: No space left on device", True),
        ("# Write error saving DB on disk: No space left on device\n# Background saving error", True),
        (
            (
                "# Error writing to the AOF file: No space left on device\n* AOF write error looks solved, Redis can"
                " write again."
            ),
            False,
        ),
    ],
)
def test_a_full_volume_is_read_from_the_log(log: str, is_full: bool) -> None:
    assert bool(full(log)) == is_full
