"""Jobs and CronJobs."""

from __future__ import annotations

from typing import Any
from zoneinfo import ZoneInfo

from ...objects import dig
from ...schedule import fault_of
from .basics import (
    Causes,
    Object,
    invalid,
    matches,
    not_negative,
    not_supported,
    one_of,
    only,
    required,
    selector,
    usable,
)
from .podspec import template

_FIXED = "field is immutable"
_COUNTED = (
    "parallelism",
    "completions",
    "activeDeadlineSeconds",
    "backoffLimit",
    "ttlSecondsAfterFinished",
    "backoffLimitPerIndex",
    "maxFailedIndexes",
)
_KEPT = ("completionMode", "podFailurePolicy", "backoffLimitPerIndex", "managedBy", "successPolicy")
#: What may still change in the template of a Job that never started.
_SCHEDULING = ("nodeSelector", "affinity", "tolerations", "schedulingGates")


def job(obj: Object, old: Object | None) -> Causes:
    """A Job."""
    spec = obj.get("spec") or {}
    yield from _generated(obj, spec)
    yield from _whole(spec)
    if old is not None:
        yield from _whole(spec)  # the API server looks twice
        yield from _update(spec, old)


def _whole(spec: Object) -> Causes:
    yield from job_spec("spec", spec)
    given = spec.get("selector")
    if given is None:
        yield required("spec.selector")
    else:
        yield from selector("spec.selector", given)
    found = dig(spec, "template", "metadata", "labels") or None
    if usable(given) and not matches(given, found):
        yield invalid("spec.template.metadata.labels", found, "`selector` does not match template `labels`")


def _generated(obj: Object, spec: Object) -> Causes:
    """The selector that the server makes is not to be given."""
    if spec.get("manualSelector"):
        return
    wanted = {"controller-uid": dig(obj, "metadata", "uid"), "job-name": dig(obj, "metadata", "name")}
    wanted |= {f"batch.kubernetes.io/{key}": value for key, value in wanted.items()}
    given = spec.get("selector")
    if given is not None and usable(given) and not matches(given, wanted):
        yield invalid("spec.selector", spec.get("selector"), "`selector` not auto-generated")


def _update(spec: Object, stored: Object) -> Causes:
    old = stored.get("spec") or {}
    if spec.get("completions") != old.get("completions") and not _elastic(spec, old):
        yield invalid("spec.completions", spec.get("completions"), _FIXED)
    if spec.get("selector") != old.get("selector"):
        yield invalid("spec.selector", spec.get("selector"), _FIXED)
    suspended = old.get("suspend") and not dig(stored, "status", "startTime")
    if _template(spec, bool(suspended)) != _template(old, bool(suspended)):
        yield invalid("spec.template", spec.get("template"), _FIXED)
    for name in _KEPT:
        if spec.get(name) != old.get(name):
            yield invalid(f"spec.{name}", spec.get(name), _FIXED)


def _elastic(spec: Object, old: Object) -> bool:
    """An Indexed Job grows and shrinks with its parallelism."""
    same = spec.get("completions") == spec.get("parallelism")
    return bool(spec.get("completionMode") == "Indexed" and old.get("completions") is not None and same)


def _template(spec: Object, waiting: bool) -> Any:
    if not waiting:
        return spec.get("template")
    whole = spec.get("template") or {}
    kept = {key: value for key, value in (whole.get("spec") or {}).items() if key not in _SCHEDULING}
    kept["containers"] = [{**one, "resources": {}} for one in kept.get("containers") or []]
    return kept


def job_spec(path: str, spec: Object) -> Causes:
    """The spec of a Job, or of those of a CronJob; without its selector."""
    for name in _COUNTED:
        yield from not_negative(f"{path}.{name}", spec.get(name))
    if spec.get("maxFailedIndexes") is not None and spec.get("backoffLimitPerIndex") is None:
        yield required(f"{path}.backoffLimitPerIndex", "when maxFailedIndexes is specified")
    mode = spec.get("completionMode")
    yield from only(f"{path}.completionMode", mode, ("NonIndexed", "Indexed"))
    if mode == "Indexed" and spec.get("completions") is None:
        yield required(f"{path}.completions", "when completion mode is Indexed")
    if mode in (None, "NonIndexed"):
        for name in ("backoffLimitPerIndex", "maxFailedIndexes"):
            if spec.get(name) is not None:
                yield invalid(f"{path}.{name}", spec[name], "requires indexed completion mode")
    policy = spec.get("podFailurePolicy")
    if policy is not None:
        yield from _failure_policy(f"{path}.podFailurePolicy", policy)
    replacement = spec.get("podReplacementPolicy")
    supported = ("Failed",) if policy is not None else ("Failed", "TerminatingOrFailed")
    yield from only(f"{path}.podReplacementPolicy", replacement, supported)
    yield from template(f"{path}.template", spec.get("template"))
    yield from _restarts(f"{path}.template.spec.restartPolicy", dig(spec, "template", "spec", "restartPolicy"), policy)


