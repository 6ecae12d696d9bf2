"""Go's decoding of built-in kinds: the types of fields, and the form of an object after it was a Go struct.

A value of a wrong type is refused in the decoder's words. Maps and lists that are empty disappear, as ``omitempty`` has
it; quantities become canonical.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from .canonical import canonical
from .causes import Fault, Place
from .nodes import Schema, SchemaNode, node_of

_QUANTITY = "io.k8s.apimachinery.pkg.api.resource.Quantity"
_QUANTITY_TEXT = re.compile(r"^[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d+|[numkMGTPE]|[KMGTPE]i)?$")
_QUANTITY_FAULT = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"
#: Types with a decoder of their own in Go, whose values are not checked here.
_OWN_READERS = ("JSON", "JSONSchemaProps", "RawExtension", "FieldsV1", "Time", "MicroTime", "Duration")
_BITS = {"int32": 32}
_BASE64 = frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/")


class _At(NamedTuple):
    """The position in the object during the walk.

    ``struct``: the innermost Go struct; ``path``: the fields on the way, without keys and indexes.
    """

    struct: str
    path: str = ""
    place: Place = ()

    def field(self, name: str) -> _At:
        return _At(self.struct, f"{self.path}.{name}" if self.path else name, (*self.place, name))

    def entry(self, key: str | int) -> _At:
        return self._replace(place=(*self.place, key))


def decode_faults(node: SchemaNode, obj: dict[str, Any]) -> Iterator[Fault]:
    """The values that Go could not put into its struct; its decoder stops at the first."""
    return _faults(node, obj, _At(str(obj.get("kind", ""))))


def struct_fault(schema: Schema, name: str, obj: dict[str, Any]) -> str:
    """The first fault of a component that isn't a kind (DeleteOptions), under its ``name``; empty if there is none."""
    return next((text for _, text in _faults(node_of(schema), obj, _At(name.rpartition(".")[2]))), "")


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


def _faults(node: SchemaNode, value: Any, at: _At) -> Iterator[Fault]:
    for name, inner in value.items():
        raw = node.properties.get(name)
        if raw is not None and inner is not None:
            yield from _field_faults(node.family.node(raw), raw, inner, at.field(name))


def _field_faults(node: SchemaNode, raw: Schema, value: Any, at: _At) -> Iterator[Fault]:
    name = _name(raw)
    last = name.rpartition(".")[2]
    if name == _QUANTITY:
        if not (isinstance(value, int | float) or (isinstance(value, str) and _QUANTITY_TEXT.match(value))):
            yield Fault(at.place, _QUANTITY_FAULT)
        return
    if last == "IntOrString":
        if value is not None and not isinstance(value, str) and not _is_int32(value):
            yield Fault(
                at.place,
                f"json: cannot unmarshal {_given(value)} into Go struct field {at.struct}.{at.path} of type int32",
            )
        return
    if last.startswith(_OWN_READERS) or (node.preserve and not node.types) or value is None:
        return
    kind = node.types[0] if node.types else "object"
    if kind == "string" and node.raw.get("format") == "byte" and isinstance(value, str | list):
        if isinstance(value, str) and (fault := _base64_fault(value)):  # a list of numbers is bytes too
            yield Fault(at.place, fault)
    elif not _fits(kind, value) or not _in_range(node, value):
        yield Fault(at.place, _unfitting(node, raw, value, kind, at))
    else:
        yield from _inside(node, value, at._replace(struct=last or at.struct))


def _given(value: Any) -> str:
    """Go's name for a value that isn't a whole number."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return f"number {value}" if number else _GIVEN[type(value)]


def _is_int32(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and -(2**31) <= value < 2**31


def _unfitting(node: SchemaNode, raw: Schema, value: Any, kind: str, at: _At) -> str:
    shown = _given(value) if kind == "integer" else _GIVEN[type(value)]
    wanted = "types.UID" if at.path.endswith("uid") and kind == "string" else _go_type(raw, node.family.components)
    return f"json: cannot unmarshal {shown} into Go struct field {at.struct}.{at.path} of type {wanted}"


def _inside(node: SchemaNode, value: Any, at: _At) -> Iterator[Fault]:
    if isinstance(value, list) and node.items is not None:
        raw = node.raw.get("items") or {}
        for index, item in enumerate(value):
            yield from _field_faults(node.items, raw, item, at.entry(index))
    elif isinstance(value, dict):
        more = node.additional
        if more is None:
            yield from _faults(node, value, at)
            return
        raw = node.raw["additionalProperties"]
        for key, item in value.items():
            yield from _field_faults(more, raw, item, at.entry(key))


def _fits(kind: str, value: Any) -> bool:
    match kind:
        case "integer":
            return (isinstance(value, int) or (isinstance(value, float) and value.is_integer())) and not isinstance(
                value, bool
            )
        case "number":
            return isinstance(value, int | float) and not isinstance(value, bool)
    return isinstance(value, {"object": dict, "array": list, "string": str, "boolean": bool}.get(kind, object))


def _in_range(node: SchemaNode, value: Any) -> bool:
    bits = _BITS.get(node.format, 64)
    return isinstance(value, bool) or not isinstance(value, int) or -(2 ** (bits - 1)) <= value < 2 ** (bits - 1)


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


def settle(node: SchemaNode | None, value: Any, exempt: tuple[str, ...] = ()) -> None:
    """Nulls, and empty maps and lists that need not be there, go; save in places that take any JSON.

    ``exempt``: fields of this object that stay as they are.
    """
    if node is None or node.preserve:
        return
    if isinstance(value, list):
        for inner in value:
            settle(node.items, inner)
    elif isinstance(value, dict):
        _settle_map(node, value, exempt)


def _settle_map(node: SchemaNode, value: dict[str, Any], exempt: tuple[str, ...]) -> None:
    needed = node.raw.get("required") or ()
    more = node.raw.get("additionalProperties")
    for name in list(value):
        if name in exempt:
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


def _empty(node: SchemaNode | None, value: Any) -> bool:
    """Whether Go leaves the value out: a slice or a map without content; a struct stays."""
    return value == [] or (value == {} and node is not None and node.open)
