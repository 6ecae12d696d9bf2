"""The pages of Jobs (how far they are) and CronJobs (when they run, and how the last runs went).

A CronJob's schedule is shown in words where it is one of the usual ones, and with its next times. Kubernetes reads
schedules as https://pkg.go.dev/github.com/robfig/cron/v3 does: five fields, names of months and days, `@daily` and the
like. Celery's parser, which comes with the console, takes the fields apart.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from celery.schedules import ParseException, crontab_parser
from django.utils.translation import gettext as _

from console.prefer import times
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import KubeObject
from kube.reader import read
from kube.types.workloads import CronJob, Job, JobStatus
from resources.kinds import Kind, Maker, Panel
from resources.kinds.parts import Cell, Table, facts, in_seconds, label, line, lines, more_note, see, some, state, table
from resources.kinds.workloads import template_panels
from resources.state.health import Health
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


def job_panels(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    job = read(obj, Job)
    yield facts("job", _("Job"), _job(job))
    yield from template_panels(client, job.spec.template, job.metadata.namespace)


def _job(job: Job) -> Iterator[tuple[str, Cell]]:
    spec, status = job.spec, job.status
    yield _("Completions"), line(completions(job))
    yield _("Running"), line(status.active or None)
    yield _("Failed Pods"), label(status.failed, "red") if status.failed else ()
    yield _("Started"), line(status.start_time, "age")
    yield _("Ended"), line(ended(status), "age")
    yield _("Duration"), line(duration(status.start_time, ended(status)))
    yield _("Parallelism"), line(spec.parallelism)
    yield _("Backoff limit"), line(spec.backoff_limit)
    yield _("Active deadline"), line(in_seconds(spec.active_deadline_seconds))
    yield _("TTL after finished"), line(in_seconds(spec.ttl_seconds_after_finished))
    yield _("Suspended"), label(_("Yes"), "purple") if spec.suspend else ()


def completions(job: Job) -> str:
    """'1 of 3'; of a Job without a wanted number, 'until one succeeds'."""
    done, wanted = job.status.succeeded, job.spec.completions
    if wanted is None:
        return _("%(n)d, completes when any Pod succeeds") % {"n": done}
    return _("%(n)d of %(wanted)d") % {"n": done, "wanted": wanted}


def ended(status: JobStatus) -> str:
    """When it completed or failed, '' while it runs."""
    failed = (
        condition.last_transition_time
        for condition in status.conditions
        if condition.type == "Failed" and condition.status == "True"
    )
    return status.completion_time or next(failed, "")


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


def cron_job_panels(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    cron_job = read(obj, CronJob)
    yield facts("schedule", _("Schedule"), _schedule(cron_job))
    yield _runs(client, cron_job)
    yield from template_panels(client, cron_job.spec.job_template.spec.template, cron_job.metadata.namespace)


def _schedule(cron_job: CronJob) -> Iterator[tuple[str, Cell]]:
    spec, status = cron_job.spec, cron_job.status
    yield _("Schedule"), (*line(schedule_words(spec.schedule)), *line(spec.schedule, "code"))
    yield _("Time zone"), line(spec.time_zone) or line(_("Cluster default, usually UTC"), "muted")
    found = parse_schedule(spec.schedule)
    runs = next_runs(found, datetime.now(UTC), spec.time_zone) if found and not spec.suspend else ()
    yield _("Next runs (UTC)"), lines(f"{time:%Y-%m-%d %H:%M}" for time in runs)
    yield _("Suspended"), label(_("Yes: no new Jobs are started"), "purple") if spec.suspend else ()
    yield _("Last run"), line(status.last_schedule_time, "age")
    yield _("Last success"), line(status.last_successful_time, "age")
    policies = {
        "Allow": _("Allow: runs can overlap"),
        "Forbid": _("Forbid: the next run is skipped"),
        "Replace": _("Replace: the next run replaces the running Job"),
    }
    yield _("Concurrency policy"), line(policies.get(spec.concurrency_policy, spec.concurrency_policy))
    yield _("Starting deadline"), line(in_seconds(spec.starting_deadline_seconds))


def _runs(client: ClusterClient, cron_job: CronJob) -> Panel:
    meta = cron_job.metadata
    found = some(client, "batch", "Job", meta.namespace)
    mine = [(job, item) for item in found.items if (job := read(item, Job)).metadata.controller.uid == meta.uid]
    mine.sort(key=lambda pair: pair[0].metadata.creation_timestamp, reverse=True)
    made = Table(
        title=_("Recent runs"),
        columns=(_("Job"), _("State"), _("Duration"), times.heading()),
        rows=tuple(_run(client, job, health(item)) for job, item in mine[:_RUNS]),
        note=more_note(found),
        left=max(0, len(mine) - _RUNS),
        problem=found.problem,
        empty=_("No Jobs. The CronJob hasn't run yet, or its Jobs were deleted."),
    )
    return table("runs", made, wide=True)


def _run(client: ClusterClient, job: Job, job_health: Health) -> tuple[Cell, ...]:
    return (
        see(client, "batch", "Job", job.metadata.name, job.metadata.namespace),
        state(job_health),
        line(duration(job.status.start_time, ended(job.status))),
        line(job.metadata.creation_timestamp, "age"),
    )


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


PANELS: dict[Kind, Maker] = {("batch", "Job"): job_panels, ("batch", "CronJob"): cron_job_panels}
