"""The state of one object over time, as bars: which state word, from when to when, in thousandths of the width."""

from dataclasses import dataclass, field
from datetime import datetime, timedelta

from django.utils import timezone

from resources.models import Step, Traced
from resources.state.health import Health

SHORTEST, LONGEST = timedelta(seconds=1), timedelta(days=30)
_BARS = 120


@dataclass(frozen=True, slots=True)
class Bar:
    """`x` and `width` of 1000. `health` without a state: nothing is known, or the kind has none."""

    x: float
    width: float
    health: Health
    begin: datetime
    end: datetime


@dataclass(frozen=True, slots=True)
class Share:
    """How much of the time the object was in a state, in percent."""

    health: Health
    percent: int

    @property
    def words(self) -> str:
        return str(self.percent) if self.percent else "< 1"


@dataclass(frozen=True, slots=True)
class Strip:
    """`since`: how long it is in its state now, None where that began before the history did."""

    bars: tuple[Bar, ...] = ()
    begin: datetime | None = None
    end: datetime | None = None
    shares: tuple[Share, ...] = ()
    now: Health = field(default_factory=Health)
    since: datetime | None = None
    changed: datetime | None = None


def strip(traced: Traced) -> Strip:
    """Of all the time that is known, thirty days at most. Empty for kinds without states."""
    rows = list(traced.steps.order_by("pk").values_list("at", "state", "event"))
    if not rows or not any(state for _at, state, _event in rows):
        return Strip(changed=rows[-1][0] if rows else None)
    now = traced.deleted_at or timezone.now()
    age = now - rows[0][0]
    begin = now - min(max(age, SHORTEST), LONGEST)
    points = _merged([(at, state) for at, state, event in rows if event != Step.DELETED])
    bars = _bars(points, begin, now)
    told = rows[-1][0] if len(rows) > 1 else None
    certain = len(points) > 1 or rows[0][2] == Step.CREATED
    return Strip(
        bars[-_BARS:], begin, now, _shares(bars), Health(points[-1][1]), points[-1][0] if certain else None, told
    )


def _merged(points: list[tuple[datetime, str]]) -> list[tuple[datetime, str]]:
    """Where the state word becomes another one."""
    found = points[:1]
    for at, state in points[1:]:
        if state != found[-1][1]:
            found.append((at, state))
    return found


def _bars(points: list[tuple[datetime, str]], begin: datetime, end: datetime) -> tuple[Bar, ...]:
    whole = max((end - begin).total_seconds(), 1.0)
    found = []
    for place, (at, state) in enumerate(points):
        first = max(at, begin)
        last = min(points[place + 1][0] if place + 1 < len(points) else end, end)
        if last >= first and last >= begin:
            x = round((first - begin).total_seconds() / whole * 1000, 1)
            width = round((last - first).total_seconds() / whole * 1000, 1)
            found.append(Bar(min(x, 998.0), max(width, 2.0), Health(state), first, last))
    return tuple(found)


def _shares(bars: tuple[Bar, ...]) -> tuple[Share, ...]:
    seconds: dict[str, float] = {}
    for bar in bars:
        seconds[bar.health.state] = seconds.get(bar.health.state, 0.0) + (bar.end - bar.begin).total_seconds()
    whole = sum(seconds.values()) or 1.0
    ranked = sorted(seconds.items(), key=lambda pair: -pair[1])
    return tuple(Share(Health(state), round(part / whole * 100)) for state, part in ranked if state)
