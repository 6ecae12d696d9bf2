"""A Memcached's status from what is observed: its Deployment and Pods. Pure functions."""

from __future__ import annotations

import time
from collections.abc import Iterable

from .memcached import Memcached, Object


def nodes(pods: Iterable[Object]) -> list[str]:
    """The Pods' names, in order; one that is going or has ended is no node any more."""
    return sorted(
        pod["metadata"]["name"]
        for pod in pods
        if not pod["metadata"].get("deletionTimestamp")
        and (pod.get("status") or {}).get("phase") not in ("Succeeded", "Failed")
    )


def status(cache: Memcached, deployment: Object, pods: Iterable[Object]) -> Object:
    """The status to write."""
    numbers = deployment.get("status") or {}
    return {
        "nodes": nodes(pods),
        "replicas": int(numbers.get("replicas", 0)),
        "readyReplicas": int(numbers.get("readyReplicas", 0)),
        "selector": cache.selector,
        "observedGeneration": cache.generation,
        "conditions": [available(cache, *_available(cache, deployment))],
    }


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


def _available(cache: Memcached, deployment: Object) -> tuple[bool, str, str]:
    """Whether all nodes serve, why in one word, and in a sentence."""
    numbers = deployment.get("status") or {}
    ready = int(numbers.get("readyReplicas", 0))
    words = f"{min(ready, cache.size)} of {cache.size} nodes ready"
    if ready >= cache.size:
        return True, "NodesReady" if _settled(cache, deployment) else "Updating", words
    # What the Deployment complains of, most telling first.
    complaints = {one["type"]: one for one in numbers.get("conditions") or []}
    if (refused := complaints.get("ReplicaFailure")) and refused["status"] == "True":
        return False, "ReplicaFailure", f"{words}: {refused['message']}"
    if (late := complaints.get("Progressing")) and late["status"] == "False":
        return False, "Degraded", f"{words}: {late['message']}"
    return False, _what_goes_on(cache), words


def _settled(cache: Memcached, deployment: Object) -> bool:
    """Whether the Deployment's controller has done all that its spec asks for."""
    numbers = deployment.get("status") or {}
    seen = int(numbers.get("observedGeneration", 0)) >= int(deployment["metadata"].get("generation", 1))
    return seen and numbers.get("updatedReplicas", 0) == numbers.get("replicas", 0) == cache.size


def _what_goes_on(cache: Memcached) -> str:
    """Why nodes are missing: they are the first ones, they were just asked for, or they were there before."""
    before = _before(cache).get("reason", "Creating")
    if before == "Creating":
        return "Creating"
    return (
        "Updating" if cache.status.get("observedGeneration") != cache.generation or before == "Updating" else "Degraded"
    )


def _before(cache: Memcached) -> Object:
    return next((dict(one) for one in cache.status.get("conditions") or [] if one["type"] == "Available"), {})
