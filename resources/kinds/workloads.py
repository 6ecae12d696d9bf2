"""The pages of Deployments, StatefulSets, DaemonSets and ReplicaSets: how many Pods run, how a change is rolled out,
and earlier revisions.

A revision is a ReplicaSet (of a Deployment) or a ControllerRevision (of a StatefulSet or DaemonSet), read as
`kubectl rollout history` and `kubectl rollout undo` do:
https://github.com/kubernetes/kubectl/blob/master/pkg/polymorphichelpers/rollback.go
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import pi
from typing import Any

from django.utils.translation import gettext as _

from console.prefer import times
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import KubeObject, mapping, name_of, namespace_of, uid_of
from kube.reader import read
from kube.selectors import pod_selector
from kube.types.cluster import PersistentVolumeClaim
from kube.types.core import PodSpec
from kube.types.meta import ObjectMeta
from kube.types.workloads import ControllerRevision, DaemonSetStatus, Workload, WorkloadSpec
from resources.kinds import Kind, Maker, Panel
from resources.kinds.parts import PANEL, Bit, Cell, Table, facts, in_seconds, label, line, lines, see, some, table
from resources.kinds.pods import facts_of_container, volumes
from resources.place import Place

REVISED_KINDS = ("Deployment", "StatefulSet", "DaemonSet")
_NUMBER = "deployment.kubernetes.io/revision"
_CAUSE = "kubernetes.io/change-cause"
_HASH = "pod-template-hash"
_LENGTH = 2 * pi * 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Arc:
    """A part of the ring: so many Pods in one state. `start` and `length` as SVG's dashes have them."""

    words: str
    count: int
    colour: str
    start: str
    length: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Replicas:
    """`wanted` and `ready` Pods; `arcs` add up to all that are wanted or there. `facts`: the other numbers."""

    title: str
    wanted: int
    ready: int
    arcs: tuple[Arc, ...]
    facts: tuple[tuple[str, Cell], ...]


@dataclass(frozen=True, slots=True)
class TemplateContainer:
    """One container of the Pod template."""

    name: str
    image: str
    role: str
    facts: tuple[tuple[str, Cell], ...]


