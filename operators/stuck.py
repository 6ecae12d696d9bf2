"""What keeps a Pod from running, for a status: in the words of the kubelet and the scheduler. Pure functions."""

from __future__ import annotations

import time
from calendar import timegm
from typing import Any, NamedTuple

Object = dict[str, Any]

#: Why a container waits, in the kubelet's words, when it is more than a moment.
STUCK = frozenset(
    ("CrashLoopBackOff", "CreateContainerConfigError", "CreateContainerError", "ErrImagePull", "ImagePullBackOff")
) | {"InvalidImageName", "RunContainerError"}
#: Seconds that a new Pod may wait for a node: its volume may only just be made.
PATIENCE = 5


class Problem(NamedTuple):
    """What keeps something from working: one word for programs, a sentence for people."""

    reason: str
    message: str


def trouble(pod: Object) -> Problem | None:
    """What a Pod's status says of its trouble."""
    name, status = pod["metadata"]["name"], pod.get("status") or {}
    for condition in status.get("conditions") or []:
        if condition["type"] == "PodScheduled" and condition["status"] == "False" and _age(pod) > PATIENCE:
            return Problem("Unschedulable", f"no node takes the Pod {name}: {condition.get('message', '')}")
    for one in status.get("containerStatuses") or []:
        waiting = (one.get("state") or {}).get("waiting") or {}
        if waiting.get("reason") in STUCK:
            return Problem(waiting["reason"], f"the Pod {name} does not start: {waiting.get('message', '')}")
    return None


def _age(pod: Object) -> float:
    """Seconds since the Pod was made."""
    made = time.strptime(pod["metadata"]["creationTimestamp"], "%Y-%m-%dT%H:%M:%SZ")
    return time.time() - timegm(made)
