"""What the rules read: an object, what it owns and is owned by, each with its Events; a Pod's containers as its status
has them; and where a wrong value would be edited (edit_fix).

Pure; resources/diagnosis.py fills it from a cluster.
https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#container-states
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import cached_property
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from kube import limits
from kube.objects import moment
from kube.reader import read
from kube.types.core import Container, ContainerStateTerminated, ContainerStatus, Pod
from kube.types.meta import Object, ObjectMeta
from kube.types.workloads import DaemonSet, Job, Workload
from resources.causes.cause import CauseTarget, Fix, Link
from resources.state.health import (
    DEGRADED,
    PROGRESSING,
    READY,
    TERMINATING,
    UNKNOWN,
    Condition,
    Health,
    condition_of,
    conditions,
    has_failed,
)
from resources.state.kind_health import health

#: An older Event of an object that lacks nothing we can count may be about something fixed since.
_RECENT = timedelta(minutes=15)
#: Evidence of one cause.
MAX_LINKS = 3
_UNSETTLED = (DEGRADED, PROGRESSING, UNKNOWN, TERMINATING)

_MAX_VALUES = 5_000
#: Why a kubelet ends a Pod, or doesn't start it.
#: https://github.com/kubernetes/kubernetes/blob/v1.33.0/pkg/kubelet/lifecycle/predicate.go
_KUBELET_REASONS = frozenset(
    (
        "Evicted",
        "NodeAffinity",
        "NodePorts",
        "SysctlForbidden",
        "AppArmor",
        "PodOSNotSupported",
        "TopologyAffinityError",
        "UnexpectedAdmissionError",
    )
)
# Their specs can't be changed, or are written over by what made them.
_MADE_KINDS = ("Pod", "ReplicaSet", "Job")


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A Kubernetes Event. `seen`: when it last happened, RFC 3339."""

    reason: str
    message: str
    warning: bool = True
    count: int = 1
    seen: str = ""
    source: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Complaint:
    """A text by which a controller says that something failed: a condition's message or a Warning."""

    text: str
    reason: str
    since: str
    by_event: bool = False


