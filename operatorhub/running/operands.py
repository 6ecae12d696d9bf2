"""The kinds that an operator provides, as the cluster serves them, and their objects: counted, listed together, each
with its state.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from console.web.access import refusal
from console.web.front import Workers
from kube import limits
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError
from kube.objects import KubeObject
from kube.reader import read
from kube.types.meta import ObjectMeta
from operatorhub import csv
from resources.lists import child_troubles
from resources.lists.child_troubles import ChildTroubles
from resources.lists.listing import halves
from resources.lists.snapshot import snapshots
from resources.state.health import Health
from resources.state.kind_health import health
from resources.types import kind_versions

#: Of each kind, for the list of all kinds together; the kind's own list has pages.
SHOWN = 100
_workers = Workers(8, thread_name_prefix="operands")


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedApi:
    """A kind that the operator provides.

    `count`: None if the user can't list it or the cluster doesn't serve it (`served`).

    `refused`: why the user can't create one where the operator watches, '' if they can.
    """

    api: csv.Api
    type: ResourceType | None
    count: int | None
    refused: str = ""
    problem: str = ""

    @property
    def served(self) -> bool:
        return self.type is not None

    @property
    def may_create(self) -> bool:
        return self.type is not None and not self.refused


@dataclass(frozen=True, slots=True, kw_only=True)
class Instance:
    """One object of a provided kind."""

    type: ResourceType
    uid: str
    namespace: str
    name: str
    health: Health
    created: str

    @property
    def halves(self) -> tuple[str, str]:
        return halves(self.name)


@dataclass(frozen=True, slots=True)
class InstanceList:
    """`gaps`: kinds that could not be read, with the reason; `more`: kinds of which not all are shown, with how many
    there are.
    """

    rows: tuple[Instance, ...]
    gaps: tuple[tuple[str, str], ...]
    more: tuple[tuple[OwnedApi, int], ...] = ()


def owned(client: ClusterClient, apis: Iterable[csv.Api], place: str, where: str = "") -> tuple[OwnedApi, ...]:
    """What the cluster serves of the kinds, and how many objects of each there are in `where` ('' = all namespaces).

    `place`: the namespace that a new one goes to first.
    """
    return tuple(_workers.map(lambda api: _owned(client, api, place, where), apis))


def _owned(client: ClusterClient, api: csv.Api, place: str, where: str) -> OwnedApi:
    type_ = kind_versions.preferred_type(client, api.group, api.plural)
    if type_ is None:
        return OwnedApi(api=api, type=None, count=None)
    number, problem = count(client, type_, where if type_.namespaced else "")
    refused = refusal(client, "create", type_, place if type_.namespaced else "")
    return OwnedApi(api=api, type=type_, count=number, refused=refused, problem=problem)


def count(client: ClusterClient, type_: ResourceType, namespace: str = "") -> tuple[int | None, str]:
    """(how many objects of a type there are, why that can't be known)."""
    try:
        page = client.table(type_, namespace, limit=1, include="None")
    except KubeError as error:
        return None, str(error)
    return len(page.rows) + (page.remaining or 0), ""


def instances(client: ClusterClient, apis: Iterable[OwnedApi], namespace: str = "", name: str = "") -> InstanceList:
    """Objects of all kinds together: `SHOWN` of each, by kind and name; with `name` those of them that have it in
    theirs.
    """
    below = child_troubles.read_troubles(client, namespace)
    pages = list(_workers.map(lambda api: _read(client, api, namespace, below), [api for api in apis if api.type]))
    wanted = name.casefold()
    rows = tuple(row for found, _gap, _more in pages for row in found if wanted in row.name.casefold())
    gaps = tuple(gap for _found, gap, _more in pages if gap)
    return InstanceList(rows, gaps, tuple(more for _found, _gap, more in pages if more))


def newest(client: ClusterClient, apis: Iterable[OwnedApi], namespace: str, number: int) -> tuple[Instance, ...]:
    """The newest objects of all kinds together, of the lists that are kept in memory anyway.

    Kinds that can't be read, or of which there are too many to be kept for this, are left out.
    """
    lists = _workers.map(lambda api: _kept(client, api, namespace), apis)
    rows = sorted((row for found in lists for row in found), key=lambda row: row.created, reverse=True)
    return tuple(rows[:number])


def _kept(client: ClusterClient, api: OwnedApi, namespace: str) -> list[Instance]:
    if api.type is None or not api.count or api.count > limits.OVERVIEW_OBJECTS.value:
        return []
    where = namespace if api.type.namespaced else ""
    try:
        entries = child_troubles.overlaid(client, api.type, where, snapshots.get(client, api.type, where).all())
    except KubeError:
        return []
    return [
        Instance(
            type=api.type,
            uid=entry.uid,
            namespace=entry.namespace,
            name=entry.name,
            health=entry.health,
            created=entry.created,
        )
        for entry in entries
    ]


def _read(
    client: ClusterClient, api: OwnedApi, namespace: str, below: ChildTroubles
) -> tuple[list[Instance], tuple[str, str] | None, tuple[OwnedApi, int] | None]:
    if api.type is None:
        return [], None, None
    try:
        page = client.list(api.type, namespace if api.type.namespaced else "", limit=SHOWN)
    except KubeError as error:
        return [], (api.api.title, str(error)), None
    more = (api, len(page.items) + (page.remaining or 0)) if page.continue_ else None
    return [_instance(api.type, obj, below) for obj in page.items], None, more


def _instance(type_: ResourceType, obj: KubeObject, below: ChildTroubles) -> Instance:
    meta = read(obj.get("metadata"), ObjectMeta)
    return Instance(
        type=type_,
        uid=meta.uid,
        namespace=meta.namespace,
        name=meta.name,
        health=below.health(type_, meta.namespace, meta.name, health(obj)),
        created=meta.creation_timestamp,
    )
