"""Kubernetes' quantities as numbers, to be compared and drawn: '500m' is half, '1Gi' 1073741824. Pure.

https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/quantity/
"""

import re
from decimal import Decimal, InvalidOperation

_FORM = re.compile(r"([+-]?(?:\d+(?:\.\d*)?|\.\d+))(?:([EPTGMK]i|[numkMGTPE])|[eE]([+-]?\d{1,3}))?")
_UNITS = {
    **{
        unit: Decimal(10) ** power
        for unit, power in {"n": -9, "u": -6, "m": -3, "k": 3, "M": 6, "G": 9, "T": 12, "P": 15, "E": 18}.items()
    },
    **{f"{unit}i": Decimal(1024) ** power for power, unit in enumerate("KMGTPE", 1)},
}


def number(text: str) -> Decimal | None:
    """None if `text` isn't a quantity."""
    found = _FORM.fullmatch(text.strip()) if len(text) < 64 else None
    if found is None:
        return None
    try:
        value = Decimal(found[1])
    except InvalidOperation:
        return None
    if found[2]:
        return value * _UNITS[found[2]]
    return value * Decimal(10) ** int(found[3]) if found[3] else value


def cores(value: Decimal) -> str:
    """'250m', '3', '1500m' as kubectl has it."""
    return f"{int(value)}" if value == int(value) else f"{round(value * 1000)}m"


def size(value: Decimal) -> str:
    """'512 MiB', '1.5 GiB'."""
    shown = float(value)
    for unit in ("B", "KiB", "MiB", "GiB"):
        if abs(shown) < 1024:
            return f"{shown:.0f} {unit}" if unit == "B" or shown >= 10 or shown == int(shown) else f"{shown:.1f} {unit}"
        shown /= 1024
    return f"{shown:.1f} TiB"