@dataclass(frozen=True, kw_only=True)
class Item:
    """One object of the tree. `events`: newest first. `parent`: its owner in the tree, None for the uppermost known
    one. `pod`, `workload`: the object as such, for those that are one.
    """

    object: Mapping[str, Any]
    events: tuple[Event, ...] = ()
    parent: "Item | None" = None
    now: datetime | None = None

    @cached_property
    def _head(self) -> Object:
        return read(self.object, Object)

    @cached_property
    def pod(self) -> Pod:
        return read(self.object, Pod)

    @cached_property
    def workload(self) -> Workload:
        return read(self.object, Workload)

    @property
    def group(self) -> str:
        return self._head.group

    @property
    def api_version(self) -> str:
        return self._head.api_version

    @property
    def kind(self) -> str:
        return self._head.kind

    @property
    def metadata(self) -> ObjectMeta:
        return self._head.metadata

    @property
    def name(self) -> str:
        return self.metadata.name

    @property
    def namespace(self) -> str:
        return self.metadata.namespace

    @property
    def uid(self) -> str:
        return self.metadata.uid

    @property
    def created(self) -> str:
        return self.metadata.creation_timestamp

    @property
    def target(self) -> CauseTarget:
        return CauseTarget(group=self.group, kind=self.kind, name=self.name, namespace=self.namespace)

    @property
    def is_pod(self) -> bool:
        return self.kind == "Pod" and not self.group

    @property
    def is_custom(self) -> bool:
        """Of a kind that an operator brought."""
        return "." in self.group and not self.group.endswith(".k8s.io")

    @cached_property
    def health(self) -> Health:
        return health(self.object)

    @property
    def is_ended_by_kubelet(self) -> bool:
        """Whether a Pod was evicted or refused not long ago, so that its owner makes others, which may meet the same
        end.
        """
        status = self.pod.status
        reason = status.reason
        if not self.is_pod or status.phase != "Failed":
            return False
        # OutOfcpu, OutOfpods, OutOfexample.com/gpu.
        if reason not in _KUBELET_REASONS and not reason.startswith("OutOf"):
            return False
        return self.now is None or (began := moment(self.created)) is None or self.now - began < _RECENT

    @property
    def is_unsettled(self) -> bool:
        return self.health.state in _UNSETTLED and not self.health.ended

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        return conditions(self.object)

    def condition(self, type_: str) -> Condition | None:
        return condition_of(self.conditions, type_)

    @cached_property
    def subject(self) -> str:
        """What people call it: Pods and ReplicaSets by the workload that makes them, so that all its replicas have one
        sentence.
        """
        owner = self.metadata.controller
        hash_ = self.metadata.labels.get("pod-template-hash", "")
        if self.is_pod and owner.kind in ("ReplicaSet", "Job", "DaemonSet", "ReplicationController"):
            return owner.name.removesuffix(f"-{hash_}") if hash_ else owner.name
        if self.kind == "ReplicaSet" and hash_:
            return self.name.removesuffix(f"-{hash_}")
        return self.name

    @property
    def ancestors(self) -> "Iterator[Item]":
        """The nearest first."""
        above = self.parent
        while above is not None:
            yield above
            above = above.parent

    @cached_property
    def lacks_pods(self) -> bool:
        """Whether a workload has fewer Pods than it wants, so that a FailedCreate is still true."""
        if self.kind in ("ReplicaSet", "StatefulSet", "ReplicationController"):
            return (self.workload.status.replicas or 0) < self.workload.spec.replicas
        if self.kind == "DaemonSet":
            status = read(self.object, DaemonSet).status
            return status.current_number_scheduled < status.desired_number_scheduled
        if self.kind == "Job":
            return not read(self.object, Job).status.active and self.is_unsettled
        return False

    @cached_property
    def complaints(self) -> tuple[Complaint, ...]:
        """What is wrong with it as its controllers say it: bad conditions, then Warnings that are still true, newest
        first.
        """
        found = [
            Complaint(text=condition.message, reason=condition.reason, since=condition.changed)
            for condition in self.conditions
            if condition.message and (condition.good is False or has_failed(condition, self.metadata.generation))
        ]
        found += (
            Complaint(text=event.message, reason=event.reason, since=event.seen, by_event=True)
            for event in self.events
            if event.warning and self._still_true(event)
        )
        return tuple(found)

    def _still_true(self, event: Event) -> bool:
        if event.reason == "FailedCreate" and self.group in ("apps", "batch", ""):
            return self.lacks_pods
        if not self.is_unsettled:
            return False
        return self.now is None or (seen := moment(event.seen)) is None or self.now - seen < _RECENT

    def links(self, *more: Link) -> tuple[Link, ...]:
        """Evidence: the object itself, what else is given, and its Events where it has any."""
        events = (Link(target=self.target, view="events"),) if self.events else ()
        return (Link(target=self.target), *more, *events)[:MAX_LINKS]


@dataclass(frozen=True, slots=True, kw_only=True)
class Evidence:
    """`items`: the object that is asked about first, then what it owns, in the order of a tree, and the claims that
    its Pods name.

    `logs`: (uid of the Pod, container) → the last line that it printed before it ended. `stopped_operator`: the
    Deployments or the version of the operator that would have to act on the object and is known not to run, '' else.
    `deprecation`: why the object's version should not be used any more.
    """

    items: tuple[Item, ...]
    logs: Mapping[tuple[str, str], str] = field(default_factory=dict)
    stopped_operator: str = ""
    deprecation: str = ""

    @property
    def root(self) -> Item:
        return self.items[0]

    def item(self, kind: str, name: str, namespace: str) -> Item | None:
        """An object of Kubernetes' own kinds among the items."""
        return next(
            (item for item in self.items if (item.kind, item.name, item.namespace) == (kind, name, namespace)), None
        )


