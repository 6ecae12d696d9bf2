"""A Service's page: its ports, how it is reached, and the Pods behind it."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import KubeObject, name_of, namespace_of
from resources.kinds import Kind, Maker, Panel
from resources.kinds.parts import Bit, Cell, Table, facts, label, line, lines, more_note, see, some, table
from resources.state.health import items, mapping, text


def panels(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    yield facts("service", _("Service"), _facts(obj))
    if found := _ports(obj):
        columns = (_("Name"), _("Port"), _("Target port"), _("Node port"))
        yield table("ports", Table(title=_("Ports"), columns=columns, rows=found))
    if text(mapping(obj.get("spec")).get("type")) != "ExternalName":
        yield _endpoints(client, obj)


def _facts(obj: KubeObject) -> Iterator[tuple[str, Cell]]:
    spec = mapping(obj.get("spec"))
    name, namespace = name_of(obj), namespace_of(obj)
    outside = tuple(_outside(obj))
    yield _("Cluster DNS name"), line(f"{name}.{namespace}.svc", "code") if namespace else ()
    ips = spec.get("clusterIPs")
    addresses = lines(ips) if isinstance(ips, list) else ()
    headless = text(spec.get("clusterIP")) == "None"
    several = addresses if len(addresses) > 1 else ()
    yield _("Cluster IPs"), line(_("None (headless): the DNS name resolves to the Pods")) if headless else several
    yield _("External address"), outside
    if text(spec.get("type")) == "LoadBalancer" and not outside:
        yield _("Load balancer"), label(_("waiting for an address"), "blue")
    yield _("External name"), line(spec.get("externalName"))
    yield _("Session affinity"), line(spec.get("sessionAffinity")) if spec.get("sessionAffinity") != "None" else ()
    yield (
        _("External traffic policy"),
        line(_("Local: only to Pods on the same node") if spec.get("externalTrafficPolicy") == "Local" else ""),
    )


def _outside(obj: KubeObject) -> Iterator[Bit]:
    spec, status = mapping(obj.get("spec")), mapping(obj.get("status"))
    for entry in items(mapping(status.get("loadBalancer")).get("ingress")):
        yield from line(text(entry.get("hostname")) or text(entry.get("ip")))
    if isinstance(given := spec.get("externalIPs"), list):
        yield from lines(given)


def _endpoints(client: ClusterClient, obj: KubeObject) -> Panel:
    """Who answers: the addresses of its EndpointSlices, and the Pods that have them."""
    labels = f"kubernetes.io/service-name={name_of(obj)}"
    found = some(client, "discovery.k8s.io", "EndpointSlice", namespace_of(obj), labels=labels, limit=100)
    rows = tuple(row for item in found.items for row in endpoints(client, item))
    selects = bool(mapping(mapping(obj.get("spec")).get("selector")))
    empty = (
        _("No Pod matches the selector, so the Service has no endpoints.")
        if selects
        else _("This Service has no selector, so its EndpointSlices must be created manually.")
    )
    columns = (_("Address"), _("State"), _("Pod"), _("Ports"), _("Node"))
    made = Table(
        title=_("Endpoints"), columns=columns, rows=rows, note=more_note(found), problem=found.problem, empty=empty
    )
    return table("endpoints", made, wide=True)


def endpoints(client: ClusterClient, item: KubeObject) -> Iterator[tuple[Cell, ...]]:
    """A row for each endpoint of a slice."""
    ports = tuple(
        f"{text(port.get('port'))}/{text(port.get('protocol')) or 'TCP'}{_named(port)}"
        for port in items(item.get("ports"))
    )
    for entry in items(item.get("endpoints")):
        addresses = entry.get("addresses")
        target = mapping(entry.get("targetRef"))
        where = text(target.get("namespace")) or namespace_of(item)
        yield (
            lines(addresses) if isinstance(addresses, list) else (),
            _serving(mapping(entry.get("conditions"))),
            see(client, "", text(target.get("kind")), target.get("name"), where),
            lines(ports),
            see(client, "", "Node", entry.get("nodeName")),
        )


def _named(port: Mapping[str, Any]) -> str:
    return f" {text(port.get('name'))}" if text(port.get("name")) else ""


def _serving(conditions: Mapping[str, Any]) -> Cell:
    if conditions.get("terminating") is True:
        return label(_("terminating"), "orange")
    # Unset means ready: https://kubernetes.io/docs/concepts/services-networking/endpoint-slices/#ready
    return label(_("ready"), "green") if conditions.get("ready") is not False else label(_("not ready"), "orange")


def _ports(obj: KubeObject) -> tuple[tuple[Cell, ...], ...]:
    """A row for each port: its name, its number, the number or name it leads to, the nodes' port."""
    return tuple(
        (
            line(entry.get("name")),
            line(f"{text(entry.get('port'))}/{text(entry.get('protocol')) or 'TCP'}"),
            line(text(entry.get("targetPort")) or text(entry.get("port"))),
            line(entry.get("nodePort")),
        )
        for entry in items(mapping(obj.get("spec")).get("ports"))
    )


PANELS: dict[Kind, Maker] = {("", "Service"): panels}
