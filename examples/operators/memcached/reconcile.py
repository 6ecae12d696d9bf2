"""Brings a Memcached to what its spec asks for, in one pass that can be repeated at any time.

A pass reads what is there, changes what differs, and records the result in the status. It doesn't depend on what has
happened: whether a user scaled the Memcached or the Deployment, a node died, or the operator was away.
"""

from __future__ import annotations

from examples.operators.events import EventRecorder
from examples.operators.kubeapi import ApiError, KubeApi, contains
from examples.operators.pod_problems import PATIENCE, StatusProblem
from examples.operators.workqueue import NotYet

from .memcached import Memcached, Object, deployment
from .status import BAD, refused, status


class InTheWay(NotYet):
    """What keeps the Deployment from being made or corrected."""

    def __init__(self, problem: StatusProblem):
        super().__init__(problem.message)
        self.problem = problem


async def reconcile(api: KubeApi, namespace: str, name: str, record_event: EventRecorder) -> float | None:
    """One pass; returns the seconds until the next one. An object being deleted is left to the garbage collector."""
    body = await api.get("Memcached", namespace, name)
    if body is None or body["metadata"].get("deletionTimestamp"):
        return None
    cache = Memcached(body)
    try:
        found = await _apply(api, cache, record_event)
    except (InTheWay, ApiError) as error:
        problem = error.problem if isinstance(error, InTheWay) else _refusal(error)
        if problem:
            pods = await api.list("Pod", namespace, cache.selector)
            await _publish(api, cache, refused(cache, pods, problem), record_event)
        raise
    pods = await api.list("Pod", namespace, cache.selector)
    seen = status(cache, found, pods)
    await _publish(api, cache, seen, record_event)
    # No event reports that a Pod has waited too long for a node.
    return None if seen["conditions"][0]["reason"] == "NodesReady" else PATIENCE + 1


def _refusal(error: ApiError) -> StatusProblem | None:
    """What the API server will not take however often it is asked; None when it may only be in trouble of its own."""
    if error.code not in (400, 403, 422):
        return None
    return StatusProblem("Refused", f"the API server refuses the Deployment: {error}")


async def _apply(api: KubeApi, cache: Memcached, record_event: EventRecorder) -> Object:
    """Makes the Deployment, or corrects it; returns it."""
    wanted = deployment(cache)
    present = await api.get("Deployment", cache.namespace, cache.name)
    if present is None:
        made = await api.create(wanted)
        message = f"Made a Deployment of {cache.size} node(s) at port {cache.port}"
        record_event(cache.body, type="Normal", reason="Created", message=message)
        return made
    if not cache.owns(present):
        raise InTheWay(_whose(cache, present))
    if contains(present, wanted):
        return present
    corrected = await api.patch("Deployment", cache.namespace, cache.name, wanted)
    _record_changes(cache, present["spec"].get("replicas", 1), record_event)
    return corrected


def _whose(cache: Memcached, present: Object) -> StatusProblem:
    """Why the name is taken: by the Deployment of a Memcached of the same name that is being deleted, or by another
    owner.
    """
    if cache.succeeds(present):
        return StatusProblem(
            "Creating", f"waiting for the Deployment of the Memcached that was called {cache.name} before to go"
        )
    return StatusProblem(
        "NameTaken",
        f"a Deployment named {cache.name} exists already and does not belong to this Memcached; "
        "delete it, or give the Memcached another name",
    )


def _record_changes(cache: Memcached, before: int, record_event: EventRecorder) -> None:
    if before == cache.size:
        record_event(
            cache.body, type="Normal", reason="Updated", message="The Deployment is as the Memcached wants it again"
        )
    elif cache.status.get("observedGeneration") == cache.generation:
        message = f"Somebody scaled the Deployment to {before}; back to {cache.size}. Scale the Memcached instead"
        record_event(cache.body, type="Warning", reason="Corrected", message=message)
    else:
        record_event(cache.body, type="Normal", reason="Scaled", message=f"Scaled from {before} to {cache.size} nodes")


async def _publish(api: KubeApi, cache: Memcached, wanted: Object, record_event: EventRecorder) -> None:
    """Writes the status where it differs, and tells people about a change of the condition."""
    if all(cache.status.get(key) == value for key, value in wanted.items()):
        return
    # Only onto what this pass has read: another spec, or another Memcached of the same name, has a pass of its own
    # coming.
    meta = {"resourceVersion": cache.body["metadata"]["resourceVersion"]}
    try:
        await api.patch("Memcached", cache.namespace, cache.name, {"metadata": meta, "status": wanted}, "status")
    except ApiError as error:
        if error.code in (404, 409):
            return
        raise
    (new,), olds = wanted["conditions"], cache.status.get("conditions") or [{}]
    if (new["status"], new["reason"]) != (olds[0].get("status"), olds[0].get("reason")):
        type_ = "Warning" if new["reason"] in BAD else "Normal"
        record_event(cache.body, type=type_, reason=new["reason"], message=new["message"])
