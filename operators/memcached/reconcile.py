"""Brings a Memcached to what its spec asks for, in one pass that can be repeated at any time.

A pass reads what is there, changes what differs, and writes down what it saw. It does not ask what has happened: so it makes no
difference whether a person scaled the Memcached, somebody else the Deployment, a node died, or the operator was away meanwhile.
"""

from __future__ import annotations

from typing import Protocol

from operators.kubeapi import Api, ApiError, contains
from operators.passes import NotYet

from .memcached import Memcached, Object, deployment
from .status import available, status


class Tell(Protocol):
    """Records an event on the Memcached."""

    def __call__(self, body: Object, *, type: str, reason: str, message: str) -> None: ...


async def reconcile(api: Api, namespace: str, name: str, tell: Tell) -> None:
    """One pass. What is being deleted is left to the garbage collector."""
    body = await api.get("Memcached", namespace, name)
    if body is None or body["metadata"].get("deletionTimestamp"):
        return
    cache = Memcached(body)
    try:
        found = await _apply(api, cache, tell)
    except (NotYet, ApiError) as problem:
        if isinstance(problem, NotYet) or problem.code in (400, 403, 422):
            await _refused(api, cache, str(problem), tell)
        raise
    pods = await api.list("Pod", namespace, cache.selector)
    await _publish(api, cache, status(cache, found, pods), tell)


async def _apply(api: Api, cache: Memcached, tell: Tell) -> Object:
    """Makes the Deployment, or corrects it; returns it."""
    wanted = deployment(cache)
    present = await api.get("Deployment", cache.namespace, cache.name)
    if present is None:
        made = await api.create(wanted)
        message = f"Made a Deployment of {cache.size} node(s) at port {cache.port}"
        tell(cache.body, type="Normal", reason="Created", message=message)
        return made
    if not cache.owns(present):
        raise NotYet(
            f"a Deployment named {cache.name} exists already and belongs to something else; "
            "delete it, or give this Memcached another name"
        )
    if contains(present, wanted):
        return present
    corrected = await api.patch("Deployment", cache.namespace, cache.name, wanted)
    _tell_what_changed(cache, present["spec"].get("replicas", 1), tell)
    return corrected


def _tell_what_changed(cache: Memcached, before: int, tell: Tell) -> None:
    if before == cache.size:
        tell(cache.body, type="Normal", reason="Updated", message="The Deployment is as the Memcached wants it again")
    elif cache.status.get("observedGeneration") == cache.generation:
        message = f"Somebody scaled the Deployment to {before}; back to {cache.size}. Scale the Memcached instead"
        tell(cache.body, type="Warning", reason="Corrected", message=message)
    else:
        tell(cache.body, type="Normal", reason="Scaled", message=f"Scaled from {before} to {cache.size} nodes")


async def _refused(api: Api, cache: Memcached, why: str, tell: Tell) -> None:
    """Nothing can be done now: the status says why, for the rest it stays as it was."""
    seen = {"observedGeneration": cache.generation, "conditions": [available(cache, False, "DeploymentFailed", why)]}
    await _publish(api, cache, seen, tell)


async def _publish(api: Api, cache: Memcached, wanted: Object, tell: Tell) -> None:
    """Writes the status where it differs, and tells people about a change of the condition."""
    if all(cache.status.get(key) == value for key, value in wanted.items()):
        return
    await api.patch("Memcached", cache.namespace, cache.name, {"status": wanted}, "status")
    (new,), olds = wanted["conditions"], cache.status.get("conditions") or [{}]
    if (new["status"], new["reason"]) != (olds[0].get("status"), olds[0].get("reason")):
        bad = new["reason"] in ("DeploymentFailed", "ReplicaFailure", "Degraded")
        tell(cache.body, type="Warning" if bad else "Normal", reason=new["reason"], message=new["message"])
