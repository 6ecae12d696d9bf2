"""When a CronJob runs: the five fields of cron, names and steps, and the @words (robfig/cron's standard parser)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

_WORDS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
_MONTHS = {
    name: number
    for number, name in enumerate(
        ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"], 1
    )
}
_DAYS = {name: number for number, name in enumerate(["sun", "mon", "tue", "wed", "thu", "fri", "sat"])}
_BOUNDS: tuple[tuple[int, int, dict[str, int]], ...] = (
    (0, 59, {}),
    (0, 23, {}),
    (1, 31, {}),
    (1, 12, _MONTHS),
    (0, 6, _DAYS),
)
#: Nothing repeats more rarely than the 29th of February.
_HORIZON = timedelta(days=366 * 5)


@dataclass(frozen=True, slots=True)
class Schedule:
    """The numbers that each field allows. Where both days are restricted, either is enough."""

    minutes: frozenset[int]
    hours: frozenset[int]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    any_day: bool
    any_weekday: bool

    @classmethod
    def parse(cls, text: str) -> Schedule:
        """ValueError says what is wrong."""
        fields = _WORDS.get(text.strip(), text).split()
        if len(fields) != 5:
            raise ValueError(f"expected exactly 5 fields, found {len(fields)}: [{' '.join(fields)}]")
        minutes, hours, days, months, weekdays = (
            _field(field, *bounds) for field, bounds in zip(fields, _BOUNDS, strict=True)
        )
        stars = [field.startswith(("*", "?")) for field in fields]
        return cls(minutes, hours, days, months, weekdays, stars[2], stars[4])

    def after(self, moment: datetime) -> datetime | None:
        """The first time later than ``moment``, in its time zone; None when it never comes."""
        at = moment.replace(second=0, microsecond=0) + timedelta(minutes=1)
        end = moment + _HORIZON
        while at < end:
            if at.month not in self.months:
                at = (at.replace(day=1, hour=0, minute=0) + timedelta(days=32)).replace(day=1)
            elif not self._on(at):
                at = at.replace(hour=0, minute=0) + timedelta(days=1)
            elif at.hour not in self.hours:
                at = at.replace(minute=0) + timedelta(hours=1)
            elif at.minute not in self.minutes:
                at += timedelta(minutes=1)
            else:
                return at
        return None

    def _on(self, at: datetime) -> bool:
        day, weekday = at.day in self.days, at.isoweekday() % 7 in self.weekdays
        if self.any_day or self.any_weekday:
            return day and weekday
        return day or weekday


def _field(text: str, low: int, high: int, names: dict[str, int]) -> frozenset[int]:
    found: set[int] = set()
    for part in text.split(","):
        span, _, step = part.partition("/")
        if step and (not step.isdigit() or not int(step)):
            raise ValueError(f"failed to parse int from {step}")
        if span in ("*", "?"):
            first, last = low, high
        else:
            begin, dash, end = span.partition("-")
            first = _number(begin, names)
            last = _number(end, names) if dash else (high if step else first)
        if first < low:
            raise ValueError(f"beginning of range ({first}) below minimum ({low}): {text}")
        if last > high and not (high == 6 and last == 7):
            raise ValueError(f"end of range ({last}) above maximum ({high}): {text}")
        if first > last:
            raise ValueError(f"beginning of range ({first}) beyond end of range ({last}): {text}")
        found.update(number % 7 if high == 6 else number for number in range(first, last + 1, int(step or 1)))
    return frozenset(found)


def _number(text: str, names: dict[str, int]) -> int:
    if text.lower() in names:
        return names[text.lower()]
    if not text.isdigit():
        raise ValueError(f"failed to parse int from {text}")
    return int(text)
