"""``x-kubernetes-list-type: set`` and ``map``: keys and items must be unique (apiextensions
pkg/apiserver/schema/listtype).
"""

from __future__ import annotations

from typing import Any

from .causes import FieldCause
from .nodes import SchemaNode
from .words import duplicate, invalid, to_json


def check_lists(node: SchemaNode, value: Any, path: str = "") -> list[FieldCause]:
    """Items of sets, and map keys, that come again. A duplicate is reported at its second place only."""
    causes: list[FieldCause] = []
    _walk(node, value, path, causes)
    return causes


def _walk(node: SchemaNode, value: Any, path: str, causes: list[FieldCause]) -> None:
    if isinstance(value, dict):
        for name, inner in value.items():
            if isinstance(inner, (dict, list)):
                known = node.declared(name)
                if known is not None:
                    _walk(known, inner, f"{path}.{name}" if path else name, causes)
                elif node.additional is not None:
                    _walk(node.additional, inner, f"{path}[{name}]", causes)
    elif isinstance(value, list):
        _check(node, value, path, causes)
        if node.items is not None:
            for index, inner in enumerate(value):
                if isinstance(inner, (dict, list)):
                    _walk(node.items, inner, f"{path}[{index}]", causes)


def _check(node: SchemaNode, value: list[Any], path: str, causes: list[FieldCause]) -> None:
    match node.raw.get("x-kubernetes-list-type"):
        case "set":
            causes += [duplicate(f"{path}[{index}]", value[index]) for index in _repeated(value)]
        case "map":
            causes += _check_map(node.raw.get("x-kubernetes-list-map-keys") or [], value, path)


def _check_map(names: list[str], value: list[Any], path: str) -> list[FieldCause]:
    for index, item in enumerate(value):
        if item is not None and not isinstance(item, dict):
            return [invalid(f"{path}[{index}]", item, "must be an object for an array of list-type map")]
    keys = [{name: item[name] for name in names if name in item} if item else {} for item in value]
    return [duplicate(f"{path}[{index}]", keys[index]) for index in _repeated(keys)]


def _repeated(values: list[Any]) -> list[int]:
    seen: dict[str, int] = {}
    repeated = []
    for index, value in enumerate(values):
        key = to_json(value)
        seen[key] = seen.get(key, 0) + 1
        if seen[key] == 2:
            repeated.append(index)
    return repeated
