"""Why a Pod of an install doesn't run, by the rules of resources/causes/, and whether waiting may be enough."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _

from kube.objects import KubeObject, uid_of
from kube.reader import read
from kube.types import core
from kube.types.meta import ObjectMeta
from operatorhub import install_state
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
    found_pods: Iterable[KubeObject], events: Mapping[str, Iterable[core.Event]] | None = None
) -> Iterator[PodTrouble]:
    """Of each Pod the worst thing that keeps it from running. `events`: by uid, newest last."""
    for obj in found_pods:
        pod = read(obj, core.Pod)
        if found := _trouble(obj, pod, (events or {}).get(pod.metadata.uid, ())):
            yield replace(found, settled=_lasts(pod, found.key))


def cause_of(obj: KubeObject, kind: str, api_version: str, events: Iterable[core.Event] = ()) -> Cause | None:
    """The worst problem of one object, without its children."""
    whole = {**obj, "kind": kind, "apiVersion": api_version}
    newest_first = tuple(_event(event) for event in reversed(tuple(events)))
    found = find_causes(evidence(whole, events={uid_of(obj): newest_first}, now=timezone.now()))
    return next((cause for cause in found if cause.severity != Severity.NOTE), None)


def _trouble(obj: KubeObject, pod: core.Pod, events: Iterable[core.Event]) -> PodTrouble | None:
    ways = (*_logs(pod), _open(pod.metadata))
    if cause := cause_of(obj, "Pod", "v1", events):
        return PodTrouble(
            key=cause.rule, words=cause.sentence, raw=cause.raw, ways=ways if cause.rule == _CRASH else ways[-1:]
        )
    state = health({**obj, "kind": "Pod", "apiVersion": "v1"})
    if state.state != DEGRADED:
        return None
    words = _("%(name)s can't run: %(reason)s") % {"name": pod.metadata.name, "reason": state.reason}
    return PodTrouble(key=_UNKNOWN, words=words, raw="", ways=ways)


def _event(event: core.Event) -> Event:
    return Event(
        reason=event.reason,
        message=event.message,
        warning=event.type != "Normal",
        count=event.count or 1,
        seen=event.last_timestamp or event.event_time or "",
    )


def _lasts(pod: core.Pod, key: str) -> bool:
    if not install_state.lasts(pod.metadata.creation_timestamp, _SETTLES_SECONDS):
        return False
    restarts = (container.restart_count for container in pod.status.container_statuses)
    return key != _CRASH or max(restarts, default=0) >= _SETTLES_RESTARTS


def _open(metadata: ObjectMeta) -> tuple[str, str]:
    return _("Open the Pod"), page_of("pods", metadata.namespace, metadata.name, "core", "v1")


def _logs(pod: core.Pod) -> tuple[tuple[str, str], ...]:
    if not started(pod.status):
        return ()
    metadata = pod.metadata
    return ((_("View log"), reverse("resources:logs", args=["core", "v1", "pods", metadata.namespace, metadata.name])),)
