"""What PersistentVolumeClaims ask for."""

from __future__ import annotations

from ...objects import copy, dig
from .basics import (
    Causes,
    Object,
    forbidden,
    invalid,
    not_supported,
    only,
    quantity,
    required,
    selector,
    subdomain,
)
from .podupdates import difference

MODES = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
VOLUME_MODES = ("Block", "Filesystem")
_FIXED = "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"


def claim_spec(path: str, spec: Object) -> Causes:
    """What a claim asks for."""
    modes = spec.get("accessModes") or []
    if not modes:
        yield required(f"{path}.accessModes", "at least 1 access mode is required")
    yield from selector(f"{path}.selector", spec.get("selector"))
    yield from access_modes(f"{path}.accessModes", modes)
    storage = ((spec.get("resources") or {}).get("requests") or {}).get("storage")
    if storage is None:
        yield required(f"{path}.resources[storage]")
    elif quantity(storage) <= 0:
        yield invalid(f"{path}.resources[storage]", str(storage), "must be greater than zero")
    if name := spec.get("storageClassName"):
        yield from subdomain(f"{path}.storageClassName", name)
    yield from only(f"{path}.volumeMode", spec.get("volumeMode"), VOLUME_MODES)
    for field in ("dataSource", "dataSourceRef"):
        if spec.get(field) is not None:
            yield from _data_source(f"{path}.{field}", spec[field])


def _data_source(path: str, source: Object) -> Causes:
    if not source.get("name"):
        yield required(f"{path}.name")
    if not source.get("kind"):
        yield required(f"{path}.kind")
    if not source.get("apiGroup") and source.get("kind") != "PersistentVolumeClaim":
        yield invalid(
            path, source.get("kind") or "", "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
        )


def access_modes(path: str, modes: list[str]) -> Causes:
    """Known ones, and those that go together."""
    for mode in modes:
        if mode not in MODES:
            yield not_supported(path, mode, list(MODES))
    if "ReadWriteOncePod" in modes and len(set(modes)) > 1:
        yield forbidden(path, "may not use ReadWriteOncePod with other access modes")


def claim(obj: Object, old: Object | None) -> Causes:
    """A PersistentVolumeClaim."""
    spec = obj.get("spec") or {}
    yield from claim_spec("spec", spec)
    if old is None:
        return
    before = old.get("spec") or {}
    kept, stored = copy(spec), copy(before)
    bound = dig(old, "status", "phase") == "Bound"
    for one in (kept, stored):
        one.pop("volumeAttributesClassName", None)
        if not before.get("volumeName"):
            one.pop("volumeName", None)
        if bound:
            (one.get("resources") or {}).pop("requests", None)
    if kept != stored:
        yield forbidden("spec", f"{_FIXED}\n{difference(stored, kept)}")
    elif bound:
        grown, was = (quantity(dig(one, "resources", "requests", "storage") or 0) for one in (spec, before))
        if grown < was and grown < quantity(dig(old, "status", "capacity", "storage") or 0):
            yield forbidden("spec.resources.requests.storage", "field can not be less than status.capacity")
