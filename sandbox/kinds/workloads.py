"""Deployments, ReplicaSets, StatefulSets, DaemonSets, Jobs, CronJobs: defaults, fixed selectors and templates."""

from __future__ import annotations

from typing import Any

import msgspec

from ..errors import Cause
from ..objects import dig
from .pods import default_template, template_causes
from .strategy import Object, Strategy


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
    default_template(spec.get("template"))


def _replica_set(obj: Object) -> None:
    spec = _spec(obj)
    spec.setdefault("replicas", 1)
    default_template(spec.get("template"))


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
    default_template(spec.get("template"))


def _daemon_set(obj: Object) -> None:
    spec = _spec(obj)
    spec.setdefault("revisionHistoryLimit", 10)
    strategy = spec.setdefault("updateStrategy", {"type": "RollingUpdate"})
    if strategy.get("type", "RollingUpdate") == "RollingUpdate":
        strategy["type"] = "RollingUpdate"
        strategy.setdefault("rollingUpdate", {"maxUnavailable": 1, "maxSurge": 0})
    default_template(spec.get("template"))


def _job_spec(spec: Object) -> None:
    if "completions" not in spec and "parallelism" not in spec:
        spec["completions"] = 1
    spec.setdefault("parallelism", 1)
    spec.setdefault("backoffLimit", 6)
    spec.setdefault("completionMode", "NonIndexed")
    spec.setdefault("suspend", False)
    spec.setdefault("manualSelector", False)
    spec.setdefault("podReplacementPolicy", "TerminatingOrFailed")
    default_template(spec.get("template"))


def _job(obj: Object) -> None:
    _job_spec(_spec(obj))


def _job_create(obj: Object, _: Any) -> None:
    spec = obj["spec"]
    if spec.get("manualSelector") or spec.get("selector"):
        return
    uid, name = obj["metadata"]["uid"], obj["metadata"]["name"]
    labels = spec.setdefault("template", {}).setdefault("metadata", {})
    if labels.get("labels") is None:
        labels["labels"] = {}
    wanted = {"controller-uid": uid, "job-name": name}
    wanted |= {f"batch.kubernetes.io/{key}": value for key, value in wanted.items()}
    labels["labels"] |= wanted
    spec["selector"] = {"matchLabels": {"batch.kubernetes.io/controller-uid": uid}}
    obj["metadata"]["labels"] = {**(obj["metadata"].get("labels") or {}), **wanted}


def _cron_job(obj: Object) -> None:
    spec = _spec(obj)
    spec.setdefault("concurrencyPolicy", "Allow")
    spec.setdefault("suspend", False)
    spec.setdefault("successfulJobsHistoryLimit", 3)
    spec.setdefault("failedJobsHistoryLimit", 1)
    if isinstance(spec.get("jobTemplate"), dict):
        spec["jobTemplate"].setdefault("metadata", {})
    template = dig(spec, "jobTemplate", "spec", "template")
    default_template(template)


def _cron_causes(obj: Object, _: Object | None) -> list[Cause]:
    schedule = str(dig(obj, "spec", "schedule") or "")
    fields = schedule.split()
    if not schedule:
        return [Cause("spec.schedule", "FieldValueRequired", "Required value")]
    if len(fields) != 5 and not schedule.startswith("@"):
        text = f"expected exactly 5 fields, found {len(fields)}: [{' '.join(fields)}]"
        return [Cause("spec.schedule", "FieldValueInvalid", f'Invalid value: "{schedule}": {text}')]
    return []


def _selector_causes(obj: Object, old: Object | None) -> list[Cause]:
    """A selector must select the template, and never changes."""
    causes: list[Cause] = []
    selector = dig(obj, "spec", "selector")
    labels = dig(obj, "spec", "template", "metadata", "labels") or {}
    if not selector:
        causes.append(Cause("spec.selector", "FieldValueRequired", "Required value"))
    wanted = (selector or {}).get("matchLabels") or {}
    if not labels or any(labels.get(key) != value for key, value in wanted.items()):
        shown = (
            "{" + ",".join(f'"{key}":"{value}"' for key, value in sorted(labels.items())) + "}" if labels else "null"
        )
        text = f"Invalid value: {shown}: `selector` does not match template `labels`"
        causes.append(Cause("spec.template.metadata.labels", "FieldValueInvalid", text))
    if old is not None and selector and selector != dig(old, "spec", "selector"):
        shown = msgspec.json.encode(selector).decode()
        causes.append(Cause("spec.selector", "FieldValueInvalid", f"Invalid value: {shown}: field is immutable"))
    return causes


