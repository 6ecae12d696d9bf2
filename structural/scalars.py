"""Numbers and lengths against their limits; part of structure.py's checks."""

from __future__ import annotations

import math
from typing import Any

from .causes import FieldCause
from .nodes import SchemaNode
from .words import NOWHERE, invalid, number, too_long

_RANGES = {"int32": (-(2**31), 2**31 - 1), "int64": (-(2**63), 2**63 - 1)}
_FLOAT32 = 3.4028235677973366e38


def _where(path: str) -> str:
    return path.removeprefix(".") or NOWHERE


def length_cause(node: SchemaNode, value: str, path: str) -> FieldCause | None:
    """minLength and maxLength count characters; the message of the latter says bytes, as the API server's does."""
    most, least = node.raw.get("maxLength"), node.raw.get("minLength")
    if most is not None and len(value) > most:
        return too_long(_where(path), most)
    if least is not None and len(value) < least:
        return invalid(_where(path), value, f"{path} in body should be at least {least} chars long")
    return None


def check_number(node: SchemaNode, value: float, path: str, errors: dict[FieldCause, None]) -> None:
    """Range of the format, multipleOf, minimum, maximum."""
    raw = node.raw
    _check_range(node, value, path, errors)
    step = raw.get("multipleOf")
    if step and not _is_multiple(value, step):
        errors[invalid(_where(path), value, f"{path} in body should be a multiple of {number(float(step))}")] = None
    for keyword, exclusive_keyword in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        limit = raw.get(keyword)
        if limit is None:
            continue
        exclusive = bool(raw.get(exclusive_keyword))
        if isinstance(value, int):
            limit = _whole(limit)
        low = keyword == "minimum"
        beyond = value < limit if low else value > limit
        if beyond or (exclusive and value == limit):
            word = ("greater than" if low else "less than") + ("" if exclusive else " or equal to")
            errors[invalid(_where(path), value, f"{path} in body should be {word} {number(limit)}")] = None


def _whole(limit: float) -> int:
    """Go's int64() of a limit: fractions are cut off, and what is too large becomes the smallest number."""
    return int(limit) if -(2**63) <= limit < 2**63 else -(2**63)


def _is_multiple(value: float, step: float) -> bool:
    if isinstance(value, int) and float(step).is_integer():
        return value % int(step) == 0
    ratio = value / step
    return math.isclose(ratio, round(ratio), rel_tol=1e-9, abs_tol=1e-9)


def _check_range(node: SchemaNode, value: Any, path: str, errors: dict[FieldCause, None]) -> None:
    if len(node.types) != 1:
        return
    kind = node.types[0]
    if kind == "integer":
        low, high = _RANGES.get(node.format, _RANGES["int64"])
        fits = float(value).is_integer() and low <= value <= high
    else:
        fits = node.format != "float" or abs(value) <= _FLOAT32
    if not fits:
        shown = f"with format {node.format}" if node.format else "(default format)"
        detail = f"Checked value must be of type {kind} {shown} in {path}"
        errors[invalid(NOWHERE, "", detail)] = None
