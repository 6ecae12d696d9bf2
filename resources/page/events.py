"""Events, newest first: of one object and what belongs to it, and of a namespace or of all.

Lists of a namespace are filtered, counted, and repeats are one row. Repeats are Events with the same reason about
objects of the same kind whose messages differ in names and numbers only. The API server keeps Events for an hour and
can filter only by exact fields, so up to limits.EVENTS are read and filtered here.
"""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from kube import limits
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import Gone, KubeError, NotFound
from kube.objects import KubeObject, moment, namespace_of, uid_of
from kube.reader import read, read_list
from kube.types.core import Event
from kube.types.meta import ObjectReference
from resources.page.detail import Link, link
from resources.tree import types_below, uids_below

#: Events of one object on its page, which has no further pages.
MAX_OBJECT_EVENTS = 50
_CHUNK = 500


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRow:
    """`warning`: its type is not Normal. `count`: how often it happened, `seen` the last time."""

    uid: str
    warning: bool
    reason: str
    message: str
    about: Link
    count: int
    seen: str
    source: str

    @property
    def at(self) -> datetime | None:
        """`seen` as a moment; None where the API server tells none."""
        return moment(self.seen)


@dataclass(frozen=True, slots=True)
class Events:
    """`more`: older ones that are not shown. `problem`: why there are none to show, in the API server's words."""

    rows: tuple[EventRow, ...] = ()
    more: int = 0
    problem: str = ""


def about(client: ClusterClient, namespace: str, uids: Set[str], own: str) -> Events:
    """Events of the objects with these uids, newest first.

    `own`: the uid of the page's object: one alone is asked for by a field selector.
    """
    try:
        found = read_events(client, namespace, f"involvedObject.uid={own}" if not uids - {own} else "")
    except KubeError as error:
        return Events(problem=str(error))
    return _of(client, namespace, found, uids)


