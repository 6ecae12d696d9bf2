"""The pages of Services, EndpointSlices, Endpoints, Ingresses and NetworkPolicies.

A Service: its ports, its addresses, and the Pods that it forwards to. An Ingress: the target of each address.
A NetworkPolicy: the allowed traffic in words.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import KubeObject
from kube.reader import read
from kube.selectors import from_selector
from kube.types.network import (
    Endpoint,
    EndpointConditions,
    EndpointPort,
    Endpoints,
    EndpointSlice,
    EndpointSubset,
    Ingress,
    IngressBackend,
    IngressSpec,
    NetworkPolicyPeer,
    NetworkPolicyPort,
    NetworkPolicySpec,
    Service,
    ServicePort,
)
from resources.kinds import Kind, Maker, Panel
from resources.kinds.parts import Bit, Cell, Table, facts, label, line, lines, more_note, see, some, table


def service_panels(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    service = read(obj, Service)
    yield facts("service", _("Service"), _service_facts(service))
    if service.spec.ports:
        columns = (_("Name"), _("Port"), _("Target port"), _("Node port"))
        rows = tuple(_service_port(port) for port in service.spec.ports)
        yield table("ports", Table(title=_("Ports"), columns=columns, rows=rows))
    if service.spec.type != "ExternalName":
        yield _service_endpoints(client, service)


def _service_facts(service: Service) -> Iterator[tuple[str, Cell]]:
    spec, meta = service.spec, service.metadata
    outside = _outside(service)
    yield _("Cluster DNS name"), line(f"{meta.name}.{meta.namespace}.svc", "code") if meta.namespace else ()
    addresses = lines(spec.cluster_ips)
    several = addresses if len(addresses) > 1 else ()
    headless = spec.cluster_ip == "None"
    yield _("Cluster IPs"), line(_("None (headless): the DNS name resolves to the Pods")) if headless else several
    yield _("External address"), outside
    if spec.type == "LoadBalancer" and not outside:
        yield _("Load balancer"), label(_("waiting for an address"), "blue")
    yield _("External name"), line(spec.external_name)
    yield _("Session affinity"), line(spec.session_affinity) if spec.session_affinity != "None" else ()
    yield (
        _("External traffic policy"),
        line(_("Local: only to Pods on the same node") if spec.external_traffic_policy == "Local" else ""),
    )


def _outside(service: Service) -> Cell:
    assigned = lines(entry.address for entry in service.status.load_balancer.ingress)
    return assigned + lines(service.spec.external_ips)


def _service_port(port: ServicePort) -> tuple[Cell, ...]:
    """Its name, its number, the number or name it leads to, the nodes' port."""
    return (
        line(port.name),
        line(f"{port.port}/{port.protocol or 'TCP'}"),
        line(port.target_port or port.port),
        line(port.node_port),
    )


def _service_endpoints(client: ClusterClient, service: Service) -> Panel:
    """Who answers: the addresses of its EndpointSlices, and the Pods that have them."""
    meta = service.metadata
    labels = f"kubernetes.io/service-name={meta.name}"
    found = some(client, "discovery.k8s.io", "EndpointSlice", meta.namespace, labels=labels, limit=100)
    slices = [read(item, EndpointSlice) for item in found.items]
    empty = (
        _("No Pod matches the selector, so the Service has no endpoints.")
        if service.spec.selector
        else _("This Service has no selector, so its EndpointSlices must be created manually.")
    )
    return _endpoints_table(client, slices, empty, note=more_note(found), problem=found.problem)


def endpoints(client: ClusterClient, slice_: EndpointSlice) -> Iterator[tuple[Cell, ...]]:
    """A row for each endpoint of a slice."""
    ports = lines(_endpoint_port(port) for port in slice_.ports)
    for endpoint in slice_.endpoints:
        target = endpoint.target_ref
        yield (
            lines(endpoint.addresses),
            _serving(endpoint.conditions),
            see(client, "", target.kind, target.name, target.namespace or slice_.metadata.namespace),
            ports,
            see(client, "", "Node", endpoint.node_name),
        )


def _endpoint_port(port: EndpointPort) -> str:
    number = f"{port.port}/{port.protocol or 'TCP'}"
    return f"{number} {port.name}" if port.name else number


def _serving(conditions: EndpointConditions) -> Cell:
    if conditions.terminating:
        return label(_("terminating"), "orange")
    return label(_("ready"), "green") if conditions.ready else label(_("not ready"), "orange")


