"""The pages of Deployments, StatefulSets, DaemonSets and ReplicaSets: how many Pods run, how a change is rolled out,
and earlier revisions.

A revision is a ReplicaSet (of a Deployment) or a ControllerRevision (of a StatefulSet or DaemonSet), read as
`kubectl rollout history` and `kubectl rollout undo` do:
https://github.com/kubernetes/kubectl/blob/master/pkg/polymorphichelpers/rollback.go
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import pi
from typing import Any

from django.utils.translation import gettext as _

from console.prefer import times
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import KubeObject, items, mapping, name_of, namespace_of, text, uid_of
from kube.selectors import from_selector
from resources.kinds import Kind, Maker, Panel
from resources.kinds.parts import Bit, Cell, Table, facts, label, line, lines, see, some, table
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


@dataclass(frozen=True, slots=True)
class Replicas:
    """`wanted` and `ready` Pods; `arcs` add up to all that are wanted or there. `facts`: the other numbers."""

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
    yield Panel("replicas", "resources/kinds/_replicas.html", replicas(obj))
    yield facts("rollout", _("Rollout") if type_.kind != "ReplicaSet" else _("Pods"), rollout(client, obj))
    if type_.kind in REVISED_KINDS:
        yield _revisions(client, type_, obj)
    yield from template_panels(client, mapping(mapping(obj.get("spec")).get("template")), namespace_of(obj))


def template_panels(client: ClusterClient, template: Mapping[str, Any], namespace: str) -> Iterator[Panel]:
    """What the Pods that it makes are made of."""
    spec = mapping(template.get("spec"))
    found = tuple(
        TemplateContainer(
            text(entry.get("name")),
            text(entry.get("image")),
            role,
            tuple(fact for fact in facts_of_container(client, entry, namespace) if fact[1]),
        )
        for part, role in (("initContainers", "init"), ("containers", ""))
        for entry in items(spec.get(part))
    )
    if found:
        yield Panel("template", "resources/kinds/_template.html", found, wide=True)
    if rows := volumes(client, spec, namespace):
        yield table(
            "volumes", Table(title=_("Volumes"), columns=(_("Name"), _("Kind"), _("Source")), rows=rows), wide=True
        )


def _count(value: Any, default: int = 0) -> int:
    return max(0, value) if isinstance(value, int) and not isinstance(value, bool) else default


def replicas(obj: KubeObject) -> Replicas:
    """From the spec and the status, whatever of them is there."""
    spec, status = mapping(obj.get("spec")), mapping(obj.get("status"))
    daemon = obj.get("kind") == "DaemonSet"
    wanted = _count(status.get("desiredNumberScheduled")) if daemon else _count(spec.get("replicas"), 1)
    there = _count(status.get("currentNumberScheduled" if daemon else "replicas"))
    ready = _count(status.get("numberReady" if daemon else "readyReplicas"))
    updated = status.get("updatedNumberScheduled" if daemon else "updatedReplicas")
    available = status.get("numberAvailable" if daemon else "availableReplicas")
    numbers = (
        (_("Desired"), line(wanted)),
        (_("Current"), line(there)),
        (_("Ready"), line(ready)),
        (_("Up to date"), line(_count(updated)) if obj.get("kind") != "ReplicaSet" else ()),
        (_("Available"), line(_count(available))),
        (_("Misscheduled"), line(_count(status.get("numberMisscheduled")) or None)),
    )
    parts = (
        (_("ready"), ready, "green"),
        (_("not ready"), max(0, there - ready), "orange"),
        (_("missing"), max(0, wanted - max(there, ready)), "grey"),
    )
    return Replicas(wanted, ready, tuple(_arcs(parts)), tuple(number for number in numbers if number[1]))


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


def rollout(client: ClusterClient, obj: KubeObject) -> Iterator[tuple[str, Cell]]:
    """How a change reaches its Pods."""
    spec, namespace = mapping(obj.get("spec")), namespace_of(obj)
    template = mapping(mapping(spec.get("template")).get("spec"))
    yield _("Strategy"), lines(strategy(spec))
    yield _("Paused"), label(_("Yes"), "purple") if spec.get("paused") is True else ()
    yield _("Service account"), see(client, "", "ServiceAccount", template.get("serviceAccountName"), namespace)
    yield _("Service"), see(client, "", "Service", spec.get("serviceName"), namespace)
    yield _("Pod management policy"), line(spec.get("podManagementPolicy"))
    yield _("Minimum ready time"), line(_seconds(spec.get("minReadySeconds")))
    yield _("Progress deadline"), line(_seconds(spec.get("progressDeadlineSeconds")))
    yield _("Revision history limit"), line(spec.get("revisionHistoryLimit"))
    yield (
        _("Claim templates"),
        tuple(
            bit
            for entry in items(spec.get("volumeClaimTemplates"))
            for bit in line(_claim(mapping(entry.get("metadata")), mapping(entry.get("spec"))))
        ),
    )


def _claim(metadata: Mapping[str, Any], spec: Mapping[str, Any]) -> str:
    size = text(mapping(mapping(spec.get("resources")).get("requests")).get("storage"))
    return " ".join(part for part in (text(metadata.get("name")), size, text(spec.get("storageClassName"))) if part)


def _seconds(value: Any) -> str:
    return f"{value} s" if isinstance(value, int) and value and not isinstance(value, bool) else ""


def strategy(spec: Mapping[str, Any]) -> Iterator[str]:
    """'RollingUpdate', and in words what that allows."""
    chosen = mapping(spec.get("strategy")) or mapping(spec.get("updateStrategy"))
    yield text(chosen.get("type"))
    rolling = mapping(chosen.get("rollingUpdate"))
    if surge := text(rolling.get("maxSurge")):
        yield _("max surge: %(n)s") % {"n": surge}
    if missing := text(rolling.get("maxUnavailable")):
        yield _("max unavailable: %(n)s") % {"n": missing}
    if (partition := rolling.get("partition")) and isinstance(partition, int):
        yield _("only Pods with ordinal %(n)d and above") % {"n": partition}


def images(pod_spec: Mapping[str, Any]) -> tuple[str, ...]:
    return tuple(
        dict.fromkeys(
            text(entry.get("image"))
            for part in ("initContainers", "containers")
            for entry in items(pod_spec.get(part))
            if text(entry.get("image"))
        )
    )


def _revisions(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> Panel:
    found = revisions_of(client, obj)
    place = Place(type_, namespace_of(obj), name_of(obj))
    rows = tuple(
        (
            line(revision.number),
            see(client, "apps", revision.kind, revision.name, namespace_of(obj)),
            lines(images(mapping(mapping(revision.template).get("spec")))),
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
        labels = from_selector(mapping(mapping(obj.get("spec")).get("selector")))
    except (TypeError, AttributeError):
        return Revisions()
    found = some(client, "apps", kind, namespace_of(obj), labels=labels, limit=200)
    read = _replica_set if kind == "ReplicaSet" else _controller_revision
    mine = [made for item in found.items if _owned(item, obj) and (made := read(item)) is not None]
    mine.sort(key=lambda revision: revision.number, reverse=True)
    newest = mine[0].number if mine else 0
    return Revisions(
        tuple(
            Revision(
                number=revision.number,
                kind=kind,
                name=revision.name,
                created=revision.created,
                cause=revision.cause,
                template=revision.template,
                current=revision.number == newest,
            )
            for revision in mine
        ),
        found.problem,
    )


def _owned(item: Mapping[str, Any], obj: KubeObject) -> bool:
    owners = items(mapping(item.get("metadata")).get("ownerReferences"))
    return any(owner.get("controller") is True and text(owner.get("uid")) == uid_of(obj) for owner in owners)


def _replica_set(item: KubeObject) -> Revision | None:
    metadata = mapping(item.get("metadata"))
    notes = mapping(metadata.get("annotations"))
    number = text(notes.get(_NUMBER))
    template = mapping(mapping(item.get("spec")).get("template"))
    if not number.isdecimal() or not template:
        return None
    inner = dict(mapping(template.get("metadata")))
    inner["labels"] = {key: value for key, value in mapping(inner.get("labels")).items() if key != _HASH}
    return _made(int(number), item, {**template, "metadata": inner})


def _controller_revision(item: KubeObject) -> Revision | None:
    number = item.get("revision")
    template = mapping(mapping(mapping(item.get("data")).get("spec")).get("template"))
    if not isinstance(number, int) or not template:
        return None
    # It is kept as a strategic merge patch that replaces the whole template.
    return _made(number, item, {key: value for key, value in template.items() if key != "$patch"})


def _made(number: int, item: KubeObject, template: dict[str, Any]) -> Revision:
    metadata = mapping(item.get("metadata"))
    cause = text(mapping(metadata.get("annotations")).get(_CAUSE))
    return Revision(
        number=number,
        kind="",
        name=name_of(item),
        created=text(metadata.get("creationTimestamp")),
        cause=cause,
        template=template,
    )


PANELS: dict[Kind, Maker] = {
    ("apps", kind): panels for kind in ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet")
}
