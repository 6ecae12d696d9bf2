"""Requests and limits of containers."""

from __future__ import annotations

from typing import Any

from .basics import Causes, Object, forbidden, invalid, not_found, qualified, quantity, required

_CONTAINER = ("cpu", "memory", "ephemeral-storage")
_STANDARD = {
    *_CONTAINER,
    *(f"{kind}.{name}" for kind in ("requests", "limits") for name in (*_CONTAINER, "storage")),
    *("pods", "services", "replicationcontrollers", "resourcequotas", "secrets", "configmaps"),
    *("persistentvolumeclaims", "storage", "services.nodeports", "services.loadbalancers"),
}
_EXTENDED = "doesn't follow extended resource name standard"


def requirements(path: str, given: Object, claims: list[Object]) -> Causes:
    """``resources`` of a container."""
    limits, requests = given.get("limits") or {}, given.get("requests") or {}
    for name, value in sorted(limits.items()):
        yield from _resource(f"{path}.limits[{name}]", name, value)
    for name, value in sorted(requests.items()):
        yield from _resource(f"{path}.requests[{name}]", name, value)
        yield from _within(path, name, value, limits)
    if any(_huge(name) for name in (*limits, *requests)) and not {"cpu", "memory"} & {*limits, *requests}:
        yield forbidden(path, "HugePages require cpu or memory")
    yield from _claims(path, given, claims)


def _claims(path: str, given: Object, claims: list[Object]) -> Causes:
    known = sorted(str(one.get("name")) for one in claims)
    for index, claim in enumerate(given.get("claims") or []):
        if claim.get("name") not in known:
            where = "must be one of the names in pod.spec.resourceClaims"
            text = where if known else f"{where} which is empty"
            yield not_found(f"{path}.claims[{index}]", claim.get("name") or "", text)


def _huge(name: str) -> bool:
    return name.startswith("hugepages-")


def _extended(name: str) -> bool:
    """A resource of somebody else's domain."""
    domain, slash, _ = name.rpartition("/")
    return bool(slash) and not domain.endswith("kubernetes.io") and not name.startswith("requests.")


def _native(name: str) -> bool:
    return "/" not in name or "kubernetes.io/" in name


def _resource(path: str, name: str, value: Any) -> Causes:
    faults = list(qualified(path, name))
    if not faults and "/" not in name and name not in _STANDARD and not _huge(name):
        faults.append(invalid(path, name, "must be a standard resource type or fully qualified"))
    if "/" not in name and name not in _CONTAINER and not _huge(name):
        faults.append(invalid(path, name, "must be a standard resource for containers"))
    elif "/" in name and not _native(name) and (faults or not _extended(name)):
        faults.append(invalid(path, name, _EXTENDED))
    yield from faults
    amount = quantity(value)
    if amount < 0:
        yield invalid(path, str(value), "must be greater than or equal to 0")
    if _extended(name) and amount.denominator != 1:
        yield invalid(path, str(value), "must be an integer")


def _within(path: str, name: str, value: Any, limits: Object) -> Causes:
    """A request is no more than its limit; of what cannot be shared, it is the limit."""
    shared = not _extended(name) and not _huge(name)
    if name in limits:
        limit = limits[name]
        if shared and quantity(value) > quantity(limit):
            text = f"must be less than or equal to {name} limit of {limit}"
            yield invalid(f"{path}.requests", str(value), text)
        if not shared and quantity(value) != quantity(limit):
            yield invalid(f"{path}.requests", str(value), f"must be equal to {name} limit of {limit}")
    elif not shared:
        yield required(f"{path}.limits", "Limit must be set for non overcommitable resources")
