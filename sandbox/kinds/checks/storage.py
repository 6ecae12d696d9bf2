"""PersistentVolumes and StorageClasses."""

from __future__ import annotations

from typing import Any

from .basics import Causes, Object, forbidden, invalid, not_supported, only, qualified, quantity, required, subdomain
from .claims import VOLUME_MODES, access_modes
from .volumes import SOURCES, source

_FIXED = "field is immutable"


def volume_spec(path: str, spec: Object) -> Causes:
    """What a volume has."""
    modes, capacity = spec.get("accessModes") or [], spec.get("capacity") or {}
    if not modes:
        yield required(f"{path}.accessModes")
    yield from access_modes(f"{path}.accessModes", modes)
    if not capacity:
        yield required(f"{path}.capacity")
    if set(capacity) != {"storage"}:
        yield not_supported(f"{path}.capacity", capacity, ["storage"])
    for name, amount in capacity.items():
        at, value = f"{path}.capacity[{name}]", quantity(amount)
        if value < 0:
            yield invalid(at, int(value), "must be a valid resource quantity")
        if value <= 0:
            yield invalid(at, str(amount), "must be greater than zero")
    supported = ("Delete", "Recycle", "Retain")
    yield from only(f"{path}.persistentVolumeReclaimPolicy", spec.get("persistentVolumeReclaimPolicy"), supported)
    yield from source(path, spec, (*SOURCES, "local"))
    if name := spec.get("storageClassName"):
        yield from subdomain(f"{path}.storageClassName", name)
    yield from only(f"{path}.volumeMode", spec.get("volumeMode"), VOLUME_MODES)


def volume(obj: Object, old: Object | None) -> Causes:
    """A PersistentVolume."""
    spec = obj.get("spec") or {}
    yield from volume_spec("spec", spec)
    if old is None:
        return
    before = old.get("spec") or {}
    if any(spec.get(name) != before.get(name) for name in (*SOURCES, "local")):
        yield forbidden("spec.persistentvolumesource", "spec.persistentvolumesource is immutable after creation")
    if spec.get("volumeMode") != before.get("volumeMode"):
        yield invalid("spec.volumeMode", spec.get("volumeMode"), _FIXED)


def storage_class(obj: Object, old: Object | None) -> Causes:
    """A StorageClass."""
    provisioner, parameters = obj.get("provisioner") or "", obj.get("parameters") or {}
    if not provisioner:
        yield required("provisioner")
    else:
        yield from qualified("provisioner", provisioner.lower())
    for key in parameters:
        if not key:
            yield invalid("parameters", key, "field can not be empty.")
    yield from only("reclaimPolicy", obj.get("reclaimPolicy"), ("Delete", "Retain"))
    yield from only("volumeBindingMode", obj.get("volumeBindingMode"), ("Immediate", "WaitForFirstConsumer"))
    if old is None:
        return
    changed: tuple[tuple[str, Any], ...] = (
        ("parameters", parameters),
        ("provisioner", provisioner),
        ("reclaimPolicy", obj.get("reclaimPolicy")),
        ("volumeBindingMode", obj.get("volumeBindingMode")),
    )
    for name, value in changed:
        if (old.get(name) or None) != (value or None):
            yield invalid(name, value, _FIXED)
