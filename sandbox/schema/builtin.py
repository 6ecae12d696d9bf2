"""Schemas of the built-in kinds (stub; S2 writes it)."""

from __future__ import annotations

from typing import Any


def builtin(group: str, version: str, kind: str) -> dict[str, Any] | None:
    """None: no schema, nothing is checked."""
    return None
