"""A whole list as a file: CSV of the columns chosen (or the state and those of `kubectl get -o wide`), or the
objects as JSON or YAML.

It is made while it is sent, chunk by chunk, so that 100,000 objects need no more memory here than 500. A list that
fails in the middle ends with the reason in its last line, and is then no valid JSON: half a file never looks like a
whole one.
"""

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

import msgspec

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError
from kube.objects import Column, KubeObject, TableRow, clean
from resources import yamltext
from resources.display_copy import shown
from resources.lists import child_troubles, columns, listing, snapshot
from resources.lists.columns import ListColumn
from resources.lists.entries import ListEntry, added_columns, entry_of, include
from resources.lists.listing import Query

FORMATS = {"csv": "text/csv; charset=utf-8", "json": "application/json", "yaml": "application/yaml; charset=utf-8"}
# A spreadsheet takes such a text for a formula: https://owasp.org/www-community/attacks/CSV_Injection
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def rows(
    client: ClusterClient, type_: ResourceType, namespace: str, query: Query, keys: Sequence[str] = ()
) -> Iterator[str]:
    """The list as CSV, its heading first.

    `keys`: of the columns to write, none for the state and all that the server has.
    """
    sink = io.StringIO()
    writer = csv.writer(sink)
    wanted: Sequence[ListColumn] = ()
    below = _below(client, type_, namespace)
    tables = snapshot.list_tables(
        client, type_, namespace, labels=query.labels, fields=query.fields, include=include(type_)
    )
    for number, table in enumerate(tables):
        if not number:
            where = ["Namespace"] if type_.namespaced else []
            wanted = _wanted(type_, (*table.columns, *added_columns(type_)), keys)
            writer.writerow(["Name", *where, *(_title(column) for column in wanted)])
        entries = (below(entry_of(type_, row)) for row in table.rows)
        writer.writerows(
            [_harmless(cell) for cell in _cells(type_, wanted, entry)] for entry in listing.filtered(entries, query)
        )
        yield sink.getvalue()
        sink.seek(0)
        sink.truncate()


def _wanted(type_: ResourceType, printed: Sequence[Column], keys: Sequence[str]) -> tuple[ListColumn, ...]:
    if keys:
        return columns.chosen(type_, printed, keys)
    ours = (columns.OWNER, columns.LABELS)
    return tuple(column for column in columns.available(type_, printed) if column.key not in ours)


def _title(column: ListColumn) -> str:
    """In the server's words, whatever the reader's language: programs read these.

    A label is called by its whole key.
    """
    ours = {columns.STATE: "State", columns.AGE: "Age"}
    return ours.get(column.key) or column.key.removeprefix(columns.PRINTED).removeprefix(columns.LABEL)


def _cells(type_: ResourceType, wanted: Iterable[ListColumn], entry: ListEntry) -> Iterator[Any]:
    yield entry.name
    if type_.namespaced:
        yield entry.namespace
    for column in wanted:
        if column.age:
            # The moment itself: an age is wrong as soon as it is written.
            yield entry.created
        elif column.index >= 0:
            yield entry.cells[column.index] if column.index < len(entry.cells) else None
        else:
            yield listing.cell(column, entry).text


def _harmless(cell: Any) -> Any:
    if isinstance(cell, str) and cell.startswith(_FORMULA) and not _is_number(cell):
        return f"'{cell}"
    return "" if cell is None else cell


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def objects(
    client: ClusterClient, type_: ResourceType, namespace: str, query: Query, *, masked: bool, neat: bool = False
) -> Iterator[KubeObject]:
    """The objects without managedFields, as kubectl shows them; with `masked`, values of Secrets are not among them;
    `neat`: to be applied elsewhere.
    """
    below = _below(client, type_, namespace)
    for page in snapshot.list_objects(client, type_, namespace, labels=query.labels, fields=query.fields):
        for obj in page.items:
            if listing.filtered((below(entry_of(type_, TableRow((), obj))),), query):
                # apiVersion and kind first, as people write them.
                found = {"apiVersion": type_.api_version, "kind": type_.kind} | shown(obj, masked)
                yield clean(found) if neat else found


def _below(client: ClusterClient, type_: ResourceType, namespace: str) -> Callable[[ListEntry], ListEntry]:
    """Gives an entry the state that the page's list has, by which it may be filtered."""
    if not child_troubles.counts(type_):
        return lambda entry: entry
    found = child_troubles.read_troubles(client, namespace)

    def settled(entry: ListEntry) -> ListEntry:
        return replace(entry, health=found.health(type_, entry.namespace, entry.name, entry.health))

    return settled


def as_json(found: Iterable[KubeObject]) -> Iterator[str]:
    """One document of kind List, an item a line."""
    yield '{"apiVersion":"v1","kind":"List","items":['
    between = "\n"
    for obj in found:
        yield between + msgspec.json.encode(obj).decode()
        between = ",\n"
    yield "\n]}\n"


def as_yaml(found: Iterable[KubeObject]) -> Iterator[str]:
    """A document an object."""
    for obj in found:
        yield f"---\n{yamltext.dump(obj)}"


def whole(parts: Iterator[str]) -> Iterator[str]:
    """The parts; where the cluster fails in the middle, the last line says so."""
    try:
        yield from parts
    except KubeError as error:
        yield f"\n# This list is not complete: {' '.join(str(error).split())}\n"
