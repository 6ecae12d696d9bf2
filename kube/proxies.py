"""Which proxy leads to a server: a kubeconfig's proxy-url, else the environment, read as kubectl and Go's programs
read it.

https://pkg.go.dev/golang.org/x/net/http/httpproxy
"""

import ipaddress
from collections.abc import Mapping
from urllib.parse import SplitResult, unquote, urlsplit, urlunsplit

from urllib3.util import make_headers

SCHEMES = ("http", "https", "socks5", "socks5h")


def checked(url: str) -> str:
    """The address of a proxy, as client-go takes it. Raises ValueError with a sentence that shows no password."""
    try:
        parts = urlsplit(url)
        is_address = parts.scheme in SCHEMES and bool(parts.hostname) and parts.port != 0
    except ValueError:  # its words may be part of the password, where that has a / or #
        raise ValueError(f"the proxy is not an address with {', '.join(SCHEMES)}, a host and perhaps a port") from None
    if not is_address:
        raise ValueError(f"the proxy {without_password(parts)!r} is not an address with {', '.join(SCHEMES)}")
    return url


def is_socks(url: str) -> bool:
    return urlsplit(url).scheme.startswith("socks5")


def without_credentials(url: str) -> str:
    """The same proxy, without user and password."""
    parts = urlsplit(url)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2]))


def without_password(parts: SplitResult) -> str:
    """For messages."""
    user, at, place = parts.netloc.rpartition("@")
    return urlunsplit(parts._replace(netloc=f"{user.partition(':')[0]}{at}{place}"))


def authorization(url: str) -> dict[str, str]:
    """The Proxy-Authorization header of a proxy with user and password; else nothing."""
    parts = urlsplit(url)
    if parts.username is None:
        return {}
    pair = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
    return {name.title(): value for name, value in make_headers(proxy_basic_auth=pair).items()}


def from_environment(server: str, environment: Mapping[str, str]) -> str:
    """HTTPS_PROXY (HTTP_PROXY for a server without TLS) unless NO_PROXY names the server; '' for none.

    Raises ValueError.
    """
    parts = urlsplit(server)
    name = f"{parts.scheme}_proxy"
    proxy = environment.get(name.upper()) or environment.get(name) or ""
    excluded = environment.get("NO_PROXY") or environment.get("no_proxy") or ""
    if not proxy or parts.hostname is None or not _is_proxied(parts, excluded):
        return ""
    return checked(proxy if "://" in proxy else f"http://{proxy}")


def _is_proxied(server: SplitResult, excluded: str) -> bool:
    host, port = (server.hostname or "").rstrip("."), str(server.port or (443 if server.scheme == "https" else 80))
    if host == "localhost":
        return False
    address = _address(host)
    if address is not None and address.is_loopback:
        return False
    return not any(_matches(entry.strip().lower(), host, address, port) for entry in excluded.split(","))


_Address = ipaddress.IPv4Address | ipaddress.IPv6Address


def _matches(entry: str, host: str, address: _Address | None, port: str) -> bool:
    """One entry of NO_PROXY: `*`, a CIDR, an address or a domain (each with or without a port)."""
    if entry == "*":
        return True
    if not entry:
        return False
    if "/" in entry:
        try:
            return address is not None and address in ipaddress.ip_network(entry, strict=False)
        except ValueError:
            return False
    name, wanted_port = _split_port(entry)
    if wanted_port and wanted_port != port:
        return False
    if (excluded := _address(name)) is not None:
        return address == excluded
    name = name.removeprefix("*") if name.startswith("*.") else name
    if name.startswith("."):
        return host.endswith(name)
    return bool(name) and (host == name or host.endswith(f".{name}"))


def _split_port(entry: str) -> tuple[str, str]:
    """(host, port or ''); brackets of an IPv6 address are taken off."""
    if entry.startswith("["):
        name, _bracket, rest = entry[1:].partition("]")
        return name, rest.removeprefix(":")
    if entry.count(":") == 1:
        name, _colon, port = entry.partition(":")
        return name, port
    return entry, ""


def _address(text: str) -> _Address | None:
    try:
        found = ipaddress.ip_address(text)
    except ValueError:
        return None
    mapped = found.ipv4_mapped if isinstance(found, ipaddress.IPv6Address) else None
    return mapped or found
