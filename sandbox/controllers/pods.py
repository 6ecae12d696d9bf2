"""States of Pods as controllers see them, and new Pods from a template."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from ..cluster import Cluster
from ..errors import ApiError, NotFound
from ..objects import Object, copy, dig, parse_time
from ..runtime.recorder import EventRecorder
from .conditions import find
from .owners import owner_reference


def is_active(pod: Object) -> bool:
    """Neither ended nor being deleted."""
    return not has_ended(pod) and not pod["metadata"].get("deletionTimestamp")


def has_ended(pod: Object) -> bool:
    """Succeeded or failed."""
    return dig(pod, "status", "phase") in ("Succeeded", "Failed")


def is_ready(pod: Object) -> bool:
    """Its Ready condition is True."""
    found = find(dig(pod, "status", "conditions"), "Ready")
    return found is not None and found.get("status") == "True"


def available_in(pod: Object, seconds: int) -> float | None:
    """0 when the Pod has been ready for ``seconds``, else how many are missing; None when it is not ready."""
    if not is_ready(pod):
        return None
    if not seconds:
        return 0.0
    found = find(dig(pod, "status", "conditions"), "Ready") or {}
    since = parse_time(str(found.get("lastTransitionTime"))) or datetime.now(UTC)
    return max(0.0, seconds - (datetime.now(UTC) - since).total_seconds())


def from_template(template: Any, owner: Object, **metadata: Any) -> Object:
    """A Pod as a controller makes it; ``metadata`` are name or generateName, and more labels."""
    given = dict(dig(template, "metadata") or {})
    labels = {**(given.get("labels") or {}), **(metadata.pop("labels", None) or {})}
    annotations = {**(given.get("annotations") or {}), **(metadata.pop("annotations", None) or {})}
    found: Object = {
        **metadata,
        "namespace": owner["metadata"]["namespace"],
        "labels": labels,
        "annotations": annotations,
        "ownerReferences": [owner_reference(owner)],
    }
    if given.get("finalizers"):
        found["finalizers"] = [*given["finalizers"], *(metadata.get("finalizers") or [])]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": found, "spec": copy(dig(template, "spec") or {})}


def create(cluster: Cluster, recorder: EventRecorder, owner: Object, pod: Object) -> Object:
    """Stores the Pod; the owner's events tell of it, or of the refusal (which is raised)."""
    try:
        made = cluster.create("pods", pod)
    except ApiError as refused:
        recorder.warning(owner, "FailedCreate", f"Error creating: {refused}")
        raise
    recorder.normal(owner, "SuccessfulCreate", f"Created pod: {made['metadata']['name']}")
    return made


def delete(cluster: Cluster, recorder: EventRecorder, owner: Object, pod: Object) -> None:
    """Begins the Pod's deletion; a Pod that doesn't exist isn't an error."""
    name = pod["metadata"]["name"]
    try:
        cluster.delete("pods", name, pod["metadata"]["namespace"], uid=pod["metadata"]["uid"])
    except NotFound:
        return
    recorder.normal(owner, "SuccessfulDelete", f"Deleted pod: {name}")


def deletion_order(pod: Object) -> tuple[bool, int, bool, int, str]:
    """Sort key: the Pods to delete first (controller.ActivePods): unassigned, pending, not ready, restarted,
    young.
    """
    phase = {"Pending": 0, "Unknown": 1}.get(str(dig(pod, "status", "phase")), 2)
    restarts = max((int(c.get("restartCount") or 0) for c in dig(pod, "status", "containerStatuses") or []), default=0)
    born = str(pod["metadata"].get("creationTimestamp"))
    return bool(dig(pod, "spec", "nodeName")), phase, is_ready(pod), -restarts, _younger_first(born)


def _younger_first(moment: str) -> str:
    """Digits turned round, so that the latest moment sorts first."""
    return "".join(str(9 - int(char)) if char.isdigit() else char for char in moment)
