"""What the deletion of an object deletes too, and what stays; for the page that asks before an object is deleted.

Of a CustomResourceDefinition: all objects of its kind; only metadata is read, in chunks, and at most
limits.DELETED_OBJECTS of it: beyond that the server's own number holds.

Of a Namespace: how many objects of each kind are in it, and which of them a finalizer would hold up. One request for
each kind that can be listed and deleted, several at a time, for names and metadata only. Kinds that can't be read are
named.

Of others: what they own, by the garbage collector's rules. An object goes when all its owners do. What belongs to an
instance only by a label, or is a claim that a StatefulSet made of a template, stays; a claim that goes takes its data
along unless its volume is retained.
https://kubernetes.io/docs/concepts/architecture/garbage-collection/
"""

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from console.web.front import Workers
from kube import limits
from kube.client import ClusterClient
from kube.discovery import ResourceType, is_custom
from kube.errors import Forbidden, KubeError, NotFound
from kube.objects import KubeObject, name_of, namespace_of, uid_of
from kube.reader import read
from kube.types.cluster import PersistentVolumeClaim, PersistentVolumeSpec
from kube.types.extensions import CustomResourceDefinition
from kube.types.meta import ObjectMeta
from resources.kinds import Kind, Panel
from resources.place import Place
from resources.tree import Belongings, Owned, belongings, owner_references, types_below
from resources.types.manager import Manager, definition_owner

_READ = 500
_HOLDING = 50

_CHUNK = 500
_NAMESPACES = 20
_NAMED = 8
#: Volumes that are asked for whether they are retained.
_VOLUMES = 20
# Not counted: Events expire on their own, and are served under two names.
_UNTOLD = frozenset({("", "events"), ("events.k8s.io", "events")})
_BY_ITSELF = {
    ("", "configmaps"): "kube-root-ca.crt",
    ("", "serviceaccounts"): "default",
}
# Kubernetes removes these itself, soon after what they wait for.
OWN_OBJECTS = ("kubernetes.io/", "foregroundDeletion", "orphan", "kubernetes", "batch.kubernetes.io/")
_workers = Workers(8, thread_name_prefix="contents")


@dataclass(frozen=True, slots=True)
class ImpactGroup:
    """Objects of one kind that go. `more`: beyond those that are named."""

    type: ResourceType
    number: int
    places: tuple[Place, ...]
    more: int


@dataclass(frozen=True, slots=True)
class Claim:
    """A PersistentVolumeClaim.

    `size` as the claim has it; `retained`: its volume, and the data on it, outlives the claim.
    """

    place: Place
    size: str
    volume: str
    retained: bool = False


@dataclass(frozen=True, slots=True)
class Staying:
    """`how`: `claim` of a StatefulSet's template, `label`, or `owner`: another one owns it too."""

    place: Place
    how: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Impact:
    """`gaps`: (kind, reason) of what could not be read.

    `custom`: of an operator's kind, whose finalizers may remove more than the cluster knows.
    """

    goes: tuple[ImpactGroup, ...] = ()
    claims: tuple[Claim, ...] = ()
    stays: tuple[Staying, ...] = ()
    more_stay: int = 0
    gaps: tuple[tuple[str, str], ...] = ()
    custom: bool = False
    finalizers: bool = False

    @property
    def lost(self) -> tuple[Claim, ...]:
        """Claims whose data is deleted."""
        return tuple(claim for claim in self.claims if not claim.retained)

    @property
    def way(self) -> str:
        """For console/_undo.html."""
        if self.lost:
            return "lost"
        return "partly" if self.custom and (self.goes or self.gaps or self.finalizers) else "again"


@dataclass(frozen=True, slots=True)
class Held:
    """An object that waits for its finalizers before it goes."""

    place: Place
    finalizers: tuple[str, ...]
    waits: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Instances:
    """`read`: how many of `total` were checked.

    `namespaces`: those with most first, `others`: how many more namespaces.

    `held`: the first with finalizers, of `holding`. `problem`: why they couldn't be read; the definition can be deleted
    all the same.
    """

    type: ResourceType | None
    total: int = 0
    read: int = 0
    namespaces: tuple[tuple[str, int], ...] = ()
    others: int = 0
    held: tuple[Held, ...] = ()
    holding: int = 0
    owner: Manager | None = None
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Count:
    """`place`: the kind in that namespace. `by_itself`: so many of them are there in every namespace."""

    place: Place
    count: int
    by_itself: int = 0


