"""Deletion: preconditions, grace, finalizers of the three propagation policies.

Nothing else removes an object: either it has nothing left to wait for, or it is marked, and the owner of its finalizers
(the garbage collector, an operator, the kubelet for a Pod's grace) completes the deletion.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from .errors import Conflict
from .objects import Object, dig, parse_time
from .resources import Resource

FOREGROUND = "foregroundDeletion"
ORPHAN = "orphan"
#: kube-apiserver deletes these in another way, without a grace period and without a new generation.
_BY_HAND = frozenset(("namespaces", "customresourcedefinitions.apiextensions.k8s.io"))


def check(resource: Resource, obj: Object, uid: str, version: str) -> None:
    """Preconditions of DeleteOptions."""
    metadata = obj["metadata"]
    for title, wanted, present, why in (
        ("UID", uid, metadata["uid"], "deleted and then recreated"),
        ("ResourceVersion", version, metadata["resourceVersion"], "modified"),
    ):
        if wanted and wanted != present:
            raise Conflict(
                resource.kind,
                metadata["name"],
                resource.group,
                f"the {title} in the precondition ({wanted}) does not match the {title} in record ({present}). "
                f"The object might have been {why}",
            )


def mark(resource: Resource, obj: Object, propagation: str, grace: int) -> bool:
    """Sets what a deletion sets on the object; whether anything changed."""
    metadata = obj["metadata"]
    before = (metadata.get("deletionTimestamp"), metadata.get("deletionGracePeriodSeconds"), metadata.get("finalizers"))
    finalizers = list(metadata.get("finalizers") or [])
    wanted = {"Orphan": ORPHAN, "Foreground": FOREGROUND}.get(propagation)
    if propagation:
        finalizers = [name for name in finalizers if name not in (ORPHAN, FOREGROUND)]
    if wanted:
        finalizers.append(wanted)
    if finalizers:
        metadata["finalizers"] = finalizers
    else:
        metadata.pop("finalizers", None)
    if not metadata.get("deletionTimestamp"):
        metadata["deletionTimestamp"] = _in(grace)
        if resource.key not in _BY_HAND:
            metadata["deletionGracePeriodSeconds"] = grace
            if metadata.get("generation"):
                metadata["generation"] += 1
    elif grace < int(metadata.get("deletionGracePeriodSeconds") or 0):
        marked = parse_time(metadata["deletionTimestamp"]) or datetime.now(UTC)
        was = timedelta(seconds=int(metadata["deletionGracePeriodSeconds"]))
        metadata["deletionTimestamp"] = (marked - was + timedelta(seconds=grace)).strftime("%Y-%m-%dT%H:%M:%SZ")
        metadata["deletionGracePeriodSeconds"] = grace
    if resource.key == "namespaces":
        obj.setdefault("status", {})["phase"] = "Terminating"
    after = (metadata.get("deletionTimestamp"), metadata.get("deletionGracePeriodSeconds"), metadata.get("finalizers"))
    return before != after


def _in(seconds: int) -> str:
    return (datetime.now(UTC) + timedelta(seconds=seconds)).strftime("%Y-%m-%dT%H:%M:%SZ")


def finished(resource: Resource, obj: Object) -> bool:
    """Whether a marked object has nothing left to wait for."""
    metadata = obj["metadata"]
    if not metadata.get("deletionTimestamp") or metadata.get("finalizers"):
        return False
    if resource.key == "namespaces" and dig(obj, "spec", "finalizers"):
        return False
    return not int(metadata.get("deletionGracePeriodSeconds") or 0)
