"""Lists of any kind, as the API server's own Tables: what a row shows, and one page of rows.

Without a name filter or an order of its own a page costs one or two requests for its own rows, however many objects there are. The API server
can neither search in names nor sort, so these two read the whole list in chunks, up to SEARCHED rows, and say so beyond.
https://kubernetes.io/docs/reference/using-api/api-concepts/#receiving-resources-as-tables
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import name_of, namespace_of, uid_of
from kube.table import Column, Row
from resources.health import colour_of

PAGE = 50
CHUNK = 500
SEARCHED = 10_000
# Columns that hold a phase's word, which gets its colour.
_STATES = ("status", "phase", "state", "health", "sync status", "health status", "ready")


@dataclass(frozen=True, slots=True)
class Cell:
    """`colour` is PatternFly's, '' for plain text. `is_age`: `text` is a timestamp, to be shown as an age that ticks."""

    heading: str
    text: str
    colour: str = ""
    is_age: bool = False


@dataclass(frozen=True, slots=True)
class RowView:
    """One row, for the first paint and for live updates alike. `cells`: the columns that narrow lists show, the name's left out."""

    uid: str
    name: str
    namespace: str
    type: ResourceType
    created: str
    cells: tuple[Cell, ...]
    terminating: bool = False


@dataclass(frozen=True, slots=True)
class Found:
    """One page. `total` is None where the server does not say; `more`: there is a next page. `searched`: rows read at most, 0 without a bound."""

    columns: tuple[Column, ...]
    rows: tuple[RowView, ...]
    total: int | None
    more: bool
    searched: int = 0


def row_view(type_: ResourceType, columns: Sequence[Column], row: Row) -> RowView:
    """Columns above priority 0 are left out."""
    metadata = row.object.get("metadata") or {}
    created = str(metadata.get("creationTimestamp") or "")
    return RowView(
        uid=uid_of(row.object),
        name=name_of(row.object),
        namespace=namespace_of(row.object),
        type=type_,
        created=created,
        cells=tuple(
            _cell(column, value, created)
            for column, value in zip(columns, row.cells, strict=False)
            if column.priority == 0 and not is_name(column)
        ),
        terminating=bool(metadata.get("deletionTimestamp")),
    )


def is_name(column: Column) -> bool:
    return column.format == "name" or column.name == "Name"


def is_age(column: Column) -> bool:
    return column.name in ("Age", "Created At")


def shown(columns: Sequence[Column]) -> tuple[Column, ...]:
    """The columns of a narrow list, as row_view() has them."""
    return tuple(column for column in columns if column.priority == 0 and not is_name(column))


def _cell(column: Column, value: Any, created: str) -> Cell:
    if is_age(column) and created:
        return Cell(column.name, created, is_age=True)
    text = "" if value is None else str(value)
    return Cell(column.name, text, colour_of(text) if column.name.lower() in _STATES else "")


def find(
    client: ClusterClient, type_: ResourceType, namespace: str, *, q: str, labels: str, sort: str, page: int
) -> Found:
    """One page (from 1) of those whose name has `q` in it. `sort`: a column's name in lower case, '-' before it for the other way round.

    Raises BadRequest for labels that are no selector, Forbidden and so on.
    """
    if q or sort:
        return _searched(client, type_, namespace, q.lower(), labels, sort, page)
    token, skipped = "", (page - 1) * PAGE
    if skipped:
        before = client.table(type_, namespace, labels=labels, limit=skipped, include="None")
        token = before.continue_
        if not token:
            return Found(before.columns, (), len(before.rows), False)
    table = client.table(type_, namespace, labels=labels, limit=PAGE, continue_=token)
    seen = skipped + len(table.rows)
    total = seen if not table.continue_ else (None if table.remaining is None else seen + table.remaining)
    rows = tuple(row_view(type_, table.columns, row) for row in table.rows)
    return Found(table.columns, rows, total, bool(table.continue_))


def _searched(
    client: ClusterClient, type_: ResourceType, namespace: str, q: str, labels: str, sort: str, page: int
) -> Found:
    rows: list[Row] = []
    columns: tuple[Column, ...] = ()
    token, read = "", 0
    while True:
        table = client.table(type_, namespace, labels=labels, limit=CHUNK, continue_=token)
        columns = columns or table.columns
        rows += (row for row in table.rows if q in name_of(row.object).lower())
        read, token = read + len(table.rows), table.continue_
        if not token or read >= SEARCHED:
            break
    if sort:
        _sort(rows, columns, sort)
    part = rows[(page - 1) * PAGE : page * PAGE]
    views = tuple(row_view(type_, columns, row) for row in part)
    return Found(columns, views, len(rows), page * PAGE < len(rows), read if token else 0)


def _sort(rows: list[Row], columns: Sequence[Column], sort: str) -> None:
    """In place, by the cells as printed; ages by the time of creation, namespaces by name. An unknown column changes nothing."""
    backwards, wanted = sort.startswith("-"), sort.lstrip("-")
    if wanted == "namespace":
        rows.sort(key=lambda row: (namespace_of(row.object), name_of(row.object)), reverse=backwards)
        return
    for index, column in enumerate(columns):
        if column.name.lower() != wanted:
            continue
        if is_age(column):
            # The youngest has the smallest age.
            rows.sort(key=lambda row: str(row.object["metadata"].get("creationTimestamp")), reverse=not backwards)
        else:
            rows.sort(key=lambda row: _order(row.cells[index] if index < len(row.cells) else None), reverse=backwards)
        return


def _order(value: Any) -> tuple[int, float, str]:
    """Numbers by size, then texts, and nothing last; '2/3' by its first number."""
    if value is None or value == "":
        return (2, 0.0, "")
    if isinstance(value, int | float):
        return (0, float(value), "")
    first = str(value).partition("/")[0]
    return (0, float(first), str(value)) if first.isdecimal() else (1, 0.0, str(value).lower())
