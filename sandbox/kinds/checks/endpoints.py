"""Endpoints and EndpointSlices that somebody makes by hand."""

from __future__ import annotations

import ipaddress
from typing import Any

from .basics import Causes, Object, invalid, one_of, port_number, required, subdomain
from .podspec import BAD_IP

_TYPES = ("FQDN", "IPv4", "IPv6")
_RANGES = (
    ("is_loopback", "may not be in the loopback range (127.0.0.0/8, ::1/128)"),
    ("is_link_local", "may not be in the link-local range (169.254.0.0/16, fe80::/10)"),
    ("is_multicast", "may not be in the link-local multicast range (224.0.0.0/24, ff02::/10)"),
    ("is_unspecified", "may not be unspecified (0.0.0.0 or ::)"),
)


def endpoints(obj: Object, old: Object | None) -> Causes:
    """Endpoints."""
    # The API server of a sandbox is on this machine only.
    mine = (obj["metadata"].get("namespace"), obj["metadata"].get("name")) == ("default", "kubernetes")
    for index, subset in enumerate(obj.get("subsets") or []):
        at = f"subsets[{index}]"
        if not subset.get("addresses") and not subset.get("notReadyAddresses"):
            yield required(at, "must specify `addresses` or `notReadyAddresses`")
        for kind in ("addresses", "notReadyAddresses"):
            for number, one in enumerate(subset.get(kind) or []):
                value = one.get("ip")
                if not mine:
                    yield from _outside(f"{at}.{kind}[{number}].ip", value, twice=True)
        ports = subset.get("ports") or []
        for number, port in enumerate(ports):
            if len(ports) > 1 and not port.get("name"):
                yield required(f"{at}.ports[{number}].name")
            yield from port_number(f"{at}.ports[{number}].port", port.get("port"))
            yield from one_of(f"{at}.ports[{number}].protocol", port.get("protocol"), ("SCTP", "TCP", "UDP"))


def _outside(path: str, value: Any, twice: bool = False) -> Causes:
    """An address that may be reached; ``twice``: what is none is told in two ways."""
    try:
        found = ipaddress.ip_address(str(value))
    except ValueError:
        yield invalid(path, value or "", BAD_IP)
        if twice:
            yield invalid(path, value or "", "must be a valid IP address")
        return
    for name, text in _RANGES:
        if getattr(found, name):
            yield invalid(path, value, text)


def endpoint_slice(obj: Object, old: Object | None) -> Causes:
    """An EndpointSlice."""
    kind = obj.get("addressType")
    mine = (obj["metadata"].get("namespace"), obj["metadata"].get("name")) == ("default", "kubernetes")
    if not kind:
        yield required("addressType")
    else:
        yield from one_of("addressType", kind, _TYPES)
    for index, point in enumerate(obj.get("endpoints") or []):
        at, addresses = f"endpoints[{index}].addresses", point.get("addresses") or []
        if not addresses:
            yield required(at, "must contain at least 1 address")
        for number, value in enumerate(addresses):
            if mine:
                continue
            if kind == "FQDN":
                yield from subdomain(f"{at}[{number}]", value)
            else:
                yield from _outside(f"{at}[{number}]", value)
    if old is not None and old.get("addressType") != kind:
        yield invalid("addressType", kind, "field is immutable")
