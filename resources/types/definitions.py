"""Who brought a kind: read from the marks on its CustomResourceDefinition, all of them in one request.

OLM notes on a definition every version of every operator that brought it, and takes no note away: of several the one
counts whose ClusterServiceVersion is still there.
"""

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from threading import Lock
from typing import Any

from kube.client import ClusterClient
from kube.errors import KubeError
from kube.objects import name_of, namespace_of
from resources.state.health import mapping
from resources.types.manager import DEFINITIONS, Manager, alongside, manager

_KEEP_SECONDS = 10.0
_CSVS = ("operators.coreos.com", "v1alpha1", "clusterserviceversions")
_kept: "dict[tuple[str, ...], tuple[float, Known]]" = {}
_lock = Lock()


@dataclass(frozen=True, slots=True)
class Known:
    """All definitions by `names` ('plural.group'), and the `owners` of those that say so."""

    names: frozenset[str] = frozenset()
    owners: Mapping[str, Manager] = field(default_factory=dict)


def known(client: ClusterClient) -> Known:
    """Nothing for users who can't list definitions. At most ten seconds old."""
    key, now = (client.host, client.who), time.monotonic()
    with _lock:
        cached = _kept.get(key)
    if cached and cached[0] + _KEEP_SECONDS > now:
        return cached[1]
    try:
        rows = client.table(client.find(*DEFINITIONS)).rows
    except KubeError:
        rows = ()
    objects = [row.object for row in rows]
    there = _csvs(client) if any(alongside(item) for item in objects) else frozenset()
    brought = {name_of(item): owner for item in objects if (owner := _owner(item, there))}
    found = Known(frozenset(name_of(item) for item in objects), brought)
    with _lock:
        if len(_kept) > 64:
            _kept.clear()
        _kept[key] = (now, found)
    return found


def forget() -> None:
    """One came or went."""
    with _lock:
        _kept.clear()


def owner(client: ClusterClient, definition: Mapping[str, Any]) -> Manager | None:
    """Of one definition."""
    return _owner(definition, _csvs(client) if len(alongside(definition)) > 1 else frozenset())


def _owner(definition: Mapping[str, Any], there: frozenset[tuple[str, str]]) -> Manager | None:
    brought = alongside(definition)
    if not brought:
        return manager(definition)
    namespace, name = next((csv for csv in brought if csv in there), brought[-1])
    return Manager("ClusterServiceVersion", name, namespace)


def _csvs(client: ClusterClient) -> frozenset[tuple[str, str]]:
    """(namespace, name) of all but the copies that OLM makes for other namespaces."""
    try:
        rows = client.table(client.find(*_CSVS), labels="!olm.copiedFrom").rows
    except KubeError:
        return frozenset()
    objects = [mapping(row.object) for row in rows]
    return frozenset((namespace_of(dict(item)), name_of(dict(item))) for item in objects)
