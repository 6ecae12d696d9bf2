"""The state of kinds with rules of their own: statuses as their controllers really write them."""

from typing import Any

import pytest

from resources.state.kind_health import has_state, health


def _of(api: str, kind: str, **parts: Any) -> tuple[str, str]:
    found = health({"apiVersion": api, "kind": kind, "metadata": {"name": "it", "generation": 2}, **parts})
    return found.state, found.reason


def _condition(type_: str, status: str, reason: str = "", message: str = "", **more: Any) -> dict[str, Any]:
    return {"type": type_, "status": status, "reason": reason, "message": message, **more}


def _with(api: str, kind: str, *conditions: dict[str, Any], **status: Any) -> tuple[str, str]:
    return _of(api, kind, spec={"a": 1}, status={"conditions": list(conditions), **status})


def test_addresses() -> None:
    balancer, given = {"type": "LoadBalancer"}, {"loadBalancer": {"ingress": [{"ip": "192.0.2.7"}]}}
    assert _of("v1", "Service", spec=balancer, status={"loadBalancer": {}})[0] == "Progressing"
    assert _of("v1", "Service", spec=balancer, status=given)[0] == "Ready"
    assert _of("v1", "Service", spec={"type": "ClusterIP"}, status={})[0] == ""
    assert _of("networking.k8s.io/v1", "Ingress", spec={}, status={"loadBalancer": {}})[0] == "Progressing"
    assert _of("networking.k8s.io/v1", "Ingress", spec={}, status=given)[0] == "Ready"


def test_claims_that_grow() -> None:
    grows = _condition("FileSystemResizePending", "True", message="Waiting for user to (re-)start a pod")
    assert _with("v1", "PersistentVolumeClaim", grows, phase="Bound") == ("Progressing", grows["message"])
    stuck = _condition("ControllerResizeError", "True", message="the pool is full")
    assert _with("v1", "PersistentVolumeClaim", stuck, phase="Bound") == ("Degraded", "the pool is full")
    assert _with("v1", "PersistentVolumeClaim", phase="Lost")[0] == "Degraded"


def test_autoscalers() -> None:
    api, kind = "autoscaling/v2", "HorizontalPodAutoscaler"
    able = _condition("AbleToScale", "True", "ReadyForNewScale")
    blind = _condition("ScalingActive", "False", "FailedGetResourceMetric", "no metrics")
    assert _with(api, kind, able, blind, currentReplicas=1) == ("Degraded", "no metrics")
    off = _condition("ScalingActive", "False", "ScalingDisabled", "scaling is disabled")
    assert _with(api, kind, able, off)[0] == "Suspended"
    active = _condition("ScalingActive", "True", "ValidMetricFound")
    limited = _condition("ScalingLimited", "True", "TooManyReplicas", "more than the maximum is wanted")
    assert _with(api, kind, able, active, limited, currentReplicas=3, desiredReplicas=3) == (
        "Ready",
        "more than the maximum is wanted",
    )
    assert _with(api, kind, able, active, currentReplicas=1, desiredReplicas=3) == ("Progressing", "1 of 3 replicas")
    assert _with(api, kind)[0] == "Progressing"


def test_budgets_and_quotas() -> None:
    api = "policy/v1"
    status = {"observedGeneration": 2, "currentHealthy": 3, "desiredHealthy": 2, "disruptionsAllowed": 1}
    assert _with(api, "PodDisruptionBudget", **status) == ("Ready", "3 of 2 ready")
    assert _with(api, "PodDisruptionBudget", **status | {"currentHealthy": 1})[0] == "Degraded"
    assert _with(api, "PodDisruptionBudget", **status | {"observedGeneration": 1})[0] == "Progressing"
    full = {"hard": {"pods": "10", "secrets": "5"}, "used": {"pods": "10", "secrets": "1"}}
    assert _of("v1", "ResourceQuota", status=full) == ("Degraded", "quota used up: pods")
    assert _of("v1", "ResourceQuota", status={"hard": {"pods": "10"}, "used": {"pods": "9"}})[0] == "Ready"


def test_signing_requests() -> None:
    api, kind = "certificates.k8s.io/v1", "CertificateSigningRequest"
    assert _with(api, kind)[0] == "Progressing"
    assert _with(api, kind, _condition("Approved", "True"), certificate="eA==")[0] == "Ready"
    assert _with(api, kind, _condition("Denied", "True", message="no")) == ("Degraded", "no")


