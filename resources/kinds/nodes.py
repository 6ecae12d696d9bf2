"""A node's page: how much of it is taken, what keeps Pods away, what runs on it; and the switch that lets no new
Pods come.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.utils.translation import gettext as _

from console.web.access import refusal
from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import KubeObject, items, mapping, name_of, namespace_of, text
from resources.kinds import Kind, Maker, Panel
from resources.kinds.parts import (
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
    name = name_of(obj)
    yield Panel("switch", "resources/kinds/_node.html", _switch(client, type_, obj))
    found = some(client, "", "Pod", fields=f"spec.nodeName={name}", limit=500)
    if not found.problem:
        note = _("Based on the requests of its Pods.") if not found.more else more_note(found)
        yield Panel(
            "taken",
            "resources/kinds/_bars.html",
            Bars(_("Allocated resources"), tuple(taken(obj, found.items)), note=note),
        )
    yield facts("node", _("Node"), _facts(obj))
    if rows := tuple(
        (line(_taint(item)), line(_effects().get(text(item.get("effect")), text(item.get("effect")))))
        for item in items(mapping(obj.get("spec")).get("taints"))
    ):
        yield table(
            "taints", Table(title=_("Taints"), columns=(_("Taint"), _("Effect on Pods without toleration")), rows=rows)
        )
    yield _pods(client, found)


def _effects() -> dict[str, str]:
    return {
        "NoSchedule": _("NoSchedule: no new Pods are scheduled"),
        "PreferNoSchedule": _("PreferNoSchedule: other nodes are preferred"),
        "NoExecute": _("NoExecute: running Pods are evicted"),
    }


def _switch(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> Switch:
    place, closed = Place(type_, "", name_of(obj)), mapping(obj.get("spec")).get("unschedulable") is True
    refused = refusal(client, "patch", type_, "", name_of(obj))
    return Switch(place.url("cordon"), closed, refused, f"kubectl {'uncordon' if closed else 'cordon'} {name_of(obj)}")


def taken(obj: KubeObject, pods: Iterable[KubeObject]) -> Iterator[Bar]:
    """What its Pods request of what it can give. Pods that have ended take nothing."""
    allocatable = mapping(mapping(obj.get("status")).get("allocatable"))
    running = [pod for pod in pods if mapping(pod.get("status")).get("phase") not in ("Succeeded", "Failed")]
    for resource, title, words in (("cpu", _("CPU"), cores), ("memory", _("Memory"), size)):
        most = number(text(allocatable.get(resource)))
        if most is None:
            continue
        used = sum((requested(pod, resource) for pod in running), Decimal(0))
        drawn = bar(title, str(used), str(most))
        yield Bar(name=title, used=words(used), hard=words(most), percent=drawn.percent, colour=drawn.colour)
    if room := text(allocatable.get("pods")):
        yield bar(_("Pods"), str(len(running)), room)


def requested(pod: Mapping[str, Any], resource: str) -> Decimal:
    """As the scheduler counts: the containers together, or one init container if that needs more, and what the
    runtime itself takes.

    https://kubernetes.io/docs/concepts/workloads/pods/init-containers/#resource-sharing-within-containers
    """
    spec = mapping(pod.get("spec"))
    together = sum((_request(item, resource) for item in items(spec.get("containers"))), Decimal(0))
    first = Decimal(0)
    for container in items(spec.get("initContainers")):
        if text(container.get("restartPolicy")) == "Always":
            together += _request(container, resource)
        else:
            first = max(first, _request(container, resource))
    return max(together, first) + (number(text(mapping(spec.get("overhead")).get(resource))) or Decimal(0))


def _request(container: Mapping[str, Any], resource: str) -> Decimal:
    return number(text(mapping(mapping(container.get("resources")).get("requests")).get(resource))) or Decimal(0)


def _facts(obj: KubeObject) -> Iterator[tuple[str, Cell]]:
    status, labels = mapping(obj.get("status")), mapping(mapping(obj.get("metadata")).get("labels"))
    info, capacity = mapping(status.get("nodeInfo")), mapping(status.get("capacity"))
    yield _("Roles"), lines(key.removeprefix(_ROLE) for key in labels if key.startswith(_ROLE))
    yield (
        _("Addresses"),
        lines(f"{text(item.get('type'))}: {text(item.get('address'))}" for item in items(status.get("addresses"))),
    )
    yield _("Capacity"), lines(f"{key}: {text(value)}" for key, value in capacity.items())
    yield _("Zone"), line(labels.get("topology.kubernetes.io/zone"))
    yield _("Machine type"), line(labels.get("node.kubernetes.io/instance-type"))
    yield _("Kubelet"), line(info.get("kubeletVersion"))
    yield _("Container runtime"), line(info.get("containerRuntimeVersion"))
    yield _("OS image"), line(info.get("osImage"))
    yield _("Kernel"), line(info.get("kernelVersion"))
    yield (
        _("Architecture"),
        line("/".join(filter(None, (text(info.get("operatingSystem")), text(info.get("architecture")))))),
    )
    yield _("Pod CIDR"), line(mapping(obj.get("spec")).get("podCIDR"))
    yield _("Provider ID"), line(mapping(obj.get("spec")).get("providerID"), "code")


def _taint(item: Mapping[str, Any]) -> str:
    return "=".join(filter(None, (text(item.get("key")), text(item.get("value")))))


def _pods(client: ClusterClient, found: Some) -> Panel:
    ordered = sorted(found.items, key=lambda pod: (namespace_of(pod), name_of(pod)))
    rows = tuple(
        (
            see(client, "", "Pod", name_of(pod), namespace_of(pod)),
            line(namespace_of(pod)),
            state(health(pod)),
            line(cores(requested(pod, "cpu"))),
            line(size(requested(pod, "memory"))),
        )
        for pod in ordered
    )
    columns = (_("Pod"), _("Namespace"), _("State"), _("CPU requested"), _("Memory requested"))
    empty = _("No Pods run on this node.")
    return table(
        "pods",
        Table(
            title=_("Pods"),
            columns=columns,
            rows=rows,
            note=more_note(found),
            left=0,
            problem=found.problem,
            empty=empty,
        ),
        wide=True,
    )


PANELS: dict[Kind, Maker] = {("", "Node"): panels}
