"""One word for any object: rules of kinds, conventions of operators, and any other content."""

from typing import Any

import pytest

from kube.types import meta
from resources.state.health import by_word, colour_of, condition_of, conditions, is_error
from resources.state.kind_health import health

CUSTOM = {"apiVersion": "example.com/v1", "kind": "Thing"}


def _of(api: str, kind: str, **parts: Any) -> tuple[str, str]:
    found = health({"apiVersion": api, "kind": kind, "metadata": {"name": "it"}, **parts})
    return found.state, found.reason


def _condition(type_: str, status: str, reason: str = "", message: str = "") -> dict[str, str]:
    return {"type": type_, "status": status, "reason": reason, "message": message}


def test_condition_of_a_type() -> None:
    found = [meta.Condition(type="Ready", status="False"), meta.Condition(type="Ready", status="True")]
    assert condition_of(found, "Ready") is condition_of(found, "Ready", "False") is found[0]
    # The first of a type counts.
    assert condition_of(found, "Ready", "True") is None
    assert condition_of(found, "Available") is None


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
    assert _pod("Succeeded", {"terminated": {"exitCode": 0}}) == ("Completed", "")
    assert _pod("Failed", reason="Evicted") == ("Degraded", "Evicted")
    unschedulable = [_condition("PodScheduled", "False", "Unschedulable", "0/1 nodes are available")]
    assert _of("v1", "Pod", status={"phase": "Pending", "conditions": unschedulable}) == (
        "Degraded",
        "0/1 nodes are available",
    )


@pytest.mark.parametrize("kind", ["Deployment", "StatefulSet"])
def test_workloads(kind: str) -> None:
    def health_with(wanted: int, **status: Any) -> tuple[str, str]:
        return _of("apps/v1", kind, spec={"replicas": wanted}, status=status)

    assert health_with(2, replicas=2, readyReplicas=2, updatedReplicas=2) == ("Ready", "2 of 2 ready")
    assert health_with(2, replicas=2, readyReplicas=1, updatedReplicas=2) == ("Progressing", "1 of 2 ready")
    assert health_with(2)[0] == "Progressing"
    assert health_with(0)[0] == "Suspended"
    failed = [_condition("ReplicaFailure", "True", "FailedCreate", "quota")]
    assert health_with(1, conditions=failed) == ("Degraded", "quota")
    stuck = [_condition("Progressing", "False", "ProgressDeadlineExceeded", "it took too long")]
    assert health_with(1, conditions=stuck) == ("Degraded", "it took too long")


def test_a_spec_nobody_acted_on_yet() -> None:
    new = {"metadata": {"generation": 3}, "status": {"observedGeneration": 2, "readyReplicas": 1, "replicas": 1}}
    assert health({"apiVersion": "apps/v1", "kind": "Deployment", **new}).state == "Progressing"
    assert health({**CUSTOM, **new, "spec": {}}).state == "Progressing"


def test_old_replica_sets_have_no_state() -> None:
    assert _of("apps/v1", "ReplicaSet", spec={"replicas": 0}, status={"replicas": 0})[0] == ""


def test_jobs() -> None:
    assert _of("batch/v1", "Job", status={"conditions": [_condition("Complete", "True")]})[0] == "Completed"
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
    assert colour_of("Completed") == "grey"
    assert colour_of("3") == ""


def test_conditions_say_whether_they_are_good() -> None:
    status = {"conditions": [_condition("Ready", "False"), _condition("Degraded", "False"), _condition("Odd", "True")]}
    assert [condition.good for condition in conditions({"status": status})] == [False, True, None]


