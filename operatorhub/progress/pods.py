"""Why a Pod of an install doesn't run, by the rules of resources/causes/, and whether waiting may be enough."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from kube.objects import KubeObject, name_of, namespace_of, uid_of
from operatorhub import csv, install_state
from operatorhub.progress.stages import started
from operatorhub.running.workloads import page_of
from resources.causes.cause import Cause, Severity
from resources.causes.engine import find_causes
from resources.causes.evidence import Event, evidence
from resources.state.health import DEGRADED
from resources.state.kind_health import health

#: How long a Pod can wait for a node, an image or an object of another controller.
_SETTLES_SECONDS = 90.0
#: Operators often end once or twice before what they need is there.
_SETTLES_RESTARTS = 3
_CRASH = "crash_loop"
#: Of a Pod in trouble that no rule explains.
_UNKNOWN = "pod"


@dataclass(frozen=True, slots=True, kw_only=True)
class PodTrouble:
    """`key`: the rule's name. `ways`: (label, address). `settled`: it has lasted so long that waiting is not enough."""

    key: str
    words: str
    raw: str
    ways: tuple[tuple[str, str], ...]
    settled: bool = True


def troubles(
    found_pods: Iterable[KubeObject], events: Mapping[str, Iterable[Mapping[str, Any]]] | None = None
) -> Iterator[PodTrouble]:
    """Of each Pod the worst thing that keeps it from running. `events`: by uid, newest last."""
    for pod in found_pods:
        if found := _trouble(pod, tuple((events or {}).get(uid_of(pod), ()))):
            yield replace(found, settled=_lasts(pod, found.key))


def cause_of(obj: KubeObject, kind: str, api_version: str, events: Iterable[Mapping[str, Any]] = ()) -> Cause | None:
    """The worst problem of one object, without its children."""
    whole = {**obj, "kind": kind, "apiVersion": api_version}
    newest_first = tuple(_event(item) for item in reversed(tuple(events)))
    found = find_causes(evidence(whole, events={uid_of(obj): newest_first}, now=timezone.now()))
    return next((cause for cause in found if cause.severity != Severity.NOTE), None)


def _trouble(pod: KubeObject, events: tuple[Mapping[str, Any], ...]) -> PodTrouble | None:
    ways = (*_logs(pod), _open(pod))
    if cause := cause_of(pod, "Pod", "v1", events):
        return PodTrouble(
            key=cause.rule, words=cause.sentence, raw=cause.raw, ways=ways if cause.rule == _CRASH else ways[-1:]
        )
    state = health({**pod, "kind": "Pod", "apiVersion": "v1"})
    if state.state != DEGRADED:
        return None
    words = _("%(name)s can't run: %(reason)s") % {"name": name_of(pod), "reason": state.reason}
    return PodTrouble(key=_UNKNOWN, words=words, raw="", ways=ways)


def _event(obj: Mapping[str, Any]) -> Event:
    return Event(
        reason=csv.text(obj.get("reason")),
        message=csv.text(obj.get("message")),
        warning=csv.text(obj.get("type")) != "Normal",
        count=count if isinstance(count := obj.get("count"), int) else 1,
        seen=csv.text(obj.get("lastTimestamp") or obj.get("eventTime")),
    )


def _lasts(pod: KubeObject, key: str) -> bool:
    if not install_state.lasts(csv.text(csv.mapping(pod.get("metadata")).get("creationTimestamp")), _SETTLES_SECONDS):
        return False
    containers = csv.items(csv.mapping(pod.get("status")).get("containerStatuses"))
    restarts = [container.get("restartCount") for container in containers]
    return key != _CRASH or max((count for count in restarts if isinstance(count, int)), default=0) >= _SETTLES_RESTARTS


def _open(pod: KubeObject) -> tuple[str, str]:
    return _("Open the Pod"), page_of("pods", namespace_of(pod), name_of(pod), "core", "v1")


def _logs(pod: KubeObject) -> tuple[tuple[str, str], ...]:
    if not started(pod):
        return ()
    return ((_("View log"), reverse("resources:logs", args=["core", "v1", "pods", namespace_of(pod), name_of(pod)])),)
