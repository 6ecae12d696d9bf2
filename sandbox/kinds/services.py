"""Services: defaults, addresses and ports. Endpoints and EndpointSlices."""

from __future__ import annotations

from ipaddress import ip_address, ip_network
from typing import TYPE_CHECKING, Any

from structural.causes import FieldCause
from structural.words import invalid

from ..errors import Invalid
from ..objects import decode, dig
from .checks import service
from .strategy import Object, Strategy

if TYPE_CHECKING:
    from ..store import Store

CLUSTER_IPS = "10.96"
CLUSTER_RANGE = f"{CLUSTER_IPS}.0.0/16"
NODE_PORTS = range(30000, 32768)
_ALLOCATED = ("clusterIP", "clusterIPs", "ipFamilies", "ipFamilyPolicy")
_REACHABLE = ("NodePort", "LoadBalancer")
#: What only some types have, and lose with them.
_OF_BALANCERS = ("allocateLoadBalancerNodePorts", "loadBalancerClass")


def _defaults(obj: Object) -> None:
    if not isinstance(obj.get("spec"), dict):
        obj["spec"] = {}
    spec = obj["spec"]
    spec.setdefault("type", "ClusterIP")
    spec.setdefault("sessionAffinity", "None")
    if spec["sessionAffinity"] == "None":
        spec.pop("sessionAffinityConfig", None)
    if (
        spec["sessionAffinity"] == "ClientIP"
        and dig(spec, "sessionAffinityConfig", "clientIP", "timeoutSeconds") is None
    ):
        spec["sessionAffinityConfig"] = {"clientIP": {"timeoutSeconds": 10800}}
    for port in spec.get("ports") or []:
        port.setdefault("protocol", "TCP")
        if not port.get("targetPort"):
            port["targetPort"] = port.get("port", 0)
        if not port.get("nodePort"):
            port.pop("nodePort", None)
    if spec["type"] in ("ClusterIP", *_REACHABLE):
        spec.setdefault("internalTrafficPolicy", "Cluster")
    if spec["type"] in _REACHABLE:
        spec.setdefault("externalTrafficPolicy", "Cluster")
    if spec["type"] == "LoadBalancer":
        spec.setdefault("allocateLoadBalancerNodePorts", True)


def _create(obj: Object, _: Any) -> None:
    obj["status"] = {"loadBalancer": {}}


def _update(obj: Object, old: Object) -> None:
    """Keeps allocated fields that the client leaves out; drops those of another type."""
    spec, before = obj["spec"], old.get("spec") or {}
    kind, was = spec["type"], before.get("type")
    if kind == "ExternalName" and was != kind:
        for field in (*_ALLOCATED, "internalTrafficPolicy", "externalTrafficPolicy"):
            if spec.get(field) == before.get(field):
                spec.pop(field, None)
    elif was != "ExternalName":
        for field in _ALLOCATED:
            if not spec.get(field) and before.get(field):
                spec[field] = before[field]
    if kind not in _REACHABLE:
        if spec.get("externalTrafficPolicy") == before.get("externalTrafficPolicy"):
            spec.pop("externalTrafficPolicy", None)
        _drop_node_ports(spec, before)
    elif was in _REACHABLE:
        _keep_node_ports(spec, before)
    if kind != "LoadBalancer":
        for field in _OF_BALANCERS:
            if spec.get(field) == before.get(field):
                spec.pop(field, None)


def _keep_node_ports(spec: Object, before: Object) -> None:
    known = {(port.get("port"), port.get("protocol")): port.get("nodePort") for port in before.get("ports") or []}
    for port in spec.get("ports") or []:
        node_port = known.get((port.get("port"), port.get("protocol")))
        if node_port and not port.get("nodePort"):
            port["nodePort"] = node_port


def _drop_node_ports(spec: Object, before: Object) -> None:
    known = {port.get("nodePort") for port in before.get("ports") or []}
    for port in spec.get("ports") or []:
        if port.get("nodePort") in known:
            port.pop("nodePort", None)


def _validate(obj: Object, old: Object | None) -> list[FieldCause]:
    causes = list(service(obj, old))
    if old is None or "ExternalName" in (obj["spec"].get("type"), dig(old, "spec", "type")):
        return causes
    before: list[str] = dig(old, "spec", "clusterIPs") or [dig(old, "spec", "clusterIP")]
    wanted = obj["spec"].get("clusterIPs") or [obj["spec"].get("clusterIP")]
    if wanted[0] != before[0]:
        causes.append(invalid("spec.clusterIPs[0]", wanted, "may not change once set"))
    elif obj["spec"].get("clusterIP") != wanted[0]:
        text = "first value must match `clusterIP`"
        causes.append(invalid("spec.clusterIPs", wanted, text))
    return causes


