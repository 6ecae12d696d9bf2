"""The region of an object's page with the CPU and memory of its Pods, or of a node: now, and in the last hour."""

from collections.abc import Iterable
from dataclasses import dataclass

from kube.client import ClusterClient
from kube.errors import KubeError
from kube.objects import KubeObject, name_of, namespace_of
from resources.place import Place
from resources.podlogs import pods
from resources.tree.owners import Owned, belongings
from resources.usage.history import Tile, tiles
from resources.usage.metrics import NODES, PODS, Usages, allocatable, plural_of, served
from resources.usage.readings import readings

#: A point of the history is a minute.
_RENEWED_SECONDS = 60


@dataclass(frozen=True, slots=True)
class UsagePart:
    """`tiles`: CPU and memory, none where they aren't known."""

    tiles: tuple[Tile, ...] = ()
    renewed_every: int = _RENEWED_SECONDS * 1000


def usage_part(
    client: ClusterClient, place: Place, obj: KubeObject, owned: Iterable[Owned] | None = None
) -> UsagePart | None:
    """None where there is nothing to measure. `owned`: what belongs to the object, where that is known already."""
    plural = plural_of(place.type) or (PODS if _has_pods(place) else "")
    if not plural or served(client, plural) is None:
        return None
    used = readings.ask(client, plural, place.namespace).now()
    if not used:
        return UsagePart()
    try:
        wanted = {place.name} if plural_of(place.type) else _pods_of(client, place, obj, owned)
    except KubeError:
        return UsagePart()
    found = _those(used, place.namespace, wanted)
    if not found:
        return UsagePart()
    return UsagePart(tiles(client, plural, found, allocatable(obj) if plural == NODES else None))


def _has_pods(place: Place) -> bool:
    return bool(place.namespace) and pods.may_have(place.type) and place.type.kind != "Service"


def _pods_of(client: ClusterClient, place: Place, obj: KubeObject, owned: Iterable[Owned] | None) -> set[str]:
    """Names in the object's own namespace."""
    if labels := pods.selector(place.type, obj):
        type_ = client.find("", "v1", "pods")
        return {name_of(pod) for pod in client.list(type_, place.namespace, labels=labels).items}
    rows = belongings(client, place.type, obj).rows if owned is None else owned
    return {
        name_of(row.object)
        for row in rows
        if row.type.kind == "Pod" and not row.type.group and namespace_of(row.object) == place.namespace
    }


def _those(found: Usages, namespace: str, names: set[str]) -> Usages:
    return {key: used for key, used in found.items() if key[0] == namespace and key[1] in names}
