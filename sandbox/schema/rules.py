"""Stub while being written."""

from __future__ import annotations

from typing import Any

from ..errors import Cause
from .nodes import Node


def has_rules(node: Node) -> bool:
    return False


def check_rules(node: Node, obj: Any, old: Any) -> list[Cause]:
    return []
