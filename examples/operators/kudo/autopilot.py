"""What the autopilot makes of what it has measured: which parameter it would change, and what is not as usual. Pure.

Level 5 of an operator, in its definition: it scales by load both ways, heals, tunes, and notices what deviates from the
usual (https://sdk.operatorframework.io/docs/overview/operator-capabilities/). Scaling up needs a node that is busy;
scaling down that the rest would be less than half as busy: between the two nothing happens, so a load that stays does
not make it swing.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

#: A node with more of its memory in use needs more; a node adds and goes in pairs, as majorities are of odd numbers.
TIGHT, PAIR = 0.8, 2
#: A request is unusual that takes so many times as long as usual, and more than so many seconds.
SLOW, NOTICED = 4.0, 0.05
#: How much a new measurement counts in what is usual.
_WEIGHT = 0.1
_QUANTITY = re.compile(r"(\d+)(Ki|Mi|Gi|)")
_UNITS = {"": 1, "Ki": 1 << 10, "Mi": 1 << 20, "Gi": 1 << 30}


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Of the Instance's parameters.

    `memory` and `most_memory` in bytes, 0 where they can not be read; `pause` in seconds.
    """

    count: int
    least: int
    most: int
    busy: int
    memory: int
    most_memory: int
    pause: float

    @property
    def patience(self) -> float:
        """Seconds for which something must be so."""
        return self.pause / 4

    @classmethod
    def from_parameters(cls, values: Mapping[str, Any]) -> Settings | None:
        """From resolved parameters; None when the package has no autopilot, or it is off."""
        if values.get("AUTOPILOT") is not True:
            return None
        count, least, most = (int(values[item]) for item in ("NODE_COUNT", "MIN_NODES", "MAX_NODES"))
        busy, pause = max(int(values["BUSY_REQUESTS"]), 1), max(float(values["COOL_DOWN"]), 4.0)
        memory, most_memory = (bytes_of(str(values[item])) for item in ("MEMORY", "MAX_MEMORY"))
        return cls(
            count=count,
            least=least,
            most=max(least, most),
            busy=busy,
            memory=memory,
            most_memory=most_memory,
            pause=pause,
        )


@dataclass(frozen=True, slots=True)
class Measured:
    """Of all nodes between two looks: requests a second, seconds that one took, and the most memory of a node in
    bytes. `nodes` have reported.
    """

    nodes: int
    rate: float
    seconds: float
    memory: int


@dataclass(frozen=True, slots=True)
class Adjustment:
    """What to do (`reason` in one word), why, and the parameters to change; if empty, it is only reported."""

    reason: str
    why: str
    parameters: Mapping[str, str]


SCALED, TUNED, AT_THE_LIMIT, ABNORMAL = "AutopilotScaled", "AutopilotTuned", "AutopilotAtTheLimit", "AutopilotAbnormal"


def adjustment(settings: Settings, found: Measured, usual: float) -> Adjustment | None:
    """None when all is well. `usual`: seconds that a request takes usually, 0 when that is not known yet."""
    count, bounded = settings.count, min(max(settings.count, settings.least), settings.most)
    if bounded != count:
        return _nodes(bounded, f"{count} nodes are not between {settings.least} and {settings.most}")
    if found.nodes < count:
        return None  # without measurements of every node the load isn't known to be low
    each, limits = found.rate / count, []
    if each > settings.busy:
        if count < settings.most:
            return _nodes(
                count + PAIR,
                f"each of {count} nodes has {each:.0f} requests a second, and is busy with {settings.busy}",
            )
        limits.append(f"each of {count} nodes has {each:.0f} requests a second, and MAX_NODES is {settings.most}")
    if settings.memory and found.memory > TIGHT * settings.memory:
        more, used = 2 * settings.memory, f"a node uses {_mebi(found.memory)} of {_mebi(settings.memory)}"
        if more <= settings.most_memory:
            return Adjustment(TUNED, f"{used}: MEMORY is {_mebi(more)} now", {"MEMORY": _mebi(more)})
        limits.append(f"{used}, and MAX_MEMORY is {_mebi(settings.most_memory)}")
    if limits:
        return Adjustment(AT_THE_LIMIT, "; ".join(limits), {})
    if usual and found.seconds > max(SLOW * usual, NOTICED):
        return Adjustment(
            ABNORMAL, f"a request takes {1000 * found.seconds:.0f} ms, and {1000 * usual:.0f} ms usually", {}
        )
    less = count - PAIR
    if less >= settings.least and found.rate / less < settings.busy / 2:
        return _nodes(
            less,
            f"{less} nodes would have {found.rate / less:.0f} requests a second each, less than half of"
            f" {settings.busy}",
        )
    return None


def usual(before: float, found: Measured) -> float:
    """What a request takes usually, with this measurement: what is unusual changes it slowly, or never would it be
    noticed.
    """
    if not found.seconds:
        return before
    return before + _WEIGHT * (found.seconds - before) if before else found.seconds


def bytes_of(quantity: str) -> int:
    """`96Mi` in bytes; 0 for what is written otherwise."""
    found = _QUANTITY.fullmatch(quantity)
    return int(found[1]) * _UNITS[found[2]] if found else 0


def _nodes(count: int, why: str) -> Adjustment:
    return Adjustment(SCALED, f"{why}: NODE_COUNT is {count} now", {"NODE_COUNT": str(count)})


def _mebi(number: int) -> str:
    return f"{number >> 20}Mi"
