"""The history of one object as drawings: a bar of its states over time, marks of what happened, and lines of numbers.

Positions and widths are percentages of the whole width. Marks are in three lanes: changes by people, changes by
controllers, and Events. The numbers are the desired and ready replicas, and how often the containers restarted; Pods
have them where HISTORY_KINDS names Pods.

A line changes where a step says so. Small changes of the status that were folded into one step count as one.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Q
from django.utils import timezone
from django.utils.translation import gettext as _

from kube.reader import ApiType, read
from kube.types.core import ContainerStatus
from resources.history import stored_object, timeline
from resources.history.timeline import TimelineEntry
from resources.models import Step, Traced
from resources.page.events import EventRow
from resources.state.health import Health

SHORTEST, LONGEST = timedelta(seconds=1), timedelta(days=30)
#: How much time can be looked at, by its key in the address.
SPANS = {"1h": timedelta(hours=1), "24h": timedelta(hours=24), "7d": timedelta(days=7), "30d": LONGEST}
_BARS = 120

PEOPLE, CONTROLLERS, EVENTS = "people", "controllers", "events"
#: Closer marks become one: in percent of the width, about four pixels.
NEAR = 0.6
#: What one mark tells; the list of changes has all.
TOLD = 5
#: Of one object; more would be one grey line.
MOST_STEPS = 300

WIDTH, HEIGHT = 1000, 40
#: Of the table that says the same; the drawing has all.
MAX_CHART_ROWS = 30
WANTED, READY, RESTARTS = "wanted", "ready", "restarts"
_Numbers = dict[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """`x` and `width` in percent. `health` without a state: nothing is known, or the kind has none."""

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
class Span:
    """A length of time that can be chosen."""

    key: str
    is_shown: bool

    @property
    def label(self) -> str:
        return {"1h": _("1 hour"), "24h": _("24 hours"), "7d": _("7 days"), "30d": _("30 days")}[self.key]


@dataclass(frozen=True, slots=True, kw_only=True)
class Strip:
    """`spans`: the lengths of time that make a difference, none where there is one only.

    `since`: how long it is in its state now, None where that began before the history did.
    """

    bars: tuple[Bar, ...] = ()
    begin: datetime | None = None
    end: datetime | None = None
    shares: tuple[Share, ...] = ()
    spans: tuple[Span, ...] = ()
    now: Health = field(default_factory=Health)
    since: datetime | None = None
    changed: datetime | None = None


def strip(traced: Traced, asked: str = "") -> Strip:
    """Empty for kinds without states.

    `asked`: a key of SPANS; else the shortest that holds the last change of state.
    """
    rows = list(traced.steps.order_by("pk").values_list("at", "state", "event"))
    if not rows or not any(state for _at, state, _event in rows):
        return Strip(changed=rows[-1][0] if rows else None)
    now = traced.deleted_at or timezone.now()
    points = _merged([(at, state) for at, state, event in rows if event != Step.DELETED])
    age = max(now - rows[0][0], SHORTEST)
    offered = _offered(age)
    key = asked if asked in offered else _holding(offered, now - points[-1][0])
    begin = now - min(age, SPANS[key])
    bars = _bars(points, begin, now)
    certain = len(points) > 1 or rows[0][2] == Step.CREATED
    return Strip(
        bars=bars[-_BARS:],
        begin=begin,
        end=now,
        shares=_shares(bars),
        spans=tuple(Span(span, span == key) for span in offered) if len(offered) > 1 else (),
        now=Health(state=points[-1][1]),
        since=points[-1][0] if certain else None,
        changed=rows[-1][0] if len(rows) > 1 else None,
    )


def _offered(age: timedelta) -> list[str]:
    """Those shorter than what is known, and the one that holds all of it."""
    shorter = [key for key, length in SPANS.items() if length < age]
    return list(SPANS)[: len(shorter) + 1]


def _holding(offered: list[str], elapsed: timedelta) -> str:
    return next((key for key in offered if SPANS[key] >= elapsed), offered[-1])


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
            x = round((first - begin).total_seconds() / whole * 100, 2)
            width = round((last - first).total_seconds() / whole * 100, 2)
            found.append(Bar(x=min(x, 99.8), width=max(width, 0.2), health=Health(state=state), begin=first, end=last))
    return tuple(found)


def _shares(bars: tuple[Bar, ...]) -> tuple[Share, ...]:
    seconds: dict[str, float] = {}
    for bar in bars:
        seconds[bar.health.state] = seconds.get(bar.health.state, 0.0) + (bar.end - bar.begin).total_seconds()
    whole = sum(seconds.values()) or 1.0
    ranked = sorted(seconds.items(), key=lambda pair: -pair[1])
    return tuple(Share(Health(state=state), round(part / whole * 100)) for state, part in ranked if state)


@dataclass(frozen=True, slots=True, kw_only=True)
class Happened:
    """`lane`: PEOPLE, CONTROLLERS or EVENTS. `url`: the page with details, '' if there is none."""

    at: datetime
    lane: str
    words: str
    url: str = ""
    is_warning: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class TimelineMark:
    """At `percent` of the width: all that happened about then, `words` the newest first."""

    percent: float
    words: tuple[str, ...]
    count: int
    url: str
    at: datetime
    is_warning: bool

    @property
    def more(self) -> int:
        return self.count - len(self.words)


@dataclass(frozen=True, slots=True)
class Lane:
    """`count`: of all that happened in it."""

    key: str
    marks: tuple[TimelineMark, ...] = ()
    count: int = 0

    @property
    def label(self) -> str:
        return {PEOPLE: _("People"), CONTROLLERS: _("Controllers"), EVENTS: _("Events")}[self.key]


def lanes(happened: Iterable[Happened], begin: datetime, end: datetime) -> tuple[Lane, ...]:
    """Every lane, also an empty one: the drawing keeps its height. What lies outside of the time is left out."""
    inside = sorted((event for event in happened if begin <= event.at <= end), key=lambda event: event.at, reverse=True)
    found = []
    for key in (PEOPLE, CONTROLLERS, EVENTS):
        own = [event for event in inside if event.lane == key]
        found.append(Lane(key, tuple(_marks(own, begin, end)), len(own)))
    return tuple(found)


def _marks(newest_first: list[Happened], begin: datetime, end: datetime) -> Iterable[TimelineMark]:
    whole = max((end - begin).total_seconds(), 1.0)
    left = newest_first
    while left:
        place = (left[0].at - begin).total_seconds() / whole * 100
        near = [event for event in left if place - (event.at - begin).total_seconds() / whole * 100 < NEAR]
        yield TimelineMark(
            percent=round(place, 2),
            words=tuple(event.words for event in near[:TOLD]),
            count=len(near),
            url=near[0].url,
            at=near[0].at,
            is_warning=any(event.is_warning for event in near),
        )
        left = left[len(near) :]


def happened(traced: Traced, events: Iterable[EventRow], history_url: str) -> list[Happened]:
    """The object's Events, and the last MOST_STEPS changes of its history that are not only of the status."""
    rows = traced.steps.filter(Q(spec=True) | Q(meta=True) | ~Q(event=Step.CHANGED)).order_by("-pk")[:MOST_STEPS]
    users = timeline.users_of(traced)
    found = [_of_step(timeline.entry(step, users), history_url) for step in rows]
    return found + [mark for event in events if (mark := _of_event(event))]