@dataclass(frozen=True, slots=True)
class Holding:
    """An object with finalizers that Kubernetes itself doesn't remove."""

    place: Place
    finalizers: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Contents:
    """`counts`: the most first.

    `refused`: kinds that this user must not list. `gaps`: (kind, why it could not be read) for other reasons. `more`:
    objects that hold beyond those named.
    """

    counts: tuple[Count, ...] = ()
    holding: tuple[Holding, ...] = ()
    gaps: tuple[tuple[str, str], ...] = ()
    more: int = 0
    refused: tuple[str, ...] = ()
    namespace: str = ""

    @property
    def total(self) -> int:
        return sum(count.count for count in self.counts)

    @property
    def empty(self) -> bool:
        """Whether there is nothing but what every namespace has."""
        return all(count.count <= count.by_itself for count in self.counts) and not (self.gaps or self.refused)


def deletion_impact(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> Panel | None:
    """None for kinds that take nothing along."""
    if make := _MAKERS.get((type_.group, type_.kind)):
        return make(client, type_, obj)
    if not types_below(client, type_, namespace_of(obj)):
        return None
    return Panel("going", "resources/_going_owned.html", impact(client, type_, obj))


def _definition(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Panel:
    return Panel("going", "resources/_going_definition.html", instances(client, obj))


def _namespace(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Panel:
    return Panel("going", "resources/kinds/_contents.html", contents(client, name_of(obj)))


def instances(client: ClusterClient, definition: KubeObject) -> Instances:
    """All objects of the kind that the definition defines, whatever the namespace."""
    spec = read(definition, CustomResourceDefinition).spec
    brought = definition_owner(client, definition)
    try:
        type_ = client.find(spec.group, "", spec.names.plural)
    except KubeError:
        return Instances(type=None, owner=brought)  # not served: there are none that could be seen
    where: Counter[str] = Counter()
    held: list[Held] = []
    checked, total, holding, token = 0, 0, 0, ""
    try:
        while True:
            table = client.table(type_, limit=_CHUNK, continue_=token, whole=True)
            for row in table.rows:
                metadata = read(row.object.get("metadata"), ObjectMeta)
                where[metadata.namespace] += 1
                if metadata.finalizers:
                    holding += 1
                    if len(held) < _NAMED:
                        place = Place(type_, metadata.namespace, metadata.name)
                        held.append(Held(place, metadata.finalizers, bool(metadata.deletion_timestamp)))
            checked += len(table.rows)
            total, token = checked + (table.remaining or 0), table.continue_
            if not token or checked >= limits.DELETED_OBJECTS.value:
                break
    except KubeError as error:
        return Instances(type=type_, total=total, read=checked, owner=brought, problem=str(error))
    most = tuple((name, number) for name, number in where.most_common(_NAMESPACES) if name)
    others = max(0, len(where) - _NAMESPACES)
    return Instances(
        type=type_,
        total=total,
        read=checked,
        namespaces=most,
        others=others,
        held=tuple(held),
        holding=holding,
        owner=brought,
    )


def impact(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> Impact:
    found = belongings(client, type_, obj)
    goes, stays = _split(obj, found)
    claims = [row for row in goes if _is_claim(row)]
    return Impact(
        goes=tuple(_groups(goes)),
        claims=tuple(_claim(client, row, number < _VOLUMES) for number, row in enumerate(claims)),
        stays=tuple(stays[:_NAMED]),
        more_stay=max(0, len(stays) - _NAMED),
        gaps=found.gaps,
        custom=is_custom(type_.group),
        finalizers=bool(read(obj.get("metadata"), ObjectMeta).finalizers),
    )


def _split(owner: KubeObject, found: Belongings) -> tuple[list[Owned], list[Staying]]:
    """(objects that are deleted, objects that stay). Objects below one that stays are omitted: they are unaffected."""
    going = {uid_of(owner)}
    goes: list[Owned] = []
    stays: list[Staying] = []
    unaffected: int | None = None  # the depth below which nothing changes
    for row in found.rows:
        if unaffected is not None and row.depth > unaffected:
            continue
        unaffected = None
        others = any(reference.uid not in going for reference in owner_references(row.object))
        if row.how or others:
            stays.append(Staying(_place(row), "owner" if not row.how else "claim" if row.how == "claim" else "label"))
            unaffected = row.depth
            continue
        going.add(uid_of(row.object))
        goes.append(row)
    return goes, stays


def _groups(rows: list[Owned]) -> Iterator[ImpactGroup]:
    kinds: dict[ResourceType, list[Owned]] = {}
    for row in rows:
        kinds.setdefault(row.type, []).append(row)
    for type_, members in kinds.items():
        places = tuple(_place(row) for row in members[:_NAMED])
        yield ImpactGroup(type_, len(members), places, len(members) - len(places))


def _place(row: Owned) -> Place:
    return Place(row.type, namespace_of(row.object), name_of(row.object))


def _is_claim(row: Owned) -> bool:
    return (row.type.group, row.type.kind) == ("", "PersistentVolumeClaim")


def _claim(client: ClusterClient, row: Owned, ask: bool) -> Claim:
    claim = read(row.object, PersistentVolumeClaim)
    size = claim.status.capacity.get("storage") or claim.spec.resources.requests.get("storage", "")
    volume = claim.spec.volume_name
    return Claim(_place(row), size, volume, bool(volume) and ask and _retained(client, volume))


def _retained(client: ClusterClient, volume: str) -> bool:
    """Whether the volume is retained. False, the worse case, for users who can't read volumes."""
    try:
        found = client.get(client.find("", "v1", "persistentvolumes"), volume)
    except KubeError:
        return False
    return read(found.get("spec"), PersistentVolumeSpec).persistent_volume_reclaim_policy == "Retain"


def contents(client: ClusterClient, namespace: str) -> Contents:
    """Of one namespace, with the reader's rights."""
    kinds = _kinds(client)
    found = list(_workers.map(lambda type_: _read(client, type_, namespace), kinds))
    counts = [count for count, _held, _problem in found if count is not None and count.count]
    counts.sort(key=lambda count: (-count.count, count.place.type.kind))
    held = [holder for _count, holding, _problem in found for holder in holding]
    problems = [(type_.kind, problem) for type_, (_c, _h, problem) in zip(kinds, found, strict=True) if problem]
    return Contents(
        counts=tuple(counts),
        holding=tuple(held[:_HOLDING]),
        gaps=tuple((kind, str(problem)) for kind, problem in problems if not isinstance(problem, Forbidden)),
        more=max(0, len(held) - _HOLDING),
        refused=tuple(kind for kind, problem in problems if isinstance(problem, Forbidden)),
        namespace=namespace,
    )


def _kinds(client: ClusterClient) -> list[ResourceType]:
    """Each once, in its preferred version; none that is only computed, like metrics."""
    found: dict[tuple[str, str], ResourceType] = {}
    for type_ in client.types():
        if type_.namespaced and {"list", "delete"} <= type_.verbs and (type_.group, type_.plural) not in _UNTOLD:
            found.setdefault((type_.group, type_.plural), type_)
    return list(found.values())


def _read(
    client: ClusterClient, type_: ResourceType, namespace: str
) -> tuple[Count | None, list[Holding], KubeError | None]:
    try:
        table = client.table(type_, namespace, limit=_READ)
    except NotFound:
        # Its definition was deleted a moment ago, and its objects with it.
        return None, [], None
    except KubeError as error:
        return None, [], error
    names = Counter(name_of(row.object) for row in table.rows)
    held = []
    for row in table.rows:
        finalizers = read(row.object.get("metadata"), ObjectMeta).finalizers
        foreign = tuple(finalizer for finalizer in finalizers if not finalizer.startswith(OWN_OBJECTS))
        if foreign:
            held.append(Holding(Place(type_, namespace, name_of(row.object)), foreign))
    by_itself = names[_BY_ITSELF.get((type_.group, type_.plural), "")]
    return Count(Place(type_, namespace), len(table.rows) + (table.remaining or 0), by_itself), held, None


_MAKERS: dict[Kind, Callable[[ClusterClient, ResourceType, KubeObject], Panel]] = {
    ("apiextensions.k8s.io", "CustomResourceDefinition"): _definition,
    ("", "Namespace"): _namespace,
}