def test_gateways() -> None:
    api = "gateway.networking.k8s.io/v1"
    accepted = _condition("Accepted", "True")
    assert _with(api, "Gateway", accepted, _condition("Programmed", "True"))[0] == "Ready"
    assert _with(api, "Gateway", accepted, _condition("Programmed", "False", "Invalid", "bad")) == ("Degraded", "bad")
    assert _with(api, "Gateway", _condition("Accepted", "Unknown", "Pending"))[0] == "Progressing"
    refused = {"conditions": [_condition("ResolvedRefs", "False", "BackendNotFound", "This Service doesn't exist")]}
    assert _of(api, "HTTPRoute", status={"parents": [refused]}) == ("Degraded", "This Service doesn't exist")
    assert _of(api, "HTTPRoute", status={"parents": [{"conditions": [accepted]}]})[0] == "Ready"


SAMPLES = [
    # (apiVersion, kind, status, what it is)
    ("argoproj.io/v1alpha1", "Application", {"health": {"status": "Healthy"}, "sync": {"status": "Synced"}}, "Ready"),
    (
        "argoproj.io/v1alpha1",
        "Application",
        {"health": {"status": "Healthy"}, "sync": {"status": "OutOfSync"}},
        "Ready",
    ),
    ("argoproj.io/v1alpha1", "Application", {"health": {"status": "Missing"}}, "Degraded"),
    (
        "argoproj.io/v1alpha1",
        "Application",
        {"health": {"status": "Healthy"}, "operationState": {"phase": "Failed", "message": "hook"}},
        "Degraded",
    ),
    ("argoproj.io/v1alpha1", "Workflow", {"phase": "Running"}, "Progressing"),
    ("argoproj.io/v1alpha1", "Workflow", {"phase": "Succeeded"}, "Completed"),
    ("argoproj.io/v1alpha1", "AppProject", {}, ""),
    ("tekton.dev/v1", "PipelineRun", {"conditions": [_condition("Succeeded", "Unknown", "Running")]}, "Progressing"),
    (
        "tekton.dev/v1",
        "TaskRun",
        {"conditions": [_condition("Succeeded", "False", "TaskRunTimeout", "took too long")]},
        "Degraded",
    ),
    ("cert-manager.io/v1", "Certificate", {"conditions": [_condition("Ready", "True")], "notAfter": "2027"}, "Ready"),
    (
        "cert-manager.io/v1",
        "Certificate",
        {"conditions": [_condition("Ready", "False", "DoesNotExist"), _condition("Issuing", "True")]},
        "Progressing",
    ),
    (
        "cert-manager.io/v1",
        "Certificate",
        {"conditions": [_condition("Ready", "False", "DoesNotExist"), _condition("Issuing", "False", "Failed")]},
        "Degraded",
    ),
    ("cert-manager.io/v1", "CertificateRequest", {"conditions": [_condition("Denied", "True")]}, "Degraded"),
    (
        "cert-manager.io/v1",
        "ClusterIssuer",
        {"conditions": [_condition("Ready", "False", "ErrInitIssuer")]},
        "Degraded",
    ),
    ("acme.cert-manager.io/v1", "Order", {"state": "errored"}, "Degraded"),
    ("acme.cert-manager.io/v1", "Order", {"state": "valid"}, "Ready"),
    (
        "serving.knative.dev/v1",
        "Service",
        {"conditions": [_condition("Ready", "False", "RevisionMissing")]},
        "Degraded",
    ),
    ("serving.knative.dev/v1", "Service", {"conditions": [_condition("Ready", "Unknown")]}, "Progressing"),
    (
        "rds.services.k8s.aws/v1alpha1",
        "DBInstance",
        {"conditions": [_condition("ACK.ResourceSynced", "False", message="waits")]},
        "Progressing",
    ),
    (
        "rds.services.k8s.aws/v1alpha1",
        "DBInstance",
        {"conditions": [_condition("ACK.ResourceSynced", "True"), _condition("ACK.Terminal", "True")]},
        "Degraded",
    ),
    (
        "database.example.upbound.io/v1",
        "Instance",
        {"conditions": [_condition("Synced", "False", "ReconcileError"), _condition("Ready", "True")]},
        "Degraded",
    ),
    (
        "kafka.strimzi.io/v1beta2",
        "Kafka",
        {"conditions": [_condition("NotReady", "True", "Creating", "Kafka cluster is being deployed")]},
        "Progressing",
    ),
    ("kafka.strimzi.io/v1beta2", "Kafka", {"conditions": [_condition("NotReady", "True", "FatalProblem")]}, "Degraded"),
    ("kafka.strimzi.io/v1beta2", "Kafka", {"conditions": [_condition("ReconciliationPaused", "True")]}, "Suspended"),
    ("kafka.strimzi.io/v1beta2", "Kafka", {"conditions": [_condition("Ready", "True")]}, "Ready"),
    ("elasticsearch.k8s.elastic.co/v1", "Elasticsearch", {"health": "red", "phase": "Ready"}, "Degraded"),
    ("elasticsearch.k8s.elastic.co/v1", "Elasticsearch", {"health": "green", "phase": "Ready"}, "Ready"),
    (
        "elasticsearch.k8s.elastic.co/v1",
        "Elasticsearch",
        {"health": "green", "phase": "ApplyingChanges"},
        "Progressing",
    ),
    ("keda.sh/v1alpha1", "ScaledObject", {"conditions": [_condition("Ready", "False", "Bad")]}, "Degraded"),
    ("keda.sh/v1alpha1", "ScaledObject", {"conditions": [_condition("Paused", "True")]}, "Suspended"),
    (
        "keda.sh/v1alpha1",
        "ScaledObject",
        {"conditions": [_condition("Ready", "True"), _condition("Active", "False")]},
        "Ready",
    ),
    ("velero.io/v1", "Backup", {"phase": "PartiallyFailed"}, "Degraded"),
    ("velero.io/v1", "Backup", {"phase": "InProgress"}, "Progressing"),
    ("ceph.rook.io/v1", "CephCluster", {"phase": "Ready", "ceph": {"health": "HEALTH_ERR"}}, "Degraded"),
    ("ceph.rook.io/v1", "CephCluster", {"phase": "Ready", "ceph": {"health": "HEALTH_OK"}}, "Ready"),
    ("longhorn.io/v1beta2", "Volume", {"state": "attached", "robustness": "degraded"}, "Degraded"),
    ("longhorn.io/v1beta2", "Volume", {"state": "detached", "robustness": "unknown"}, "Suspended"),
    (
        "sparkoperator.k8s.io/v1beta2",
        "SparkApplication",
        {"applicationState": {"state": "SUBMISSION_FAILED", "errorMessage": "no image"}},
        "Degraded",
    ),
    ("kubevirt.io/v1", "VirtualMachine", {"printableStatus": "ErrorUnschedulable"}, "Degraded"),
    ("kubevirt.io/v1", "VirtualMachine", {"printableStatus": "Running"}, "Ready"),
    ("acid.zalan.do/v1", "postgresql", {"PostgresClusterStatus": "CreateFailed"}, "Degraded"),
    ("grafana.integreatly.org/v1beta1", "Grafana", {"stage": "complete", "stageStatus": "success"}, "Ready"),
    ("monitoring.coreos.com/v1", "Prometheus", {"conditions": [_condition("Available", "Degraded")]}, "Degraded"),
    (
        "rabbitmq.com/v1beta1",
        "RabbitmqCluster",
        {"conditions": [_condition("AllReplicasReady", "False", "NotAllPodsReady"), _condition("NoWarnings", "True")]},
        "Progressing",
    ),
    (
        "rabbitmq.com/v1beta1",
        "RabbitmqCluster",
        {"conditions": [_condition("AllReplicasReady", "True"), _condition("NoWarnings", "True")]},
        "Ready",
    ),
    (
        "k8s.keycloak.org/v2alpha1",
        "Keycloak",
        {"conditions": [_condition("Ready", "False"), _condition("HasErrors", "True", message="no database")]},
        "Degraded",
    ),
    (
        "dbforpostgresql.azure.com/v1",
        "FlexibleServer",
        {"conditions": [_condition("Ready", "False", "NotFound", "x", severity="Error")]},
        "Degraded",
    ),
    ("example.com/v1", "Thing", {"conditions": [_condition("Ready", "True", observedGeneration=1)]}, "Progressing"),
    ("example.com/v1", "Thing", {"conditions": [_condition("Ready", "True", observedGeneration=2)]}, "Ready"),
    ("example.com/v1", "Thing", {"ready": True}, "Ready"),
    ("example.com/v1", "Thing", {"ready": False}, "Progressing"),
]


@pytest.mark.parametrize(("api", "kind", "status", "expected"), SAMPLES)
def test_operators_kinds(api: str, kind: str, status: dict[str, Any], expected: str) -> None:
    assert _of(api, kind, spec={"a": 1}, status=status)[0] == expected


@pytest.mark.parametrize("odd", ["text", 7, [], ["x"], [{}], {"conditions": "x"}, {"conditions": [{"type": 3}]}, None])
@pytest.mark.parametrize("api_kind", sorted({(api, kind) for api, kind, _status, _expected in SAMPLES}))
def test_odd_shapes_are_no_error(api_kind: tuple[str, str], odd: Any) -> None:
    found = _of(*api_kind, spec=odd, status=odd)
    assert len(found) == 2


def test_who_has_a_state() -> None:
    assert has_state("", "Pod")
    assert has_state("example.com", "Thing")
    assert not has_state("", "ConfigMap")
    assert not has_state("argoproj.io", "AppProject")
    assert not has_state("rbac.authorization.k8s.io", "Role")