def _of_step(entry: TimelineEntry, history_url: str) -> Happened:
    who = entry.user or entry.who or _("unknown")
    return Happened(
        at=entry.until,
        lane=PEOPLE if entry.by_person else CONTROLLERS,
        words=f"{who}: {_change(entry)}",
        url=f"{history_url}#step-{entry.pk}",
    )


def _change(entry: TimelineEntry) -> str:
    events = {Step.CREATED: _("created"), Step.DELETED: _("deleted"), Step.SEEN: _("first seen")}
    if entry.event in events:
        return events[entry.event]
    for change in entry.fields:
        return f"{change.path}: {change.before or '–'} → {change.after or '–'}"
    return _("changed")


def _of_event(event: EventRow) -> Happened | None:
    if event.at is None:
        return None
    return Happened(
        at=event.at,
        lane=EVENTS,
        words=f"{event.about.kind} {event.about.name}: {event.reason}",
        url=f"#event-{event.uid}",
        is_warning=event.warning,
    )


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
    """`rows`: the newest first, MAX_CHART_ROWS of them. No `lines`: the object has no such numbers."""

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
    found = _changed_numbers(list(_numbers_over_time(traced)))
    if not found:
        return Figures()
    end = traced.deleted_at or timezone.now()
    begin = begin or end - min(max(end - found[0][0], SHORTEST), LONGEST)
    keys = [key for key in (WANTED, READY, RESTARTS) if any(key in numbers for _at, numbers in found)]
    inside = [point for place, point in enumerate(found) if place + 1 == len(found) or found[place + 1][0] > begin]
    top = max(1, *(number for _at, numbers in inside for number in numbers.values()))
    lines = tuple(_line(key, inside, begin, end, top) for key in keys)
    rows = tuple(ChartRow(at, tuple(numbers.get(key) for key in keys)) for at, numbers in reversed(inside))
    return Figures(lines=lines, rows=rows[:MAX_CHART_ROWS], begin=begin, end=end, top=top)


