"""Columns of the built-in kinds, as kubernetes/pkg/printers/internalversion prints them. One file for each family."""

from __future__ import annotations

from . import cluster, config, core, workloads
from .column import Column
from .descriptions import description

COLUMNS: dict[str, tuple[Column, ...]] = {
    **core.COLUMNS,
    **config.COLUMNS,
    **workloads.COLUMNS,
    **cluster.COLUMNS,
}


def columns_of(key: str) -> tuple[Column, ...]:
    """Empty when the kind has none of its own (then Name and Age are shown)."""
    return COLUMNS.get(key, ())


__all__ = ["Column", "columns_of", "description"]
