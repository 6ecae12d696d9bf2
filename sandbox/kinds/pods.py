"""Pods and the Pod templates of workloads: defaults, and the fields that can change after creation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from structural.causes import FieldCause

from ..objects import dig, now
from ..quantity import amount
from . import checks
from .podadmission import admit, tolerate
from .poddefaults import default_spec, default_template
from .strategy import Object, Strategy

if TYPE_CHECKING:
    from ..store import Store


def _defaults(pod: Object) -> None:
    spec = pod.get("spec")
    default_spec(spec)
    if isinstance(spec, dict):
        spec.setdefault("enableServiceLinks", True)
        for container in [*(spec.get("containers") or []), *(spec.get("initContainers") or [])]:
            limits = dig(container, "resources", "limits")
            if limits:
                container["resources"]["requests"] = {**limits, **(container["resources"].get("requests") or {})}


def _create(pod: Object, store: Store) -> None:
    admit(pod, store)
    pod["status"] = {"phase": "Pending", "qosClass": _quality(pod.get("spec"))}
    if dig(pod, "spec", "schedulingGates"):
        pod["status"]["conditions"] = [
            {
                "type": "PodScheduled",
                "status": "False",
                "reason": "SchedulingGated",
                "message": "Scheduling is blocked due to non-empty scheduling gates",
                "lastTransitionTime": now(),
            }
        ]


def _quality(spec: Any) -> str:
    containers = [c for c in (spec or {}).get("containers") or [] if isinstance(c, dict)]
    wanted = [dig(c, "resources", kind) or {} for c in containers for kind in ("requests", "limits")]
    if not any(wanted):
        return "BestEffort"
    for container in containers:
        limits = dig(container, "resources", "limits") or {}
        requests = dig(container, "resources", "requests") or {}
        if not {"cpu", "memory"} <= set(limits) or any(
            amount(requests.get(k, v)) != amount(v) for k, v in limits.items()
        ):
            return "Burstable"
    return "Guaranteed"


def _update(pod: Object, old: Object) -> None:
    if isinstance(pod.get("spec"), dict):
        tolerate(pod["spec"])
    quality = dig(old, "status", "qosClass")
    if quality:
        pod.setdefault("status", {}).setdefault("qosClass", quality)


def _unchecked(*_: Any) -> list[FieldCause]:
    """Binding a Pod, or adding an ephemeral container, changes nothing else."""
    return []


def _spec(pod: Object) -> Any:
    """The spec without ``nodeName``: binding a Pod doesn't count as a change of its spec."""
    return {key: value for key, value in (pod.get("spec") or {}).items() if key != "nodeName"}


def _grace(pod: Object) -> int:
    """A Pod that no kubelet runs, or that has ended, is deleted at once."""
    if not dig(pod, "spec", "nodeName") or dig(pod, "status", "phase") in ("Succeeded", "Failed"):
        return 0
    seconds = dig(pod, "spec", "terminationGracePeriodSeconds")
    return 30 if seconds is None else int(seconds)


def ready_condition(kind: str, status: bool) -> Object:
    """A Pod condition, for controllers."""
    return {"type": kind, "status": "True" if status else "False", "lastTransitionTime": now()}


STRATEGIES = {
    "pods": Strategy(
        defaults=_defaults,
        create=_create,
        update=_update,
        validate=checks.pod,
        validate_subresource={"ephemeralcontainers": _unchecked, "binding": _unchecked},
        counted=_spec,
        grace=_grace,
        returns_deleted=True,
    ),
    "podtemplates": Strategy(
        defaults=lambda obj: default_template(obj.setdefault("template", {})),
        validate=lambda obj, _: checks.template("template", obj.get("template")),
    ),
}
