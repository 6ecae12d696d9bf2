"""When a CronJob runs: the five fields of cron, names and steps, and the @words (robfig/cron's standard parser)."""

from __future__ import annotations

import re
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
_PART = re.compile(r"(\d+\.?\d*|\.\d+)(ns|us|µs|ms|s|m|h)")
_SECONDS = {"ns": 1e-9, "us": 1e-6, "µs": 1e-6, "ms": 1e-3, "s": 1.0, "m": 60.0, "h": 3600.0}
_EVERY = "@every "
_ZONE = re.compile(r"(?:CRON_)?TZ=\S* +")
#: Nothing repeats more rarely than the 29th of February.
_HORIZON = timedelta(days=366 * 5)


@dataclass(frozen=True, slots=True, kw_only=True)
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
        if text.startswith("@") and text not in _WORDS:
            raise ValueError(f"unrecognized descriptor: {text}")
        fields = _WORDS.get(text, text).split()
        if len(fields) != 5:
            raise ValueError(f"expected exactly 5 fields, found {len(fields)}: [{' '.join(fields)}]")
        minutes, hours, days, months, weekdays = (
            _field(field, *bounds) for field, bounds in zip(fields, _BOUNDS, strict=True)
        )
        stars = [field.startswith(("*", "?")) for field in fields]
        return cls(
            minutes=minutes,
            hours=hours,
            days=days,
            months=months,
            weekdays=weekdays,
            any_day=stars[2],
            any_weekday=stars[4],
        )

    def after(self, moment: datetime) -> datetime | None:
        """The first time later than ``moment``, in its time zone; None when there is none."""
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


@dataclass(frozen=True, slots=True)
class Every:
    """Again and again after so much time."""

    pause: timedelta

    @classmethod
    def parse(cls, text: str) -> Every:
        """``@every 1h30m``; ValueError says what is wrong."""
        length = text.removeprefix(_EVERY)
        parts = _PART.findall(length)
        if not parts or "".join(number + unit for number, unit in parts) != length.removeprefix("+"):
            raise ValueError(f'failed to parse duration {text}: time: invalid duration "{length}"')
        seconds = int(sum(float(number) * _SECONDS[unit] for number, unit in parts))
        return cls(timedelta(seconds=max(1, seconds)))

    def after(self, moment: datetime) -> datetime | None:
        """The next time."""
        return moment.replace(microsecond=0) + self.pause


def parse_schedule(text: str) -> Schedule | Every:
    """A CronJob's schedule; ValueError says what is wrong."""
    plain = text[found.end() :] if (found := _ZONE.match(text)) else text
    return Every.parse(plain) if plain.startswith(_EVERY) else Schedule.parse(plain)


def fault_of(text: str) -> str:
    """The fault of a schedule; empty for a valid one."""
    try:
        parse_schedule(text)
    except ValueError as fault:
        return str(fault)
    return ""


def _field(text: str, low: int, high: int, names: dict[str, int]) -> frozenset[int]:
    found: set[int] = set()
    for part in text.split(","):
        span, _, step = part.partition("/")
        if span in ("*", "?"):
            first, last = low, high
        else:
            begin, dash, end = span.partition("-")
            first = _number(begin, names)
            last = _number(end, names) if dash else (high if step else first)
        pace = _number(step, {}) if step else 1
        if first < low:
            raise ValueError(f"beginning of range ({first}) below minimum ({low}): {part}")
        if last > high:
            raise ValueError(f"end of range ({last}) above maximum ({high}): {part}")
        if first > last:
            raise ValueError(f"beginning of range ({first}) beyond end of range ({last}): {part}")
        if not pace:
            raise ValueError(f"step of range should be a positive number: {part}")
        found.update(range(first, last + 1, pace))
    return frozenset(found)


def _number(text: str, names: dict[str, int]) -> int:
    if text.lower() in names:
        return names[text.lower()]
    if not text.isdigit():
        raise ValueError(f'failed to parse int from {text}: strconv.Atoi: parsing "{text}": invalid syntax')
    return int(text)