def _numbers_over_time(traced: Traced) -> Iterator[tuple[datetime, _Numbers]]:
    """(since when, numbers), the newest first, as far back as versions can be made."""
    obj = stored_object.unpacked(traced.head)
    for step in traced.steps.exclude(event=Step.DELETED).order_by("-pk").iterator(chunk_size=50):
        yield step.at, numbers_of(obj)
        if not step.back:
            return
        obj = stored_object.apply_steps(obj, stored_object.unpacked(step.back))


def _changed_numbers(newest_first: list[tuple[datetime, _Numbers]]) -> list[tuple[datetime, _Numbers]]:
    """In the order of time, where any number becomes another one."""
    found: list[tuple[datetime, _Numbers]] = []
    for at, numbers in reversed(newest_first):
        if numbers and (not found or found[-1][1] != numbers):
            found.append((at, numbers))
    return found


class _ScalableSpec(ApiType, frozen=True):
    """`size`: as many operators call it."""

    replicas: int | None = None
    size: int | None = None


class _ScalableStatus(ApiType, frozen=True):
    replicas: int | None = None
    ready_replicas: int | None = None
    desired_number_scheduled: int | None = None
    number_ready: int | None = None
    container_statuses: tuple[ContainerStatus, ...] | None = None


class _Scalable(ApiType, frozen=True):
    """Of any kind, by the numbers that its objects say of themselves; None for those it doesn't have."""

    spec: _ScalableSpec = _ScalableSpec()
    status: _ScalableStatus = _ScalableStatus()


def numbers_of(obj: Any) -> _Numbers:
    """What an object says of itself; {} for kinds that have no such numbers."""
    scalable = read(obj, _Scalable)
    spec, status = scalable.spec, scalable.status
    if status.container_statuses is not None:
        return {RESTARTS: sum(_plausible(container.restart_count) or 0 for container in status.container_statuses)}
    wanted, ready = _plausible(spec.replicas), _plausible(status.ready_replicas)
    if wanted is None:
        wanted = _plausible(spec.size)
    if status.desired_number_scheduled is not None:
        wanted, ready = _plausible(status.desired_number_scheduled), _plausible(status.number_ready)
    if wanted is None and ready is None:
        return {}
    # A controller leaves out a number of none.
    found = {WANTED: wanted, READY: 0 if ready is None and status.replicas is not None else ready}
    return {key: number for key, number in found.items() if number is not None}


def _plausible(number: int | None) -> int | None:
    return number if number is not None and 0 <= number < 10**9 else None


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
