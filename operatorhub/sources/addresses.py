"""Decides which IP addresses the console connects to on behalf of a user; the only check of a URL's target.

Private networks are allowed, since registries and catalogs live there. Refused are the surroundings of the console's
own machine, above all the metadata services of clouds, which hand out credentials; and this machine itself, unless the
console is for this machine only. An IPv6 address that carries an IPv4 address is judged by both.
"""

from collections.abc import Iterator
from enum import Enum
from ipaddress import IPv4Address, IPv6Address, ip_address, ip_network

Address = IPv4Address | IPv6Address


class Reach(Enum):
    """Where an address leads."""

    NETWORK = "network"
    OWN_MACHINE = "own machine"
    FORBIDDEN = "forbidden"


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


def reach(text: str) -> Reach:
    """`text` is numeric, perhaps with a zone (fe80::1%eth0). Raises ValueError if it isn't an address."""
    address = ip_address(text.partition("%")[0])
    embedded = [*_embedded(address)] if isinstance(address, IPv6Address) else []
    found = [_reach(inner) for inner in embedded]
    if not (embedded and isinstance(address, IPv6Address) and _is_only_a_carrier(address)):
        found.append(_reach(address))
    return next((worst for worst in (Reach.FORBIDDEN, Reach.OWN_MACHINE) if worst in found), Reach.NETWORK)


def _reach(address: Address) -> Reach:
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