def _allocate(obj: Object, old: Object | None, store: Store) -> None:
    """An address, families and node ports, where the Service is to have them and has none yet."""
    spec, metadata = obj["spec"], obj["metadata"]
    if spec["type"] == "ExternalName":
        return
    others = [
        decode(entry.data)["spec"]
        for entry in store.scan("services")
        if (entry.namespace, entry.name) != (metadata.get("namespace"), metadata["name"])
    ]
    if not dig(old or {}, "spec", "clusterIP"):
        _address(obj, {str(other.get("clusterIP")) for other in others})
        both = spec["clusterIP"] == "None" and not spec.get("selector")
        spec.setdefault("ipFamilies", ["IPv4", "IPv6"] if both else ["IPv4"])
        spec.setdefault("ipFamilyPolicy", "RequireDualStack" if both else "SingleStack")
        if spec["ipFamilyPolicy"] == "RequireDualStack" and not both:
            text = "this cluster is not configured for dual-stack services"
            raise _refused(obj, invalid("spec.ipFamilyPolicy", "RequireDualStack", text))
    if spec["type"] in _REACHABLE:
        _node_ports(obj, others, old)


def _refused(obj: Object, cause: FieldCause) -> Invalid:
    return Invalid("Service", obj["metadata"]["name"], [cause])


def _address(obj: Object, used: set[str]) -> None:
    spec = obj["spec"]
    wanted = (spec.get("clusterIPs") or [spec.get("clusterIP")])[0]
    if not wanted:
        wanted = _free_address(used)
    elif wanted != "None":
        why = ""
        if ip_address(wanted) not in ip_network(CLUSTER_RANGE):
            why = f"the provided IP ({wanted}) is not in the valid range. The range of valid IPs is {CLUSTER_RANGE}"
        elif wanted in used:
            why = "provided IP is already allocated"
        if why:
            raise _refused(obj, invalid("spec.clusterIPs", [wanted], f"failed to allocate IP {wanted}: {why}"))
    spec["clusterIP"], spec["clusterIPs"] = wanted, [wanted]


def _free_address(used: set[str]) -> str:
    for number in range(10, 65000):
        address = f"{CLUSTER_IPS}.{number >> 8}.{number & 255}"
        if number & 255 and address not in used:
            return address
    raise RuntimeError("no cluster address is free")


def _node_ports(obj: Object, others: list[Object], old: Object | None) -> None:
    used = {port.get("nodePort") for other in others for port in other.get("ports") or []}
    mine = {port.get("nodePort") for port in dig(old or {}, "spec", "ports") or []}
    for index, port in enumerate(obj["spec"].get("ports") or []):
        wanted = port.get("nodePort")
        if not wanted:
            port["nodePort"] = next(number for number in NODE_PORTS if number not in used)
        elif wanted not in mine:
            why = ""
            if wanted not in NODE_PORTS:
                why = (
                    "provided port is not in the valid range. The range of valid ports is"
                    f" {NODE_PORTS[0]}-{NODE_PORTS[-1]}"
                )
            elif wanted in used:
                why = "provided port is already allocated"
            if why:
                raise _refused(obj, invalid(f"spec.ports[{index}].nodePort", wanted, why))
        used.add(port["nodePort"])


def _endpoint_ports(obj: Object) -> None:
    for subset in obj.get("subsets") or []:
        for port in subset.get("ports") or []:
            port.setdefault("protocol", "TCP")


def _slice(obj: Object) -> None:
    for point in obj.get("endpoints") or []:
        point.setdefault("conditions", {})
    for port in obj.get("ports") or []:
        port.setdefault("name", "")
        port.setdefault("protocol", "TCP")


STRATEGIES = {
    "services": Strategy(
        defaults=_defaults,
        create=_create,
        update=_update,
        validate=_validate,
        allocate=_allocate,
        returns_deleted=True,
        creates_on_update=True,
        names="label",
    ),
    "endpoints": Strategy(defaults=_endpoint_ports, creates_on_update=True),
    "endpointslices.discovery.k8s.io": Strategy(defaults=_slice),
}
