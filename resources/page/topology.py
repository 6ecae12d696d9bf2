"""The drawing of what an instance consists of: its workloads, their Pods and Services, in fixed lanes from left to
right.

The same objects give the same picture: rows stand in the order of kinds and names, and a change of state never moves
one. No layout is searched for, so 300 objects cost as little as ten. The table below the drawing has the same objects,
for users who can't see it.
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from kube.discovery import ResourceType, is_custom
from kube.objects import KubeObject, name_of
from kube.reader import read
from kube.types.meta import ObjectMeta
from kube.types.network import ServiceSpec
from kube.types.workloads import WorkloadSpec
from resources.page.owned_rows import WORST_FIRST, OwnedNode, readiness, root_health, walk
from resources.state import health as states
from resources.state.health import Health
from resources.types.types import kind_letters

#: More workloads than these: those that are not ready, then the first of the others, then one row that counts the rest.
ALL_ROWS, READY_ROWS, MOST_ROWS = 12, 8, 24
#: More Pods of one workload than these are counted by state.
DOTS = 6
_WORKLOADS = ("Deployment", "StatefulSet", "DaemonSet", "ReplicaSet", "Job", "CronJob", "Pod")
_CONFIG = ("ConfigMap", "Secret")
_ACCESS = ("ServiceAccount", "Role", "RoleBinding", "ClusterRole", "ClusterRoleBinding")

#: In units of the drawing, which are pixels at its full width.
ROW_HEIGHT, BOX_HEIGHT, ROOT_HEIGHT, TOP = 41, 32, 52, 26
ROOT_WIDTH, BOX_X, BOX_WIDTH, DOTS_X, SERVICES_X, WIDTH = 148, 188, 244, 452, 584, 740
_DOT_STEP = 21
_NAME = 26


@dataclass(frozen=True, slots=True, kw_only=True)
class Dot:
    """A Pod; with `count` several of one state. `x`, `y`: its middle."""

    state: str
    title: str
    url: str
    x: int
    y: int
    count: int = 0


@dataclass(frozen=True, slots=True)
class Plug:
    """A Service, with its first two ports."""

    name: str
    ports: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Box:
    """A row: a workload, or a resource that the instance owns.

    `note`: how much of it is ready; `is_worst`: the line to it is drawn red.
    """

    name: str
    title: str
    short: str
    url: str
    state: str
    note: str
    y: int
    dots: tuple[Dot, ...] = ()
    plugs: tuple[Plug, ...] = ()
    is_worst: bool = False

    @property
    def middle(self) -> int:
        return self.y + BOX_HEIGHT // 2


@dataclass(frozen=True, slots=True)
class Fold:
    """Objects that are counted only: configuration, access, other resources, and workloads that don't fit."""

    label: str
    x: int
    y: int
    width: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Topology:
    """`sentence`: what is wrong, '' where nothing is. `health`: of the instance, with what is below it."""

    boxes: tuple[Box, ...]
    folds: tuple[Fold, ...]
    height: int
    sentence: str
    health: Health

    @property
    def sizes(self) -> dict[str, int]:
        return {
            "width": WIDTH,
            "root_width": ROOT_WIDTH,
            "trunk_x": (ROOT_WIDTH + BOX_X) // 2,
            "box_x": BOX_X,
            "box_width": BOX_WIDTH,
            "dots_x": DOTS_X,
            "services_x": SERVICES_X,
        }

    @property
    def root_y(self) -> int:
        return max(TOP, (self.height - ROOT_HEIGHT) // 2)

    @property
    def root_middle(self) -> int:
        return self.root_y + ROOT_HEIGHT // 2

    @property
    def worst(self) -> Box | None:
        return next((box for box in self.boxes if box.is_worst), None)

    @property
    def branches(self) -> tuple[tuple[int, bool], ...]:
        """(middle of a row, whether it is the worst) for each line from the root; the worst is drawn over the rest."""
        rows = [box.middle for box in self.boxes] + [fold.y + BOX_HEIGHT // 2 for fold in self.folds[:1]]
        worst = ((self.worst.middle, True),) if self.worst else ()
        return (*((row, False) for row in rows), *worst)


@dataclass(slots=True)
class _Lane:
    """A workload with what belongs to it, before it has a place."""

    node: OwnedNode
    pods: list[OwnedNode] = field(default_factory=list)
    plugs: list[Plug] = field(default_factory=list)

    @property
    def state(self) -> str:
        return self.node.health.state


def topology(top: list[OwnedNode], type_: ResourceType, obj: KubeObject) -> Topology | None:
    """Of `obj` and what it owns. None where there is nothing to be drawn: no workload and no resource of its own."""
    name = name_of(obj)
    lanes = [lane for lane in (_lane(node) for node in top if _is_row(node)) if not _is_past(lane)]
    if not lanes:
        return None
    services = [node for node in walk(top) if node.owned.type.kind == "Service" and not node.owned.type.group]
    _plug(lanes, services)
    shown, left = _fitting(lanes)
    worst = min(
        (lane for lane in shown if lane.state == states.DEGRADED),
        key=lambda lane: _rank(lane.pods[0].health.state if lane.pods else lane.state),
        default=None,
    )
    boxes = tuple(_box(lane, name, index, is_worst=lane is worst) for index, lane in enumerate(shown))
    folds = _folds(walk(top), left, y=TOP + len(boxes) * ROW_HEIGHT)
    height = max(TOP + (len(boxes) + bool(folds)) * ROW_HEIGHT, TOP + ROOT_HEIGHT + 1)
    failing = sum(pod.health.state == states.DEGRADED for lane in lanes for pod in lane.pods)
    sentence = ngettext("%(count)d Pod failing", "%(count)d Pods failing", failing) % {"count": failing}
    return Topology(
        boxes=boxes,
        folds=folds,
        height=height,
        sentence=sentence if failing else "",
        health=root_health(type_, obj, top),
    )


def _is_row(node: OwnedNode) -> bool:
    return node.owned.type.kind in _WORKLOADS or is_custom(node.owned.type.group)


def _lane(node: OwnedNode) -> _Lane:
    """ReplicaSets and a CronJob's Jobs are left out: their Pods stand at what made them."""
    pods = [each for each in walk([node]) if each.owned.type.kind == "Pod"]
    pods.sort(key=lambda pod: (_rank(pod.health.state), name_of(pod.owned.object)))
    return _Lane(node, pods)


def _is_past(lane: _Lane) -> bool:
    """An earlier revision of a Deployment, which is kept without a Pod."""
    node = lane.node.owned
    if node.type.kind != "ReplicaSet" or lane.pods:
        return False
    return read(node.object.get("spec"), WorkloadSpec).replicas == 0


def _rank(state: str) -> int:
    return WORST_FIRST.index(state) if state in WORST_FIRST else len(WORST_FIRST)


def _plug(lanes: list[_Lane], services: Iterable[OwnedNode]) -> None:
    """Each Service stands at the first row whose Pods it selects."""
    labels_of_lanes = [_pod_labels(lane) for lane in lanes]
    for node in services:
        spec = read(node.owned.object.get("spec"), ServiceSpec)
        for lane, labels in zip(lanes, labels_of_lanes, strict=True):
            if spec.selector and any(spec.selector.items() <= pod_labels.items() for pod_labels in labels):
                lane.plugs.append(Plug(name_of(node.owned.object), _ports(spec), node.place.detail_url))
                break


def _pod_labels(lane: _Lane) -> list[Mapping[str, str]]:
    """Of the Pod template and of the first Pod."""
    template = read(lane.node.owned.object.get("spec"), WorkloadSpec).template
    metadata = [template.get("metadata"), *(pod.owned.object.get("metadata") for pod in lane.pods[:1])]
    return [read(part, ObjectMeta).labels for part in metadata]


def _ports(spec: ServiceSpec) -> str:
    ports = [str(port.port) for port in spec.ports if port.port]
    more = "…" if len(ports) > 2 else ""
    return " ".join(f":{port}" for port in ports[:2]) + more


def _fitting(lanes: list[_Lane]) -> tuple[list[_Lane], int]:
    """(rows in their order, how many are left out). What is not ready is never left out while there is room."""
    if len(lanes) <= ALL_ROWS:
        return lanes, 0
    urgent = [lane for lane in lanes if _rank(lane.state) < _rank(states.READY)][:MOST_ROWS]
    chosen = {id(lane) for lane in urgent}
    chosen |= {id(lane) for lane in [each for each in lanes if id(each) not in chosen][:READY_ROWS]}
    shown = [lane for lane in lanes if id(lane) in chosen]
    return shown, len(lanes) - len(shown)


def _box(lane: _Lane, root: str, index: int, *, is_worst: bool) -> Box:
    kind, full = lane.node.owned.type.kind, name_of(lane.node.owned.object)
    y = TOP + index * ROW_HEIGHT
    return Box(
        name=_short_name(full.removeprefix(f"{root}-") or full),
        title=f"{kind} {full}",
        short=kind_letters(kind),
        url=lane.node.place.detail_url,
        state=lane.state,
        note=_note(lane),
        y=y,
        dots=_dots(lane, y + BOX_HEIGHT // 2),
        plugs=tuple(lane.plugs[:2]),
        is_worst=is_worst,
    )


def _short_name(name: str) -> str:
    """Its beginning and its end: names of one instance differ in both."""
    if len(name) <= _NAME:
        return name
    return f"{name[: _NAME - 9]}…{name[-8:]}"


def _note(lane: _Lane) -> str:
    failing = sum(pod.health.state == states.DEGRADED for pod in lane.pods)
    if failing:
        return _("%(failing)d of %(all)d failing") % {"failing": failing, "all": len(lane.pods)}
    kind = lane.node.owned.type.kind
    if kind == "Pod":
        return ""
    return readiness(kind, lane.node.owned.object) or str(lane.node.health.label or "")


def _dots(lane: _Lane, y: int) -> tuple[Dot, ...]:
    if len(lane.pods) <= DOTS:
        return tuple(
            Dot(
                state=pod.health.state,
                title=_title(pod),
                url=pod.place.detail_url,
                x=DOTS_X + 10 + index * _DOT_STEP,
                y=y,
            )
            for index, pod in enumerate(lane.pods)
        )
    counted = Counter(pod.health.state for pod in lane.pods)
    url = lane.node.place.detail_url
    return tuple(
        Dot(
            state=state,
            title=f"{Health(state=state).label}: {counted[state]}",
            url=url,
            x=DOTS_X + 10 + index * 2 * _DOT_STEP,
            y=y,
            count=counted[state],
        )
        for index, state in enumerate(sorted(counted, key=_rank)[:3])
    )


def _title(pod: OwnedNode) -> str:
    words = pod.health.reason or pod.health.label
    return f"{name_of(pod.owned.object)}: {words}"


def _folds(all_: Iterable[OwnedNode], left: int, *, y: int) -> tuple[Fold, ...]:
    kinds = Counter(node.owned.type.kind for node in all_)
    config = sum(kinds[kind] for kind in _CONFIG)
    access = sum(kinds[kind] for kind in _ACCESS)
    others = sum(kinds[kind] for kind in ("NetworkPolicy", "PodDisruptionBudget", "Ingress"))
    labels = [
        _("+%(count)d ready") % {"count": left} if left else "",
        _("+%(count)d config") % {"count": config} if config else "",
        _("+%(count)d access") % {"count": access} if access else "",
        _("+%(count)d policies") % {"count": others} if others else "",
    ]
    width = 112
    shown = [label for label in labels if label]
    return tuple(Fold(label, BOX_X + index * (width + 12), y, width) for index, label in enumerate(shown))
