"""S15: which addresses the console connects to on behalf of a user."""

import pytest

from operatorhub.sources.web import Reach, address_reach

FORBIDDEN = [
    # metadata services
    "169.254.169.254",
    "fd00:ec2::254",
    "100.100.100.200",
    "168.63.129.16",
    "192.0.0.192",
    "fd20:ce::254",
    "fe80::1%eth0",
    # IPv4 inside of IPv6: mapped, 6to4, NAT64, local NAT64 of four lengths, Teredo, IPv4-translated, ISATAP
    "::ffff:169.254.169.254",
    "2002:a9fe:a9fe::1",
    "64:ff9b::a9fe:a9fe",
    "64:ff9b:1::a9fe:a9fe",
    "64:ff9b:1:a9fe:a9:fe00::",
    "64:ff9b:1:a9:fe:a9fe::",
    "64:ff9b:1:0:a9:fea9:fe00:0",
    "2001:0:a9fe:a9fe::1",
    "2001:0:4136:e378:8000:63bf:5601:5601",
    "::ffff:0:169.254.169.254",
    "2001:db8::5efe:169.254.169.254",
    "2002:6464:64c8::",
    "64:ff9b::a83f:8110",
    # unspecified, multicast and broadcast addresses
    "0.0.0.0",
    "0.1.2.3",
    "::",
    "224.0.0.1",
    "ff02::1",
    "255.255.255.255",
    "240.0.0.1",
    "fec0::1",
    "::10.0.0.1",
]
OWN = ["127.0.0.1", "127.8.9.1", "::1", "::ffff:127.0.0.1", "2002:7f00:1::", "64:ff9b::7f00:1", "2001:db8::5efe:7f00:1"]
NETWORK = [
    "10.1.2.3",
    "192.168.1.5",
    "172.20.0.1",
    "100.64.3.4",
    "93.184.216.34",
    "fd12:3456::7",
    "2606:4700::1111",
    "64:ff9b::5db8:d822",
    "64:ff9b:1::5db8:d822",
]


@pytest.mark.parametrize(
    ("address", "wanted"),
    [
        *((address, Reach.FORBIDDEN) for address in FORBIDDEN),
        *((address, Reach.OWN_MACHINE) for address in OWN),
        *((address, Reach.NETWORK) for address in NETWORK),
    ],
)
def test_s15_an_address_is_judged_by_all_that_it_may_lead_to(address: str, wanted: Reach) -> None:
    assert address_reach(address) is wanted


def test_what_is_no_address_is_refused() -> None:
    with pytest.raises(ValueError, match="does not appear"):
        address_reach("localhost")
