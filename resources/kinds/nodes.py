"""A node's page: how much of it is taken, what keeps Pods away, what runs on it; and the switch that lets no new
Pods come.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal

from django.utils.translation import gettext as _

from console.web.access import refusal
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import KubeObject
from kube.reader import read
from kube.types.cluster import Node, NodeStatus, Taint
from kube.types.core import Container, Pod, PodSpec
from resources.kinds import Kind, Maker, Panel
from resources.kinds.parts import (
    PANEL,
    Bar,
    Bars,
    Cell,
    Some,
    Table,
    bar,
    facts,
    line,
    lines,
    more_note,
    see,
    some,
    state,
    table,
)
from resources.place import Place
from resources.quantities import cores, number, size
from resources.state.health import Health
from resources.state.kind_health import health

_ROLE = "node-role.kubernetes.io/"


@dataclass(frozen=True, slots=True)
class Switch:
    """`closed`: no new Pods come. `refusal`: why this user can't change that."""

    url: str
    closed: bool
    refusal: str
    kubectl: str


def panels(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    node = read(obj, Node)
    yield Panel("switch", "resources/kinds/_node.html", _switch(client, type_, node))
    found = some(client, "", "Pod", fields=f"spec.nodeName={node.metadata.name}", limit=500)
    pods = [read(item, Pod) for item in found.items]
    if not found.problem:
        note = _("Based on the requests of its Pods.") if not found.more else more_note(found)
        yield Panel("taken", PANEL, Bars(_("Allocated resources"), tuple(taken(node.status, pods)), note=note))
    yield facts("node", _("Node"), _facts(node))
    if node.spec.taints:
        rows = tuple(
            (line(_taint(taint)), line(_effects().get(taint.effect, taint.effect))) for taint in node.spec.taints
        )
        yield table(
            "taints", Table(title=_("Taints"), columns=(_("Taint"), _("Effect on Pods without toleration")), rows=rows)
        )
    yield _pods(client, found, pods)


def _effects() -> dict[str, str]:
    return {
        "NoSchedule": _("NoSchedule: no new Pods are scheduled"),
        "PreferNoSchedule": _("PreferNoSchedule: other nodes are preferred"),
        "NoExecute": _("NoExecute: running Pods are evicted"),
    }


def _switch(client: ClusterClient, type_: ResourceType, node: Node) -> Switch:
    name, closed = node.metadata.name, node.spec.unschedulable
    refused = refusal(client, "patch", type_, "", name)
    return Switch(
        Place(type_, "", name).url("cordon"), closed, refused, f"kubectl {'uncordon' if closed else 'cordon'} {name}"
    )


def taken(node: NodeStatus, pods: Iterable[Pod]) -> Iterator[Bar]:
    """What its Pods request of what it can give. Pods that have ended take nothing."""
    running = [pod for pod in pods if pod.status.phase not in ("Succeeded", "Failed")]
    for resource, title, words in (("cpu", _("CPU"), cores), ("memory", _("Memory"), size)):
        most = number(node.allocatable.get(resource, ""))
        if most is None:
            continue
        used = sum((requested(pod.spec, resource) for pod in running), Decimal(0))
        drawn = bar(title, str(used), str(most))
        yield Bar(name=title, used=words(used), hard=words(most), percent=drawn.percent, colour=drawn.colour)
    if room := node.allocatable.get("pods"):
        yield bar(_("Pods"), str(len(running)), room)


def requested(pod: PodSpec, resource: str) -> Decimal:
    """As the scheduler counts: the containers together, or one init container if that needs more, and what the
    runtime itself takes.

    https://kubernetes.io/docs/concepts/workloads/pods/init-containers/#resource-sharing-within-containers
    """
    together = sum((_request(container, resource) for container in pod.containers), Decimal(0))
    first = Decimal(0)
    for container in pod.init_containers:
        if container.restart_policy == "Always":
            together += _request(container, resource)
        else:
            first = max(first, _request(container, resource))
    return max(together, first) + (number(pod.overhead.get(resource, "")) or Decimal(0))


def _request(container: Container, resource: str) -> Decimal:
    return number(container.resources.requests.get(resource, "")) or Decimal(0)


def _facts(node: Node) -> Iterator[tuple[str, Cell]]:
    status, labels = node.status, node.metadata.labels
    info = status.node_info
    yield _("Roles"), lines(key.removeprefix(_ROLE) for key in labels if key.startswith(_ROLE))
    yield _("Addresses"), lines(f"{address.type}: {address.address}" for address in status.addresses)
    yield _("Capacity"), lines(f"{key}: {value}" for key, value in status.capacity.items())
    yield _("Zone"), line(labels.get("topology.kubernetes.io/zone"))
    yield _("Machine type"), line(labels.get("node.kubernetes.io/instance-type"))
    yield _("Kubelet"), line(info.kubelet_version)
    yield _("Container runtime"), line(info.container_runtime_version)
    yield _("OS image"), line(info.os_image)
    yield _("Kernel"), line(info.kernel_version)
    yield _("Architecture"), line("/".join(filter(None, (info.operating_system, info.architecture))))
    yield _("Pod CIDR"), line(node.spec.pod_cidr)
    yield _("Provider ID"), line(node.spec.provider_id, "code")


def _taint(taint: Taint) -> str:
    return "=".join(filter(None, (taint.key, taint.value)))


def _pods(client: ClusterClient, found: Some, pods: Sequence[Pod]) -> Panel:
    """`pods`: those that were found, read."""
    ordered = sorted(
        zip(pods, found.items, strict=True), key=lambda pair: (pair[0].metadata.namespace, pair[0].metadata.name)
    )
    columns = (_("Pod"), _("Namespace"), _("State"), _("CPU requested"), _("Memory requested"))
    made = Table(
        title=_("Pods"),
        columns=columns,
        rows=tuple(_pod_row(client, pod, health(obj)) for pod, obj in ordered),
        note=more_note(found),
        problem=found.problem,
        empty=_("No Pods run on this node."),
    )
    return table("pods", made, wide=True)


def _pod_row(client: ClusterClient, pod: Pod, pod_health: Health) -> tuple[Cell, ...]:
    meta = pod.metadata
    return (
        see(client, "", "Pod", meta.name, meta.namespace),
        line(meta.namespace),
        state(pod_health),
        line(cores(requested(pod.spec, "cpu"))),
        line(size(requested(pod.spec, "memory"))),
    )


PANELS: dict[Kind, Maker] = {("", "Node"): panels}
