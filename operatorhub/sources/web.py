"""GET from an address that a user entered: the only place where sources speak HTTP to hosts outside the cluster, and
the only check of where such an address leads.

- Only http and https. A name is resolved once, its address is checked, and that address is connected to, so a second
  DNS answer can't lead elsewhere.
- Private networks are allowed: registries and catalogs live there. Refused are the surroundings of the console's own
  machine, above all the metadata services of clouds, which hand out credentials; and the machine itself, unless the
  console listens to this machine only (settings.LOCAL_ONLY). An IPv6 address that carries an IPv4 address is checked
  by both.
- Every redirect is checked in the same way, never leads from https to http, and takes no credentials to another host.
- Bytes and seconds are limited, whatever lengths the server announces. Certificates are checked.

operatorhub/admin/catalogs.py decides who can enter addresses. Errors name the address without user, password and
query.
"""

import base64
import socket
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from http import HTTPStatus
from io import BytesIO
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network
from typing import BinaryIO
from urllib.parse import SplitResult, unquote, urljoin, urlsplit, urlunsplit

import urllib3
from django.conf import settings
from django.utils.translation import gettext as _
from urllib3.exceptions import HTTPError

from kube import limits
from kube.config import client_context
from operatorhub.sources.drafts import SourceError

Address = IPv4Address | IPv6Address

_CONNECT_SECONDS, _READ_SECONDS = 5.0, 15.0
_CHUNK = 64 * 1024
_REDIRECTS = frozenset({301, 302, 303, 307, 308})

# Link-local addresses (169.254.169.254 of most clouds) are known to `ipaddress`; these are not.
_METADATA = tuple(
    ip_network(network)
    for network in (
        "100.100.100.200/32",  # Alibaba Cloud
        "168.63.129.16/32",  # Azure's WireServer, which serves certificates and keys of the machine
        "192.0.0.0/24",  # IETF protocol assignments; 192.0.0.192 is Oracle Cloud's
        "fd00:ec2::/32",  # AWS: metadata, DNS, NTP, EKS Pod Identity
        "fd20:ce::/32",  # Google Cloud
        "fd00:c1::/32",  # Oracle Cloud
        "fd00:42::/32",  # Scaleway
    )
)
_THIS_NETWORK = ip_network("0.0.0.0/8")
# RFC 6052 and RFC 8215: IPv4 through a translator. The prefix of the latter can have any of these lengths.
_NAT64 = ip_network("64:ff9b::/96")
_NAT64_LOCAL = ip_network("64:ff9b:1::/48")
# RFC 4291 2.5.5.1 (IPv4-compatible) and RFC 2765 (IPv4-translated).
_COMPATIBLE, _TRANSLATED = ip_network("::/96"), ip_network("::ffff:0:0:0/96")
_ISATAP_MARKS = (0x00005EFE, 0x02005EFE)


@dataclass(frozen=True, slots=True)
class HttpResult:
    """`headers` by lower-case name; `url` after all redirects. `body` is empty where it went into a sink."""

    status: int
    headers: Mapping[str, str]
    url: str
    body: bytes = b""


class Reach(Enum):
    """Where an address leads."""

    NETWORK = "network"
    OWN_MACHINE = "own machine"
    FORBIDDEN = "forbidden"


def get(
    url: str, *, headers: Mapping[str, str] | None = None, sink: BinaryIO | None = None, most: int, seconds: float
) -> HttpResult:
    """The response; its body goes to `sink` if the status is 200.

    `most` bytes, within `seconds`. Raises SourceError, but not for a status.
    """
    deadline = time.monotonic() + seconds
    given = dict(headers or {})
    for _turn in range(limits.REDIRECTS.value + 1):
        parts = _checked(url)
        response = _open(parts, given, url)
        try:
            location = response.headers.get("Location", "")
            if response.status in _REDIRECTS and location:
                target = urljoin(url, location)
                given = _after_redirect(url, target, given)
                url = target
                continue
            return _read(response=response, url=url, sink=sink, most=most, deadline=deadline, seconds=seconds)
        except (HTTPError, OSError) as error:
            words = _("The connection to %(url)s was interrupted: %(error)s. Try again.")
            raise SourceError(words % {"url": shown(url), "error": error}) from error
        finally:
            response.close()
    words = _("%(url)s redirects more than %(most)d times. Enter the final address.")
    raise SourceError(words % {"url": shown(url), "most": limits.REDIRECTS.value})


