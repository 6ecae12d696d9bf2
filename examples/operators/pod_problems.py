"""What keeps Pods from running, for a status: in the words of the kubelet and the scheduler, and of a program that
ended.
"""

from __future__ import annotations

import time
from calendar import timegm
from collections.abc import Iterable
from typing import NamedTuple

from examples.operators.kubeapi import KubeApi, Object

#: Why a container waits, in the kubelet's words, when it is more than a moment.
STUCK = frozenset(
    ("CrashLoopBackOff", "CreateContainerConfigError", "CreateContainerError", "ErrImagePull", "ImagePullBackOff")
) | {"InvalidImageName", "RunContainerError"}
#: Seconds that a new Pod may wait for a node: its volume may only just be made.
PATIENCE = 5


class StatusProblem(NamedTuple):
    """What keeps something from working: one word for programs, a sentence for people."""

    reason: str
    message: str


async def first_trouble(api: KubeApi, pods: Iterable[Object]) -> StatusProblem | None:
    """What keeps the first of these Pods that has trouble from running, with the last words of a program that gives
    up.
    """
    for pod in pods:
        if pod["metadata"].get("deletionTimestamp"):
            continue
        if found := trouble(pod):
            last_output = await last_words(api, pod) if found.reason == "CrashLoopBackOff" else ""
            return (
                StatusProblem(found.reason, f"{found.message}; at last it said: {last_output}")
                if last_output
                else found
            )
    return None


def trouble(pod: Object) -> StatusProblem | None:
    """What a Pod's status says of its trouble."""
    name, status = pod["metadata"]["name"], pod.get("status") or {}
    for condition in status.get("conditions") or []:
        if condition["type"] == "PodScheduled" and condition["status"] == "False" and _age(pod) > PATIENCE:
            return StatusProblem("Unschedulable", f"no node takes the Pod {name}: {condition.get('message', '')}")
    for container in _containers(pod):
        waiting = (container.get("state") or {}).get("waiting") or {}
        if waiting.get("reason") in STUCK:
            return StatusProblem(waiting["reason"], f"the Pod {name} does not start: {waiting.get('message', '')}")
    return None


async def last_words(api: KubeApi, pod: Object) -> str:
    """The last two lines of the container that gave up, or of the only one."""
    unwell = (container["name"] for container in _containers(pod) if not container.get("ready"))
    text = await api.log(pod["metadata"]["namespace"], pod["metadata"]["name"], 5, next(unwell, ""))
    return " ".join(line.strip() for line in text.strip().splitlines()[-2:])


def _containers(pod: Object) -> list[Object]:
    """The states of its containers, those that run before the others first."""
    status = pod.get("status") or {}
    return [*(status.get("initContainerStatuses") or []), *(status.get("containerStatuses") or [])]


def _age(pod: Object) -> float:
    """Seconds since the Pod was made."""
    made = time.strptime(pod["metadata"]["creationTimestamp"], "%Y-%m-%dT%H:%M:%SZ")
    return time.time() - timegm(made)
