"""One word for any object: rules of kinds, conventions of operators, and whatever else somebody may write."""

from typing import Any

import pytest

from resources.state.health import by_word, colour_of, conditions
from resources.state.kind_health import health

CUSTOM = {"apiVersion": "example.com/v1", "kind": "Thing"}


def _of(api: str, kind: str, **parts: Any) -> tuple[str, str]:
    found = health({"apiVersion": api, "kind": kind, "metadata": {"name": "it"}, **parts})
    return found.state, found.reason


def _condition(type_: str, status: str, reason: str = "", message: str = "") -> dict[str, str]:
    return {"type": type_, "status": status, "reason": reason, "message": message}


def _pod(phase: str, *states: dict[str, Any], ready: str = "True", **status: Any) -> tuple[str, str]:
    containers = [{"name": "c", "state": state} for state in states]
    found = {"phase": phase, "containerStatuses": containers, "conditions": [_condition("Ready", ready)], **status}
    return _of("v1", "Pod", status=found)


def test_pods() -> None:
    assert _pod("Running", {"running": {}})[0] == "Ready"
    assert _pod("Running", {"running": {}}, ready="False")[0] == "Progressing"
    assert _pod("Running", {"waiting": {"reason": "CrashLoopBackOff"}}, ready="False") == (
        "Degraded",
        "CrashLoopBackOff",
    )
    assert _pod("Pending", {"waiting": {"reason": "ImagePullBackOff"}})[0] == "Degraded"
    assert _pod("Pending", {"waiting": {"reason": "ContainerCreating"}}) == ("Progressing", "ContainerCreating")
    assert _pod("Running", {"terminated": {"exitCode": 1, "reason": "Error"}}, ready="False")[0] == "Degraded"
    assert _pod("Succeeded", {"terminated": {"exitCode": 0}})[0] == "Ready"
    assert _pod("Failed", reason="Evicted") == ("Degraded", "Evicted")
    unschedulable = [_condition("PodScheduled", "False", "Unschedulable", "0/1 nodes are available")]
    assert _of("v1", "Pod", status={"phase": "Pending", "conditions": unschedulable}) == (
        "Degraded",
        "0/1 nodes are available",
    )


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
def test_workloads(kind: str) -> None:
    def of(wanted: int, **status: Any) -> tuple[str, str]:
        return _of("apps/v1", kind, spec={"replicas": wanted}, status=status)

    assert of(2, replicas=2, readyReplicas=2, updatedReplicas=2) == ("Ready", "2 of 2 ready")
    assert of(2, replicas=2, readyReplicas=1, updatedReplicas=2) == ("Progressing", "1 of 2 ready")
    assert of(2)[0] == "Progressing"
    assert of(0)[0] == "Suspended"
    failed = [_condition("ReplicaFailure", "True", "FailedCreate", "quota")]
    assert of(1, conditions=failed) == ("Degraded", "quota")
    stuck = [_condition("Progressing", "False", "ProgressDeadlineExceeded", "it took too long")]
    assert of(1, conditions=stuck) == ("Degraded", "it took too long")


def test_a_spec_nobody_acted_on_yet() -> None:
    new = {"metadata": {"generation": 3}, "status": {"observedGeneration": 2, "readyReplicas": 1, "replicas": 1}}
    assert health({"apiVersion": "apps/v1", "kind": "Deployment", **new}).state == "Progressing"
    assert health({**CUSTOM, **new, "spec": {}}).state == "Progressing"


def test_old_replica_sets_have_no_state() -> None:
    assert _of("apps/v1", "ReplicaSet", spec={"replicas": 0}, status={"replicas": 0})[0] == ""


def test_jobs() -> None:
    assert _of("batch/v1", "Job", status={"conditions": [_condition("Complete", "True")]})[0] == "Ready"
    assert _of("batch/v1", "Job", status={"conditions": [_condition("Failed", "True", "BackoffLimitExceeded")]}) == (
        "Degraded",
        "BackoffLimitExceeded",
    )
    assert _of("batch/v1", "Job", spec={"suspend": True})[0] == "Suspended"
    assert _of("batch/v1", "Job", spec={"completions": 3}, status={"succeeded": 1}) == (
        "Progressing",
        "1 of 3 completed",
    )


def test_claims() -> None:
    states = {"Bound": "Ready", "Pending": "Progressing", "Lost": "Degraded"}
    for phase, state in states.items():
        assert _of("v1", "PersistentVolumeClaim", status={"phase": phase})[0] == state


