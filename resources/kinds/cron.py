"""A CronJob's schedule: in words where it is one of the usual ones, and the next times. Pure.

Kubernetes reads schedules as https://pkg.go.dev/github.com/robfig/cron/v3 does: five fields, names of months and days,
`@daily` and the like. Celery's parser, which comes with the console, takes the fields apart.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from celery.schedules import ParseException, crontab_parser
from django.utils.translation import gettext as _

_MACROS = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
# How many values a field has, and the first of them.
_FIELDS = ((60, 0), (24, 0), (31, 1), (12, 1), (7, 0))
_DAYS_AHEAD = 5 * 366
_EVERY_STEP = re.compile(r"\*/(\d+)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Schedule:
    """The values of each field. `any_day`, `any_weekday`: that field was `*`."""

    minutes: tuple[int, ...]
    hours: tuple[int, ...]
    days: frozenset[int]
    months: frozenset[int]
    weekdays: frozenset[int]
    any_day: bool
    any_weekday: bool

    def on(self, day: datetime) -> bool:
        """Whether it happens on that day. Where both fields are limited, one that fits is enough."""
        if day.month not in self.months:
            return False
        of_month, of_week = day.day in self.days, day.isoweekday() % 7 in self.weekdays
        return (of_month and of_week) if self.any_day or self.any_weekday else (of_month or of_week)


def parse(text: str) -> Schedule | None:
    """None if it isn't a schedule, and for `@every`, which counts from its last run."""
    fields = _MACROS.get(text.strip(), text).split()
    if len(fields) != len(_FIELDS):
        return None
    values: list[tuple[int, ...]] = []
    for field, (size, first) in zip(fields, _FIELDS, strict=True):
        whole = field.replace("?", "*").lower()
        # `5/15` is Go's way to say 5-59/15.
        whole = re.sub(r"(?<![\d/-])(\d+)/(\d+)", rf"\1-{size + first - 1}/\2", whole)
        try:
            values.append(tuple(sorted(crontab_parser(size, first).parse(whole))))
        except (ParseException, ValueError):
            return None
    stars = [field[0] in "*?" for field in fields]
    return Schedule(
        minutes=values[0],
        hours=values[1],
        days=frozenset(values[2]),
        months=frozenset(values[3]),
        weekdays=frozenset(values[4]),
        any_day=stars[2],
        any_weekday=stars[4],
    )


def following(schedule: Schedule, after: datetime, zone: str = "", count: int = 3) -> tuple[datetime, ...]:
    """The next times, in UTC; fewer when there are none within five years (30 February)."""
    return tuple(_following(schedule, after, _zone(zone), count))


def _following(schedule: Schedule, after: datetime, zone: ZoneInfo | None, count: int) -> Iterator[datetime]:
    here = after.astimezone(zone or UTC)
    start = datetime(here.year, here.month, here.day, tzinfo=here.tzinfo)
    for number in range(_DAYS_AHEAD):
        day = start + timedelta(days=number)
        if not schedule.on(day):
            continue
        for hour in schedule.hours:
            for minute in schedule.minutes:
                time = day.replace(hour=hour, minute=minute).astimezone(UTC)
                # An hour that a change of clocks leaves out comes back as another one.
                if time > after and time.astimezone(here.tzinfo).hour == hour:
                    yield time
                    count -= 1
                    if not count:
                        return


def _zone(name: str) -> ZoneInfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return None


def words(text: str) -> str:
    """'every 15 minutes', 'every day at 03:00'; '' for schedules that are better read as they are."""
    plain = _MACROS.get(text.strip(), text.strip())
    if plain.startswith("@every"):
        return _("every %(time)s") % {"time": plain.removeprefix("@every").strip()}
    fields, schedule = plain.split(), parse(plain)
    if schedule is None:
        return ""
    minute, hour, day, month, weekday = fields
    if month != "*":
        return ""
    if (day, weekday) == ("*", "*"):
        return _daily(minute, hour)
    if not (minute.isdecimal() and hour.isdecimal()):
        return ""
    time = f"{int(hour):02}:{int(minute):02}"
    if day == "*":
        names = (_("Sunday"), _("Monday"), _("Tuesday"), _("Wednesday"), _("Thursday"), _("Friday"), _("Saturday"))
        days = ", ".join(names[number] for number in sorted(schedule.weekdays))
        return _("every %(day)s at %(time)s") % {"day": days, "time": time}
    if weekday == "*" and day.isdecimal():
        return _("on day %(day)s of every month at %(time)s") % {"day": day, "time": time}
    return ""


def _daily(minute: str, hour: str) -> str:
    step = _EVERY_STEP.fullmatch(minute)
    if hour == "*":
        if minute == "*":
            return _("every minute")
        if step:
            return _("every %(n)s minutes") % {"n": step[1]}
        return _("every hour at minute %(n)s") % {"n": minute} if minute.isdecimal() else ""
    hours = _EVERY_STEP.fullmatch(hour)
    if hours and minute.isdecimal():
        return _("every %(n)s hours at minute %(minute)s") % {"n": hours[1], "minute": minute}
    if minute.isdecimal() and hour.isdecimal():
        return _("every day at %(time)s") % {"time": f"{int(hour):02}:{int(minute):02}"}
    return ""