def panels(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    yield Panel("replicas", PANEL, replicas(obj))
    spec, namespace = read(obj.get("spec"), WorkloadSpec), namespace_of(obj)
    title = _("Rollout") if type_.kind != "ReplicaSet" else _("Pods")
    yield facts("rollout", title, rollout(client, type_.kind, spec, namespace))
    if type_.kind in REVISED_KINDS:
        yield _revisions(client, type_, obj)
    yield from template_panels(client, spec.template, namespace)


def template_panels(client: ClusterClient, template: Mapping[str, Any], namespace: str) -> Iterator[Panel]:
    """What the Pods that it makes are made of."""
    spec = read(template.get("spec"), PodSpec)
    found = tuple(
        TemplateContainer(
            container.name,
            container.image,
            role,
            tuple(fact for fact in facts_of_container(client, container, namespace) if fact[1]),
        )
        for part, role in ((spec.init_containers, "init"), (spec.containers, ""))
        for container in part
    )
    if found:
        yield Panel("template", "resources/kinds/_containers.html", found, wide=True)
    if rows := volumes(client, template.get("spec"), namespace):
        yield table(
            "volumes", Table(title=_("Volumes"), columns=(_("Name"), _("Kind"), _("Source")), rows=rows), wide=True
        )


def replicas(obj: KubeObject) -> Replicas:
    """From the spec and the status, whatever of them is there."""
    if obj.get("kind") == "DaemonSet":
        return _daemon_replicas(read(obj.get("status"), DaemonSetStatus))
    workload = read(obj, Workload)
    status = workload.status
    return _replicas(
        wanted=workload.spec.replicas,
        there=status.replicas or 0,
        ready=status.ready_replicas,
        updated=status.updated_replicas or 0 if workload.kind != "ReplicaSet" else None,
        available=status.available_replicas,
    )


def _daemon_replicas(status: DaemonSetStatus) -> Replicas:
    return _replicas(
        wanted=status.desired_number_scheduled,
        there=status.current_number_scheduled,
        ready=status.number_ready,
        updated=status.updated_number_scheduled,
        available=status.number_available,
        misscheduled=status.number_misscheduled,
    )


def _replicas(
    *, wanted: int, there: int, ready: int, updated: int | None, available: int, misscheduled: int = 0
) -> Replicas:
    wanted, there, ready = max(0, wanted), max(0, there), max(0, ready)
    numbers = (
        (_("Desired"), line(wanted)),
        (_("Current"), line(there)),
        (_("Ready"), line(ready)),
        (_("Up to date"), line(updated)),
        (_("Available"), line(available)),
        (_("Misscheduled"), line(misscheduled or None)),
    )
    parts = (
        (_("ready"), ready, "green"),
        (_("not ready"), max(0, there - ready), "orange"),
        (_("missing"), max(0, wanted - max(there, ready)), "grey"),
    )
    return Replicas(
        title=_("Pods"),
        wanted=wanted,
        ready=ready,
        arcs=tuple(_arcs(parts)),
        facts=tuple(number for number in numbers if number[1]),
    )


def _arcs(parts: Iterable[tuple[str, int, str]]) -> Iterator[Arc]:
    shown = [part for part in parts if part[1]]
    total, start = sum(count for _words, count, _colour in shown), 0.0
    for words, count, colour in shown:
        length = count / total * _LENGTH
        yield Arc(
            words=words,
            count=count,
            colour=colour,
            start=f"{-start:.2f}",
            length=f"{length:.2f} {_LENGTH - length:.2f}",
        )
        start += length


def rollout(client: ClusterClient, kind: str, spec: WorkloadSpec, namespace: str) -> Iterator[tuple[str, Cell]]:
    """How a change reaches its Pods."""
    yield _("Strategy"), lines(strategy(spec))
    yield _("Paused"), label(_("Yes"), "purple") if spec.paused else ()
    yield _("Service account"), see(client, "", "ServiceAccount", spec.pod_spec.service_account_name, namespace)
    yield _("Service"), see(client, "", "Service", spec.service_name, namespace)
    yield _("Pod management policy"), line(spec.pod_management_policy)
    yield _("Minimum ready time"), line(in_seconds(spec.min_ready_seconds or None))
    deadline = in_seconds(spec.progress_deadline_seconds or None)
    yield _("Progress deadline"), line(deadline) if kind == "Deployment" else ()
    yield _("Revision history limit"), line(spec.revision_history_limit)
    yield _("Claim templates"), lines(_claim(claim) for claim in spec.volume_claim_templates)


def _claim(claim: PersistentVolumeClaim) -> str:
    size = claim.spec.resources.requests.get("storage")
    return " ".join(part for part in (claim.metadata.name, size, claim.spec.storage_class_name) if part)


def strategy(spec: WorkloadSpec) -> Iterator[str]:
    """'RollingUpdate', and in words what that allows."""
    chosen = spec.strategy or spec.update_strategy
    yield chosen.type
    rolling = chosen.rolling_update
    if rolling.max_surge != "":
        yield _("max surge: %(n)s") % {"n": rolling.max_surge}
    if rolling.max_unavailable != "":
        yield _("max unavailable: %(n)s") % {"n": rolling.max_unavailable}
    if rolling.partition:
        yield _("only Pods with ordinal %(n)d and above") % {"n": rolling.partition}


def images(spec: PodSpec) -> tuple[str, ...]:
    containers = (*spec.init_containers, *spec.containers)
    return tuple(dict.fromkeys(container.image for container in containers if container.image))


def _revisions(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> Panel:
    found = revisions_of(client, obj)
    place = Place(type_, namespace_of(obj), name_of(obj))
    rows = tuple(
        (
            line(revision.number),
            see(client, "apps", revision.kind, revision.name, namespace_of(obj)),
            lines(images(read(revision.template.get("spec"), PodSpec))),
            line(revision.cause),
            line(revision.created, "age"),
            label(_("now"), "green")
            if revision.current
            else (Bit(text=_("Roll back to this revision"), url=place.url("rollback", revision=str(revision.number))),),
        )
        for revision in found.revisions
    )
    columns = (_("Revision"), _("Stored in"), _("Images"), _("Change cause"), times.heading(), "")
    empty = _("No revisions yet.")
    made = Table(
        title=_("Revisions"), columns=columns, rows=rows, problem=found.problem, empty=empty, folded="revisions"
    )
    return table("revisions", made, wide=True)


@dataclass(frozen=True, slots=True, kw_only=True)
class Revision:
    """`template`: the Pod template as the workload would have it.

    `kind` and `name`: the object that keeps it. `current`: it is the newest.
    """

    number: int
    kind: str
    name: str
    created: str
    cause: str
    template: dict[str, Any]
    current: bool = False


@dataclass(frozen=True, slots=True)
class Revisions:
    """Newest first. `problem`: why none could be read, in the API server's words."""

    revisions: tuple[Revision, ...] = ()
    problem: str = ""

    def number(self, wanted: str) -> Revision | None:
        return next((revision for revision in self.revisions if str(revision.number) == wanted), None)


def revisions_of(client: ClusterClient, obj: KubeObject) -> Revisions:
    """Those whose controller is this very object, not a namesake."""
    kind = "ReplicaSet" if obj.get("kind") == "Deployment" else "ControllerRevision"
    try:
        labels = pod_selector(obj)
    except (TypeError, AttributeError):
        return Revisions()
    found = some(client, "apps", kind, namespace_of(obj), labels=labels, limit=200)
    to_revision = _replica_set if kind == "ReplicaSet" else _controller_revision
    uid = uid_of(obj)
    mine = [revision for item in found.items if (revision := to_revision(item, uid)) is not None]
    mine.sort(key=lambda revision: revision.number, reverse=True)
    newest = mine[0].number if mine else 0
    return Revisions(
        tuple(replace(revision, current=revision.number == newest) for revision in mine),
        found.problem,
    )


def _replica_set(item: KubeObject, owner: str) -> Revision | None:
    metadata = read(item.get("metadata"), ObjectMeta)
    template = read(item.get("spec"), WorkloadSpec).template
    number = metadata.annotations.get(_NUMBER, "")
    if not _is_controlled(metadata, owner) or not number.isdecimal() or not template:
        return None
    pod_metadata = mapping(template.get("metadata"))
    labels = {key: value for key, value in mapping(pod_metadata.get("labels")).items() if key != _HASH}
    return _revision(int(number), "ReplicaSet", metadata, {**template, "metadata": {**pod_metadata, "labels": labels}})


def _controller_revision(item: KubeObject, owner: str) -> Revision | None:
    found = read(item, ControllerRevision)
    template = found.data.spec.template
    if not _is_controlled(found.metadata, owner) or found.revision is None or not template:
        return None
    # It is kept as a strategic merge patch that replaces the whole template.
    without_patch = {key: value for key, value in template.items() if key != "$patch"}
    return _revision(found.revision, "ControllerRevision", found.metadata, without_patch)


def _is_controlled(metadata: ObjectMeta, uid: str) -> bool:
    return any(owner.controller and owner.uid == uid for owner in metadata.owner_references)


def _revision(number: int, kind: str, metadata: ObjectMeta, template: dict[str, Any]) -> Revision:
    return Revision(
        number=number,
        kind=kind,
        name=metadata.name,
        created=metadata.creation_timestamp,
        cause=metadata.annotations.get(_CAUSE, ""),
        template=template,
    )


PANELS: dict[Kind, Maker] = {
    ("apps", kind): panels for kind in ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet")
}
