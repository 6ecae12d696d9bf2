"""The API server's wording of causes: k8s.io/apimachinery/pkg/util/validation/field, rendered as causes.

People and programs match on these sentences, so values are shown as Go shows them: numbers by ``%v``, texts by ``%q``,
anything else as the JSON of encoding/json.
"""

from __future__ import annotations

import json
from typing import Any

from .causes import FieldCause

REQUIRED = "FieldValueRequired"
INVALID = "FieldValueInvalid"
TYPE_INVALID = "FieldValueTypeInvalid"
NOT_SUPPORTED = "FieldValueNotSupported"
DUPLICATE = "FieldValueDuplicate"
FORBIDDEN = "FieldValueForbidden"
TOO_LONG = "FieldValueTooLong"
TOO_MANY = "FieldValueTooMany"

#: What the API server writes for an error that belongs to no field.
NOWHERE = "<nil>"

_ESCAPES = {"\a": "\\a", "\b": "\\b", "\f": "\\f", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\v": "\\v"}


def quote(text: str) -> str:
    """Go's strconv.Quote."""
    out = []
    for char in text:
        if char in '"\\':
            out.append("\\" + char)
        elif char in _ESCAPES:
            out.append(_ESCAPES[char])
        elif char.isprintable():
            out.append(char)
        else:
            code = ord(char)
            out.append(f"\\x{code:02x}" if code < 0x80 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}")
    return '"' + "".join(out) + '"'


def number(value: float) -> str:
    """Go's ``%v`` of an int64 or a float64."""
    if isinstance(value, int):
        return str(value)
    text = repr(value)
    exponent = f"{value:e}".partition("e")[2]
    if value and not -5 < int(exponent or 0) < 21:
        digits = text.partition("e")[0].replace(".", "").strip("-0") or "0"
        sign = "-" if value < 0 else ""
        tail = f".{digits[1:]}" if digits[1:] else ""
        power = int(exponent)
        return f"{sign}{digits[0]}{tail}e{'-' if power < 0 else '+'}{abs(power):02d}"
    if "e" in text:
        text = f"{value:.17f}".rstrip("0") if abs(value) < 1 else f"{value:.0f}"
    return text.removesuffix(".0")


def to_json(value: Any, in_order: bool = False) -> str:
    """Go's encoding/json: keys of maps sorted (of structs ``in_order``), and <, > and & written as escapes."""
    text = json.dumps(value, sort_keys=not in_order, separators=(",", ":"), ensure_ascii=False)
    return text.replace("&", "\\u0026").replace("<", "\\u003c").replace(">", "\\u003e")


def show(value: Any) -> str:
    """A bad value, as an error shows it."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, (int, float)):
        return number(value)
    return quote(value) if isinstance(value, str) else to_json(value)


def _with(text: str, detail: str) -> str:
    return f"{text}: {detail}" if detail else text


def required(field: str, detail: str = "") -> FieldCause:
    return FieldCause(field, REQUIRED, _with("Required value", detail))


def invalid(field: str, value: Any, detail: str) -> FieldCause:
    return FieldCause(field, INVALID, _with(f"Invalid value: {show(value)}", detail))


def invalid_unshown(field: str, detail: str) -> FieldCause:
    """Invalid, of an object or list that would be too long to repeat."""
    return FieldCause(field, INVALID, _with("Invalid value", detail))


def type_invalid(field: str, value: Any, detail: str) -> FieldCause:
    return FieldCause(field, TYPE_INVALID, _with(f"Invalid value: {show(value)}", detail))


def not_supported(field: str, value: Any, supported: list[Any]) -> FieldCause:
    """``supported`` in the schema's order."""
    shown = ", ".join(quote(item if isinstance(item, str) else to_json(item)) for item in supported)
    return FieldCause(
        field, NOT_SUPPORTED, _with(f"Unsupported value: {show(value)}", f"supported values: {shown}" if shown else "")
    )


def duplicate(field: str, value: Any) -> FieldCause:
    return FieldCause(field, DUPLICATE, f"Duplicate value: {show(value)}")


def forbidden(field: str, detail: str) -> FieldCause:
    return FieldCause(field, FORBIDDEN, _with("Forbidden", detail))


def too_long(field: str, limit: int) -> FieldCause:
    return FieldCause(field, TOO_LONG, f"Too long: may not be more than {limit} {'byte' if limit == 1 else 'bytes'}")


def too_many(field: str, actual: int, limit: int) -> FieldCause:
    noun = "item" if limit == 1 else "items"
    return FieldCause(field, TOO_MANY, f"Too many: {actual}: must have at most {limit} {noun}")
