"""Whether an applied object fits the types of its kind (structured-merge-diff's typed values)."""

from __future__ import annotations

import json
from typing import Any

from .fieldpaths import Path, dotted
from .fieldtypes import Type, identity
from .objects import Object, go_text

_GO = {dict: "map[string]interface {}", list: "[]interface {}", str: "string", bool: "bool", int: "int64"}


def typed_fault(obj: Object, type_: Type) -> str:
    """The faults in the library's words; empty when the object fits."""
    faults = _faults(obj, type_, ())
    return (
        faults[0] if len(faults) == 1 else "\n".join(["errors:", *(f"  {fault}" for fault in faults)]) if faults else ""
    )


def _faults(value: Any, type_: Type, path: Path) -> list[str]:
    schema = type_.schema
    if value is None or schema.get("x-kubernetes-int-or-string") or not schema:
        return []
    place = f"{dotted(path)}: " if path else ""
    match schema.get("type"):
        case "object":
            return _of_map(value, type_, path, place)
        case "array":
            return _of_list(value, type_, path, place)
        case "string" if not isinstance(value, str):
            shown = json.dumps(value) if not isinstance(value, dict | list) else go_text(value)
            return [f"{place}expected string, got &value.valueUnstructured{{Value:{shown}}}"]
        case "integer" | "number" if isinstance(value, bool) or not isinstance(value, int | float):
            return [f"{place}expected numeric (int or float), got {_GO.get(type(value), 'float64')}"]
        case "boolean" if not isinstance(value, bool):
            return [f"{place}expected boolean, got &{{{go_text(value)}}}"]
    return []


def _of_map(value: Any, type_: Type, path: Path, place: str) -> list[str]:
    if not isinstance(value, dict):
        return [f"{place}expected map, got &{{{go_text(value)}}}"]
    schema = type_.schema
    anything = schema.get("x-kubernetes-preserve-unknown-fields") or schema.get("additionalProperties") is not None
    closed = bool(schema.get("properties")) and not anything
    faults: list[str] = []
    for key in sorted(value):
        at = (*path, f"f:{key}")
        if closed and not type_.declares(key):
            faults.append(f"{dotted(at)}: field not declared in schema")
        else:
            faults += _faults(value[key], type_.field(key), at)
    return faults


def _of_list(value: Any, type_: Type, path: Path, place: str) -> list[str]:
    if not isinstance(value, list):
        return [f"{place}expected list, got &{{{go_text(value)}}}"]
    keys = type_.list_keys()
    faults: list[str] = []
    seen: set[str] = set()
    for index, item in enumerate(value):
        element = f"i:{index}" if keys is None else identity(type_, keys, item)
        if element in seen:
            faults.append(f"{place}duplicate entries for key {dotted((element,))}")
        elif keys is not None:
            seen.add(element)
        faults += _faults(item, type_.item(), (*path, element))
    return faults
