"""Stub while being written."""

from __future__ import annotations

from typing import Any

from ..errors import Cause


def check_crd(crd: dict[str, Any]) -> list[Cause]:
    return []
