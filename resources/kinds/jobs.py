"""The pages of Jobs (how far they are) and CronJobs (when they run, and how the last runs went)."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

from django.utils.translation import gettext as _

from console.prefer import times
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import KubeObject, name_of, namespace_of, uid_of
from resources.kinds import Kind, Maker, Panel, cron
from resources.kinds.parts import Cell, Table, facts, label, line, lines, more_note, see, some, state, table
from resources.kinds.workloads import template_panels
from resources.state.health import items, mapping, text
from resources.state.kind_health import health

_RUNS = 20


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
    yield _("Schedule"), (*line(cron.words(when)), *line(when, "code"))
    yield _("Time zone"), line(zone) or line(_("Cluster default, usually UTC"), "muted")
    found = cron.parse(when)
    times = cron.following(found, datetime.now(UTC), zone) if found and not suspended else ()
    yield _("Next runs (UTC)"), lines(f"{time:%Y-%m-%d %H:%M}" for time in times)
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


PANELS: dict[Kind, Maker] = {("batch", "Job"): job, ("batch", "CronJob"): cron_job}