def test_olm() -> None:
    group = "operators.coreos.com/v1alpha1"
    assert _of(group, "ClusterServiceVersion", status={"phase": "Succeeded"})[0] == "Ready"
    assert _of(group, "ClusterServiceVersion", status={"phase": "InstallReady"})[0] == "Progressing"
    assert _of(group, "ClusterServiceVersion", status={"phase": "Failed", "message": "no Pods"}) == (
        "Degraded",
        "Failed: no Pods",
    )
    assert _of(group, "Subscription", status={"state": "AtLatestKnown"})[0] == "Ready"
    assert _of(group, "Subscription")[0] == "Progressing"
    unresolved = [_condition("ResolutionFailed", "True", "ConstraintsNotSatisfiable", "no such channel")]
    assert _of(group, "Subscription", status={"conditions": unresolved}) == ("Degraded", "no such channel")


def test_what_is_going() -> None:
    metadata = {"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["example.com/clean"]}
    found = health({**CUSTOM, "metadata": metadata, "status": {"phase": "Ready"}})
    assert found.state == "Terminating"
    assert "example.com/clean" in found.reason


@pytest.mark.parametrize(
    ("status", "state"),
    [
        ({"conditions": [_condition("Ready", "True")]}, "Ready"),
        ({"conditions": [_condition("Ready", "False", "Creating", "wait")]}, "Progressing"),
        ({"conditions": [_condition("Ready", "False", "Failed", "no")]}, "Degraded"),
        ({"conditions": [_condition("Degraded", "True", "X", "disk")]}, "Degraded"),
        ({"conditions": [_condition("Available", "True"), _condition("Degraded", "False")]}, "Ready"),
        ({"conditions": [_condition("Progressing", "True")]}, "Progressing"),
        ({"conditions": {"Ready": {"status": "True"}}}, "Ready"),
        ({"conditions": {"Ready": "True"}}, "Ready"),
        ({"phase": "Running"}, "Ready"),
        ({"phase": "Degraded", "conditions": [_condition("Ready", "False", "Degraded", "1 of 2")]}, "Degraded"),
        ({"state": "ready"}, "Ready"),
        ({"health": {"status": "Healthy"}}, "Ready"),
        ({"phase": "Stopped"}, "Suspended"),
        ({"phase": "Init:CrashLoopBackOff"}, "Degraded"),
        ({"phase": "Contemplating"}, "Unknown"),
        ({"phase": "Booked", "conditions": [_condition("Booked", "True", "SeatsReserved")]}, "Ready"),
        ({"phase": "Booked", "conditions": [_condition("Booked", "True"), _condition("Paid", "False")]}, "Unknown"),
        ({"phase": "Booked", "conditions": [_condition("Booked", "Unknown")]}, "Unknown"),
        ({"phase": "Blocked", "conditions": [_condition("Blocked", "True")]}, "Degraded"),
        ({}, "Unknown"),
    ],
)
def test_conventions_of_operators(status: dict[str, Any], state: str) -> None:
    assert health({**CUSTOM, "spec": {"size": 1}, "status": status}).state == state


def test_paused_by_its_spec() -> None:
    assert health({**CUSTOM, "spec": {"suspend": True}, "status": {"phase": "Ready"}}).state == "Suspended"


@pytest.mark.parametrize(
    "status",
    [
        None,
        "ok",
        3,
        [],
        {"conditions": "x"},
        {"conditions": [None, "x", {}, {"type": 3, "status": True}]},
        {"phase": {}},
    ],
)
def test_any_shape_is_read(status: Any) -> None:
    found = health({**CUSTOM, "metadata": None, "spec": "x", "status": status})
    assert found.state in ("Unknown", "Ready", "Progressing")


def test_kinds_without_a_state() -> None:
    assert _of("v1", "ConfigMap")[0] == ""
    assert _of("rbac.authorization.k8s.io/v1", "Role")[0] == ""
    assert health({}).state == ""


def test_words() -> None:
    assert by_word("Init:Error") == "Degraded"
    assert by_word("in-progress") == "Progressing"
    assert colour_of("Running") == "green"
    assert colour_of("3") == ""


def test_conditions_say_whether_they_are_good() -> None:
    status = {"conditions": [_condition("Ready", "False"), _condition("Degraded", "False"), _condition("Odd", "True")]}
    assert [condition.good for condition in conditions({"status": status})] == [False, True, None]
