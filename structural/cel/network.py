"""Addresses in rules: Kubernetes' url, ip and cidr libraries."""

from __future__ import annotations

import ipaddress
import re
from typing import Any
from urllib.parse import SplitResult, parse_qsl, quote, urlsplit

from .declare import Function, tag_of, tagged

Address = ipaddress.IPv4Address | ipaddress.IPv6Address
Network = ipaddress.IPv4Network | ipaddress.IPv6Network


def _split_url(text: str) -> SplitResult | None:
    if any(char < " " or char == "\x7f" for char in text):
        return None
    try:
        found = urlsplit(text)
        _ = found.port
    except ValueError:
        return None
    if not found.scheme and not text.startswith("/"):
        return None
    host = found.netloc.rpartition("@")[2]
    if " " in host or (":" in host and not re.fullmatch(r"(\[[^\]]*\]|[^:\[\]]*)(:\d*)?", host)):
        return None
    return found


def _url(text: str) -> dict[str, Any]:
    if _split_url(text) is None:
        raise ValueError(f'URL parse error during conversion from string: parse "{text}": invalid URI for request')
    return tagged("url", text)


def _of_url(value: Any) -> SplitResult:
    found = _split_url(value["value"]) if tag_of(value) == "url" else None
    if found is None:
        raise ValueError("no such overload")
    return found


def _hostname(value: Any) -> str:
    host = _of_url(value).netloc.rpartition("@")[2]
    return host[1 : host.index("]")] if host.startswith("[") else host.partition(":")[0]


def _port(value: Any) -> str:
    host = _of_url(value).netloc.rpartition("@")[2]
    return host.rpartition("]")[2].rpartition(":")[2] if ":" in host.rpartition("]")[2] else ""


def _query(value: Any) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for name, text in parse_qsl(_of_url(value).query, keep_blank_values=True):
        found.setdefault(name, []).append(text)
    return found


def parse_ip(text: str) -> Address | None:
    """The address; None when the text isn't one, has a zone, or is an IPv4 address in IPv6 clothes."""
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    if isinstance(found, ipaddress.IPv6Address) and (found.ipv4_mapped or found.scope_id):
        return None
    return found


def _parse_cidr(text: str) -> tuple[Address, Network] | None:
    address, slash, length = text.partition("/")
    found = parse_ip(address)
    if not slash or found is None or not length.isdecimal() or int(length) > found.max_prefixlen:
        return None
    return found, ipaddress.ip_network(text, strict=False)


def _ip(text: str) -> dict[str, Any]:
    found = parse_ip(text)
    if found is None:
        raise ValueError(f'IP Address "{text}" parse error during conversion from string')
    return tagged("ip", str(found))


def _cidr(text: str) -> dict[str, Any]:
    found = _parse_cidr(text)
    if found is None:
        raise ValueError(f'network address parse error during conversion from string: "{text}"')
    return tagged("cidr", f"{found[0]}/{found[1].prefixlen}")


def _address(value: Any) -> Address:
    if tag_of(value) != "ip":
        raise ValueError("no such overload")
    return ipaddress.ip_address(value["value"])


def _network(value: Any) -> tuple[Address, Network]:
    found = _parse_cidr(value["value"]) if tag_of(value) == "cidr" else None
    if found is None:
        raise ValueError("no such overload")
    return found


def _inside(network: Network, other: Network) -> bool:
    return network.version == other.version and other.subnet_of(network)  # type: ignore[arg-type]


def _contains_ip(value: Any, other: Any) -> bool:
    wanted = parse_ip(other) if isinstance(other, str) else _address(other)
    if wanted is None:
        raise ValueError(f'IP Address "{other}" parse error during conversion from string')
    return wanted in _network(value)[1]


def _contains_cidr(value: Any, other: Any) -> bool:
    return _inside(_network(value)[1], _network(_cidr(other) if isinstance(other, str) else other)[1])


def _masked(value: Any) -> dict[str, Any]:
    return tagged("cidr", str(_network(value)[1]))


def _global(value: Any) -> bool:
    found = _address(value)
    return not (found.is_unspecified or found.is_loopback or found.is_multicast or found.is_link_local) and (
        str(found) != "255.255.255.255"
    )


def _local_multicast(value: Any) -> bool:
    found = _address(value)
    return found in ipaddress.ip_network("224.0.0.0/24" if found.version == 4 else "ff02::/16")


def _canonical(text: str) -> bool:
    found = parse_ip(text)
    if found is None:
        raise ValueError(f'IP Address "{text}" parse error during conversion from string')
    return str(found) == text


_S, _M, _B = "STRING", "MAP", "BOOL"
FUNCTIONS: list[Function] = [
    Function("url", (_S,), _M, _url, False),
    Function("isURL", (_S,), _B, lambda text: _split_url(text) is not None, False),
    Function("getScheme", (_M,), _S, lambda value: _of_url(value).scheme),
    Function("getHost", (_M,), _S, lambda value: _of_url(value).netloc.rpartition("@")[2]),
    Function("getHostname", (_M,), _S, _hostname),
    Function("getPort", (_M,), _S, _port),
    Function("getEscapedPath", (_M,), _S, lambda value: quote(_of_url(value).path, safe="/%:@!$&'()*+,;=~-._")),
    Function("getQuery", (_M,), _M, _query),
    Function("ip", (_S,), _M, _ip, False),
    Function("isIP", (_S,), _B, lambda text: parse_ip(text) is not None, False),
    Function("ip.isCanonical", (_S,), _B, _canonical, False),
    Function("family", (_M,), "INT", lambda value: _address(value).version),
    Function("isUnspecified", (_M,), _B, lambda value: _address(value).is_unspecified),
    Function("isLoopback", (_M,), _B, lambda value: _address(value).is_loopback),
    Function("isLinkLocalMulticast", (_M,), _B, _local_multicast),
    Function("isLinkLocalUnicast", (_M,), _B, lambda value: _address(value).is_link_local),
    Function("isGlobalUnicast", (_M,), _B, _global),
    Function("cidr", (_S,), _M, _cidr, False),
    Function("isCIDR", (_S,), _B, lambda text: _parse_cidr(text) is not None, False),
    *(Function("containsIP", (_M, kind), _B, _contains_ip) for kind in (_S, _M)),
    *(Function("containsCIDR", (_M, kind), _B, _contains_cidr) for kind in (_S, _M)),
    Function("ip", (_M,), _M, lambda value: tagged("ip", str(_network(value)[0]))),
    Function("masked", (_M,), _M, _masked),
    Function("prefixLength", (_M,), "INT", lambda value: _network(value)[1].prefixlen),
]
