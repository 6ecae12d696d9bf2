"""A Pod's status from its containers' states (kubernetes/pkg/kubelet: getPhase, status/generate.go). Pure functions."""

from __future__ import annotations

from collections.abc import Sequence

from ..objects import Object, dig, now
from .container import Container


def phase(policy: str, containers: Sequence[Container], *, stopping: bool = False) -> str:
    """Pending, Running, Succeeded or Failed."""
    inits = [container for container in containers if container.kind == "init"]
    mains = [container for container in containers if container.kind == "main"]
    failed_init = any(init.ended is not None and init.ended["exitCode"] for init in inits)
    if any(init.ended is None or init.ended["exitCode"] for init in inits):
        return "Failed" if (failed_init and policy == "Never") or stopping else "Pending"
    if any(container.running for container in mains):
        return "Running"
    ended = [container for container in mains if container.ended is not None]
    if len(ended) == len(mains):
        good = all(container.ended is not None and container.ended["exitCode"] == 0 for container in mains)
        if stopping or policy == "Never":
            return "Succeeded" if good else "Failed"
        return "Succeeded" if policy == "OnFailure" and good else "Running"
    if stopping:
        return "Failed"
    waiting = [container for container in mains if container.ended is None and not container.last_state]
    return "Pending" if waiting else "Running"


def conditions(old: list[Object] | None, containers: Sequence[Container], word: str) -> list[Object]:
    """The five conditions in a kubelet's order; times of those that stay are kept."""
    inits = [
        container
        for container in containers
        if container.kind == "init" and (container.ended is None or container.ended["exitCode"])
    ]
    inits += [container for container in containers if container.kind == "sidecar" and not container.started]
    unready = [container.name for container in containers if container.kind != "init" and not container.ready]
    over = {"Succeeded": "PodCompleted", "Failed": "PodFailed"}.get(word, "")
    initialized = ("True", "PodCompleted" if word == "Succeeded" else "", "")
    if inits and word != "Succeeded":
        names = " ".join(init.name for init in inits)
        initialized = ("False", "ContainersNotInitialized", f"containers with incomplete status: [{names}]")
    ready = ("True", "", "")
    if over:
        ready = ("False", over, "")
    elif unready:
        ready = ("False", "ContainersNotReady", f"containers with unready status: [{' '.join(unready)}]")
    placed = ("True" if any(container.id for container in containers) and not over else "False", "", "")
    wanted = {
        "PodReadyToStartContainers": placed,
        "Initialized": initialized,
        "Ready": ready,
        "ContainersReady": ready,
        "PodScheduled": ("True", "", ""),
    }
    present = {item["type"]: item for item in old or []}
    found = [_condition(kind, value, present.pop(kind, None)) for kind, value in wanted.items()]
    return [*found, *present.values()]


def _condition(kind: str, value: tuple[str, str, str], old: Object | None) -> Object:
    status, reason, message = value
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
        "containerStatuses": [container.status() for container in containers if container.kind == "main"],
    }
    inits = [container.status() for container in containers if container.kind != "main"]
    if inits:
        status["initContainerStatuses"] = inits
    return status
