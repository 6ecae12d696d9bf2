"""Quantities as numbers: ``1.5Gi``, ``200m``, ``3e2`` (apimachinery pkg/api/resource)."""

from __future__ import annotations

import re
from fractions import Fraction

_QUANTITY = re.compile(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+))(?:([KMGTPE]i|[numkMGTPE]|)|[eE]([+-]?\d+))")
_UNITS = {
    "": Fraction(1),
    "n": Fraction(1, 10**9),
    "u": Fraction(1, 10**6),
    "m": Fraction(1, 1000),
    "k": Fraction(1000),
    **{unit: Fraction(1000 ** (power + 2)) for power, unit in enumerate("MGTPE")},
    **{f"{unit}i": Fraction(1024 ** (power + 1)) for power, unit in enumerate("KMGTPE")},
}


def parse_quantity(text: str) -> Fraction | None:
    """The number a quantity stands for; None when the text isn't one."""
    found = _QUANTITY.fullmatch(text)
    if found is None:
        return None
    digits, unit, exponent = found.groups()
    if exponent is not None:
        return Fraction(digits) * Fraction(10) ** max(-400, min(400, int(exponent)))
    return Fraction(digits) * _UNITS[unit]