def about_tree(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> Events:
    """Events of an object and of what belongs to it, newest first."""
    own, namespace = uid_of(obj), namespace_of(obj)
    if not types_below(client, type_, namespace):
        return about(client, namespace, {own}, own)
    try:
        found = read_events(client, namespace, "")
    except KubeError as error:
        return Events(problem=str(error))
    asked = {event.involved_object.uid: event.involved_object.kind for event in found}
    return _of(client, namespace, found, {own, *uids_below(client, type_, obj, asked)})


def _of(client: ClusterClient, namespace: str, found: list[Event], uids: Set[str]) -> Events:
    matching = [event for event in found if event.involved_object.uid in uids]
    matching.sort(key=order, reverse=True)
    rows = tuple(_row(client, event, namespace) for event in matching[:MAX_OBJECT_EVENTS])
    return Events(rows, max(0, len(matching) - MAX_OBJECT_EVENTS))


def read_events(client: ClusterClient, namespace: str, fields: str) -> list[Event]:
    """The namespace's Events, at most about limits.OBJECT_EVENTS. Raises KubeError."""
    type_ = client.find("", "v1", "events")
    found: list[Event] = []
    token = ""
    while True:
        # Those of cluster-scoped objects are kept in the namespace default.
        page = client.list(type_, namespace or "default", fields=fields, limit=_CHUNK, continue_=token)
        found += read_list(page.items, Event)
        token = page.continue_
        if not token or len(found) >= limits.OBJECT_EVENTS.value:
            return found


def order(event: Event) -> tuple[str, int]:
    """To sort by. Times are whole seconds; of one second the one written last came last."""
    version = event.metadata.resource_version
    return event.last_seen[:19], int(version) if version.isdecimal() else 0


def _row(client: ClusterClient, event: Event, namespace: str) -> EventRow:
    return EventRow(
        uid=event.metadata.uid,
        warning=event.type != "Normal",
        reason=event.reason,
        message=event.message,
        about=link(client, event.involved_object, namespace),
        count=event.occurrences,
        seen=event.last_seen,
        source=_source(event),
    )


#: Objects named under one line of repeats.
MAX_NAMED = 10
_NAMESPACE_CHUNK = 2500
# What Kubernetes puts behind a name: numbers, five letters, and before those a ReplicaSet's hash
# (k8s.io/apimachinery/pkg/util/rand).
_MADE_UP = re.compile(r"\d+|[bcdfghjklmnpqrstvwxz2456789]{5,10}")
_NUMBERS = re.compile(r"\d+(\.\d+)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class EventQuery:
    """`type`: Normal, Warning or '' for both; `kind`, `reason`: exact, '' for all; `q`: every word is in the message
    or the object's name.
    """

    type: str = ""
    kind: str = ""
    reason: str = ""
    q: str = ""
    grouped: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """One Event, or several that say the same.

    `count`: how often, all together; `objects`: those it happened to, MAX_NAMED at most, of `number`.
    """

    uid: str
    warning: bool
    reason: str
    message: str
    kind: str
    objects: tuple[Link, ...]
    number: int
    count: int
    first: str
    last: str
    source: str
    namespace: str
    name: str


@dataclass(frozen=True, slots=True, kw_only=True)
class EventList:
    """What fits a query, newest first: `groups` of Events, each a row (see rows_of).

    `total` Events were read, `matched` fit the query; the counts are of all that were read. `beyond`: there are more
    than were read.
    """

    groups: tuple[Sequence[Event], ...] = ()
    total: int = 0
    matched: int = 0
    types: tuple[tuple[str, int], ...] = ()
    kinds: tuple[tuple[str, int], ...] = ()
    reasons: tuple[tuple[str, int], ...] = ()
    beyond: bool = False

    @property
    def warnings(self) -> int:
        return sum(count for type_, count in self.types if type_ != "Normal")


def event_query(get: Mapping[str, Any]) -> EventQuery:
    """What the query string says; nonsense is taken for nothing."""
    type_ = get.get("type", "")
    return EventQuery(
        type=type_ if type_ in ("Normal", "Warning") else "",
        kind=get.get("kind", "")[:253],
        reason=get.get("reason", "")[:253],
        q=" ".join(get.get("q", "").split())[:253],
        grouped=get.get("group", "") != "0",
    )


def event_list(client: ClusterClient, namespace: str, query: EventQuery) -> EventList:
    """`namespace` '' is all. Raises KubeError."""
    events, beyond = read_all(client, namespace)
    return event_list_of(events, query, beyond)


def read_all(client: ClusterClient, namespace: str) -> tuple[list[KubeObject], bool]:
    """(Events, whether there are more). Raises KubeError."""
    type_ = client.find("", "v1", "events")
    for attempt in (1, 2):
        found: list[KubeObject] = []
        token = ""
        try:
            while True:
                page = client.list(type_, namespace, limit=_NAMESPACE_CHUNK, continue_=token)
                found, token = found + page.items, page.continue_
                most = limits.EVENTS.value
                if not token or len(found) >= most:
                    return found[:most], bool(token) or len(found) > most
        except Gone:
            # The list changed under way for longer than its server remembers: once more from the beginning.
            if attempt == 2:
                raise
    return [], False


def event_list_of(events: Sequence[KubeObject], query: EventQuery, beyond: bool = False) -> EventList:
    """Those of `events` that fit the query."""
    words = query.q.lower().split()
    all_ = [read(event, Event) for event in events]
    matching = [event for event in all_ if _fits(event, query, words)]
    matching.sort(key=order, reverse=True)
    groups: dict[tuple[str, ...], list[Event]] = {}
    for event in matching:
        key = _alike(event) if query.grouped else (event.metadata.uid,)
        groups.setdefault(key, []).append(event)
    return EventList(
        groups=tuple(groups.values()),
        total=len(all_),
        matched=len(matching),
        types=_counted(_type(event) for event in all_),
        kinds=_counted(event.involved_object.kind for event in all_),
        reasons=_counted(event.reason for event in all_),
        beyond=beyond,
    )


def rows_of(client: ClusterClient, groups: Iterable[Sequence[Event]]) -> tuple[Happened, ...]:
    """A row for each group. Looks up the links' types, so it's given only the groups that are shown."""
    links = Linker(client)
    return tuple(_happened(members, links) for members in groups)


def _counted(words: Iterable[str]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(Counter(word for word in words if word).items(), key=lambda pair: (-pair[1], pair[0])))


def _type(event: Event) -> str:
    return event.type or "Normal"


def _fits(event: Event, query: EventQuery, words: Sequence[str]) -> bool:
    about = event.involved_object
    if (query.type and _type(event) != query.type) or (query.kind and about.kind != query.kind):
        return False
    if query.reason and event.reason != query.reason:
        return False
    if not words:
        return True
    lower = f"{event.message} {about.name} {about.namespace} {event.reason}".lower()
    return all(word in lower for word in words)


def _alike(event: Event) -> tuple[str, ...]:
    """What is the same in repeats."""
    about = event.involved_object
    plain = event.message.replace(about.name, "…") if len(about.name) > 3 else event.message
    return (
        _type(event),
        event.reason,
        about.kind,
        about.namespace,
        family(about.name, about.kind),
        _source(event),
        _NUMBERS.sub("#", plain)[:400],
    )


def family(name: str, kind: str) -> str:
    """What objects of one maker have in common: of the Pods web-7d4b9c6f5-x2x8p and web-7d4b9c6f5-abcde `web`, of
    db-0 `db`; the name itself of others.

    An Event names no owner. Names that Kubernetes makes up end in numbers and in hashes without vowels.
    """
    if kind not in ("Pod", "ReplicaSet", "Job", "PersistentVolumeClaim"):
        return ""
    parts = name.split("-")
    while len(parts) > 1 and _MADE_UP.fullmatch(parts[-1]):
        parts.pop()
    return "-".join(parts)


def _source(event: Event) -> str:
    return event.source.component or event.reporting_component


def _happened(members: Sequence[Event], links: "Linker") -> Happened:
    """`members`: newest first."""
    newest = members[0]
    objects: dict[tuple[str, str, str], ObjectReference] = {}
    for event in members:
        about = event.involved_object
        objects.setdefault((about.kind, about.namespace, about.name), about)
    firsts = (event.first_timestamp or event.last_seen for event in members)
    return Happened(
        uid=newest.metadata.uid,
        warning=_type(newest) != "Normal",
        reason=newest.reason,
        message=newest.message,
        kind=newest.involved_object.kind,
        objects=tuple(links.link(about) for about in list(objects.values())[:MAX_NAMED]),
        number=len(objects),
        count=sum(event.occurrences for event in members),
        first=min((first for first in firsts if first), default=""),
        last=newest.last_seen,
        source=_source(newest),
        namespace=newest.metadata.namespace,
        name=newest.metadata.name,
    )


class Linker:
    """Finds each kind once."""

    def __init__(self, client: ClusterClient) -> None:
        self._client = client
        self._types: dict[tuple[str, str], ResourceType | None] = {}

    def link(self, about: ObjectReference) -> Link:
        version, kind, name = about.api_version, about.kind, about.name
        if (version, kind) not in self._types:
            group, _slash, short = version.rpartition("/")
            try:
                self._types[version, kind] = self._client.find_kind(group, kind, short)
            except NotFound:
                self._types[version, kind] = None
        type_ = self._types[version, kind]
        namespaced = type_ is not None and type_.namespaced
        return Link(kind, name, about.namespace if namespaced else "", type_ if name else None)
