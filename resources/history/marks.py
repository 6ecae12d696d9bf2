"""What happened to an object, as marks below its bar of states: what people changed, what controllers changed, and
what Events told.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Q
from django.utils.translation import gettext as _

from resources.history import timeline
from resources.history.timeline import TimelineEntry
from resources.models import Step, Traced
from resources.page.events import EventRow

PEOPLE, CONTROLLERS, EVENTS = "people", "controllers", "events"
#: Closer marks become one: in percent of the width, about four pixels.
NEAR = 0.6
#: What one mark tells; the list of changes has all.
TOLD = 5
#: Of one object; more would be one grey line.
MOST_STEPS = 300


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
    for field in entry.fields:
        return f"{field.path}: {field.before or '–'} → {field.after or '–'}"
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
