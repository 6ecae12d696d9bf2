"""Services."""

from __future__ import annotations

import ipaddress
from typing import Any

from .basics import (
    Cause,
    Causes,
    Object,
    duplicate,
    forbidden,
    invalid,
    label,
    labels,
    one_of,
    only,
    port_name,
    port_number,
    required,
    subdomain,
    to_json,
)
from .podspec import address

TYPES = ("ClusterIP", "ExternalName", "LoadBalancer", "NodePort")
_PROTOCOLS = ("SCTP", "TCP", "UDP")
_POLICIES = ("Cluster", "Local")
_FAMILIES = ("IPv4", "IPv6")


def service(obj: Object, old: Object | None) -> Causes:
    """A Service after its defaults, before it gets its address."""
    spec = obj.get("spec") or {}
    kind, ports = spec.get("type"), spec.get("ports") or []
    headless = (spec.get("clusterIPs") or [spec.get("clusterIP")])[0] == "None"
    if not ports and not headless and kind != "ExternalName":
        yield required("spec.ports")
    if kind in ("NodePort", "LoadBalancer") and headless:
        yield invalid("spec.clusterIPs[0]", "None", f"may not be set to 'None' for {kind} services")
    if kind == "ExternalName":
        yield from _external_name(spec)
    for index, port in enumerate(ports):
        yield from _port(f"spec.ports[{index}]", port, len(ports) > 1, headless)
    yield from labels("spec.selector", spec.get("selector"))
    yield from one_of("spec.sessionAffinity", spec.get("sessionAffinity"), ("ClientIP", "None"))
    if spec.get("sessionAffinity") == "ClientIP":
        yield from _affinity(spec.get("sessionAffinityConfig") or {})
    yield from _addresses(spec, kind)
    for index, value in enumerate(spec.get("externalIPs") or []):
        yield from address(f"spec.externalIPs[{index}]", value)
    yield from one_of("spec.type", kind, TYPES)
    yield from _node_ports(spec, kind)
    yield from _twice(ports)
    yield from _balancer(spec, kind)
    yield from _traffic(spec, kind)


def _external_name(spec: Object) -> Causes:
    if spec.get("clusterIPs") or spec.get("clusterIP"):
        yield forbidden("spec.clusterIPs", "may not be set for ExternalName services")
    name = str(spec.get("externalName") or "").removesuffix(".")
    if name:
        yield from subdomain("spec.externalName", name)
    else:
        yield required("spec.externalName")


def _port(path: str, port: Object, named: bool, headless: bool) -> Causes:
    if name := port.get("name"):
        yield from label(f"{path}.name", name)
    elif named:
        yield required(f"{path}.name")
    yield from port_number(f"{path}.port", port.get("port"))
    yield from one_of(f"{path}.protocol", port.get("protocol"), _PROTOCOLS)
    target = port.get("targetPort")
    if isinstance(target, str):
        yield from port_name(f"{path}.targetPort", target)
    else:
        yield from port_number(f"{path}.targetPort", target)


def _affinity(config: Object) -> Causes:
    seconds = (config.get("clientIP") or {}).get("timeoutSeconds")
    if seconds is not None and not 0 < seconds <= 86400:
        at = "spec.sessionAffinityConfig.clientIP.timeoutSeconds"
        yield invalid(at, seconds, "must be greater than 0 and less than 86400")


def _addresses(spec: Object, kind: Any) -> Causes:
    """What the client wants for an address."""
    if kind == "ExternalName":
        return
    for index, family in enumerate(spec.get("ipFamilies") or []):
        if family not in _FAMILIES:
            yield from one_of(f"spec.ipFamilies[{index}]", family, _FAMILIES)
    given = spec.get("clusterIPs") or ([spec["clusterIP"]] if spec.get("clusterIP") else [])
    for index, value in enumerate(given):
        if value != "None":
            yield from address(f"spec.clusterIPs[{index}]", value)
    supported = ("SingleStack", "PreferDualStack", "RequireDualStack")
    yield from only("spec.ipFamilyPolicy", spec.get("ipFamilyPolicy"), supported)


def _node_ports(spec: Object, kind: Any) -> Causes:
    taken: set[tuple[Any, Any]] = set()
    for index, port in enumerate(spec.get("ports") or []):
        at, number = f"spec.ports[{index}].nodePort", port.get("nodePort")
        if not number:
            continue
        if kind == "ClusterIP":
            yield forbidden(at, "may not be used when `type` is 'ClusterIP'")
        elif (port.get("protocol"), number) in taken:
            yield duplicate(at, number)
        taken.add((port.get("protocol"), number))


def _twice(ports: list[Object]) -> Causes:
    names: set[str] = set()
    numbers: set[tuple[Any, Any]] = set()
    for index, port in enumerate(ports):
        if (name := port.get("name")) and name in names:
            yield duplicate(f"spec.ports[{index}].name", name)
        names.add(name or "")
    for index, port in enumerate(ports):
        key = (port.get("protocol"), port.get("port"))
        if key in numbers:
            # Only what the two have in common is shown.
            shown = {
                "Name": "",
                "Protocol": key[0],
                "AppProtocol": None,
                "Port": key[1],
                "TargetPort": 0,
                "NodePort": 0,
            }
            yield Cause(
                f"spec.ports[{index}]", "FieldValueDuplicate", f"Duplicate value: {to_json(shown, in_order=True)}"
            )
        numbers.add(key)


def _balancer(spec: Object, kind: Any) -> Causes:
    for index, value in enumerate(spec.get("loadBalancerSourceRanges") or []):
        try:
            ipaddress.ip_network(str(value).strip(), strict=False)
            if "/" not in str(value):
                raise ValueError
        except ValueError:
            text = "must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)"
            yield invalid(f"spec.LoadBalancerSourceRanges[{index}]", value, text)
    only_there = "may only be used when `type` is 'LoadBalancer'"
    if spec.get("loadBalancerClass") is not None and kind != "LoadBalancer":
        yield forbidden("spec.loadBalancerClass", only_there)
    if spec.get("allocateLoadBalancerNodePorts") is not None and kind != "LoadBalancer":
        yield forbidden("spec.allocateLoadBalancerNodePorts", only_there)


def _traffic(spec: Object, kind: Any) -> Causes:
    policy = spec.get("externalTrafficPolicy")
    reachable = kind in ("NodePort", "LoadBalancer") or (kind == "ClusterIP" and spec.get("externalIPs"))
    if policy and not reachable:
        yield invalid("spec.externalTrafficPolicy", policy, "may only be set for externally-accessible services")
    elif policy:
        yield from one_of("spec.externalTrafficPolicy", policy, _POLICIES)
    yield from only("spec.internalTrafficPolicy", spec.get("internalTrafficPolicy"), _POLICIES)
