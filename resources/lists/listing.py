"""Lists of any kind, as the API server's own Tables with the console's state word: one page of rows, found among all.

Without a filter or an order of its own a page costs one or two requests for its own rows, however many objects there
are. Names, states and owners can't be searched by the API server, nor can it sort or count: these ask a snapshot of the
whole list (resources/lists/snapshot.py), up to limits.LIST_OBJECTS.
https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables

A live update has a row of the same template and values as the list's first paint (row_html), made once for all browsers
that show the same columns in the same language.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
from django.conf import settings
from django.template.loader import get_template
from django.utils import translation
from django.utils.translation import gettext as _

from console.prefer.store import SIZE
from console.web import clusters
from console.web.front import addresses_of
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import Column, Table, TableRow, table_columns
from resources.changes import Change, Topic
from resources.lists import columns as columns_
from resources.lists.child_troubles import overlaid
from resources.lists.columns import (
    CPU,
    IN_SEVERAL,
    LABEL,
    LABELS,
    MEMORY,
    OWNER,
    STATE,
    STATES,
    WITH_USAGE,
    ListColumn,
    ordered,
    read,
)
from resources.lists.entries import Labels, ListEntry, Owner, added_columns, entry_of, include, stateful
from resources.lists.snapshot import snapshots
from resources.state.health import COMPLETED, DEGRADED, Health, by_word, colour_of
from resources.usage import Usage, UsageRequest, Usages

PAGE = SIZE
#: Behind so many rows a page is looked up in a snapshot: the API server would have to pass over all of them.
_PASSED_OVER = 500
# A name that is shorter is never cut in its middle; what stands behind the cut, in characters.
_WHOLE_NAME, _SHORTEST_END, _LONGEST_END = 24, 5, 13
# Columns that hold a phase's word, which gets its colour.
_STATES = ("status", "phase", "state", "health", "sync status", "health status", "ready")


@dataclass(frozen=True, slots=True, kw_only=True)
class Query:
    """What a list is asked for.

    `owner`: 'Kind/name', or either of them; `younger_than`, `older_than`: seconds, 0 for no bound. `sort`: a column's
    key, '-' before it for the other way round; `page` from 1.

    `namespaces`: the only ones, () for all; `not_namespaces`: none of these.

    `min_version`: the resourceVersion that the page knows already, '' for none; nothing older is answered if waiting
    for seconds helps.
    """

    q: str = ""
    labels: str = ""
    fields: str = ""
    state: str = ""
    owner: str = ""
    sort: str = ""
    page: int = 1
    size: int = PAGE
    min_version: str = ""
    younger_than: int = 0
    older_than: int = 0
    namespaces: tuple[str, ...] = ()
    not_namespaces: tuple[str, ...] = ()

    @property
    def plain(self) -> bool:
        """Whether the API server can answer it alone."""
        return self == Query(
            labels=self.labels, fields=self.fields, page=self.page, size=self.size, min_version=self.min_version
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Cell:
    """`colour` is PatternFly's, '' for plain text. `is_age`: `text` is a timestamp, to be shown as an age that ticks.

    `health`, `owner` and `labels` are those of the columns of that name, None elsewhere. `detail`: the state's second
    line: its cause, or how many are ready. `rank`: the lower, the longer the column stays as the list gets narrower; 0
    always stays. `measured`: a measurement; a live row has none, since it is made for all readers.
    """

    heading: str
    text: str
    colour: str = ""
    is_age: bool = False
    health: Health | None = None
    owner: Owner | None = None
    labels: Labels | None = None
    detail: str = ""
    rank: int = 0
    measured: bool = False


def halves(name: str) -> tuple[str, str]:
    """A name in two: where there is little room the first is cut at its end, and the second stays."""
    if len(name) <= _WHOLE_NAME:
        return name, ""
    dash = name.rfind("-", -_LONGEST_END, -_SHORTEST_END)
    at = dash if dash > 0 else len(name) - _SHORTEST_END - 1
    return name[:at], name[at:]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowView:
    """One row, for the first paint and for live updates alike.

    `cells`: the chosen columns, the name's and the namespace's left out. `version`: the
    object's resourceVersion, by which a browser lays nothing older over what it shows.
    """

    uid: str
    name: str
    namespace: str
    type: ResourceType
    created: str
    cells: tuple[Cell, ...]
    terminating: bool = False
    version: str = ""

    @property
    def halves(self) -> tuple[str, str]:
        return halves(self.name)

    @property
    def stateful(self) -> bool:
        """Whether one of its cells is the state."""
        return any(cell.health is not None for cell in self.cells)


@dataclass(frozen=True, slots=True, kw_only=True)
class ListResult:
    """One page.

    `total`: None where the server does not say; `more`: there is a next page. `searched`: rows read at most, 0
    without a limit.

    `states`: how many there are in each state, whatever `state` was asked for; None where that was not counted.
    `version`: the resourceVersion that the answer has everything up to, '' where that isn't known. `within`: the only
    namespaces that were read, () for all that were asked for. `measured`: whether the entries have their usage, as far
    as it is known.
    """

    columns: tuple[Column, ...]
    entries: tuple[ListEntry, ...]
    total: int | None
    more: bool
    searched: int = 0
    states: Mapping[str, int] | None = None
    version: str = ""
    within: tuple[str, ...] = ()
    measured: bool = False


def row_view(
    type_: ResourceType,
    columns: Sequence[Column],
    entry: ListEntry | TableRow,
    keys: Sequence[str] = (),
    *,
    usage: bool = False,
) -> RowView:
    """`keys`: of the chosen columns, none for the default ones; `usage`: with those of measurements."""
    found = entry if isinstance(entry, ListEntry) else entry_of(type_, entry)
    return row_of(type_, columns_.chosen(type_, columns, keys, usage=usage), found)


def row_of(type_: ResourceType, chosen: Iterable[ListColumn], entry: ListEntry) -> RowView:
    """The same with columns that were chosen for all rows at once."""
    cells = tuple(replace(cell(column, entry), rank=rank) for column, rank in columns_.ranked(chosen))
    return RowView(
        uid=entry.uid,
        name=entry.name,
        namespace=entry.namespace,
        type=type_,
        created=entry.created,
        cells=cells,
        terminating=entry.terminating,
        version=entry.version,
    )


def row_html(type_: ResourceType, name: str, columns: bytes, change: Change, language: str) -> str:
    """`<tr id="row-{uid}">…</tr>` of templates/resources/_row.html. `columns`: JSON of the Table's columnDefinitions.

    `name`: the topic, with `?` and the columns of the list unless it has the default ones. The
    template gets `row`, `all_namespaces`: whether the list it belongs to shows a namespace in each row, and `live`.
    """
    row: dict[str, Any] = msgspec.json.decode(change.row)
    definitions = table_columns({"columnDefinitions": msgspec.json.decode(columns)})
    topic, _question, keys = name.partition("?")
    place = clusters.named(Topic.parse(topic).cluster) or clusters.default()
    with translation.override(language), addresses_of(place):
        states = row.get("health") or {}
        state, reason = states.get(language) or states.get(settings.LANGUAGE_CODE) or ("", "")
        entry = entry_of(type_, TableRow(tuple(row["cells"]), row["object"]), health=Health(state=state, reason=reason))
        entry = replace(entry, version=change.version or entry.version)
        words = keys.split(",")
        view = row_view(type_, definitions, entry, read(keys), usage=WITH_USAGE in words)
        several = not Topic.parse(topic).namespace or IN_SEVERAL in words
        context = {"row": view, "all_namespaces": type_.namespaced and several, "live": True}
        # strip() also makes a plain str of the SafeString, which the encoder asks for.
        return get_template("resources/_row.html").render(context).strip()


def cell(column: ListColumn, entry: ListEntry) -> Cell:
    """What a column shows of an object."""
    if column.key == STATE:
        return Cell(heading=column.heading, text=entry.health.state, health=entry.health, detail=_detail(column, entry))
    if column.key == OWNER:
        return Cell(heading=column.heading, text=str(entry.owner or ""), owner=entry.owner)
    if column.key in (CPU, MEMORY):
        return Cell(heading=column.heading, text=_measurement(column.key, entry.usage), measured=True)
    if column.key == LABELS:
        return Cell(
            heading=column.heading, text=",".join(f"{key}={value}" for key, value in entry.labels), labels=entry.labels
        )
    if column.key.startswith(LABEL):
        return Cell(heading=column.heading, text=dict(entry.labels).get(column.key.removeprefix(LABEL), ""))
    if column.age and entry.created:
        return Cell(heading=column.heading, text=entry.created, is_age=True)
    text = _text(entry, column.index)
    name = column.key.removeprefix(columns_.PRINTED).lower()
    return Cell(heading=column.heading, text=text, colour=colour_of(text) if name in _STATES else "")


def _measurement(key: str, usage: Usage | None) -> str:
    if usage is None:
        return ""
    return usage.cpu_text if key == CPU else usage.memory_text


def _detail(column: ListColumn, entry: ListEntry) -> str:
    """What stands below the state: its cause, else what the server's own columns say that the state's word does not."""
    # Without the object's own name, with which a cause may begin.
    state, reason = entry.health.state, entry.health.reason.removeprefix(f"{entry.name} ")
    status, ready = _text(entry, column.status), _text(entry, column.ready)
    # "Running" says no more than "Ready" does.
    new = status if status and by_word(status) != state and status.casefold() != state.casefold() else ""
    counted = _("%(number)s ready") % {"number": ready} if ready[:1].isdigit() and state != COMPLETED else ""
    if reason:
        # "Failed" and "Pending" say no more than the cause does, "CrashLoopBackOff" may.
        known = status.capitalize() == status or by_word(status) != DEGRADED or status.casefold() in reason.casefold()
        known = known or reason != entry.health.reason
        # Of what is not well: how much of it is, unless that is the reason.
        some = counted and ready[0] != "0" and not all(number in reason for number in ready.split("/"))
        return ", ".join(part for part in (reason if known else f"{status}: {reason}", counted if some else "") if part)
    return ", ".join(part for part in (new, counted) if part)


def _text(entry: ListEntry, index: int) -> str:
    value = entry.cells[index] if 0 <= index < len(entry.cells) else None
    return "" if value is None else str(value)


def find(
    client: ClusterClient, type_: ResourceType, namespace: str, query: Query, asked: UsageRequest | None = None
) -> ListResult:
    """One page; `asked`: for the usage of its objects. Raises BadRequest for invalid selectors, Forbidden …"""
    found = _find(client, type_, namespace, query, asked)
    used = asked.now() if asked else None
    if used is None:
        return found
    return replace(found, entries=tuple(_with_usage(found.entries, used)), measured=True)


def _with_usage(entries: Iterable[ListEntry], used: Usages) -> Iterator[ListEntry]:
    return (replace(entry, usage=used.get((entry.namespace, entry.name))) for entry in entries)


def _find(
    client: ClusterClient, type_: ResourceType, namespace: str, query: Query, asked: UsageRequest | None
) -> ListResult:
    selectors = {"labels": query.labels, "fields": query.fields}
    deep = (query.page - 1) * query.size >= _PASSED_OVER
    if query.plain and not deep and not snapshots.has(client, type_, namespace, **selectors):
        return _page(client, type_, namespace, query)
    snapshot = snapshots.get(client, type_, namespace, **selectors, min_version=query.min_version)
    # Before its objects are taken: it may be better than what it says, never worse.
    version = snapshot.sure_version
    everything = overlaid(client, type_, namespace, snapshot.all())
    found = _matching(everything, query)
    if asked and query.sort.removeprefix("-") in (CPU, MEMORY):
        found = list(_with_usage(found, asked.now() or {}))
    rows = ordered(
        (entry for entry in found if not query.state or entry.health.state == query.state),
        query.sort,
        columns_.available(type_, snapshot.columns),
    )
    part = rows[(query.page - 1) * query.size : query.page * query.size]
    more, searched = query.page * query.size < len(rows), 0 if snapshot.complete else len(everything)
    states = _states(found) if stateful(type_) else None
    return ListResult(
        columns=snapshot.columns,
        entries=tuple(part),
        total=len(rows),
        more=more,
        searched=searched,
        states=states,
        version=version,
        within=snapshot.within,
    )


def _page(client: ClusterClient, type_: ResourceType, namespace: str, query: Query) -> ListResult:
    token, skipped = "", (query.page - 1) * query.size
    if skipped:
        before = client.table(type_, namespace, labels=query.labels, fields=query.fields, limit=skipped, include="None")
        token = before.continue_
        if not token:
            columns = (*before.columns, *added_columns(type_))
            return ListResult(columns=columns, entries=(), total=len(before.rows), more=False)
    table = client.table(
        type_,
        namespace,
        labels=query.labels,
        fields=query.fields,
        limit=query.size,
        continue_=token,
        include=include(type_),
    )
    seen = skipped + len(table.rows)
    entries = tuple(overlaid(client, type_, namespace, (entry_of(type_, row) for row in table.rows)))
    states = _states(entries) if not skipped and not table.continue_ and stateful(type_) else None
    return ListResult(
        columns=(*table.columns, *added_columns(type_)),
        entries=entries,
        total=_total(seen, table),
        more=bool(table.continue_),
        states=states,
        version="" if table.within else table.resource_version,
        within=table.within,
    )


def _total(seen: int, table: Table) -> int | None:
    if not table.continue_:
        return seen
    return None if table.remaining is None else seen + table.remaining


def _matching(entries: Iterable[ListEntry], query: Query) -> list[ListEntry]:
    """Whatever their state."""
    q, owner, (oldest, youngest) = query.q.lower(), query.owner.casefold(), _moments(query)
    return [
        entry
        for entry in entries
        if q in entry.name.lower()
        and (not query.namespaces or entry.namespace in query.namespaces)
        and entry.namespace not in query.not_namespaces
        and (not owner or _is_owner(entry.owner, owner))
        and (not oldest or entry.created > oldest)
        and (not youngest or entry.created < youngest)
    ]


def _is_owner(owner: Owner | None, wanted: str) -> bool:
    return owner is not None and wanted in (str(owner).casefold(), owner.name.casefold(), owner.kind.casefold())


def _moments(query: Query) -> tuple[str, str]:
    """After and before which an object was made, as objects say it (RFC 3339 in UTC, to the second); '' for no
    bound.
    """
    now = datetime.now(UTC)
    bounds = (query.younger_than, query.older_than)
    after, before = (
        (now - timedelta(seconds=bound)).strftime("%Y-%m-%dT%H:%M:%SZ") if bound else "" for bound in bounds
    )
    return after, before


def _states(entries: Iterable[ListEntry]) -> dict[str, int]:
    """Those that occur, the states that need attention first."""
    counts = Counter(entry.health.state for entry in entries)
    return {state: counts[state] for state in STATES if counts[state]}


def counted(client: ClusterClient, type_: ResourceType, namespace: str, query: Query) -> Mapping[str, int]:
    """How many objects are in each state, of all that the query leaves. Raises KubeError."""
    return find(client, type_, namespace, replace(query, sort="name", page=1, size=1)).states or {}


def with_states(
    client: ClusterClient, type_: ResourceType, namespace: str, query: Query, found: ListResult
) -> ListResult:
    """The same page with the states counted. Raises KubeError."""
    return replace(found, states=counted(client, type_, namespace, query))


def filtered(entries: Iterable[ListEntry], query: Query) -> list[ListEntry]:
    """Those that the query leaves."""
    return [entry for entry in _matching(entries, query) if not query.state or entry.health.state == query.state]


def matching(client: ClusterClient, type_: ResourceType, namespace: str, query: Query) -> list[ListEntry]:
    """All that the query leaves, on every page, in its order. Raises KubeError."""
    snapshot = snapshots.get(client, type_, namespace, labels=query.labels, fields=query.fields)
    entries = overlaid(client, type_, namespace, snapshot.all())
    return ordered(filtered(entries, query), query.sort, columns_.available(type_, snapshot.columns))
