"""A Pod's status from its containers' states (kubernetes/pkg/kubelet: getPhase, status/generate.go). Pure functions."""

from __future__ import annotations

from collections.abc import Sequence

from ..objects import Object, dig, now
from .container import Container


def phase(policy: str, containers: Sequence[Container], *, stopping: bool = False) -> str:
    """Pending, Running, Succeeded or Failed."""
    inits = [one for one in containers if one.kind == "init"]
    mains = [one for one in containers if one.kind == "main"]
    failed_init = any(one.ended is not None and one.ended["exitCode"] for one in inits)
    if any(one.ended is None or one.ended["exitCode"] for one in inits):
        return "Failed" if (failed_init and policy == "Never") or stopping else "Pending"
    if any(one.running for one in mains):
        return "Running"
    ended = [one for one in mains if one.ended is not None]
    if len(ended) == len(mains):
        good = all(one.ended is not None and one.ended["exitCode"] == 0 for one in mains)
        if stopping or policy == "Never":
            return "Succeeded" if good else "Failed"
        return "Succeeded" if policy == "OnFailure" and good else "Running"
    if stopping:
        return "Failed"
    waiting = [one for one in mains if one.ended is None and not one.last_state]
    return "Pending" if waiting else "Running"


def conditions(old: list[Object] | None, containers: Sequence[Container], word: str) -> list[Object]:
    """The five conditions in a kubelet's order; times of those that stay are kept."""
    inits = [one for one in containers if one.kind == "init" and (one.ended is None or one.ended["exitCode"])]
    inits += [one for one in containers if one.kind == "sidecar" and not one.started]
    unready = [one.name for one in containers if one.kind != "init" and not one.ready]
    over = {"Succeeded": "PodCompleted", "Failed": "PodFailed"}.get(word, "")
    initialized = ("True", "PodCompleted" if word == "Succeeded" else "", "")
    if inits and word != "Succeeded":
        names = " ".join(one.name for one in inits)
        initialized = ("False", "ContainersNotInitialized", f"containers with incomplete status: [{names}]")
    ready = ("True", "", "")
    if over:
        ready = ("False", over, "")
    elif unready:
        ready = ("False", "ContainersNotReady", f"containers with unready status: [{' '.join(unready)}]")
    placed = ("True" if any(one.id for one in containers) and not over else "False", "", "")
    wanted = {
        "PodReadyToStartContainers": placed,
        "Initialized": initialized,
        "Ready": ready,
        "ContainersReady": ready,
        "PodScheduled": ("True", "", ""),
    }
    present = {one["type"]: one for one in old or []}
    found = [_condition(kind, said, present.pop(kind, None)) for kind, said in wanted.items()]
    return [*found, *present.values()]


def _condition(kind: str, said: tuple[str, str, str], old: Object | None) -> Object:
    status, reason, message = said
    same = old is not None and old.get("status") == status
    moment = old["lastTransitionTime"] if old and same and old.get("lastTransitionTime") else now()
    condition: Object = {"type": kind, "status": status, "lastProbeTime": None, "lastTransitionTime": moment}
    if reason:
        condition["reason"] = reason
    if message:
        condition["message"] = message
    return condition


def calculate(pod: Object, containers: Sequence[Container], address: str, *, stopping: bool = False) -> Object:
    """The status to write."""
    policy = str(dig(pod, "spec", "restartPolicy") or "Always")
    old = pod.get("status") or {}
    word = phase(policy, containers, stopping=stopping)
    if old.get("phase") in ("Succeeded", "Failed"):
        word = str(old["phase"])  # an end is final
    status: Object = {
        "phase": word,
        "conditions": conditions(old.get("conditions"), containers, word),
        "hostIP": "127.0.0.1",
        "hostIPs": [{"ip": "127.0.0.1"}],
        "podIP": address,
        "podIPs": [{"ip": address}],
        "startTime": old.get("startTime") or now(),
        "containerStatuses": [one.status() for one in containers if one.kind == "main"],
    }
    inits = [one.status() for one in containers if one.kind != "main"]
    if inits:
        status["initContainerStatuses"] = inits
    return status
