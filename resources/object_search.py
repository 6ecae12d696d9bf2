"""Search over objects of many kinds at once: by a part of their name, by labels, annotations, state and API group.

The syntax: free words for names, and `key:value` for everything else. Only the keys below mean something; any other
colon is part of a name, as in system:node. Values with spaces stand in double quotes.

    front kind:pod,deploy ns:shop label:app=web annotation:team=blue state:degraded group:apps

The API server supports selectors for labels only, so names and annotations are searched here, in Tables with metadata
and without specs. Each kind is read up to a limit, several at a time, with the user's own permissions; kinds that can't
be read, or have more objects than were read, are named.

find_names() is for search while the user types: one page of each of the frequently opened kinds, cached for seconds.
Kinds that can't be read are left out.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from threading import Lock
from typing import Any

from cachetools import TTLCache, cached

from console.web.front import Workers
from kube.client import ClusterClient
from kube.discovery import ResourceType, is_custom
from kube.errors import BadRequest, Forbidden, KubeError, NotFound
from kube.objects import name_of, namespace_of
from resources.place import Place
from resources.state.health import LABELS, Health
from resources.state.kind_health import has_state, health
from resources.types.types import kinds

_PART = re.compile(r'(?:(?P<key>[a-z]+):)?(?:"(?P<quoted>[^"]*)"?|(?P<plain>\S+))')
_KEYS = {
    "kind": "kinds",
    "k": "kinds",
    "ns": "namespaces",
    "namespace": "namespaces",
    "label": "labels",
    "l": "labels",
    "annotation": "annotations",
    "a": "annotations",
    "state": "states",
    "s": "states",
    "group": "groups",
    "g": "groups",
}
#: In lists of these a comma divides; a selector's commas are its own.
_MANY = ("kinds", "namespaces", "states", "groups")
CHUNK = 500
#: Objects read of one kind, and hits shown of it.
READ, SHOWN = 5000, 20
#: Hits of each kind, and of all, whose state is asked for.
_STATES_OF_EACH, _STATES = 8, 100
#: Kinds that change all the time, or are halves of others: searched only when they are chosen.
_LEFT_OUT = frozenset(
    {
        "Event",
        "Lease",
        "EndpointSlice",
        "Endpoints",
        "ReplicaSet",
        "ControllerRevision",
        "PackageManifest",
        "ComponentStatus",
    }
)
_workers = Workers(8, thread_name_prefix="search")


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectQuery:
    """`q`: all its words must be in the name. `labels`: one selector.

    `annotation`, `annotations`: `key`, or `key=value`; all must be there. `kinds`: as `group/plural`, or any name of a
    kind; () = the usual ones.

    `namespaces`: instead of the page's; `states`: words of resources/state/health.py in lower case; `groups`: parts of
    API groups. Of several kinds, namespaces, states or groups any one is enough.
    """

    q: str = ""
    labels: str = ""
    annotation: str = ""
    kinds: tuple[str, ...] = ()
    annotations: tuple[str, ...] = ()
    namespaces: tuple[str, ...] = ()
    states: tuple[str, ...] = ()
    groups: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        return not (self.q or self.labels or self.annotation or self.annotations or self.kinds or self.states)

    @property
    def notes(self) -> tuple[str, ...]:
        return (*self.annotations, *((self.annotation,) if self.annotation else ()))

    @property
    def unknown_states(self) -> tuple[str, ...]:
        known = {word.lower() for word in LABELS}
        return tuple(word for word in self.states if word not in known)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """`state`, `reason`: '' for a kind that has none, or where it was not asked."""

    name: str
    namespace: str
    created: str
    state: str = ""
    reason: str = ""

    @property
    def health(self) -> Health:
        return Health(state=self.state, reason=self.reason)


@dataclass(frozen=True, slots=True)
class KindHits:
    """The hits of one kind; `total` of those that were read."""

    type: ResourceType
    hits: tuple[Hit, ...]
    total: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ObjectMatches:
    """`forbidden`: kinds that the user can't list; `partly`: kinds of which only the first READ were read; `failed`:
    (kind, why).
    """

    groups: tuple[KindHits, ...] = ()
    searched: int = 0
    forbidden: tuple[str, ...] = ()
    partly: tuple[str, ...] = ()
    failed: tuple[tuple[str, str], ...] = ()

    @property
    def total(self) -> int:
        return sum(group.total for group in self.groups)


def parse_query(text: str, labels: str = "", annotation: str = "", kinds: Iterable[str] = ()) -> ObjectQuery:
    """What was typed, and what stood in fields of their own. Never fails: what isn't a known key is a word."""
    found: dict[str, list[str]] = {}
    for match in _PART.finditer(text):
        key, quoted, plain = match["key"], match["quoted"], match["plain"]
        value = plain if quoted is None else quoted
        name = _KEYS.get(key or "")
        if plain and plain[-1] == ":" and plain[:-1] in _KEYS:
            continue  # its value is still to be typed
        if name is None:
            found.setdefault("words", []).append(f"{key}:{value}" if key else value)
        elif value:
            values = value.split(",") if name in _MANY else [value]
            found.setdefault(name, []).extend(part.strip() for part in values if part.strip())
    return ObjectQuery(
        q=" ".join(found.get("words", ())),
        labels=",".join(filter(None, (*found.get("labels", ()), labels))),
        annotation=annotation,
        kinds=(*found.get("kinds", ()), *kinds),
        annotations=tuple(found.get("annotations", ())),
        namespaces=tuple(found.get("namespaces", ())),
        states=tuple(word.lower() for word in found.get("states", ())),
        groups=tuple(found.get("groups", ())),
    )


