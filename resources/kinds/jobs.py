"""The pages of Jobs (how far they are) and CronJobs (when they run, and how the last runs went).

A CronJob's schedule is shown in words where it is one of the usual ones, and with its next times. Kubernetes reads
schedules as https://pkg.go.dev/github.com/robfig/cron/v3 does: five fields, names of months and days, `@daily` and the
like. Celery's parser, which comes with the console, takes the fields apart.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from celery.schedules import ParseException, crontab_parser
from django.utils.translation import gettext as _

from console.prefer import times
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import KubeObject, items, mapping, name_of, namespace_of, text, uid_of
from resources.kinds import Kind, Maker, Panel
from resources.kinds.parts import Cell, Table, facts, label, line, lines, more_note, see, some, state, table
from resources.kinds.workloads import template_panels
from resources.state.kind_health import health

_RUNS = 20
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


def job(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    yield facts("job", _("Job"), _job(obj))
    yield from template_panels(client, mapping(mapping(obj.get("spec")).get("template")), namespace_of(obj))


def _job(obj: KubeObject) -> Iterator[tuple[str, Cell]]:
    spec, status = mapping(obj.get("spec")), mapping(obj.get("status"))
    yield _("Completions"), line(completions(obj))
    yield _("Running"), line(status.get("active"))
    yield _("Failed Pods"), label(status.get("failed"), "red") if status.get("failed") else ()
    yield _("Started"), line(status.get("startTime"), "age")
    yield _("Ended"), line(ended(obj), "age")
    yield _("Duration"), line(duration(text(status.get("startTime")), ended(obj)))
    yield _("Parallelism"), line(spec.get("parallelism"))
    yield _("Backoff limit"), line(spec.get("backoffLimit"))
    yield _("Active deadline"), line(_seconds(spec.get("activeDeadlineSeconds")))
    yield _("TTL after finished"), line(_seconds(spec.get("ttlSecondsAfterFinished")))
    yield _("Suspended"), label(_("Yes"), "purple") if spec.get("suspend") is True else ()


def completions(obj: KubeObject) -> str:
    """'1 of 3'; of a Job without a wanted number, 'until one succeeds'."""
    done = mapping(obj.get("status")).get("succeeded")
    wanted = mapping(obj.get("spec")).get("completions")
    number = done if isinstance(done, int) else 0
    if not isinstance(wanted, int):
        return _("%(n)d, completes when any Pod succeeds") % {"n": number}
    return _("%(n)d of %(wanted)d") % {"n": number, "wanted": wanted}


def ended(obj: KubeObject) -> str:
    """When it completed or failed, '' while it runs."""
    status = mapping(obj.get("status"))
    failed = (
        text(entry.get("lastTransitionTime"))
        for entry in items(status.get("conditions"))
        if entry.get("type") == "Failed" and entry.get("status") == "True"
    )
    return text(status.get("completionTime")) or next(failed, "")


def duration(start: str, end: str) -> str:
    """'2 min 5 s'; '' before the start, for invalid times, and while it runs, since the page doesn't count up."""
    try:
        seconds = int((datetime.fromisoformat(end) - datetime.fromisoformat(start)).total_seconds())
    except (ValueError, TypeError):
        return ""
    if seconds < 60:
        return f"{max(0, seconds)} s"
    if seconds < 3600:
        return f"{seconds // 60} min {seconds % 60} s"
    return f"{seconds // 3600} h {seconds % 3600 // 60} min"


def _seconds(value: Any) -> str:
    return f"{value} s" if isinstance(value, int) and not isinstance(value, bool) else ""


