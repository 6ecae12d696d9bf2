"""Quantities (``1.5Gi``) and semantic versions in rules: Kubernetes' quantity and semver libraries."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from ..quantities import parse_quantity
from .declare import Function, tag_of, tagged

_VERSION = re.compile(
    r"(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(?:-((?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*)"
    r"(?:\.(?:0|[1-9]\d*|\d*[a-zA-Z-][0-9a-zA-Z-]*))*))?(?:\+([0-9a-zA-Z-]+(?:\.[0-9a-zA-Z-]+)*))?"
)
_MESSAGE = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'"


def _quantity(text: str) -> dict[str, Any]:
    value = parse_quantity(text)
    if value is None:
        raise ValueError(_MESSAGE)
    return tagged("quantity", str(value))


def _number(value: Any) -> Fraction:
    if tag_of(value) != "quantity":
        raise ValueError("no such overload")
    return Fraction(value["value"])


def _amount(value: Any) -> Fraction:
    return Fraction(value) if isinstance(value, int) else _number(value)


def _as_integer(value: Any) -> int:
    number = _number(value)
    if number.denominator != 1 or not -(2**63) <= number < 2**63:
        raise ValueError("cannot convert value to integer")
    return int(number)


def _is_integer(value: Any) -> bool:
    number = _number(value)
    return number.denominator == 1 and -(2**63) <= number < 2**63


def _sign(value: Any) -> int:
    number = _number(value)
    return (number > 0) - (number < 0)


def _version(text: str) -> dict[str, Any]:
    if not _VERSION.fullmatch(text):
        raise ValueError(f"invalid semver: {text}")
    return tagged("semver", text)


def _normal(text: str, normalize: bool) -> str:
    if not normalize:
        return text
    core, _, rest = text.removeprefix("v").partition("-")
    parts = [str(int(part)) if part.isdecimal() else part for part in core.split(".")]
    parts += ["0"] * (3 - len(parts))
    return ".".join(parts) + (f"-{rest}" if rest else "")


def _order(text: str) -> tuple[Any, ...]:
    found = _VERSION.fullmatch(text)
    assert found is not None
    major, minor, patch, before, _ = found.groups()
    parts = [(0, int(part), "") if part.isdecimal() else (1, 0, part) for part in before.split(".")] if before else []
    return int(major), int(minor), int(patch), not before, parts


def _compare(item: Any, other: Any) -> int:
    tags = {tag_of(item), tag_of(other)}
    if tags == {"quantity"}:
        left: Any = _number(item)
        right: Any = _number(other)
    elif tags == {"semver"}:
        left, right = _order(item["value"]), _order(other["value"])
    else:
        raise ValueError("no such overload")
    return int(left > right) - int(left < right)


def _part(index: int) -> Any:
    def run(version: Any) -> int:
        if tag_of(version) != "semver":
            raise ValueError("no such overload")
        return int(_order(version["value"])[index])

    return run


_S, _M = "STRING", "MAP"
FUNCTIONS: list[Function] = [
    Function("quantity", (_S,), _M, _quantity, False),
    Function("isQuantity", (_S,), "BOOL", lambda text: parse_quantity(text) is not None, False),
    Function("isInteger", (_M,), "BOOL", _is_integer),
    Function("asInteger", (_M,), "INT", _as_integer),
    Function("asApproximateFloat", (_M,), "DOUBLE", lambda value: float(_number(value))),
    Function("sign", (_M,), "INT", _sign),
    Function("sign", (_M,), "INT", _sign, False),
    *(
        Function(name, (_M, other), _M, run)
        for other in (_M, "INT")
        for name, run in (
            ("add", lambda item, more: tagged("quantity", str(_number(item) + _amount(more)))),
            ("sub", lambda item, less: tagged("quantity", str(_number(item) - _amount(less)))),
        )
    ),
    Function("compareTo", (_M, _M), "INT", _compare),
    Function("isGreaterThan", (_M, _M), "BOOL", lambda item, other: _compare(item, other) > 0),
    Function("isLessThan", (_M, _M), "BOOL", lambda item, other: _compare(item, other) < 0),
    Function("semver", (_S,), _M, _version, False),
    Function("semver", (_S, "BOOL"), _M, lambda text, normalize: _version(_normal(text, normalize)), False),
    Function("isSemver", (_S,), "BOOL", lambda text: _VERSION.fullmatch(text) is not None, False),
    Function(
        "isSemver", (_S, "BOOL"), "BOOL", lambda text, norm: _VERSION.fullmatch(_normal(text, norm)) is not None, False
    ),
    Function("major", (_M,), "INT", _part(0)),
    Function("minor", (_M,), "INT", _part(1)),
    Function("patch", (_M,), "INT", _part(2)),
]
