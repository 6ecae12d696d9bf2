"""Whether an applied object does its work, so that the next step may begin.

Pure functions of what the API server says.
"""

from __future__ import annotations

from examples.operators.kubeapi import Object

from .instance import Instance
from .plans import COMPLETE, FATAL_ERROR, IN_PROGRESS, TaskOutcome

_GOOD = TaskOutcome(COMPLETE)


def health(obj: Object) -> TaskOutcome:
    """Kinds without a state of their own are good as soon as they are there."""
    judge = _JUDGES.get(str(obj["kind"]))
    found = judge(obj) if judge else _GOOD
    if found.status == COMPLETE:
        return found
    return TaskOutcome(found.status, f"{obj['kind']} {obj['metadata']['name']}: {found.message}")


def _replicas(obj: Object) -> TaskOutcome:
    """Deployments and StatefulSets: all of the newest, none too many."""
    wanted = int((obj.get("spec") or {}).get("replicas", 1))
    status = obj.get("status") or {}
    seen = int(status.get("observedGeneration", 0)) >= int(obj["metadata"].get("generation", 1))
    ready, updated, there = (int(status.get(item, 0)) for item in ("readyReplicas", "updatedReplicas", "replicas"))
    if seen and ready == updated == there == wanted:
        return _GOOD
    for condition in status.get("conditions") or []:
        if condition.get("type") == "ReplicaFailure" and condition.get("status") == "True":
            return TaskOutcome(IN_PROGRESS, f"{min(ready, wanted)} of {wanted} Pods ready: {condition.get('message')}")
    more = f", {there - wanted} too many" if there > wanted else ""
    old = f", {there - updated} of an older form" if seen and there > updated else ""
    return TaskOutcome(IN_PROGRESS, f"{min(ready, wanted)} of {wanted} Pods ready{more}{old}")


def _job(obj: Object) -> TaskOutcome:
    for condition in (obj.get("status") or {}).get("conditions") or []:
        if condition.get("status") == "True" and condition.get("type") == "Complete":
            return _GOOD
        if condition.get("status") == "True" and condition.get("type") == "Failed":
            return TaskOutcome(FATAL_ERROR, f"it failed: {condition.get('message') or condition.get('reason')}")
    failed = int((obj.get("status") or {}).get("failed", 0))
    return TaskOutcome(IN_PROGRESS, f"running, after {failed} failed tries" if failed else "running")


def _pod(obj: Object) -> TaskOutcome:
    phase = (obj.get("status") or {}).get("phase", "Pending")
    if phase == "Failed":
        return TaskOutcome(FATAL_ERROR, str((obj.get("status") or {}).get("message") or "it failed"))
    return _GOOD if phase in ("Running", "Succeeded") else TaskOutcome(IN_PROGRESS, phase)


def _instance(obj: Object) -> TaskOutcome:
    """One of another package: what was asked for last has been carried out."""
    found = Instance(obj)
    conditions = {str(condition.get("type")): condition for condition in found.status.get("conditions") or []}
    if conditions.get("Accepted", {}).get("status") == "False":
        return TaskOutcome(IN_PROGRESS, str(conditions["Accepted"]["message"]))
    ready = conditions.get("Ready", {})
    if found.snapshot != found.wanted or found.execution or not ready:
        return TaskOutcome(IN_PROGRESS, str(ready.get("message") or "its plan has not begun"))
    return _GOOD if ready["status"] == "True" else TaskOutcome(FATAL_ERROR, str(ready["message"]))


def _claim(obj: Object) -> TaskOutcome:
    """One that waits for its first Pod is as far as it can be."""
    phase = (obj.get("status") or {}).get("phase", "Pending")
    return TaskOutcome(FATAL_ERROR, "its volume is lost") if phase == "Lost" else _GOOD


_JUDGES = {
    "Deployment": _replicas,
    "StatefulSet": _replicas,
    "Instance": _instance,
    "Job": _job,
    "Pod": _pod,
    "PersistentVolumeClaim": _claim,
}
