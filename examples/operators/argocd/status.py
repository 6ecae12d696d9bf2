"""An ArgoCD's status from what is observed: its workloads and their Pods. Pure functions.

The words are the real operator's: a component is Running, Pending, Failed, or Unknown where it is switched off; the
whole is Available when every component that is asked for runs (argocd-operator, controllers/argocd/status.go).
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping

from .argocd import NAME, ArgoCD, Object
from .parts import PARTS, ComponentSpec

RUNNING, PENDING, FAILED, UNKNOWN = "Running", "Pending", "Failed", "Unknown"
RECONCILED, AVAILABLE = "Reconciled", "Available"
#: What a kubelet says of a container that will not run by waiting alone.
_BAD = frozenset(
    {
        "CrashLoopBackOff",
        "ImagePullBackOff",
        "ErrImagePull",
        "InvalidImageName",
        "CreateContainerConfigError",
        "CreateContainerError",
        "RunContainerError",
    }
)


def status(argocd: ArgoCD, workloads: Mapping[str, Object], pods: Iterable[Object], problem: str = "") -> Object:
    """The status to write. `workloads`: those that there are, by name; `problem`: what kept the pass from its end."""
    pods = list(pods)
    states = {part: _component(argocd, part, workloads.get(part.workload(argocd)), pods) for part in PARTS}
    found: Object = {part.field: state for part, (state, _) in states.items()}
    if argocd.mistake():
        found["sso"] = FAILED
    wanted = [part for part in PARTS if part.enabled(argocd)]
    running = sum(found[part.field] == RUNNING for part in wanted)
    everything = running == len(wanted) and not argocd.mistake()
    found["phase"] = "Available" if everything and not problem else "Pending"
    why = "; ".join(f"{part.suffix}: {words}" for part, (_, words) in states.items() if words)
    reason = (
        "ComponentsRunning" if everything else "ComponentFailed" if FAILED in found.values() else "ComponentsPending"
    )
    message = f"{running} of {len(wanted)} components run" + (f"; {why}" if why else "")
    found["conditions"] = [
        _condition(argocd, RECONCILED, not problem, "ErrorOccurred" if problem else "Success", problem),
        _condition(argocd, AVAILABLE, everything, reason, message),
    ]
    return found


def _component(argocd: ArgoCD, part: ComponentSpec, workload: Object | None, pods: list[Object]) -> tuple[str, str]:
    """Its state, and what is missing in words; none when it runs or is switched off."""
    if not part.enabled(argocd):
        return UNKNOWN, ""
    if workload is None:
        return PENDING, "not made yet"
    wanted, seen = part.replicas(argocd), workload.get("status") or {}
    newest = int(seen.get("observedGeneration", 0)) >= int(workload["metadata"].get("generation", 1))
    ready, updated = (int(seen.get(item, 0)) for item in ("readyReplicas", "updatedReplicas"))
    if newest and ready >= wanted and updated >= wanted:
        return RUNNING, ""
    mine = [pod for pod in pods if (pod["metadata"].get("labels") or {}).get(NAME) == part.workload(argocd)]
    if complaint := _complaint(seen, mine):
        return FAILED, complaint
    return PENDING, f"{min(ready, wanted)} of {wanted} Pods ready"


def _complaint(seen: Object, pods: list[Object]) -> str:
    """What the kubelet says of a Pod, or else the workload's controller of itself."""
    for pod in pods:
        for container in (pod.get("status") or {}).get("containerStatuses") or []:
            waiting = (container.get("state") or {}).get("waiting") or {}
            if waiting.get("reason") in _BAD:
                return f"{waiting['reason']}: {waiting.get('message') or pod['metadata']['name']}"
    conditions = {condition["type"]: condition for condition in seen.get("conditions") or []}
    if (refused := conditions.get("ReplicaFailure")) and refused["status"] == "True":
        return str(refused.get("message") or "ReplicaFailure")
    if (late := conditions.get("Progressing")) and late["status"] == "False":
        return str(late.get("message") or "it took too long")
    return ""


def _condition(argocd: ArgoCD, type_: str, is_so: bool, reason: str, message: str) -> Object:
    """Its time changes only when its status does."""
    value = "True" if is_so else "False"
    old = before(argocd, type_)
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return {
        "type": type_,
        "status": value,
        "observedGeneration": argocd.generation,
        "lastTransitionTime": old["lastTransitionTime"] if old.get("status") == value else moment,
        "reason": reason,
        "message": message,
    }


def before(argocd: ArgoCD, type_: str) -> Object:
    """The condition as it was; empty when there was none."""
    return next((condition for condition in argocd.status.get("conditions") or [] if condition["type"] == type_), {})