def _workload(obj: Object, old: Object | None) -> list[Cause]:
    causes = _negative(obj, "replicas") + _selector_causes(obj, old)
    # A StatefulSet adds a volume to its Pods for each of its claim templates.
    claims = [str(dig(claim, "metadata", "name")) for claim in dig(obj, "spec", "volumeClaimTemplates") or []]
    causes += template_causes(dig(obj, "spec", "template", "spec"), "spec.template.spec", claims)
    policy = dig(obj, "spec", "template", "spec", "restartPolicy")
    if policy not in (None, "Always"):
        text = f'Unsupported value: "{policy}": supported values: "Always"'
        causes.append(Cause("spec.template.spec.restartPolicy", "FieldValueNotSupported", text))
    return causes


def _deployment_causes(obj: Object, old: Object | None) -> list[Cause]:
    causes = _workload(obj, old)
    strategy = dig(obj, "spec", "strategy") or {}
    if strategy.get("type") == "Recreate" and "rollingUpdate" in strategy:
        text = "Forbidden: may not be specified when strategy `type` is 'Recreate'"
        causes.append(Cause("spec.strategy.rollingUpdate", "FieldValueForbidden", text))
    return causes


def _negative(obj: Object, field: str) -> list[Cause]:
    value = dig(obj, "spec", field)
    if isinstance(value, int) and value < 0:
        text = f"Invalid value: {value}: must be greater than or equal to 0"
        return [Cause(f"spec.{field}", "FieldValueInvalid", text)]
    return []


#: What may change in a StatefulSet's spec.
_STATEFUL = {
    "replicas",
    "ordinals",
    "template",
    "updateStrategy",
    "revisionHistoryLimit",
    "persistentVolumeClaimRetentionPolicy",
    "minReadySeconds",
}


def _stateful(obj: Object, old: Object | None) -> list[Cause]:
    causes = _workload(obj, None)
    if old is not None:
        new_spec, old_spec = obj.get("spec") or {}, old.get("spec") or {}
        changed = {key for key in {*new_spec, *old_spec} - _STATEFUL if new_spec.get(key) != old_spec.get(key)}
        if changed:
            text = (
                "Forbidden: updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', "
                "'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and "
                "'minReadySeconds' are forbidden"
            )
            causes.append(Cause("spec", "FieldValueForbidden", text))
    return causes


def _job_causes(obj: Object, old: Object | None) -> list[Cause]:
    causes = _negative(obj, "parallelism") + _negative(obj, "completions")
    causes += template_causes(dig(obj, "spec", "template", "spec"), "spec.template.spec")
    policy = dig(obj, "spec", "template", "spec", "restartPolicy")
    if policy not in ("OnFailure", "Never"):
        text = 'Required value: valid values: "OnFailure", "Never"'
        causes.append(Cause("spec.template.spec.restartPolicy", "FieldValueRequired", text))
    if old is not None:
        for field in ("template", "selector", "completions"):
            if dig(obj, "spec", field) != dig(old, "spec", field):
                shown = msgspec.json.encode(dig(obj, "spec", field)).decode()
                causes.append(
                    Cause(f"spec.{field}", "FieldValueInvalid", f"Invalid value: {shown}: field is immutable")
                )
    return causes


def _no_replicas(obj: Object, _: Any) -> None:
    obj["status"] = {"replicas": 0}
    if obj["kind"] == "StatefulSet":
        obj["status"]["availableReplicas"] = 0


STRATEGIES = {
    "deployments.apps": Strategy(defaults=_deployment, validate=_deployment_causes),
    "replicasets.apps": Strategy(defaults=_replica_set, create=_no_replicas, validate=_workload),
    "statefulsets.apps": Strategy(defaults=_stateful_set, create=_no_replicas, validate=_stateful),
    "daemonsets.apps": Strategy(defaults=_daemon_set, validate=_workload),
    "jobs.batch": Strategy(defaults=_job, create=_job_create, validate=_job_causes),
    "cronjobs.batch": Strategy(defaults=_cron_job, validate=_cron_causes),
}