ERRORS_AND_FALSE_ALARMS = [
    # (phase or '', conditions as type=status/reason, the state) as operators write them
    # Argo CD's operator, argoproj.io/v1beta1: the phase stays what it was while each reconciliation fails.
    ("Pending", ["Reconciled=False/ErrorOccurred"], "Degraded"),
    ("Available", ["Reconciled=False/ErrorOccurred"], "Degraded"),
    ("Available", ["Reconciled=True/Success"], "Ready"),
    # operator-sdk: Go's deployment status, Helm's and Ansible's conditions
    ("", ["Available=True/Reconciling", "Degraded=False/AsExpected"], "Ready"),
    ("", ["Initialized=True/", "Deployed=True/InstallSuccessful", "Irreconcilable=True/ReconcileError"], "Degraded"),
    ("", ["Initialized=True/", "Deployed=True/InstallSuccessful", "Irreconcilable=False/"], "Ready"),
    ("", ["Running=True/Running", "Failure=True/Failed", "Successful=False/"], "Degraded"),
    ("", ["Running=True/Successful", "Failure=False/", "Successful=True/Successful"], "Ready"),
    # OpenShift's operators: none of these False is bad
    (
        "",
        ["Available=True/AsExpected", "Degraded=False/AsExpected", "Progressing=False/X", "Upgradeable=False/Failed"],
        "Ready",
    ),
    ("", ["Available=False/Deployment_DeploymentFailed", "Degraded=False/AsExpected"], "Degraded"),
    # CloudNativePG: the cluster is well, its backups are another matter
    ("Cluster in healthy state", ["Ready=True/ClusterIsReady", "LastBackupSucceeded=False/LastBackupFailed"], "Ready"),
    ("", ["Ready=True/ClusterIsReady", "ContinuousArchiving=False/ContinuousArchivingFailing"], "Ready"),
    # Flux, Cluster API, Prometheus, Crunchy, Keycloak
    ("", ["Ready=False/ProgressingWithRetry", "Reconciling=True/Progressing"], "Progressing"),
    ("", ["Ready=False/ReconciliationFailed"], "Degraded"),
    ("Provisioning", ["Ready=False/WaitingForInfrastructure"], "Progressing"),
    ("Provisioned", ["Ready=False/InfrastructureProvisioningFailed"], "Degraded"),
    ("", ["Available=True/", "Reconciled=False/ReconciliationFailed"], "Degraded"),
    ("", ["PGBackRestReplicaRepoReady=False/StanzaNotCreated", "ProxyAvailable=True/Available"], "Progressing"),
    ("", ["Ready=False/Pending", "HasErrors=False/", "RollingUpdate=False/"], "Progressing"),
    # what is only not there yet
    ("Pending", ["Ready=False/SecretNotFound"], "Progressing"),
    ("Creating", ["Available=False/MinimumReplicasUnavailable"], "Progressing"),
    ("Running", ["Ready=True/Ready", "Stalled=False/NoErrors", "Paused=False/"], "Ready"),
    ("Running", ["ConfigValid=False/InvalidConfig", "Ready=True/Ready"], "Degraded"),
]


@pytest.mark.parametrize(("phase", "all_", "state"), ERRORS_AND_FALSE_ALARMS)
def test_o1_a_false_condition_with_an_errors_reason_is_degraded(phase: str, all_: list[str], state: str) -> None:
    """O1: whatever the phase; and no false alarm of what is False and well."""
    found = []
    for item in all_:
        type_, _is, rest = item.partition("=")
        status, _slash, reason = rest.partition("/")
        found.append(_condition(type_, status, reason, f"{type_} says why"))
    status = {"conditions": found} | ({"phase": phase} if phase else {})
    health_ = health({**CUSTOM, "spec": {"size": 1}, "status": status})
    assert health_.state == state
    if state == "Degraded":
        assert "says why" in health_.reason


def test_o1_an_error_of_an_earlier_spec_is_no_verdict_on_this_one() -> None:
    """O1: after an edit the operator has to look first."""
    condition = {**_condition("Reconciled", "False", "ErrorOccurred", "no"), "observedGeneration": 1}
    obj = {**CUSTOM, "metadata": {"generation": 2}, "spec": {"a": 1}, "status": {"conditions": [condition]}}
    assert health(obj).state == "Progressing"
    condition["observedGeneration"] = 2
    assert health(obj).state == "Degraded"


@pytest.mark.parametrize(
    ("reason", "is_one"),
    [
        ("ErrorOccurred", True),
        ("ReconcileError", True),
        ("Failed", True),
        ("ErrInitIssuer", True),
        ("ImagePullBackOff", True),
        ("InvalidSpec", True),
        ("NoErrors", False),
        ("NotFailed", False),
        ("FailoverInProgress", False),
        ("Creating", False),
        ("DoesNotExist", False),
        ("", False),
    ],
)
def test_o1_reasons_that_name_an_error(reason: str, is_one: bool) -> None:
    """O1: by the words of which the reason is made."""
    assert is_error(reason) is is_one


def test_o1_completed_has_a_word_and_a_look_of_its_own() -> None:
    """O1: what has run to its end is not Ready."""
    done = health({"apiVersion": "v1", "kind": "Pod", "status": {"phase": "Succeeded"}})
    ready = health({"apiVersion": "v1", "kind": "Pod", "status": {"phase": "Running"}})
    assert (done.state, ready.state) == ("Completed", "Ready")
    assert done.colour != ready.colour


def test_cron_jobs() -> None:
    """Their status has no verdict on the last run; its times have."""
    scheduled, before, after = (
        {"lastScheduleTime": "2026-11-25T10:00:00Z"},
        "2026-11-25T09:00:04Z",
        "2026-11-25T10:00:04Z",
    )
    active = {"active": [{"kind": "Job", "name": "report-1"}]}
    assert _of("batch/v1", "CronJob", status={})[0] == "Ready"
    assert _of("batch/v1", "CronJob", status={**scheduled, "lastSuccessfulTime": after})[0] == "Ready"
    failed = ("Degraded", "the last run didn't succeed")
    assert _of("batch/v1", "CronJob", status={**scheduled, "lastSuccessfulTime": before}) == failed
    assert _of("batch/v1", "CronJob", status=scheduled) == failed
    assert _of("batch/v1", "CronJob", status={**scheduled, **active})[0] == "Ready"
    assert _of("batch/v1", "CronJob", spec={"suspend": True}, status=scheduled)[0] == "Suspended"