def cron_job(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    yield facts("schedule", _("Schedule"), _schedule(obj))
    yield _runs(client, obj)
    template = mapping(mapping(mapping(mapping(obj.get("spec")).get("jobTemplate")).get("spec")).get("template"))
    yield from template_panels(client, template, namespace_of(obj))


def _schedule(obj: KubeObject) -> Iterator[tuple[str, Cell]]:
    spec, status = mapping(obj.get("spec")), mapping(obj.get("status"))
    when, zone = text(spec.get("schedule")), text(spec.get("timeZone"))
    suspended = spec.get("suspend") is True
    yield _("Schedule"), (*line(schedule_words(when)), *line(when, "code"))
    yield _("Time zone"), line(zone) or line(_("Cluster default, usually UTC"), "muted")
    found = parse_schedule(when)
    runs = next_runs(found, datetime.now(UTC), zone) if found and not suspended else ()
    yield _("Next runs (UTC)"), lines(f"{time:%Y-%m-%d %H:%M}" for time in runs)
    yield _("Suspended"), label(_("Yes: no new Jobs are started"), "purple") if suspended else ()
    yield _("Last run"), line(status.get("lastScheduleTime"), "age")
    yield _("Last success"), line(status.get("lastSuccessfulTime"), "age")
    policies = {
        "Allow": _("Allow: runs can overlap"),
        "Forbid": _("Forbid: the next run is skipped"),
        "Replace": _("Replace: the next run replaces the running Job"),
    }
    policy = text(spec.get("concurrencyPolicy"))
    yield _("Concurrency policy"), line(policies.get(policy, policy))
    yield _("Starting deadline"), line(_seconds(spec.get("startingDeadlineSeconds")))


def _runs(client: ClusterClient, obj: KubeObject) -> Panel:
    found = some(client, "batch", "Job", namespace_of(obj))
    mine = [item for item in found.items if _owner(item) == uid_of(obj)]
    mine.sort(key=lambda item: text(mapping(item.get("metadata")).get("creationTimestamp")), reverse=True)
    rows = tuple(
        (
            see(client, "batch", "Job", name_of(item), namespace_of(obj)),
            state(health(item)),
            line(duration(text(mapping(item.get("status")).get("startTime")), ended(item))),
            line(mapping(item.get("metadata")).get("creationTimestamp"), "age"),
        )
        for item in mine[:_RUNS]
    )
    columns = (_("Job"), _("State"), _("Duration"), times.heading())
    empty = _("No Jobs. The CronJob hasn't run yet, or its Jobs were deleted.")
    left = max(0, len(mine) - _RUNS)
    return table(
        "runs",
        Table(
            title=_("Recent runs"),
            columns=columns,
            rows=rows,
            note=more_note(found),
            left=left,
            problem=found.problem,
            empty=empty,
        ),
        wide=True,
    )


def _owner(item: KubeObject) -> str:
    owners = items(mapping(item.get("metadata")).get("ownerReferences"))
    return next((text(owner.get("uid")) for owner in owners if owner.get("controller") is True), "")


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


def parse_schedule(schedule: str) -> Schedule | None:
    """None if it isn't a schedule, and for `@every`, which counts from its last run."""
    fields = _MACROS.get(schedule.strip(), schedule).split()
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


def next_runs(schedule: Schedule, after: datetime, zone: str = "", count: int = 3) -> tuple[datetime, ...]:
    """The next times, in UTC; fewer when there are none within five years (30 February)."""
    return tuple(_next_runs(schedule, after, _zone(zone), count))


def _next_runs(schedule: Schedule, after: datetime, zone: ZoneInfo | None, count: int) -> Iterator[datetime]:
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


def schedule_words(schedule: str) -> str:
    """'every 15 minutes', 'every day at 03:00'; '' for schedules that are better read as they are."""
    plain = _MACROS.get(schedule.strip(), schedule.strip())
    if plain.startswith("@every"):
        return _("every %(time)s") % {"time": plain.removeprefix("@every").strip()}
    fields, found = plain.split(), parse_schedule(plain)
    if found is None:
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
        days = ", ".join(names[number] for number in sorted(found.weekdays))
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


PANELS: dict[Kind, Maker] = {("batch", "Job"): job, ("batch", "CronJob"): cron_job}
