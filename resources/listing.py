"""Lists of any kind, as the API server's own Tables: what a row shows."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from kube.discovery import ResourceType
from kube.objects import name_of, namespace_of, uid_of
from kube.table import Column, Row


@dataclass(frozen=True, slots=True)
class RowView:
    """One row, for the first paint and for live updates alike. `cells`: texts of the columns that narrow lists show."""

    uid: str
    name: str
    namespace: str
    type: ResourceType
    created: str
    cells: tuple[Any, ...]


def row_view(type_: ResourceType, columns: Sequence[Column], row: Row) -> RowView:
    """Columns above priority 0 are left out."""
    metadata = row.object.get("metadata") or {}
    return RowView(
        uid=uid_of(row.object),
        name=name_of(row.object),
        namespace=namespace_of(row.object),
        type=type_,
        created=str(metadata.get("creationTimestamp") or ""),
        cells=tuple(cell for column, cell in zip(columns, row.cells, strict=False) if column.priority == 0),
    )
