"""The tree of what an object owns, as a page and /api/ show it: each with its state, readiness and restarts, many alike
under one heading, and the whole summed up in a few words.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.utils import timezone
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.errors import KubeError, NotFound
from kube.objects import KubeObject, name_of, namespace_of, uid_of
from kube.reader import read
from kube.types.core import PodSpec, PodStatus
from kube.types.meta import ObjectMeta
from kube.types.workloads import DaemonSetStatus, Job, Workload
from resources.causes.engine import explained_health
from resources.page.detail import Link, is_simulated, link
from resources.place import Place
from resources.state import health as words
from resources.state.children import Trouble, combined, trouble
from resources.state.health import LABELS, Health
from resources.state.kind_health import health
from resources.tree import Owned, owner_references

#: So many of one kind below one object stand under a heading of their own, folded; at most SHOWN of them, the worst
#: first.
ALIKE, SHOWN = 10, 50
#: Rows of the whole tree.
ROWS = 300
_CHAIN = 6
#: The worst first.
WORST_FIRST = (
    words.DEGRADED,
    words.TERMINATING,
    words.PROGRESSING,
    words.UNKNOWN,
    words.SUSPENDED,
    words.READY,
    words.COMPLETED,
    "",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Heading:
    """Many of one kind below one object. `counts`: (state, how many), the worst first; `hidden`: not shown below it."""

    id: str
    type: ResourceType
    count: int
    counts: tuple[tuple[Health, int], ...]
    hidden: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnedRow:
    """An object, or with `heading` many of them.

    `lines`: for each level above whether more follow there; `parent`: id of the row above it, '' at the first level;
    `ready`: '2/3', `restarts`: None where the kind has none; `folded`: it stands below a heading that is folded at
    first.
    """

    id: str
    level: int
    parent: str
    health: Health
    place: Place | None = None
    heading: Heading | None = None
    lines: tuple[bool, ...] = ()
    last: bool = False
    branch: bool = False
    folded: bool = False
    ready: str = ""
    restarts: int | None = None
    created: str = ""
    simulated: bool = False
    how: str = ""

    @property
    def guides(self) -> tuple[str, ...]:
        """What is drawn before the name, level by level."""
        return (*("pass" if more else "none" for more in self.lines), "last" if self.last else "tee")

    @property
    def takes_forwards(self) -> bool:
        """Whether something may listen there: in a finished Pod nothing does."""
        kind = self.place.type.kind if self.place else ""
        return kind == "Service" or (kind == "Pod" and self.health.state != words.COMPLETED)


@dataclass(frozen=True, slots=True)
class Sum:
    """The whole in numbers. `states`: (state, objects in it), the worst first."""

    pods: int = 0
    ready: int = 0
    restarts: int = 0
    states: tuple[tuple[Health, int], ...] = ()

    @property
    def sentence(self) -> str:
        ready = _("%(ready)d of %(pods)d Pods ready") % {"ready": self.ready, "pods": self.pods} if self.pods else ""
        again = ngettext("%(number)s restart", "%(number)s restarts", self.restarts) % {"number": self.restarts}
        if not self.restarts:
            return ready
        return ", ".join(part for part in (ready, again) if part)


@dataclass(frozen=True, slots=True)
class Above:
    """An owner, and its state where it could be read."""

    link: Link
    health: Health


@dataclass(slots=True)
class OwnedNode:
    """An object of the tree, with the state that it has together with what is below it."""

    owned: Owned
    health: Health
    below: "list[OwnedNode]"

    @property
    def place(self) -> Place:
        return Place(self.owned.type, namespace_of(self.owned.object), name_of(self.owned.object))


def whole(type_: ResourceType, obj: KubeObject) -> KubeObject:
    """With its kind and version, which lists and Tables leave out."""
    return {**obj, "apiVersion": type_.api_version, "kind": type_.kind}


def rows(top: Sequence[OwnedNode]) -> tuple[tuple[OwnedRow, ...], int]:
    """(rows, objects that are not shown)."""
    out: list[OwnedRow] = []
    _add(out, top, "", (), False)
    objects = sum(1 for row in out if row.place)
    if len(out) > ROWS:
        out, objects = out[:ROWS], sum(1 for row in out[:ROWS] if row.place)
    return tuple(out), sum(1 for _node in walk(top)) - objects


def nodes(owned: Iterable[Owned]) -> list[OwnedNode]:
    """Those at the first level, each with what belongs to it."""
    top: list[OwnedNode] = []
    path: list[OwnedNode] = []
    for owned_object in owned:
        obj = whole(owned_object.type, owned_object.object)
        node = OwnedNode(owned_object, explained_health(obj), [])
        del path[owned_object.depth :]
        (path[-1].below if path else top).append(node)
        path.append(node)
    now = timezone.now()
    for node in top:
        _settle(node, now)
    return top


def root_health(type_: ResourceType, obj: KubeObject, top: list[OwnedNode]) -> Health:
    """The state of the owner, with what is below it."""
    root = OwnedNode(Owned(type_, obj, 0), health(whole(type_, obj)), top)
    _settle(root, timezone.now())
    return root.health


def _settle(node: OwnedNode, now: datetime) -> list[Trouble]:
    """Gives the node the state that it has with what is below it; what is in trouble there and in the node itself."""
    below = [child_trouble for child in node.below for child_trouble in _settle(child, now)]
    type_, obj, own = node.owned.type, node.owned.object, node.health
    node.health = combined(own, below)
    created = read(obj.get("metadata"), ObjectMeta).creation_timestamp
    mine = trouble((type_.group, type_.kind), name_of(obj), own, created, now)
    return [mine, *below] if mine else below


def walk(top: Iterable[OwnedNode]) -> Iterator[OwnedNode]:
    """All nodes of the tree, in the order of its rows."""
    for node in top:
        yield node
        yield from walk(node.below)


def _add(out: list[OwnedRow], nodes: Sequence[OwnedNode], parent: str, lines: tuple[bool, ...], folded: bool) -> None:
    kinds: dict[ResourceType, list[OwnedNode]] = {}
    for node in nodes:
        kinds.setdefault(node.owned.type, []).append(node)
    parts: list[OwnedNode | tuple[ResourceType, list[OwnedNode]]] = []
    for type_, members in kinds.items():
        parts += [(type_, members)] if len(members) > ALIKE else members
    for index, part in enumerate(parts):
        last = index == len(parts) - 1
        if isinstance(part, OwnedNode):
            out.append(_row(part, parent, lines, last, folded))
            _add(out, part.below, out[-1].id, (*lines, not last), folded)
            continue
        type_, members = part
        worst = sorted(
            members, key=lambda node: WORST_FIRST.index(node.health.state) if node.health.state in WORST_FIRST else 3
        )
        id_ = f"{parent or 'top'}-{type_.plural}"
        heading = Heading(
            id=id_, type=type_, count=len(members), counts=_counts(members), hidden=max(0, len(members) - SHOWN)
        )
        out.append(
            OwnedRow(
                id=id_,
                level=len(lines) + 1,
                parent=parent,
                health=worst[0].health,
                heading=heading,
                lines=lines,
                last=last,
                branch=True,
                folded=folded,
            )
        )
        for number, node in enumerate(worst[:SHOWN]):
            end = number == min(len(worst), SHOWN) - 1
            out.append(_row(node, id_, (*lines, not last), end, True))
            _add(out, node.below, out[-1].id, (*lines, not last, not end), True)


def _row(node: OwnedNode, parent: str, lines: tuple[bool, ...], last: bool, folded: bool) -> OwnedRow:
    owned = node.owned
    metadata = read(owned.object.get("metadata"), ObjectMeta)
    return OwnedRow(
        id=metadata.uid,
        level=len(lines) + 1,
        parent=parent,
        health=node.health,
        place=node.place,
        lines=lines,
        last=last,
        branch=bool(node.below),
        folded=folded,
        ready=readiness(owned.type.kind, owned.object),
        restarts=restarts(owned.object) if owned.type.kind == "Pod" else None,
        created=metadata.creation_timestamp,
        simulated=is_simulated(owned.object),
        how=owned.how,
    )


def _counts(nodes: Iterable[OwnedNode]) -> tuple[tuple[Health, int], ...]:
    return _states(node.health.state for node in nodes)


def _states(states: Iterable[str]) -> tuple[tuple[Health, int], ...]:
    counted = Counter(states)
    return tuple((Health(state=state), counted[state]) for state in WORST_FIRST if state in LABELS and counted[state])


def summary(top: Iterable[OwnedNode]) -> Sum:
    """Of the whole tree, also what a page does not show."""
    states: list[str] = []
    pods = ready = again = 0
    for node in walk(top):
        type_, obj, state = node.owned.type, node.owned.object, node.health.state
        states.append(state)
        is_pod = type_.kind == "Pod" and not type_.group
        if is_pod and read(obj.get("status"), PodStatus).phase != "Succeeded":
            pods, ready, again = pods + 1, ready + (state == words.READY), again + restarts(obj)
    return Sum(pods, ready, again, _states(states))


def readiness(kind: str, obj: Mapping[str, Any]) -> str:
    """'2/3' of containers, replicas or completions; '' for kinds that count nothing."""
    if kind == "Pod":
        containers = read(obj.get("status"), PodStatus).container_statuses
        all_ = len(read(obj.get("spec"), PodSpec).containers) or len(containers)
        return f"{sum(container.ready for container in containers)}/{all_}" if all_ else ""
    if kind == "DaemonSet":
        status = read(obj.get("status"), DaemonSetStatus)
        return f"{status.number_ready}/{status.desired_number_scheduled}"
    if not obj.get("spec"):
        return ""
    if kind in ("Deployment", "StatefulSet", "ReplicaSet"):
        workload = read(obj, Workload)
        return f"{workload.status.ready_replicas}/{workload.spec.replicas}"
    if kind == "Job":
        job = read(obj, Job)
        return f"{job.status.succeeded}/{job.spec.wanted}"
    return ""


def restarts(pod: Mapping[str, Any]) -> int:
    return sum(container.restart_count for container in read(pod.get("status"), PodStatus).container_statuses)


def chain(client: ClusterClient, obj: KubeObject) -> tuple[Above, ...]:
    """Whom the object belongs to, the uppermost first: the controller where there is one.

    Ends where an owner can't be read.
    """
    found: list[Above] = []
    seen = {uid_of(obj)}
    while len(found) < _CHAIN:
        references = owner_references(obj)
        if not references:
            break
        nearest = next((reference for reference in references if reference.controller), references[0])
        above = link(client, nearest, namespace_of(obj))
        if above.type is None or nearest.uid in seen:
            found.append(Above(above, Health()))
            break
        seen.add(nearest.uid)
        try:
            obj = client.get(above.type, above.name, above.namespace)
        except NotFound:
            found.append(Above(above, Health(state=words.UNKNOWN, reason=_("deleted"))))
            break
        except KubeError as error:
            found.append(Above(above, Health(state="", reason=str(error))))
            break
        found.append(Above(above, health(whole(above.type, obj))))
    return tuple(reversed(found))
