"""Deployments, ReplicaSets, StatefulSets, DaemonSets, Jobs, CronJobs, autoscalers, disruption budgets."""

from __future__ import annotations

from typing import Any

from ..durations import between, since
from ..objects import dig
from .column import AGE, NAME, NONE, UNSET, Column, Object, cell, containers, number, selector_text, text


def _wide(*template: str) -> tuple[Column, ...]:
    return (
        cell("Containers", lambda obj: containers(dig(obj, *template), "name"), priority=1),
        cell("Images", lambda obj: containers(dig(obj, *template), "image"), priority=1),
    )


_SELECTOR = cell("Selector", lambda obj: selector_text(dig(obj, "spec", "selector")), priority=1)
_TEMPLATE = ("spec", "template", "spec")


def _ready(obj: Object) -> str:
    wanted = dig(obj, "spec", "replicas")
    return f"{dig(obj, 'status', 'readyReplicas') or 0}/{1 if wanted is None else wanted}"


def _job_status(obj: Object) -> str:
    conditions = {condition["type"]: condition.get("status") for condition in dig(obj, "status", "conditions") or []}
    for kind, word in (("Complete", "Complete"), ("Failed", "Failed")):
        if conditions.get(kind) == "True":
            return word
    if dig(obj, "metadata", "deletionTimestamp"):
        return "Terminating"
    for kind, word in (
        ("Suspended", "Suspended"),
        ("SuccessCriteriaMet", "SuccessCriteriaMet"),
        ("FailureTarget", "FailureTarget"),
    ):
        if conditions.get(kind) == "True":
            return word
    return "Running"


def _completions(obj: Object) -> str:
    wanted, succeeded = dig(obj, "spec", "completions"), dig(obj, "status", "succeeded") or 0
    if wanted is not None:
        return f"{succeeded}/{wanted}"
    parallel = dig(obj, "spec", "parallelism") or 0
    return f"{succeeded}/1 of {parallel}" if parallel > 1 else f"{succeeded}/1"


def _targets(obj: Object) -> str:
    shown = []
    current = {dig(item, "resource", "name"): item for item in dig(obj, "status", "currentMetrics") or []}
    for metric in dig(obj, "spec", "metrics") or []:
        name = dig(metric, "resource", "name")
        wanted = dig(metric, "resource", "target", "averageUtilization")
        now = dig(current.get(name), "resource", "current", "averageUtilization")
        shown.append(
            f"{name}: {'<unknown>' if now is None else f'{now}%'}/{'<auto>' if wanted is None else f'{wanted}%'}"
        )
    return ", ".join(shown) or NONE


def _amount(value: Any, default: str) -> str:
    return default if value is None else str(value)


COLUMNS: dict[str, tuple[Column, ...]] = {
    "deployments.apps": (
        NAME,
        cell("Ready", _ready),
        cell("Up-to-date", lambda obj: dig(obj, "status", "updatedReplicas") or 0),
        cell("Available", lambda obj: dig(obj, "status", "availableReplicas") or 0),
        AGE,
        *_wide(*_TEMPLATE),
        _SELECTOR,
    ),
    "replicasets.apps": (
        NAME,
        number("Desired", "spec", "replicas"),
        number("Current", "status", "replicas"),
        number("Ready", "status", "readyReplicas"),
        AGE,
        *_wide(*_TEMPLATE),
        _SELECTOR,
    ),
    "statefulsets.apps": (NAME, cell("Ready", _ready), AGE, *_wide(*_TEMPLATE)),
    "daemonsets.apps": (
        NAME,
        number("Desired", "status", "desiredNumberScheduled"),
        number("Current", "status", "currentNumberScheduled"),
        number("Ready", "status", "numberReady"),
        number("Up-to-date", "status", "updatedNumberScheduled"),
        number("Available", "status", "numberAvailable"),
        cell(
            "Node Selector",
            lambda obj: ",".join(f"{k}={v}" for k, v in (dig(obj, *_TEMPLATE, "nodeSelector") or {}).items()) or NONE,
        ),
        AGE,
        *_wide(*_TEMPLATE),
        _SELECTOR,
    ),
    "controllerrevisions.apps": (
        NAME,
        cell(
            "Controller",
            lambda obj: next(
                (
                    f"{owner['kind'].lower()}.{owner['apiVersion'].partition('/')[0]}/{owner['name']}"
                    for owner in dig(obj, "metadata", "ownerReferences") or []
                    if owner.get("controller")
                ),
                NONE,
            ),
        ),
        cell("Revision", lambda obj: int(obj.get("revision") or 0)),
        AGE,
    ),
    "jobs.batch": (
        NAME,
        cell("Status", _job_status),
        cell("Completions", _completions),
        cell("Duration", lambda obj: between(dig(obj, "status", "startTime"), dig(obj, "status", "completionTime"))),
        AGE,
        *_wide(*_TEMPLATE),
        _SELECTOR,
    ),
    "cronjobs.batch": (
        NAME,
        text("Schedule", "spec", "schedule"),
        text("Timezone", "spec", "timeZone", default=NONE),
        cell("Suspend", lambda obj: "True" if dig(obj, "spec", "suspend") else "False", "boolean"),
        cell("Active", lambda obj: len(dig(obj, "status", "active") or []), "integer"),
        cell(
            "Last Schedule",
            lambda obj: (
                since(dig(obj, "status", "lastScheduleTime")) if dig(obj, "status", "lastScheduleTime") else NONE
            ),
        ),
        AGE,
        *_wide("spec", "jobTemplate", "spec", "template", "spec"),
        cell("Selector", lambda obj: selector_text(dig(obj, "spec", "jobTemplate", "spec", "selector")), priority=1),
    ),
    "horizontalpodautoscalers.autoscaling": (
        NAME,
        cell(
            "Reference",
            lambda obj: f"{dig(obj, 'spec', 'scaleTargetRef', 'kind')}/{dig(obj, 'spec', 'scaleTargetRef', 'name')}",
        ),
        cell("Targets", _targets),
        cell("MinPods", lambda obj: _amount(dig(obj, "spec", "minReplicas"), UNSET)),
        cell("MaxPods", lambda obj: int(dig(obj, "spec", "maxReplicas") or 0)),
        cell("Replicas", lambda obj: int(dig(obj, "status", "currentReplicas") or 0)),
        AGE,
    ),
    "poddisruptionbudgets.policy": (
        NAME,
        cell("Min Available", lambda obj: _amount(dig(obj, "spec", "minAvailable"), "N/A")),
        cell("Max Unavailable", lambda obj: _amount(dig(obj, "spec", "maxUnavailable"), "N/A")),
        number("Allowed Disruptions", "status", "disruptionsAllowed"),
        AGE,
    ),
}
