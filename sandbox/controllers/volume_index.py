"""Chooses the volume for a claim (kubernetes/pkg/controller/volume/persistentvolume/index.go).

Pure functions.
"""

from __future__ import annotations

from ..objects import Object, dig
from ..quantity import amount
from .owners import is_going


def requested(claim: Object) -> float:
    """The storage that a claim requests."""
    return amount(dig(claim, "spec", "resources", "requests", "storage"))


def matching(volumes: list[Object], claim: Object) -> Object | None:
    """A volume that names this claim, else the smallest one that fits."""
    metadata = claim["metadata"]
    free = []
    for volume in volumes:
        reference = dig(volume, "spec", "claimRef")
        if not reference:
            free.append(volume)
        elif _names(reference, metadata):
            return volume
    fitting = [volume for volume in free if _fits(volume, claim["spec"], requested(claim))]
    return min(fitting, key=_capacity, default=None)


def _names(reference: Object, metadata: Object) -> bool:
    same = all(reference.get(field) == metadata[field] for field in ("namespace", "name"))
    return same and reference.get("uid") in (None, "", metadata["uid"])


def _fits(volume: Object, claim: Object, wanted: float) -> bool:
    spec = volume["spec"]
    labels = (dig(claim, "selector", "matchLabels") or {}).items()
    return bool(
        not is_going(volume)
        and dig(volume, "status", "phase") != "Released"
        and (spec.get("storageClassName") or "") == (claim.get("storageClassName") or "")
        and set(claim.get("accessModes") or []) <= set(spec.get("accessModes") or [])
        and _capacity(volume) >= wanted
        and (spec.get("volumeMode") or "Filesystem") == (claim.get("volumeMode") or "Filesystem")
        and labels <= (volume["metadata"].get("labels") or {}).items()
    )


def _capacity(volume: Object) -> float:
    return amount(dig(volume, "spec", "capacity", "storage"))
