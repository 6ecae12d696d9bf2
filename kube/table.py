"""The API server's own lists: columns and cells (meta.k8s.io/v1 Table), with which any kind can be shown."""

from dataclasses import dataclass
from typing import Any

ACCEPT = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json"


@dataclass(frozen=True, slots=True, kw_only=True)
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


@dataclass(frozen=True, slots=True, kw_only=True)
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
            columns=FALLBACK,
            rows=tuple(_fallback_row(item) for item in document.get("items") or ()),
            resource_version=version,
            continue_=token,
            remaining=remaining,
        )
    return Table(
        columns=columns(document), rows=rows(document), resource_version=version, continue_=token, remaining=remaining
    )


def columns(document: dict[str, Any]) -> tuple[Column, ...]:
    return tuple(
        Column(
            name=str(entry.get("name") or ""),
            type=str(entry.get("type") or "string"),
            format=str(entry.get("format") or ""),
            priority=int(entry.get("priority") or 0),
            description=str(entry.get("description") or ""),
        )
        for entry in document.get("columnDefinitions") or ()
    )


def rows(document: dict[str, Any]) -> tuple[TableRow, ...]:
    return tuple(
        TableRow(tuple(entry.get("cells") or ()), entry.get("object") or {}) for entry in document.get("rows") or ()
    )


FALLBACK = (
    Column(name="Name", type="string", format="name", priority=0, description=""),
    Column(name="Age", type="date", format="", priority=0, description=""),
)


def _fallback_row(item: dict[str, Any]) -> TableRow:
    metadata = item.get("metadata") or {}
    return TableRow((metadata.get("name"), metadata.get("creationTimestamp")), item)
