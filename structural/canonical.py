"""Quantities as Kubernetes writes them back: ``0.5`` is ``500m``, ``1024Mi`` is ``1Gi`` (apimachinery
pkg/api/resource).
"""

from __future__ import annotations

import math
import re
from fractions import Fraction
from typing import Any

from .quantities import parse_quantity

_DECIMAL = {-9: "n", -6: "u", -3: "m", 0: "", 3: "k", 6: "M", 9: "G", 12: "T", 15: "P", 18: "E"}
_BINARY = ("", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei")
_EXPONENT = re.compile(r"[eE][+-]?\d+$")
_NANO = 10**9


def canonical(given: Any) -> Any:
    """The canonical text of a quantity, which JSON may give as a number; anything else comes back as it is."""
    text = repr(given) if isinstance(given, int | float) and not isinstance(given, bool) else given
    value = parse_quantity(text) if isinstance(text, str) else None
    if value is None:
        return given
    if value == 0:
        return "0"
    # Nothing is smaller than a nano; what is between goes away from zero.
    scaled = value * _NANO
    value = Fraction(math.ceil(scaled) if scaled > 0 else math.floor(scaled), _NANO)
    if text.endswith("i") and abs(value) >= 1024 and value.denominator == 1:
        return _binary(int(value))
    return _decimal(value, bool(_EXPONENT.search(text)))


def _binary(number: int) -> str:
    power = 0
    while number % 1024 == 0 and power < len(_BINARY) - 1:
        number //= 1024
        power += 1
    return f"{number}{_BINARY[power]}"


def _decimal(value: Fraction, exponent: bool) -> str:
    power = -9
    number = int(value * _NANO)
    while number % 1000 == 0 and (power < 18 or exponent):
        number //= 1000
        power += 3
    if exponent:
        return f"{number}e{power}" if power else str(number)
    return f"{number}{_DECIMAL[power]}"
