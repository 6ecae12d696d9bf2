"""Deployments, ReplicaSets, StatefulSets, DaemonSets, Jobs, CronJobs: defaults, fixed selectors and templates."""

from __future__ import annotations

from typing import Any

from ..objects import dig
from .checks import cron_job, deployment, job, replica_set, stateful_set
from .poddefaults import default_template
from .strategy import Object, Strategy

_TEMPLATES = "deprecated.daemonset.template.generation"


def _spec(obj: Object) -> Object:
    spec = obj.setdefault("spec", {})
    if not isinstance(spec, dict):
        obj["spec"] = spec = {}
    return spec


def _deployment(obj: Object) -> None:
    spec = _spec(obj)
    spec.setdefault("replicas", 1)
    spec.setdefault("revisionHistoryLimit", 10)
    spec.setdefault("progressDeadlineSeconds", 600)
    strategy = spec.setdefault("strategy", {})
    if not strategy.get("type"):
        strategy["type"] = "RollingUpdate"
    if strategy["type"] == "RollingUpdate":
        rolling = strategy.get("rollingUpdate") or {}
        rolling.setdefault("maxUnavailable", "25%")
        rolling.setdefault("maxSurge", "25%")
        strategy["rollingUpdate"] = rolling
    default_template(spec.setdefault("template", {}))


def _replica_set(obj: Object) -> None:
    spec = _spec(obj)
    spec.setdefault("replicas", 1)
    default_template(spec.setdefault("template", {}))


def _stateful_set(obj: Object) -> None:
    spec = _spec(obj)
    spec.setdefault("replicas", 1)
    spec.setdefault("revisionHistoryLimit", 10)
    spec.setdefault("podManagementPolicy", "OrderedReady")
    strategy = spec.setdefault("updateStrategy", {})
    if not strategy.get("type"):
        strategy["type"] = "RollingUpdate"
    if strategy["type"] == "RollingUpdate":
        rolling = strategy.get("rollingUpdate") or {}
        rolling.setdefault("partition", 0)
        strategy["rollingUpdate"] = rolling
    spec.setdefault("persistentVolumeClaimRetentionPolicy", {"whenDeleted": "Retain", "whenScaled": "Retain"})
    for claim in spec.get("volumeClaimTemplates") or []:
        claim.setdefault("apiVersion", "v1")
        claim.setdefault("kind", "PersistentVolumeClaim")
        claim.setdefault("spec", {}).setdefault("volumeMode", "Filesystem")
        claim.setdefault("status", {"phase": "Pending"})
    default_template(spec.setdefault("template", {}))


def _daemon_set(obj: Object) -> None:
    spec = _spec(obj)
    spec.setdefault("revisionHistoryLimit", 10)
    strategy = spec.setdefault("updateStrategy", {"type": "RollingUpdate"})
    if strategy.get("type", "RollingUpdate") == "RollingUpdate":
        strategy["type"] = "RollingUpdate"
        strategy.setdefault("rollingUpdate", {"maxUnavailable": 1, "maxSurge": 0})
    default_template(spec.setdefault("template", {}))


def _daemon_set_create(obj: Object, _: Any) -> None:
    _count_templates(obj, "1")
    counted = ("currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady")
    obj["status"] = dict.fromkeys(counted, 0)


def _daemon_set_update(obj: Object, old: Object) -> None:
    """The generation of the template is counted by the server."""
    number = int((old["metadata"].get("annotations") or {}).get(_TEMPLATES, "1"))
    changed = dig(obj, "spec", "template") != dig(old, "spec", "template")
    _count_templates(obj, str(number + 1 if changed else number))


def _count_templates(obj: Object, number: str) -> None:
    obj["metadata"]["annotations"] = {**(obj["metadata"].get("annotations") or {}), _TEMPLATES: number}


def _job_spec(spec: Object) -> None:
    if "completions" not in spec and "parallelism" not in spec:
        spec["completions"] = 1
    spec.setdefault("parallelism", 1)
    spec.setdefault("backoffLimit", 6)
    spec.setdefault("completionMode", "NonIndexed")
    spec.setdefault("suspend", False)
    spec.setdefault("manualSelector", False)
    spec.setdefault("podReplacementPolicy", "Failed" if spec.get("podFailurePolicy") else "TerminatingOrFailed")
    default_template(spec.setdefault("template", {}))


def _job(obj: Object) -> None:
    _job_spec(_spec(obj))


def _job_create(obj: Object, _: Any) -> None:
    spec = obj["spec"]
    if spec.get("manualSelector"):
        return
    uid, name = obj["metadata"]["uid"], obj["metadata"]["name"]
    labels = spec.setdefault("template", {}).setdefault("metadata", {})
    if labels.get("labels") is None:
        labels["labels"] = {}
    wanted = {"controller-uid": uid, "job-name": name}
    wanted |= {f"batch.kubernetes.io/{key}": value for key, value in wanted.items()}
    labels["labels"] |= wanted
    selector = spec.setdefault("selector", {})
    selector["matchLabels"] = {**(selector.get("matchLabels") or {}), "batch.kubernetes.io/controller-uid": uid}
    obj["metadata"]["labels"] = {**(obj["metadata"].get("labels") or {}), **wanted}


def _cron_job(obj: Object) -> None:
    spec = _spec(obj)
    spec.setdefault("concurrencyPolicy", "Allow")
    spec.setdefault("suspend", False)
    spec.setdefault("successfulJobsHistoryLimit", 3)
    spec.setdefault("failedJobsHistoryLimit", 1)
    if isinstance(spec.get("jobTemplate"), dict):
        spec["jobTemplate"].setdefault("metadata", {})
    template = spec.setdefault("jobTemplate", {}).setdefault("spec", {}).setdefault("template", {})
    default_template(template)


def _no_replicas(obj: Object, _: Any) -> None:
    obj["status"] = {"replicas": 0}
    if obj["kind"] == "StatefulSet":
        obj["status"]["availableReplicas"] = 0


def _autoscaler(obj: Object) -> None:
    _spec(obj).setdefault("minReplicas", 1)


def _no_disruptions(obj: Object, _: Any) -> None:
    counted = ("disruptionsAllowed", "currentHealthy", "desiredHealthy", "expectedPods")
    obj["status"] = dict.fromkeys(counted, 0)


def _annotated(obj: Object) -> Any:
    """A Deployment's annotations are handed down, so they count."""
    return obj.get("spec"), obj["metadata"].get("annotations") or {}


STRATEGIES = {
    "deployments.apps": Strategy(
        defaults=_deployment,
        validate=deployment,
        counted=_annotated,
    ),
    "replicasets.apps": Strategy(
        defaults=_replica_set,
        create=_no_replicas,
        validate=replica_set,
    ),
    "statefulsets.apps": Strategy(
        defaults=_stateful_set,
        names="label",
        create=_no_replicas,
        validate=stateful_set,
    ),
    "daemonsets.apps": Strategy(
        create=_daemon_set_create,
        update=_daemon_set_update,
        defaults=_daemon_set,
        validate=replica_set,
    ),
    "jobs.batch": Strategy(defaults=_job, create=_job_create, validate=job, orphans=True),
    "cronjobs.batch": Strategy(defaults=_cron_job, validate=cron_job),
    "poddisruptionbudgets.policy": Strategy(create=_no_disruptions),
    "horizontalpodautoscalers.autoscaling": Strategy(defaults=_autoscaler),
}
