"""What is in a namespace: how many objects of each kind, and which of them would not go at once because of a finalizer.

One request for each kind that can be listed and deleted, several at a time, for names and metadata only. Kinds that
can't be read are named.
"""

from collections import Counter
from dataclasses import dataclass

from console.web.front import Workers
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import Forbidden, KubeError, NotFound
from kube.objects import mapping, name_of, text
from resources.place import Place

_READ = 500
_HOLDING = 50
# Not counted: Events expire on their own, and are served under two names.
_UNTOLD = frozenset({("", "events"), ("events.k8s.io", "events")})
_BY_ITSELF = {
    ("", "configmaps"): "kube-root-ca.crt",
    ("", "serviceaccounts"): "default",
}
# Kubernetes removes these itself, soon after what they wait for.
OWN = ("kubernetes.io/", "foregroundDeletion", "orphan", "kubernetes", "batch.kubernetes.io/")
_workers = Workers(8, thread_name_prefix="contents")


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
        finalizers = mapping(row.object.get("metadata")).get("finalizers")
        foreign = tuple(text(finalizer) for finalizer in finalizers or () if not text(finalizer).startswith(OWN))
        if foreign:
            held.append(Holding(Place(type_, namespace, name_of(row.object)), foreign))
    by_itself = names[_BY_ITSELF.get((type_.group, type_.plural), "")]
    return Count(Place(type_, namespace), len(table.rows) + (table.remaining or 0), by_itself), held, None
