"""A Memcached's status from what is observed: its Deployment and Pods. Pure functions."""

from __future__ import annotations

import time
from collections.abc import Iterable

from examples.operators.pod_problems import STUCK, StatusProblem, trouble

from .memcached import Memcached, Object

#: Reasons that need a user's attention.
BAD = STUCK | {"Degraded", "NameTaken", "Refused", "ReplicaFailure", "Unschedulable", "UpdateStuck"}


def staying(pods: Iterable[Object]) -> list[Object]:
    """The Pods that are nodes, by name, without Pods that have ended or are being deleted."""
    return sorted(
        (
            pod
            for pod in pods
            if not pod["metadata"].get("deletionTimestamp")
            and (pod.get("status") or {}).get("phase") not in ("Succeeded", "Failed")
        ),
        key=lambda pod: str(pod["metadata"]["name"]),
    )


def status(cache: Memcached, deployment: Object, pods: Iterable[Object]) -> Object:
    """The status to write."""
    nodes, numbers = staying(pods), deployment.get("status") or {}
    counts = (int(numbers.get("replicas", 0)), int(numbers.get("readyReplicas", 0)))
    return _status(cache, nodes, counts, available(cache, *_available(cache, deployment, nodes)))


def refused(cache: Memcached, pods: Iterable[Object], problem: StatusProblem) -> Object:
    """The status to write where there is no Deployment to look at, or where it can't become what is wanted."""
    nodes = staying(pods)
    return _status(cache, nodes, (len(nodes), sum(map(_is_ready, nodes))), available(cache, False, *problem))


def available(cache: Memcached, is_so: bool, reason: str, message: str) -> Object:
    """The condition Available; its time changes only when its status does."""
    value = "True" if is_so else "False"
    old = _before(cache)
    moment = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())
    return {
        "type": "Available",
        "status": value,
        "observedGeneration": cache.generation,
        "lastTransitionTime": old["lastTransitionTime"] if old.get("status") == value else moment,
        "reason": reason,
        "message": message,
    }


def _status(cache: Memcached, nodes: list[Object], counts: tuple[int, int], condition: Object) -> Object:
    """``counts``: of Pods, and of those that are ready."""
    replicas, ready = counts
    return {
        "nodes": [pod["metadata"]["name"] for pod in nodes],
        "replicas": replicas,
        "readyReplicas": ready,
        "selector": cache.selector,
        "observedGeneration": cache.generation,
        "conditions": [condition],
    }


def _available(cache: Memcached, deployment: Object, nodes: list[Object]) -> tuple[bool, str, str]:
    """Whether all nodes serve, why in one word, and in a sentence."""
    numbers = deployment.get("status") or {}
    ready = int(numbers.get("readyReplicas", 0))
    words = f"{min(ready, cache.size)} of {cache.size} nodes ready"
    problem = _problem(numbers, nodes)
    if ready >= cache.size:
        if _settled(cache, deployment):
            return True, "NodesReady", words
        # The old nodes serve on, while a new one can't.
        return (True, "UpdateStuck", f"{words}; {problem.message}") if problem else (True, "Updating", words)
    if problem:
        return False, problem.reason, f"{words}: {problem.message}"
    return False, _what_goes_on(cache), words


def _problem(numbers: Object, nodes: list[Object]) -> StatusProblem | None:
    """What keeps nodes from coming, the most telling first: Pods are refused, or do not start, or it just takes too
    long.
    """
    complaints = {condition["type"]: condition for condition in numbers.get("conditions") or []}
    if (refusal := complaints.get("ReplicaFailure")) and refusal["status"] == "True":
        return StatusProblem("ReplicaFailure", refusal["message"])
    if found := next(filter(None, map(trouble, nodes)), None):
        return found
    if (late := complaints.get("Progressing")) and late["status"] == "False":
        return StatusProblem("Degraded", late["message"])
    return None


def _settled(cache: Memcached, deployment: Object) -> bool:
    """Whether the Deployment's controller has done all that its spec asks for."""
    numbers = deployment.get("status") or {}
    seen = int(numbers.get("observedGeneration", 0)) >= int(deployment["metadata"].get("generation", 1))
    return seen and numbers.get("updatedReplicas", 0) == numbers.get("replicas", 0) == cache.size


def _what_goes_on(cache: Memcached) -> str:
    """Why nodes are missing: they were just asked for, they were there before, or they are the first ones."""
    before, old = _before(cache), cache.status.get("observedGeneration", cache.generation)
    if before.get("reason") == "Updating" or (before and before["reason"] != "Creating" and old != cache.generation):
        return "Updating"
    return "Degraded" if before.get("status") == "True" or before.get("reason") == "Degraded" else "Creating"


def _is_ready(pod: Object) -> bool:
    conditions = (pod.get("status") or {}).get("conditions") or []
    return any((condition["type"], condition["status"]) == ("Ready", "True") for condition in conditions)


def _before(cache: Memcached) -> Object:
    return next(
        (dict(condition) for condition in cache.status.get("conditions") or [] if condition["type"] == "Available"), {}
    )