def ingress(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    found = read(obj, Ingress)
    spec, namespace = found.spec, found.metadata.namespace
    rows = tuple(_ingress_rows(client, spec, namespace))
    columns, empty = (_("Address"), _("Target"), _("Path type")), _("No rules.")
    yield table("rules", Table(title=_("Rules"), columns=columns, rows=rows, empty=empty), wide=True)
    certificates = tuple(
        (lines(entry.hosts), see(client, "", "Secret", entry.secret_name, namespace)) for entry in spec.tls
    )
    if certificates:
        yield table("tls", Table(title=_("TLS"), columns=(_("Hosts"), _("Certificate")), rows=certificates))
    entries = (
        (_("Class"), see(client, "networking.k8s.io", "IngressClass", spec.ingress_class_name)),
        (_("Addresses"), lines(entry.address for entry in found.status.load_balancer.ingress)),
    )
    yield facts("ingress", _("Ingress"), entries)


def _ingress_rows(client: ClusterClient, spec: IngressSpec, namespace: str) -> Iterator[tuple[Cell, ...]]:
    secure = {host for entry in spec.tls for host in entry.hosts}
    for rule in spec.rules:
        host = rule.host
        for path in rule.http.paths:
            where = f"{'https' if host in secure else 'http'}://{host or '*'}{path.path or '/'}"
            # A wildcard isn't an address to open.
            address = (Bit(text=where, url=where),) if host and "*" not in host else line(where)
            yield address, backend(client, path.backend, namespace), line(path.path_type)
    if spec.default_backend:
        yield line(_("default backend")), backend(client, spec.default_backend, namespace), ()


def backend(client: ClusterClient, of: IngressBackend, namespace: str) -> Cell:
    """A Service with its port, or another object that an ingress controller knows."""
    service, other = of.service, of.resource
    if not service.name:
        return see(client, other.api_group, other.kind, other.name, namespace)
    words = f"{service.name}:{service.port.number or service.port.name}"
    return see(client=client, group="", kind="Service", name=service.name, namespace=namespace, words=words)


def policy(_client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    spec = read(obj.get("spec"), NetworkPolicySpec)
    kinds = spec.policy_types or (("Ingress",) if spec.egress is None else ("Ingress", "Egress"))
    ingress_rules = [_rule(rule.from_, rule.ports) for rule in spec.ingress]
    egress_rules = [_rule(rule.to, rule.ports) for rule in spec.egress or ()]
    entries = (
        (_("Applies to"), line(_pods(spec.pod_selector))),
        (_("Ingress allowed from"), _allowed(ingress_rules, "Ingress" in kinds)),
        (_("Egress allowed to"), _allowed(egress_rules, "Egress" in kinds)),
    )
    note = _("Once a policy selects a Pod, only traffic that a policy allows is accepted.")
    yield facts("policy", _("Allowed traffic"), entries, note=note, wide=True)


def _allowed(rules: Sequence[str], is_restricted: bool) -> Cell:
    if not is_restricted:
        return line(_("all peers: not restricted by this policy"))
    return tuple(Bit(text=rule) for rule in rules or (_("none"),))


def _rule(peers: Iterable[NetworkPolicyPeer], ports: Iterable[NetworkPolicyPort]) -> str:
    who = _(" or ").join(_peer(peer) for peer in peers) or _("all peers")
    where = ", ".join(_port(port) for port in ports)
    return _("%(who)s, on %(ports)s") % {"who": who, "ports": where} if where else who


def _port(port: NetworkPolicyPort) -> str:
    number = port.port or _("all ports")
    return f"{port.protocol or 'TCP'} {number}{f'–{port.end_port}' if port.end_port else ''}"


def _peer(peer: NetworkPolicyPeer) -> str:
    if peer.ip_block.cidr:
        words = _("addresses %(range)s") % {"range": peer.ip_block.cidr}
        but = ", ".join(peer.ip_block.except_)
        return _("%(addresses)s except %(others)s") % {"addresses": words, "others": but} if but else words
    spaces = peer.namespace_selector
    where = _("this namespace") if spaces is None else _spaces(spaces)
    return _("%(pods)s in %(namespaces)s") % {"pods": _pods(peer.pod_selector), "namespaces": where}


def _selector(selector: Mapping[str, Any]) -> str:
    try:
        return from_selector(selector)
    except (TypeError, AttributeError):
        return "?"


def _spaces(selector: Mapping[str, Any]) -> str:
    words = _selector(selector)
    return _("namespaces with %(labels)s") % {"labels": words} if words else _("any namespace")


def _pods(selector: Mapping[str, Any]) -> str:
    words = _selector(selector)
    return _("Pods with %(labels)s") % {"labels": words} if words else _("all Pods")


def slice_panels(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    yield _endpoints_table(client, [read(obj, EndpointSlice)], _("No endpoints."))


def endpoints_panels(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    """The older kind, read as the newer one."""
    older = read(obj, Endpoints)
    slices = [_as_slice(older, subset) for subset in older.subsets]
    yield _endpoints_table(client, slices, _("No endpoints."))


def _as_slice(older: Endpoints, subset: EndpointSubset) -> EndpointSlice:
    parts = ((subset.addresses, True), (subset.not_ready_addresses, False))
    found = tuple(
        Endpoint(
            addresses=(address.ip,),
            conditions=EndpointConditions(ready=ready),
            target_ref=address.target_ref,
            node_name=address.node_name,
        )
        for addresses, ready in parts
        for address in addresses
    )
    return EndpointSlice(metadata=older.metadata, ports=subset.ports, endpoints=found)


def _endpoints_table(
    client: ClusterClient, slices: Iterable[EndpointSlice], empty: str, *, note: str = "", problem: str = ""
) -> Panel:
    rows = tuple(row for slice_ in slices for row in endpoints(client, slice_))
    columns = (_("Address"), _("State"), _("Pod"), _("Ports"), _("Node"))
    made = Table(title=_("Endpoints"), columns=columns, rows=rows, note=note, problem=problem, empty=empty)
    return table("endpoints", made, wide=True)


PANELS: dict[Kind, Maker] = {
    ("", "Service"): service_panels,
    ("networking.k8s.io", "Ingress"): ingress,
    ("networking.k8s.io", "NetworkPolicy"): policy,
    ("discovery.k8s.io", "EndpointSlice"): slice_panels,
    ("", "Endpoints"): endpoints_panels,
}
