"""The API server's own lists: columns and cells (meta.k8s.io/v1 Table), with which any kind can be shown."""

from dataclasses import dataclass
from typing import Any

ACCEPT = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"


@dataclass(frozen=True, slots=True)
class Column:
    """`priority` 0 is always shown, above that only in wide lists.

    `format` 'name' marks the name's column, type 'date' an age.
    """

    name: str
    type: str
    format: str
    priority: int
    description: str


@dataclass(frozen=True, slots=True)
class TableRow:
    """`object` is the PartialObjectMetadata (or the whole object when asked for)."""

    cells: tuple[Any, ...]
    object: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Table:
    """`within`: as of an ObjectList."""

    columns: tuple[Column, ...]
    rows: tuple[TableRow, ...]
    resource_version: str
    continue_: str = ""
    remaining: int | None = None
    within: tuple[str, ...] = ()


def parse(document: dict[str, Any]) -> Table:
    """A Table as answered. A plain list (a server that can't make Tables) becomes one with Name and Age."""
    metadata = document.get("metadata") or {}
    version, token = str(metadata.get("resourceVersion") or ""), str(metadata.get("continue") or "")
    remaining = metadata.get("remainingItemCount")
    if document.get("kind") != "Table":
        return Table(
            FALLBACK, tuple(_fallback_row(item) for item in document.get("items") or ()), version, token, remaining
        )
    return Table(columns(document), rows(document), version, token, remaining)


def columns(document: dict[str, Any]) -> tuple[Column, ...]:
    return tuple(
        Column(
            str(entry.get("name") or ""),
            str(entry.get("type") or "string"),
            str(entry.get("format") or ""),
            int(entry.get("priority") or 0),
            str(entry.get("description") or ""),
        )
        for entry in document.get("columnDefinitions") or ()
    )


def rows(document: dict[str, Any]) -> tuple[TableRow, ...]:
    return tuple(
        TableRow(tuple(entry.get("cells") or ()), entry.get("object") or {}) for entry in document.get("rows") or ()
    )


FALLBACK = (Column("Name", "string", "name", 0, ""), Column("Age", "date", "", 0, ""))


def _fallback_row(item: dict[str, Any]) -> TableRow:
    metadata = item.get("metadata") or {}
    return TableRow((metadata.get("name"), metadata.get("creationTimestamp")), item)
