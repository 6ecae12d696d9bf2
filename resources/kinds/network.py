"""The pages of Services, EndpointSlices, Endpoints, Ingresses and NetworkPolicies.

A Service: its ports, its addresses, and the Pods that it forwards to. An Ingress: the target of each address.
A NetworkPolicy: the allowed traffic in words.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from django.utils.translation import gettext as _

from kube.client import ClusterClient
from kube.discovery import ResourceType
from kube.objects import KubeObject, items, mapping, name_of, namespace_of, text
from kube.selectors import from_selector
from resources.kinds import Kind, Maker, Panel
from resources.kinds.parts import Bit, Cell, Table, facts, label, line, lines, more_note, see, some, table


def service_panels(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    yield facts("service", _("Service"), _service_facts(obj))
    if found := _service_ports(obj):
        columns = (_("Name"), _("Port"), _("Target port"), _("Node port"))
        yield table("ports", Table(title=_("Ports"), columns=columns, rows=found))
    if text(mapping(obj.get("spec")).get("type")) != "ExternalName":
        yield _service_endpoints(client, obj)


def _service_facts(obj: KubeObject) -> Iterator[tuple[str, Cell]]:
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


def _service_endpoints(client: ClusterClient, obj: KubeObject) -> Panel:
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


def _service_ports(obj: KubeObject) -> tuple[tuple[Cell, ...], ...]:
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


def ingress(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    spec, namespace = mapping(obj.get("spec")), namespace_of(obj)
    secure = {text(host) for entry in items(spec.get("tls")) for host in _list(entry.get("hosts"))}
    rows = tuple(_ingress_rows(client, spec, namespace, secure))
    columns, empty = (_("Address"), _("Target"), _("Path type")), _("No rules.")
    yield table("rules", Table(title=_("Rules"), columns=columns, rows=rows, empty=empty), wide=True)
    certificates = tuple(
        (lines(_list(entry.get("hosts"))), see(client, "", "Secret", entry.get("secretName"), namespace))
        for entry in items(spec.get("tls"))
    )
    if certificates:
        yield table("tls", Table(title=_("TLS"), columns=(_("Hosts"), _("Certificate")), rows=certificates))
    addresses = items(mapping(mapping(obj.get("status")).get("loadBalancer")).get("ingress"))
    entries = (
        (_("Class"), see(client, "networking.k8s.io", "IngressClass", spec.get("ingressClassName"))),
        (_("Addresses"), lines(text(address.get("hostname")) or text(address.get("ip")) for address in addresses)),
    )
    yield facts("ingress", _("Ingress"), entries)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _ingress_rows(
    client: ClusterClient, spec: Mapping[str, Any], namespace: str, secure: set[str]
) -> Iterator[tuple[Cell, ...]]:
    for rule in items(spec.get("rules")):
        host = text(rule.get("host"))
        for path in items(mapping(rule.get("http")).get("paths")):
            where = f"{'https' if host in secure else 'http'}://{host or '*'}{text(path.get('path')) or '/'}"
            # A wildcard isn't an address to open.
            address = (Bit(text=where, url=where),) if host and "*" not in host else line(where)
            yield address, backend(client, mapping(path.get("backend")), namespace), line(path.get("pathType"))
    if rest := mapping(spec.get("defaultBackend")):
        yield line(_("default backend")), backend(client, rest, namespace), ()


def backend(client: ClusterClient, of: Mapping[str, Any], namespace: str) -> Cell:
    """A Service with its port, or another object that an ingress controller knows."""
    service, other = mapping(of.get("service")), mapping(of.get("resource"))
    if not service:
        return see(client, text(other.get("apiGroup")), text(other.get("kind")), other.get("name"), namespace)
    port = mapping(service.get("port"))
    name = text(service.get("name"))
    words = f"{name}:{text(port.get('number')) or text(port.get('name'))}"
    return see(client=client, group="", kind="Service", name=name, namespace=namespace, words=words)


def policy(_client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    spec = mapping(obj.get("spec"))
    kinds = _list(spec.get("policyTypes")) or (["Ingress", "Egress"] if "egress" in spec else ["Ingress"])
    entries = [(_("Applies to"), line(_pods(spec.get("podSelector"))))]
    for kind, title in (("Ingress", _("Ingress allowed from")), ("Egress", _("Egress allowed to"))):
        if kind in kinds:
            entries.append((title, tuple(_sides(spec, kind))))
        else:
            entries.append((title, line(_("all peers: not restricted by this policy"))))
    note = _("Once a policy selects a Pod, only traffic that a policy allows is accepted.")
    yield facts("policy", _("Allowed traffic"), entries, note=note, wide=True)


def _sides(spec: Mapping[str, Any], kind: str) -> Iterator[Bit]:
    side = "from" if kind == "Ingress" else "to"
    rules = items(spec.get(kind.lower()))
    if not rules:
        yield Bit(text=_("none"))
    for rule in rules:
        peers = [_peer(item) for item in items(rule.get(side))] or [_("all peers")]
        ports = [_port(item) for item in items(rule.get("ports"))]
        who = _(" or ").join(peers)
        yield Bit(text=_("%(who)s, on %(ports)s") % {"who": who, "ports": ", ".join(ports)} if ports else who)


def _port(item: Mapping[str, Any]) -> str:
    last = text(item.get("endPort"))
    number = text(item.get("port")) or _("all ports")
    return f"{text(item.get('protocol')) or 'TCP'} {number}{f'–{last}' if last else ''}"


def _peer(item: Mapping[str, Any]) -> str:
    if block := mapping(item.get("ipBlock")):
        but = ", ".join(text(part) for part in _list(block.get("except")))
        words = _("addresses %(range)s") % {"range": text(block.get("cidr"))}
        return _("%(addresses)s except %(others)s") % {"addresses": words, "others": but} if but else words
    spaces = item.get("namespaceSelector")
    where = _("this namespace") if spaces is None else _spaces(spaces)
    return _("%(pods)s in %(namespaces)s") % {"pods": _pods(item.get("podSelector")), "namespaces": where}


def _selector(value: Any) -> str:
    try:
        return from_selector(mapping(value))
    except (TypeError, AttributeError):
        return "?"


def _spaces(value: Any) -> str:
    words = _selector(value)
    return _("namespaces with %(labels)s") % {"labels": words} if words else _("any namespace")


def _pods(value: Any) -> str:
    words = _selector(value)
    return _("Pods with %(labels)s") % {"labels": words} if words else _("all Pods")


def slice_(client: ClusterClient, _type: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    rows = tuple(endpoints(client, obj))
    columns = (_("Address"), _("State"), _("Pod"), _("Ports"), _("Node"))
    yield table(
        "endpoints", Table(title=_("Endpoints"), columns=columns, rows=rows, empty=_("No endpoints.")), wide=True
    )


def endpoints_of(client: ClusterClient, type_: ResourceType, obj: KubeObject) -> Iterable[Panel]:
    """The older kind, read as the newer one."""
    rows = tuple(row for item in items(obj.get("subsets")) for row in endpoints(client, _as_slice(obj, item)))
    columns = (_("Address"), _("State"), _("Pod"), _("Ports"), _("Node"))
    yield table(
        "endpoints", Table(title=_("Endpoints"), columns=columns, rows=rows, empty=_("No endpoints.")), wide=True
    )


def _as_slice(obj: KubeObject, subset: Mapping[str, Any]) -> KubeObject:
    found = [
        {**entry, "addresses": [text(entry.get("ip"))], "conditions": {"ready": ready}}
        for part, ready in (("addresses", True), ("notReadyAddresses", False))
        for entry in items(subset.get(part))
    ]
    return {"metadata": obj.get("metadata"), "ports": subset.get("ports"), "endpoints": found}


PANELS: dict[Kind, Maker] = {
    ("", "Service"): service_panels,
    ("networking.k8s.io", "Ingress"): ingress,
    ("networking.k8s.io", "NetworkPolicy"): policy,
    ("discovery.k8s.io", "EndpointSlice"): slice_,
    ("", "Endpoints"): endpoints_of,
}