def shown(url: str) -> str:
    """The address as it may be shown: without user, password and query."""
    parts = urlsplit(url)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))


def is_loopback(host: str) -> bool:
    """Whether a name or address is this machine, without asking the DNS."""
    try:
        return host == "localhost" or ip_address(host).is_loopback
    except ValueError:
        return False


def explain(answer: HttpResult) -> str:
    """Why an answer is of no use, and what to do."""
    names = {"url": shown(answer.url), "status": answer.status}
    if answer.status in (401, 403):
        return (
            _("%(url)s returned %(status)d: it requires sign-in, or denies access. Check the user name and password.")
            % names
        )
    if answer.status == 404:
        return _("%(url)s returned 404: nothing was found at this address. Check it for typing errors.") % names
    if answer.status == 429:
        wait = answer.headers.get("retry-after", "")
        more = _("Wait %(seconds)s seconds.") % {"seconds": wait} if wait.isdigit() else _("Try again later.")
        return _("%(url)s returned 429: too many requests.") % names + f" {more}"
    phrase = HTTPStatus(answer.status).phrase if answer.status in HTTPStatus._value2member_map_ else ""
    return _("%(url)s returned %(status)d %(phrase)s. Try again later.") % {**names, "phrase": phrase}


def basic(user: str, password: str) -> str:
    return "Basic " + base64.b64encode(f"{user}:{password}".encode()).decode()


def address_reach(text: str) -> Reach:
    """Where a numeric address leads, perhaps with a zone (fe80::1%eth0). Raises ValueError if it isn't an address."""
    address = ip_address(text.partition("%")[0])
    embedded = [*_embedded(address)] if isinstance(address, IPv6Address) else []
    found = [_single_reach(inner) for inner in embedded]
    if not (embedded and isinstance(address, IPv6Address) and _is_only_a_carrier(address)):
        found.append(_single_reach(address))
    return next((worst for worst in (Reach.FORBIDDEN, Reach.OWN_MACHINE) if worst in found), Reach.NETWORK)


