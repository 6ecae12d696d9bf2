"""How Go's decoder takes a built-in kind: the types of fields, and what an object looks like after it was a Go struct.

A value of a wrong type is refused in the decoder's words. Maps and lists that are empty disappear, as ``omitempty`` has it;
quantities become canonical.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from .canonical import canonical
from .nodes import Node, Schema, node_of

_QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity"
_QUANTITY_TEXT = re.compile(r"^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+|[numkMGTPE]|[KMGTPE]i)?$")
_QUANTITY_FAULT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
#: Types that read themselves: what they make of a value is not looked at here.
_OWN_READERS = ("JSON", "JSONSchemaProps", "RawExtension", "FieldsV1", "Time", "MicroTime", "Duration", "IntOrString")
_BASE64 = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")


def decode_fault(node: Node, obj: dict[str, Any]) -> str:
    """The first value that Go could not put into its struct; empty when all fit."""
    return _fault(node, obj, str(obj.get("kind", "")), "")


def struct_fault(schema: Schema, name: str, obj: dict[str, Any]) -> str:
    """The same of a component that is no kind of its own (DeleteOptions), under its ``name``."""
    return _fault(node_of(schema), obj, name.rpartition(".")[2], "")


def _name(raw: Schema) -> str:
    """The component that a piece of schema refers to; empty for plain types."""
    alone = raw.get("allOf")
    reference = raw.get("$ref") or (alone[0].get("$ref") if alone and len(alone) == 1 else None)
    return reference.rpartition("/")[2] if reference else ""


def _go_type(raw: Schema, components: Mapping[str, Schema]) -> str:
    """``int32``, ``[]v1.Container``, ``map[string]string``."""
    name = _name(raw)
    if name == _QUANTITY:
        return "resource.Quantity"
    if name:
        parts = name.split(".")
        resolved = components.get(name) or {}
        return (
            ".".join(parts[-2:]) if resolved.get("type") == "object" or not resolved else _go_type(resolved, components)
        )
    match raw.get("type"):
        case "array":
            return f"[]{_go_type(raw.get('items') or {}, components)}"
        case "object":
            more = raw.get("additionalProperties")
            return f"map[string]{_go_type(more if isinstance(more, dict) else {}, components)}"
        case "integer":
            return str(raw.get("format") or "int64")
        case "number":
            return "float64"
        case "boolean":
            return "bool"
        case "string" if raw.get("format") == "byte":
            return "[]uint8"
    return "string"


_GIVEN = {dict: "object", list: "array", str: "string", bool: "bool", int: "number", float: "number"}


def _fault(node: Node, value: Any, struct: str, path: str) -> str:
    """``struct``: the innermost Go struct; ``path``: the fields on the way, without keys and indexes."""
    for name, inner in value.items():
        raw = node.properties.get(name)
        if raw is not None and inner is not None:
            below = f"{path}.{name}" if path else name
            if fault := _field_fault(node.family.node(raw), raw, inner, struct, below):
                return fault
    return ""


def _field_fault(node: Node, raw: Schema, value: Any, struct: str, path: str) -> str:
    name = _name(raw)
    last = name.rpartition(".")[2]
    if name == _QUANTITY:
        fits = isinstance(value, int | float) or (isinstance(value, str) and _QUANTITY_TEXT.match(value))
        return "" if fits else _QUANTITY_FAULT
    if last.startswith(_OWN_READERS) or (node.preserve and not node.types) or value is None:
        return ""
    kind = node.types[0] if node.types else "object"
    if kind == "string" and node.raw.get("format") == "byte" and isinstance(value, str):
        return _base64_fault(value)
    if not _fits(kind, value):
        shown = f"number {value}" if isinstance(value, float) and kind == "integer" else _GIVEN[type(value)]
        place = f"Go struct field {struct}.{path}"
        wanted = "types.UID" if path.endswith("uid") and kind == "string" else _go_type(raw, node.family.components)
        return f"json: cannot unmarshal {shown} into {place} of type {wanted}"
    return _inside(node, value, last or struct, path)


def _inside(node: Node, value: Any, struct: str, path: str) -> str:
    if isinstance(value, list) and node.items is not None:
        raw = node.raw.get("items") or {}
        for item in value:
            if fault := _field_fault(node.items, raw, item, struct, path):
                return fault
    elif isinstance(value, dict):
        more = node.additional
        if more is None:
            return _fault(node, value, struct, path)
        raw = node.raw["additionalProperties"]
        for item in value.values():
            if fault := _field_fault(more, raw, item, struct, path):
                return fault
    return ""


def _fits(kind: str, value: Any) -> bool:
    match kind:
        case "integer":
            return (isinstance(value, int) or (isinstance(value, float) and value.is_integer())) and not isinstance(
                value, bool
            )
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, {"object": dict, "array": list, "string": str, "boolean": bool}.get(kind, object))


def _base64_fault(value: str) -> str:
    """Go's base64 reader passes over line ends."""
    data = value.encode()
    clean = data.replace(b"\r", b"").replace(b"\n", b"")
    body = clean.rstrip(b"=")
    wrong = next((at for at, byte in enumerate(data) if byte not in _BASE64 and byte not in b"\r\n="), None)
    if wrong is None and len(clean) % 4 == 0 and len(clean) - len(body) <= 2:
        return ""
    if wrong is None:
        wrong = len(data) if data[-1:] != b"=" else data.index(b"=")
        wrong -= len(data) % 4 if data[-1:] != b"=" else 0
    return f"illegal base64 data at input byte {wrong}"


def settle(node: Node | None, value: Any, kept: tuple[str, ...] = ()) -> None:
    """Nulls, and empty maps and lists that need not be there, go; save in places that take any JSON.

    ``kept`` are fields of this object that stay as they are.
    """
    if node is None or node.preserve:
        return
    if isinstance(value, list):
        for inner in value:
            settle(node.items, inner)
    elif isinstance(value, dict):
        _settle_map(node, value, kept)


def _settle_map(node: Node, value: dict[str, Any], kept: tuple[str, ...]) -> None:
    needed = node.raw.get("required") or ()
    more = node.raw.get("additionalProperties")
    for name in list(value):
        if name in kept:
            continue
        inner, raw = value[name], node.properties.get(name, more if isinstance(more, dict) else {})
        known = node.child(name)
        if _name(raw) == _QUANTITY:
            value[name] = canonical(inner)
        elif inner is None and name not in node.properties and raw.get("type") == "string":
            value[name] = ""
        elif inner is None or (name in node.properties and name not in needed and _empty(known, inner)):
            del value[name]
        else:
            settle(known, inner)


def _empty(node: Node | None, value: Any) -> bool:
    """Whether Go leaves the value out: a slice or a map without content; a struct stays."""
    return value == [] or (value == {} and node is not None and node.open)
