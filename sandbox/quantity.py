"""Quantities: ``1Gi``, ``500m``, ``2`` (k8s.io/apimachinery/pkg/api/resource)."""

from __future__ import annotations

import re
from typing import Any

_UNITS = {"n": 1e-9, "u": 1e-6, "m": 1e-3, "": 1, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18}
_UNITS |= {f"{letter}i": 1024.0**power for power, letter in enumerate("KMGTPE", 1)}
_PATTERN = re.compile(r"^([+-]?[0-9.]+)([eE][+-]?[0-9]+)?([numkMGTPE]|[KMGTPE]i|)$")


def amount(text: Any) -> float:
    """The number that a quantity means; 0 when the text isn't one."""
    found = _PATTERN.match(str(text if text is not None else ""))
    if found is None:
        return 0.0
    return float(found[1] + (found[2] or "")) * _UNITS[found[3]]
