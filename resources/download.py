"""A whole list as a file: CSV of the columns that kubectl prints with `-o wide`, or the objects as JSON or YAML.

It is made while it is sent, chunk by chunk, so that 100,000 objects need no more memory here than 500. A list that fails in the middle ends with
the reason in its last line, and is then no valid JSON: half a file never looks like a whole one.
"""

import csv
import io
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError
from kube.objects import KubeObject, name_of, namespace_of
from kube.table import Row
from resources import listing, yamltext
from resources.shown import shown

FORMATS = {"csv": "text/csv; charset=utf-8", "json": "application/json", "yaml": "application/yaml; charset=utf-8"}
CHUNK = 500
# A spreadsheet takes such a text for a formula: https://owasp.org/www-community/attacks/CSV_Injection
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def rows(client: ClusterClient, type_: ResourceType, namespace: str, *, q: str, labels: str) -> Iterator[str]:
    """The list as CSV, its heading first."""
    sink = io.StringIO()
    writer = csv.writer(sink)
    first = True
    for table in _tables(client, type_, namespace, labels):
        if first:
            where = ["Namespace"] if type_.namespaced else []
            writer.writerow(["Name", *where, *(one.name for one in table.columns if not listing.is_name(one))])
            first = False
        for row in table.rows:
            if q.lower() in name_of(row.object).lower():
                writer.writerow([_harmless(cell) for cell in _cells(type_, table.columns, row)])
        yield sink.getvalue()
        sink.seek(0)
        sink.truncate()


def _tables(client: ClusterClient, type_: ResourceType, namespace: str, labels: str) -> Iterator[Any]:
    token = ""
    while True:
        table = client.table(type_, namespace, labels=labels, limit=CHUNK, continue_=token)
        yield table
        token = table.continue_
        if not token:
            return


def _cells(type_: ResourceType, columns: Iterable[Any], row: Row) -> Iterator[Any]:
    yield name_of(row.object)
    if type_.namespaced:
        yield namespace_of(row.object)
    for column, cell in zip(columns, row.cells, strict=False):
        if not listing.is_name(column):
            # The moment itself: an age is wrong as soon as it is written.
            yield (row.object["metadata"].get("creationTimestamp") or cell) if listing.is_age(column) else cell


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
    client: ClusterClient, type_: ResourceType, namespace: str, *, q: str, labels: str, masked: bool
) -> Iterator[KubeObject]:
    """The objects without managedFields, as kubectl shows them; with `masked`, values of Secrets are not among them."""
    token = ""
    while True:
        page = client.list(type_, namespace, labels=labels, limit=CHUNK, continue_=token)
        for obj in page.items:
            if q.lower() in name_of(obj).lower():
                # apiVersion and kind first, as people write them.
                head = {"apiVersion": type_.api_version, "kind": type_.kind}
                yield head | shown(obj, masked)
        token = page.continue_
        if not token:
            return


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
