"""Objects of many kinds at once, by a part of their name, by labels and by annotations.

The API server knows selectors for labels only, so names and annotations are looked for here, in Tables that carry the metadata and no specs. Each kind is
read up to a bound, several at a time, with the reader's own rights; kinds that may not be read, or have more objects than were read, are named.
"""

from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import BadRequest, Forbidden, KubeError
from kube.objects import name_of, namespace_of
from resources.types import is_custom, kinds

CHUNK = 500
#: Objects read of one kind, and hits shown of it.
READ, SHOWN = 5000, 20
#: Kinds that change all the time, or are halves of others: searched only when they are chosen.
_LEFT_OUT = frozenset({"Event", "Lease", "EndpointSlice", "Endpoints", "ReplicaSet", "ControllerRevision", "PackageManifest", "ComponentStatus"})  # fmt: skip
_workers = ThreadPoolExecutor(8, thread_name_prefix="search")


@dataclass(frozen=True, slots=True)
class Wish:
    """`q`: all its words must be in the name. `annotation`: `key`, or `key=value`. `kinds`: as `group/plural` or `plural`; () = the usual ones."""

    q: str = ""
    labels: str = ""
    annotation: str = ""
    kinds: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        return not (self.q or self.labels or self.annotation)


@dataclass(frozen=True, slots=True)
class Hit:
    name: str
    namespace: str
    created: str


@dataclass(frozen=True, slots=True)
class Group:
    """The hits of one kind; `total` of those that were read."""

    type: ResourceType
    hits: tuple[Hit, ...]
    total: int


@dataclass(frozen=True, slots=True)
class Found:
    """`forbidden`: kinds that may not be listed; `partly`: kinds of which only the first READ were read; `failed`: (kind, why)."""

    groups: tuple[Group, ...] = ()
    searched: int = 0
    forbidden: tuple[str, ...] = ()
    partly: tuple[str, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()

    @property
    def total(self) -> int:
        return sum(group.total for group in self.groups)


def types(client: ClusterClient, chosen: Iterable[str] = ()) -> list[ResourceType]:
    """The kinds to search: the chosen ones, or all but those that nobody looks for by name. Custom ones first."""
    wanted = frozenset(chosen)
    found = [kind.type for kind in kinds(client.types())]
    if wanted:
        found = [one for one in found if {one.plural, f"{one.group_or_core}/{one.plural}"} & wanted]
    else:
        found = [one for one in found if one.kind not in _LEFT_OUT and one.group != "metrics.k8s.io"]
    return sorted(found, key=lambda one: (not is_custom(one.group), one.kind))


def search(client: ClusterClient, namespace: str, wish: Wish) -> Found:
    """`namespace` '' is all; kinds of the cluster's scope are searched in any case. Raises BadRequest for labels that are no selector."""
    if wish.empty:
        return Found()
    asked = types(client, wish.kinds)
    answers = list(_workers.map(lambda type_: _read(client, type_, namespace, wish), asked))
    groups, forbidden, partly, failed = [], [], [], []
    for type_, (hits, more, error) in zip(asked, answers, strict=True):
        if isinstance(error, BadRequest) and wish.labels:
            raise error
        if isinstance(error, Forbidden):
            forbidden.append(type_.kind)
        elif error is not None:
            failed.append((type_.kind, str(error)))
        if more:
            partly.append(type_.kind)
        if hits:
            ranked = sorted(hits, key=lambda hit: _rank(hit, wish.q))
            groups.append(Group(type_, tuple(ranked[:SHOWN]), len(hits)))
    groups.sort(key=lambda group: _rank(group.hits[0], wish.q)[0])
    return Found(tuple(groups), len(asked), tuple(forbidden), tuple(partly), tuple(failed))


def _read(
    client: ClusterClient, type_: ResourceType, namespace: str, wish: Wish
) -> tuple[list[Hit], bool, KubeError | None]:
    """(hits, whether there are objects that were not read, what went wrong)."""
    words = wish.q.lower().split()
    hits: list[Hit] = []
    token, read = "", 0
    try:
        while True:
            place = namespace if type_.namespaced else ""
            table = client.table(type_, place, labels=wish.labels, limit=CHUNK, continue_=token)
            for row in table.rows:
                name = name_of(row.object).lower()
                if all(word in name for word in words) and _annotated(row.object, wish.annotation):
                    created = str((row.object.get("metadata") or {}).get("creationTimestamp") or "")
                    hits.append(Hit(name_of(row.object), namespace_of(row.object), created))
            token, read = table.continue_, read + len(table.rows)
            if not token or read >= READ:
                return hits, bool(token), None
    except KubeError as error:
        return hits, False, error


def _annotated(obj: Mapping[str, Any], wanted: str) -> bool:
    if not wanted:
        return True
    notes = (obj.get("metadata") or {}).get("annotations") or {}
    key, equals, value = wanted.partition("=")
    if equals:
        return str(notes.get(key.strip(), "")).strip() == value.strip() and key.strip() in notes
    return any(key.lower() in one.lower() for one in notes)


def _rank(hit: Hit, q: str) -> tuple[int, int, str]:
    """The whole name first, then its beginning, then any part; short names before long ones."""
    name, wanted = hit.name.lower(), q.lower()
    return (0 if name == wanted else 1 if name.startswith(wanted) else 2, len(name), name)