def _checked(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
        _port = parts.port
    except ValueError:
        raise SourceError(_("“%(url)s” isn't a web address.") % {"url": url.rpartition("@")[2]}) from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        words = _("“%(url)s” isn't a web address. It must begin with http:// or https:// and a host.")
        raise SourceError(words % {"url": shown(url)})
    return parts


def _resolved(parts: SplitResult, url: str) -> str:
    """The numeric address to connect to: the first that is allowed. Raises SourceError."""
    host, port = parts.hostname or "", parts.port or (443 if parts.scheme == "https" else 80)
    try:
        found = [str(item[4][0]) for item in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    except (OSError, UnicodeError):
        words = _(
            "The host %(host)s of %(url)s is unknown. Check it for typing errors, and the DNS of the console's machine."
        )
        raise SourceError(words % {"host": host, "url": shown(url)}) from None
    for address in found:
        if _allowed(address):
            return address
    words = _(
        "%(url)s resolves to %(address)s, an address of the console's own machine or network, which "
        "the console doesn't read from."
    )
    raise SourceError(words % {"url": shown(url), "address": ", ".join(found[:3])})


def _allowed(address: str) -> bool:
    found = address_reach(address)
    return found is Reach.NETWORK or (found is Reach.OWN_MACHINE and bool(settings.LOCAL_ONLY))


def _open(parts: SplitResult, headers: Mapping[str, str], url: str) -> urllib3.BaseHTTPResponse:
    host, address = parts.hostname or "", _resolved(parts, url)
    timeout = urllib3.Timeout(connect=_CONNECT_SECONDS, read=_READ_SECONDS)
    pool: urllib3.HTTPConnectionPool
    if parts.scheme == "https":
        pool = urllib3.HTTPSConnectionPool(
            address,
            parts.port,
            timeout=timeout,
            maxsize=1,
            server_hostname=host,
            assert_hostname=host,
            ssl_context=client_context(),
        )
    else:
        pool = urllib3.HTTPConnectionPool(address, parts.port, timeout=timeout, maxsize=1)
    sent = {
        "User-Agent": "operator-console",
        "Accept-Encoding": "identity",
        "Host": parts.netloc.rpartition("@")[2],
        **headers,
    }
    if parts.username is not None and "Authorization" not in sent:
        sent["Authorization"] = basic(unquote(parts.username), unquote(parts.password or ""))
    path = urlunsplit(("", "", parts.path or "/", parts.query, ""))
    try:
        return pool.urlopen("GET", path, headers=sent, redirect=False, retries=False, preload_content=False)
    except (HTTPError, OSError) as error:
        words = _(
            "%(url)s isn't responding: %(error)s. Check the address, and that the console's machine can reach it."
        )
        raise SourceError(words % {"url": shown(url), "error": _cause(error)}) from error


def _cause(error: BaseException) -> str:
    """Without the numbers of objects that urllib3 begins its messages with."""
    return str(error).rpartition(">: ")[2] or str(error)


def _after_redirect(url: str, target: str, headers: dict[str, str]) -> dict[str, str]:
    old, new = urlsplit(url), _checked(target)
    if old.scheme == "https" and new.scheme == "http":
        words = _("%(url)s redirects to %(target)s, from a secure address to an insecure address.")
        raise SourceError(words % {"url": shown(url), "target": shown(target)})
    same = (old.hostname, old.port, old.scheme) == (new.hostname, new.port, new.scheme)
    return headers if same else {key: value for key, value in headers.items() if key.lower() != "authorization"}


def _read(
    response: urllib3.BaseHTTPResponse, url: str, sink: BinaryIO | None, most: int, deadline: float, seconds: float
) -> HttpResult:
    target = sink if sink is not None and response.status == 200 else BytesIO()
    total = 0
    while chunk := response.read1(_CHUNK, decode_content=False):
        total += len(chunk)
        if total > most:
            words = _("%(url)s returned more than %(most)d MiB, the maximum that the console reads.")
            raise SourceError(words % {"url": shown(url), "most": most // 2**20})
        if time.monotonic() > deadline:
            words = _("%(url)s took longer than %(seconds)d seconds. Try again, or use a closer mirror.")
            raise SourceError(words % {"url": shown(url), "seconds": seconds})
        target.write(chunk)
    headers = {key.lower(): value for key, value in response.headers.items()}
    length = headers.get("content-length", "")
    if length.isdigit() and int(length) != total:
        words = _("The connection to %(url)s was closed after %(got)d of %(said)s bytes. Try again.")
        raise SourceError(words % {"url": shown(url), "got": total, "said": length})
    return HttpResult(
        response.status, headers, url, target.getvalue() if isinstance(target, BytesIO) and target is not sink else b""
    )


def _single_reach(address: Address) -> Reach:
    """Without the addresses that it carries."""
    if address.is_loopback:
        return Reach.OWN_MACHINE
    forbidden = address.is_link_local or address.is_multicast or address.is_unspecified or address.is_reserved
    if isinstance(address, IPv6Address):
        forbidden = forbidden or address.is_site_local
    networks = (*_METADATA, _THIS_NETWORK)
    return Reach.FORBIDDEN if forbidden or any(address in network for network in networks) else Reach.NETWORK


def _is_only_a_carrier(address: IPv6Address) -> bool:
    """Forms in ::/8, which `ipaddress` calls reserved as a whole: what they carry is what counts."""
    return address.ipv4_mapped is not None or any(address in network for network in (_NAT64, _NAT64_LOCAL, _TRANSLATED))


def _embedded(address: IPv6Address) -> Iterator[IPv4Address]:
    """The IPv4 addresses that it may lead to."""
    number = int(address)
    if address.ipv4_mapped is not None:
        yield address.ipv4_mapped
    if address.sixtofour is not None:
        yield address.sixtofour
    if address.teredo is not None:
        yield from address.teredo
    last = IPv4Address(number & 0xFFFFFFFF)
    if any(address in network for network in (_NAT64, _TRANSLATED)):
        yield last
    if address in _COMPATIBLE and number > 1:
        yield last
    if (number >> 32) & 0xFFFFFFFF in _ISATAP_MARKS:
        yield last
    if address in _NAT64_LOCAL:
        yield from _local_nat64(number)


def _local_nat64(number: int) -> Iterator[IPv4Address]:
    """By the lengths /48, /56, /64 and /96 of the prefix (RFC 6052, 2.2: bits 64 to 71 are skipped)."""
    data = number.to_bytes(16, "big")
    for places in ((6, 7, 9, 10), (7, 9, 10, 11), (9, 10, 11, 12), (12, 13, 14, 15)):
        octets = bytes(data[place] for place in places)
        # 0.0.0.0/8 isn't a valid target: then the prefix has another length.
        if octets[0]:
            yield IPv4Address(octets)