def types(client: ClusterClient, chosen: Iterable[str] = (), groups: Iterable[str] = ()) -> list[ResourceType]:
    """The kinds to search: the chosen ones, or all but those that aren't searched by name. Custom ones first."""
    wanted, parts = frozenset(word.lower() for word in chosen), tuple(word.lower() for word in groups)
    found = [kind.type for kind in kinds(client.types())]
    if parts:
        found = [type_ for type_ in found if any(part in type_.group_or_core for part in parts)]
    if wanted:
        found = [type_ for type_ in found if _names(type_) & wanted]
    else:
        found = [type_ for type_ in found if type_.kind not in _LEFT_OUT and type_.group != "metrics.k8s.io"]
    return sorted(found, key=lambda type_: (not is_custom(type_.group), type_.kind))


def _names(type_: ResourceType) -> frozenset[str]:
    """All that a kind may be called: pod, pods, po, core/pods, pods.apps."""
    plain = (
        type_.plural,
        type_.singular,
        type_.kind,
        type_.qualified,
        f"{type_.group_or_core}/{type_.plural}",
        *type_.short_names,
    )
    return frozenset(word.lower() for word in plain if word)


def search(client: ClusterClient, namespace: str, query: ObjectQuery) -> ObjectMatches:
    """`namespace` '' is all; kinds of the cluster's scope are searched in any case.

    Raises BadRequest for labels that aren't a selector.
    """
    if query.empty:
        return ObjectMatches()
    asked = types(client, query.kinds, query.groups)
    if query.states:
        asked = [type_ for type_ in asked if has_state(type_.group, type_.kind)]
    places = query.namespaces or (namespace,)
    answers = list(_workers.map(lambda type_: _everywhere(client, type_, places, query), asked))
    groups, forbidden, partly, failed = [], [], [], []
    for type_, (hits, more, error) in zip(asked, answers, strict=True):
        if isinstance(error, BadRequest) and query.labels:
            raise error
        if isinstance(error, NotFound):
            continue  # its definition went a moment ago, and what was known of it is seconds old
        if isinstance(error, Forbidden):
            forbidden.append(type_.kind)
        elif error is not None:
            failed.append((type_.kind, str(error)))
        if more:
            partly.append(type_.kind)
        if hits:
            ranked = sorted(hits, key=lambda hit: _rank(hit, query.q))
            groups.append(KindHits(type_, tuple(ranked[:SHOWN]), len(hits)))
    groups.sort(key=lambda group: _rank(group.hits[0], query.q)[0])
    if not query.states:
        groups = _with_states(client, groups)
    return ObjectMatches(
        groups=tuple(groups),
        searched=len(asked),
        forbidden=tuple(forbidden),
        partly=tuple(partly),
        failed=tuple(failed),
    )


def _everywhere(
    client: ClusterClient, type_: ResourceType, places: Iterable[str], query: ObjectQuery
) -> tuple[list[Hit], bool, KubeError | None]:
    """Of all the namespaces; what is in none is looked for once."""
    hits: list[Hit] = []
    more, problem = False, None
    for place in dict.fromkeys(places if type_.namespaced else ("",)):
        found, cut, error = _read(client, type_, "" if place in ("*", "-") else place, query)
        hits, more, problem = hits + found, more or cut, problem or error
    return hits, more, problem


def _with_states(client: ClusterClient, groups: list[KindHits]) -> list[KindHits]:
    """The first hits with their states; each takes a request of its own, so there is a limit."""
    wanted = [
        (group.type, hit)
        for group in groups
        if has_state(group.type.group, group.type.kind)
        for hit in group.hits[:_STATES_OF_EACH]
    ]

    def ask(type_and_hit: tuple[ResourceType, Hit]) -> Hit:
        type_, hit = type_and_hit
        try:
            found = _health(type_, client.get(type_, hit.name, hit.namespace))
        except KubeError:
            return hit
        return replace(hit, state=found.state, reason=found.reason)

    part = wanted[:_STATES]
    with_state = {(type_, old): new for (type_, old), new in zip(part, _workers.map(ask, part), strict=True)}
    return [
        replace(group, hits=tuple(with_state.get((group.type, hit), hit) for hit in group.hits)) for group in groups
    ]


