"""meta.k8s.io/v1 Tables: what kubectl get and the console's lists show.

Built-in kinds have hand-written columns (columns/), custom ones their additionalPrinterColumns.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import msgspec

from .columns import Column, columns_of, description
from .columns.column import AGE, AGE_TEXT, NAME
from .durations import UNKNOWN, since
from .errors import BadRequest
from .http import Request
from .jsonpath import BadPath, compile_path
from .listing import ResultPage
from .objects import Object, at_version, decode
from .resources import Resource
from .store import StoreEntry
from .watches import WatchFormat

_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")


@dataclass(frozen=True, slots=True)
class Printer:
    """The columns of one resource, ready to print rows."""

    resource: Resource
    columns: tuple[Column, ...]
    definitions: list[dict[str, Any]]

    def cells(self, obj: Object) -> list[Any]:
        """One row."""
        return [column.cell(obj) for column in self.columns]


def _definition(key: str, column: Column) -> dict[str, Any]:
    return {
        "name": column.name,
        "type": column.type,
        "format": column.format,
        "description": column.description or description(key, column.name),
        "priority": column.priority,
    }


@lru_cache(maxsize=512)
def printer(resource: Resource) -> Printer:
    """Resources are replaced when their CRD changes, so the cache is never stale."""
    columns = _custom(resource) if resource.custom else columns_of(resource.key)
    if not columns:
        columns = (NAME, AGE)
    key = "" if resource.custom else resource.key
    return Printer(resource, columns, [_definition(key, column) for column in columns])


def _custom(resource: Resource) -> tuple[Column, ...]:
    columns = [NAME]
    for definition in resource.columns:
        kind = str(definition.get("type", "string"))
        columns.append(
            Column(
                name=str(definition.get("name", "")),
                cell=_cell(str(definition.get("jsonPath", "")), kind),
                type=kind,
                format=str(definition.get("format", "")),
                description=str(
                    definition.get("description")
                    or f"Custom resource definition column (in JSONPath format): {definition.get('jsonPath', '')}"
                ),
                priority=int(definition.get("priority") or 0),
            )
        )
    if not resource.columns:
        columns.append(Column(name="Age", cell=AGE.cell, description=AGE_TEXT, type="date"))
    return tuple(columns)


def _cell(path: str, kind: str) -> Callable[[Object], Any]:
    try:
        find = compile_path(path)
    except BadPath:
        return lambda _: None

    def cell(obj: Object) -> Any:
        values = find(obj)
        if not values:
            return None
        return _typed(values[0], kind)

    return cell


def _typed(value: Any, kind: str) -> Any:
    if kind == "string":
        return _text(value)
    if value is None:
        return None
    if kind == "date":
        return _age(value) if isinstance(value, str) else None
    if kind == "integer":
        return int(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
    if kind == "number":
        fits = isinstance(value, int | float) and not isinstance(value, bool)
        return int(value) if fits and float(value).is_integer() else value if fits else None
    if kind == "boolean":
        return value if isinstance(value, bool) else None
    return None


def _age(text: str) -> str:
    """The age of an RFC 3339 time."""
    if not text:
        return UNKNOWN
    return since(text) if _TIME.fullmatch(text) else "<invalid>"


def _text(value: Any) -> str:
    """As Go's templates print a value."""
    if isinstance(value, str):
        return value
    if value is None:
        return "<no value>"
    if isinstance(value, float):
        return repr(value) if abs(value) >= 1e21 or not value.is_integer() else str(int(value))
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def included(request: Request) -> str:
    """The part of the object that is included in its row."""
    found = request.arg("includeObject")
    if found not in ("", "None", "Metadata", "Object"):
        why = f"Invalid value: \"{found}\": must be 'Metadata', 'Object', 'None', or empty"
        raise BadRequest(f"Unable to convert to Table as requested: includeObject: {why}")
    return found


def row(of: Printer, entry: StoreEntry, include: str) -> dict[str, Any]:
    """One row; ``include``: Metadata (the default), Object or None."""
    data = at_version(entry, of.resource)
    obj = decode(entry.data)
    result: dict[str, Any] = {"cells": of.cells(obj)}
    if include == "Object":
        result["object"] = msgspec.Raw(data)
    elif include != "None":
        result["object"] = {
            "kind": "PartialObjectMetadata",
            "apiVersion": "meta.k8s.io/v1",
            "metadata": obj["metadata"],
        }
    else:
        result["object"] = None
    return result


def table(of: Printer, page: ResultPage, include: str) -> bytes:
    """A page as a Table."""
    metadata: dict[str, Any] = {"resourceVersion": str(page.version)}
    rows = [row(of, entry, include) for entry in page.entries]
    if page.continue_:
        metadata["continue"] = page.continue_
    if page.remaining:
        metadata["remainingItemCount"] = page.remaining
    return msgspec.json.encode(
        {
            "kind": "Table",
            "apiVersion": "meta.k8s.io/v1",
            "metadata": metadata,
            "columnDefinitions": of.definitions,
            # Kinds that kube-apiserver has no printer for make no list where there is nothing to list.
            "rows": rows or (None if of.columns[-1].name == "Created At" else []),
        }
    )


def single(of: Printer, entry: StoreEntry, include: str) -> bytes:
    """One object as a Table."""
    return table(of, ResultPage([entry], entry.version), include)


def stream(resource: Resource, include: str) -> WatchFormat:
    """Tables of one row; the first says what the columns are."""
    of = printer(resource)

    def render(entry: StoreEntry, first: bool) -> bytes:
        return msgspec.json.encode(
            {
                "kind": "Table",
                "apiVersion": "meta.k8s.io/v1",
                "metadata": {"resourceVersion": str(entry.version)},
                "columnDefinitions": of.definitions if first else None,
                "rows": [row(of, entry, include)],
            }
        )

    def mark(version: int, annotations: dict[str, str]) -> bytes:
        metadata: dict[str, Any] = {"resourceVersion": str(version)}
        if annotations:
            metadata["annotations"] = annotations
        partial = {"kind": "PartialObjectMetadata", "apiVersion": "meta.k8s.io/v1", "metadata": metadata}
        cells = of.cells({"metadata": {}})
        return msgspec.json.encode(
            {
                "kind": "Table",
                "apiVersion": "meta.k8s.io/v1",
                "metadata": {"resourceVersion": str(version)},
                "columnDefinitions": None,
                "rows": [{"cells": cells, "object": partial}],
            }
        )

    return WatchFormat(render, mark)
