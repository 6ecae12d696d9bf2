"""The numbers in the status of workloads."""

from __future__ import annotations

from .basics import Causes, Object, invalid, not_negative

_ALL = "status.replicas"
#: kind → (fields none of which is negative, fields that none may exceed replicas, what availableReplicas may not exceed)
_COUNTS: dict[str, tuple[tuple[str, ...], tuple[str, ...], str]] = {
    "Deployment": (
        (
            "observedGeneration",
            "replicas",
            "updatedReplicas",
            "readyReplicas",
            "availableReplicas",
            "unavailableReplicas",
        ),
        ("updatedReplicas", "readyReplicas", "availableReplicas"),
        "readyReplicas",
    ),
    "ReplicaSet": (
        ("replicas", "fullyLabeledReplicas", "readyReplicas", "availableReplicas", "observedGeneration"),
        ("fullyLabeledReplicas", "readyReplicas", "availableReplicas"),
        "readyReplicas",
    ),
    "StatefulSet": (
        ("replicas", "readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas", "observedGeneration"),
        ("readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"),
        "status.readyReplicas",
    ),
}


def workload_status(obj: Object) -> Causes:
    """Counted things are not negative, and parts are no more than the whole."""
    fields, parts, ready = _COUNTS[str(obj.get("kind"))]
    status = obj.get("status") or {}
    for name in fields:
        yield from not_negative(f"status.{name}", status.get(name))
    for name in parts:
        if (value := status.get(name) or 0) > (status.get("replicas") or 0):
            yield invalid(f"status.{name}", value, f"cannot be greater than {_ALL}")
    if (value := status.get("availableReplicas") or 0) > (status.get("readyReplicas") or 0):
        yield invalid("status.availableReplicas", value, f"cannot be greater than {ready}")