def _health(type_: ResourceType, obj: Mapping[str, Any]) -> Health:
    return health({**obj, "apiVersion": type_.api_version, "kind": type_.kind})


def _read(
    client: ClusterClient, type_: ResourceType, namespace: str, query: ObjectQuery
) -> tuple[list[Hit], bool, KubeError | None]:
    """(hits, whether there are objects that were not read, what went wrong)."""
    words = query.q.lower().split()
    hits: list[Hit] = []
    token, read = "", 0
    try:
        while True:
            place = namespace if type_.namespaced else ""
            include = "Object" if query.states else "Metadata"
            table = client.table(type_, place, labels=query.labels, limit=CHUNK, continue_=token, include=include)
            for row in table.rows:
                name = name_of(row.object).lower()
                if not all(word in name for word in words):
                    continue
                if not all(_annotated(row.object, note) for note in query.notes):
                    continue
                state = _health(type_, row.object) if query.states else Health()
                if query.states and state.state.lower() not in query.states:
                    continue
                created = str((row.object.get("metadata") or {}).get("creationTimestamp") or "")
                hits.append(
                    Hit(
                        name=name_of(row.object),
                        namespace=namespace_of(row.object),
                        created=created,
                        state=state.state,
                        reason=state.reason,
                    )
                )
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
    return any(key.lower() in note.lower() for note in notes)


def _rank(hit: Hit, q: str) -> tuple[int, int, str]:
    """The whole name first, then its beginning, then any part; short names before long ones."""
    name, wanted = hit.name.lower(), q.lower()
    return (0 if name == wanted else 1 if name.startswith(wanted) else 2, len(name), name)


_USUAL = (
    "pods",
    "deployments",
    "statefulsets",
    "daemonsets",
    "cronjobs",
    "jobs",
    "services",
    "configmaps",
    "secrets",
    "persistentvolumeclaims",
)
#: Custom kinds, and objects of each kind; of Pods, which are the many.
_CUSTOM, _PAGE, _PODS = 30, 500, 2500
_KEEP_SECONDS = 5.0
_KEPT = 32
_NOT = ("operators.coreos.com", "packages.operators.coreos.com", "metrics.k8s.io")
_name_workers = Workers(6, thread_name_prefix="hits")


@dataclass(frozen=True, slots=True)
class FoundName:
    type: ResourceType
    namespace: str
    name: str

    @property
    def place(self) -> Place:
        return Place(self.type, self.namespace, self.name)


def find_names(client: ClusterClient, namespace: str, words: Iterable[str], most: int) -> list[FoundName]:
    """Those in whose name, or kind and name, all words are; the whole name first, then its beginning, short ones
    before long ones.
    """
    wanted = [word.lower() for word in words]
    if not wanted:
        return []
    ranked = []
    for hit in _cached_names(client, namespace):
        name, kind = hit.name.lower(), hit.type.kind.lower()
        inside = [word for word in wanted if word in name]
        # One word may say the kind: "pod web".
        others = [word for word in wanted if word not in name]
        if not inside or not all(word in (kind, hit.type.plural, *hit.type.short_names) for word in others):
            continue
        rank = 0 if name in inside else 1 if any(name.startswith(word) for word in inside) else 2
        ranked.append((rank, len(name), name, kind, hit))
    return [entry[-1] for entry in sorted(ranked, key=lambda entry: entry[:4])[:most]]


def _names_key(client: ClusterClient, namespace: str) -> tuple[str, str, str]:
    return (client.host, client.who, namespace)


@cached(TTLCache(_KEPT, _KEEP_SECONDS), key=_names_key, lock=Lock())
def _cached_names(client: ClusterClient, namespace: str) -> tuple[FoundName, ...]:
    parts = _name_workers.map(lambda type_: _read_names(client, type_, namespace), _usual_types(client))
    return tuple(name for part in parts for name in part)


def _usual_types(client: ClusterClient) -> list[ResourceType]:
    served = [kind.type for kind in kinds(client.types())]
    usual = [type_ for type_ in served if type_.plural in _USUAL and not is_custom(type_.group)]
    custom = [type_ for type_ in served if is_custom(type_.group) and type_.group not in _NOT]
    return custom[:_CUSTOM] + usual


def _read_names(client: ClusterClient, type_: ResourceType, namespace: str) -> list[FoundName]:
    try:
        most = _PODS if type_.plural == "pods" else _PAGE
        table = client.table(type_, namespace if type_.namespaced else "", limit=most)
    except KubeError:
        return []
    return [FoundName(type_, namespace_of(row.object), name_of(row.object)) for row in table.rows]
