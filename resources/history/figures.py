"""Numbers of one object over time, out of its history: how many replicas were asked for and how many were ready, how
often its containers started again.

A line changes where a step says so. Small changes of the status that were folded into one step count as one. Pods have
these lines where HISTORY_KINDS names them.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _

from kube.objects import items, mapping
from resources.history import steps, stored_object
from resources.history.strip import LONGEST, SHORTEST
from resources.models import Step, Traced

WIDTH, HEIGHT = 1000, 40
#: Of the table that says the same; the drawing has all.
MOST_ROWS = 30
WANTED, READY, RESTARTS = "wanted", "ready", "restarts"
_Numbers = dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartLine:
    """`path`: of an SVG of WIDTH times HEIGHT, in steps. `least` and `most` are of the time that is drawn."""

    key: str
    path: str
    least: int
    most: int
    now: int

    @property
    def label(self) -> str:
        return {WANTED: _("desired replicas"), READY: _("ready replicas"), RESTARTS: _("container restarts")}[self.key]

    @property
    def words(self) -> str:
        """The line in a sentence's part: for who does not see it."""
        values = {"label": self.label, "now": self.now, "least": self.least, "most": self.most}
        if self.least == self.most:
            return _("%(label)s: always %(now)s") % values
        return _("%(label)s: between %(least)s and %(most)s, now %(now)s") % values


@dataclass(frozen=True, slots=True)
class ChartRow:
    """From `at` on. `numbers` in the order of the lines, None where there was none."""

    at: datetime
    numbers: tuple[int | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Figures:
    """`rows`: the newest first, MOST_ROWS of them. No `lines`: the object has no such numbers."""

    lines: tuple[ChartLine, ...] = ()
    rows: tuple[ChartRow, ...] = ()
    begin: datetime | None = None
    end: datetime | None = None
    top: int = 1

    @property
    def words(self) -> str:
        return "; ".join(line.words for line in self.lines)


def figures(traced: Traced, begin: datetime | None = None) -> Figures:
    """`begin`: of the time that the strip of states shows; without one, of all that is known."""
    found = _changes(list(_over_time(traced)))
    if not found:
        return Figures()
    end = traced.deleted_at or timezone.now()
    begin = begin or end - min(max(end - found[0][0], SHORTEST), LONGEST)
    keys = [key for key in (WANTED, READY, RESTARTS) if any(key in numbers for _at, numbers in found)]
    inside = [point for place, point in enumerate(found) if place + 1 == len(found) or found[place + 1][0] > begin]
    top = max(1, *(number for _at, numbers in inside for number in numbers.values()))
    lines = tuple(_line(key, inside, begin, end, top) for key in keys)
    rows = tuple(ChartRow(at, tuple(numbers.get(key) for key in keys)) for at, numbers in reversed(inside))
    return Figures(lines=lines, rows=rows[:MOST_ROWS], begin=begin, end=end, top=top)


def _over_time(traced: Traced) -> Iterator[tuple[datetime, _Numbers]]:
    """(since when, numbers), the newest first, as far back as versions can be made."""
    obj = stored_object.unpacked(traced.head)
    for step in traced.steps.exclude(event=Step.DELETED).order_by("-pk").iterator(chunk_size=50):
        yield step.at, numbers_of(obj)
        if not step.back:
            return
        obj = steps.apply(obj, stored_object.unpacked(step.back))


def _changes(newest_first: list[tuple[datetime, _Numbers]]) -> list[tuple[datetime, _Numbers]]:
    """In the order of time, where any number becomes another one."""
    found: list[tuple[datetime, _Numbers]] = []
    for at, numbers in reversed(newest_first):
        if numbers and (not found or found[-1][1] != numbers):
            found.append((at, numbers))
    return found


def numbers_of(obj: Any) -> _Numbers:
    """What an object says of itself; {} for kinds that have no such numbers."""
    spec, status = mapping(mapping(obj).get("spec")), mapping(mapping(obj).get("status"))
    if isinstance(status.get("containerStatuses"), list):
        return {RESTARTS: sum(_whole(item.get("restartCount")) or 0 for item in items(status["containerStatuses"]))}
    wanted, ready = _first(spec, "replicas", "size"), _first(status, "readyReplicas")
    if "desiredNumberScheduled" in status:
        wanted, ready = _whole(status["desiredNumberScheduled"]), _whole(status.get("numberReady"))
    if wanted is None and ready is None:
        return {}
    # A controller leaves out a number of none.
    found = {WANTED: wanted, READY: 0 if ready is None and "replicas" in status else ready}
    return {key: number for key, number in found.items() if number is not None}


def _first(part: Mapping[str, Any], *names: str) -> int | None:
    return next((number for name in names if (number := _whole(part.get(name))) is not None), None)


def _whole(value: Any) -> int | None:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 10**9 else None


def _line(key: str, found: list[tuple[datetime, _Numbers]], begin: datetime, end: datetime, top: int) -> ChartLine:
    whole = max((end - begin).total_seconds(), 1.0)
    parts: list[str] = []
    values: list[int] = []
    for at, numbers in found:
        if key not in numbers:
            continue
        x = round(max((at - begin).total_seconds(), 0.0) / whole * WIDTH, 1)
        y = round(HEIGHT - 2 - (HEIGHT - 4) * numbers[key] / top, 1)
        parts.append(f"H{x}V{y}" if parts else f"M{x} {y}")
        values.append(numbers[key])
    return ChartLine(key=key, path=f"{''.join(parts)}H{WIDTH}", least=min(values), most=max(values), now=values[-1])