def evidence(
    root: Mapping[str, Any],
    below: Iterable[tuple[int, Mapping[str, Any]]] = (),
    *,
    above: Iterable[Mapping[str, Any]] = (),
    events: Mapping[str, tuple[Event, ...]] | None = None,
    now: datetime | None = None,
    logs: Mapping[tuple[str, str], str] | None = None,
    stopped_operator: str = "",
    deprecation: str = "",
) -> Evidence:
    """`below`: (depth from 0, object), as a tree's rows. `above`: its owners, nearest first. `events`: by uid. All
    whole, with apiVersion and kind.
    """
    known = events or {}

    def item(obj: Mapping[str, Any], parent: Item | None) -> Item:
        uid = read(obj.get("metadata"), ObjectMeta).uid
        return Item(object=obj, events=known.get(uid, ())[: limits.CAUSE_EVENTS.value], parent=parent, now=now)

    parent: Item | None = None
    for obj in reversed(list(above)):
        parent = item(obj, parent)
    found = [item(root, parent)]
    path = [found[0]]
    for depth, obj in below:
        if len(found) >= limits.CAUSE_OBJECTS.value:
            break
        del path[depth + 1 :]
        found.append(item(obj, path[-1]))
        path.append(found[-1])
    return Evidence(items=tuple(found), logs=logs or {}, stopped_operator=stopped_operator, deprecation=deprecation)


def replicas_ready(item: Item) -> tuple[int, int] | None:
    """(ready, wanted) of the workload that the item is or belongs to, None where there is none with replicas."""
    for ancestor in (item, *item.ancestors):
        if ancestor.group == "apps" and ancestor.kind in ("Deployment", "StatefulSet"):
            return ancestor.workload.status.ready_replicas, ancestor.workload.spec.replicas
        if ancestor.is_pod and ancestor.health.state == READY:
            return None
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class ContainerState:
    """`waiting`, `why`: state.waiting's reason and message. `ended`: how it ended, now or the time before, None if it
    never did. `spec`: None where the Pod's spec has no such container.
    """

    name: str
    image: str
    waiting: str
    why: str
    ended: ContainerStateTerminated | None
    is_running: bool
    started: str
    restarts: int
    ready: bool
    spec: Container | None


def pod_containers(item: Item) -> tuple[ContainerState, ...]:
    """Init containers first."""
    spec, status = item.pod.spec, item.pod.status
    specs = {container.name: container for container in (*spec.init_containers, *spec.containers)}
    return tuple(
        _container(container, specs.get(container.name))
        for container in (*status.init_container_statuses, *status.container_statuses)
    )


def container_label(item: Item, container: ContainerState) -> str:
    """The subject of a sentence about a container, which is named where the Pod has several."""
    spec = item.pod.spec
    several = len(spec.containers) + len(spec.init_containers) > 1
    return f"{item.subject} ({container.name})" if several and container.name else item.subject


def not_ready_since(item: Item) -> str:
    """Since when the Pod has not been ready."""
    ready = item.condition("ContainersReady") or item.condition("Ready")
    return (ready.changed if ready is not None and ready.status != "True" else "") or item.created


def restarts_note(container: ContainerState) -> str:
    """How often it was restarted, '' for never."""
    if not container.restarts:
        return ""
    words = ngettext("It was restarted %(count)d time.", "It was restarted %(count)d times.", container.restarts)
    return words % {"count": container.restarts}


def _container(status: ContainerStatus, spec: Container | None) -> ContainerState:
    waiting, running = status.state.waiting, status.state.running
    return ContainerState(
        name=status.name,
        image=(spec.image if spec else "") or status.image,
        waiting=waiting.reason if waiting else "",
        why=waiting.message if waiting else "",
        ended=status.state.terminated or status.last_state.terminated,
        is_running=running is not None,
        started=running.started_at if running else "",
        restarts=status.restart_count,
        ready=status.ready,
        spec=spec,
    )


def edit_fix(item: Item, value: str = "") -> Fix | None:
    """None where the object's controller would overwrite the change. `value`: what the spec must contain, '' for
    anything.
    """
    chain = (item, *item.ancestors)
    for owner in reversed(chain):
        if owner.kind in _MADE_KINDS and len(chain) > 1:
            continue
        if value and not _has_value(owner.object.get("spec"), value):
            continue
        if owner.metadata.controller.name or (owner.is_custom and not value):
            return None
        return Fix(label=_("Edit %(kind)s %(name)s") % {"kind": owner.kind, "name": owner.name}, target=owner.target)
    return None


def _has_value(spec: Any, value: str) -> bool:
    """Whether the text stands in it as a value, or as part of one; among the first 5,000 values."""
    waiting: list[Any] = [spec]
    for _step in range(_MAX_VALUES):
        if not waiting:
            return False
        found = waiting.pop()
        if isinstance(found, Mapping):
            waiting += found.values()
        elif isinstance(found, list):
            waiting += found
        elif isinstance(found, str) and value in found:
            return True
    return False