def _restarts(path: str, value: Any, policy: Any) -> Causes:
    if value in (None, "", "Always"):
        yield required(path, 'valid values: "OnFailure", "Never"')
    elif value not in ("OnFailure", "Never"):
        yield not_supported(path, value, ["OnFailure", "Never"])
    elif policy is not None and value != "Never":
        yield invalid(path, value, 'only "Never" is supported when podFailurePolicy is specified')


def _failure_policy(path: str, policy: Object) -> Causes:
    for index, rule in enumerate(policy.get("rules") or []):
        at = f"{path}.rules[{index}]"
        yield from one_of(f"{at}.action", rule.get("action"), ("Count", "FailIndex", "FailJob", "Ignore"))
        codes, conditions = rule.get("onExitCodes"), rule.get("onPodConditions")
        if codes is not None:
            yield from one_of(f"{at}.onExitCodes.operator", codes.get("operator"), ("In", "NotIn"))
            for number, value in enumerate(codes.get("values") or []):
                if codes.get("operator") == "In" and value == 0:
                    yield invalid(f"{at}.onExitCodes.values[{number}]", value, "must not be 0 for the In operator")
            if conditions:
                yield invalid(at, "", "specifying both OnExitCodes and OnPodConditions is not supported")
        elif not conditions:
            yield invalid(at, "", "specifying one of OnExitCodes and OnPodConditions is required")


def cron_job(obj: Object, old: Object | None) -> Causes:
    """A CronJob."""
    spec, name = obj.get("spec") or {}, str(dig(obj, "metadata", "name") or "")
    schedule = str(spec.get("schedule") or "")
    if not schedule:
        yield required("spec.schedule")
    else:
        yield from _schedule("spec.schedule", schedule, dig(old or {}, "spec", "schedule") == schedule, spec)
    if spec.get("timeZone") is not None:
        yield from _zone("spec.timeZone", spec["timeZone"])
    yield from not_negative("spec.startingDeadlineSeconds", spec.get("startingDeadlineSeconds"))
    supported = ("Allow", "Forbid", "Replace")
    yield from one_of("spec.concurrencyPolicy", spec.get("concurrencyPolicy"), supported)
    jobs = dig(spec, "jobTemplate", "spec") or {}
    yield from job_spec("spec.jobTemplate.spec", jobs)
    if jobs.get("manualSelector"):
        yield not_supported("spec.jobTemplate.spec.manualSelector", True, ["nil", "false"])
    if jobs.get("selector") is not None:
        yield invalid("spec.jobTemplate.spec.selector", jobs["selector"], "`selector` will be auto-generated")
    for field in ("successfulJobsHistoryLimit", "failedJobsHistoryLimit"):
        yield from not_negative(f"spec.{field}", spec.get(field))
    if old is None and len(name) > 52:
        yield invalid("metadata.name", name, "must be no more than 52 characters")


def _schedule(path: str, schedule: str, known: bool, spec: Object) -> Causes:
    if fault := fault_of(schedule):
        yield invalid(path, schedule, fault)
    if "TZ" in schedule:
        if spec.get("timeZone") is not None:
            yield invalid(path, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule")
        elif not known:
            yield invalid(path, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead")


def _zone(path: str, zone: str) -> Causes:
    if not zone:
        yield invalid(path, zone, "timeZone must be nil or non-empty string")
        return
    if zone.lower() == "local":
        yield invalid(
            path, zone, "timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"
        )
        return
    try:
        ZoneInfo(zone)
    except (ValueError, OSError, KeyError):
        yield invalid(path, zone, f"unknown time zone {zone}")
