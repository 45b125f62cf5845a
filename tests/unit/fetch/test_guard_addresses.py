"""The address guard: what is refused, why, and who opens it."""

from ipaddress import IPv4Address, IPv6Address, ip_address

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.fetch.guard import METADATA, forbidden, refusal

REFUSED = {
    "127.0.0.1": "loopback",
    "127.255.255.254": "loopback",
    "10.1.2.3": "private",
    "172.16.0.1": "private",
    "172.31.255.255": "private",
    "192.168.1.1": "private",
    "169.254.1.1": "link-local",
    "169.254.169.254": METADATA,
    "169.254.170.2": METADATA,
    "100.100.100.200": METADATA,
    "168.63.129.16": METADATA,
    "fd00:ec2::254": METADATA,
    "100.64.0.1": "carrier-grade NAT",
    "100.127.255.255": "carrier-grade NAT",
    "0.0.0.0": "unspecified",
    "0.1.2.3": "unspecified",
    "224.0.0.1": "multicast",
    "239.255.255.255": "multicast",
    "255.255.255.255": "broadcast",
    "240.0.0.1": "reserved",
    "192.0.0.1": "reserved",
    "192.88.99.1": "reserved",
    "192.0.2.1": "documentation",
    "198.51.100.1": "documentation",
    "203.0.113.1": "documentation",
    "198.18.0.1": "benchmarking",
    "198.19.255.255": "benchmarking",
    "::": "unspecified",
    "::1": "loopback",
    "::127.0.0.1": "IPv4-compatible",
    "::8.8.8.8": "IPv4-compatible",
    "::ffff:127.0.0.1": "IPv4-mapped form of loopback",
    "::ffff:169.254.169.254": f"IPv4-mapped form of {METADATA}",
    "::ffff:0:127.0.0.1": "reserved",
    "64:ff9b::10.0.0.1": "NAT64 form of private",
    "64:ff9b::169.254.169.254": f"NAT64 form of {METADATA}",
    "64:ff9b:1::8.8.8.8": "local-use NAT64",
    "2002:7f00:1::": "6to4 form of loopback",
    "2002:a9fe:a9fe::1": f"6to4 form of {METADATA}",
    "2001:0:4136:e378:8000:63bf:80ff:fffe": "Teredo form of loopback",
    "2001:0:7f00:1:8000:63bf:3fff:fdd2": "Teredo form of loopback",
    "2600::5efe:10.0.0.1": "ISATAP form of private",
    "2600::200:5efe:10.0.0.1": "ISATAP form of private",
    "fe80::1": "link-local",
    "fe80::1%eth0": "link-local",
    "fec0::1": "site-local",
    "fc00::1": "private",
    "fd12:3456::1": "private",
    "ff02::1": "multicast",
    "100::1": "discard",
    "2001:2::1": "benchmarking",
    "2001:db8::1": "documentation",
    "3fff::1": "documentation",
    "5f00::1": "reserved",
    "4000::1": "reserved",
    "localhost": "not an address",
    "": "not an address",
    "127.1": "not an address",
    "0x7f000001": "not an address",
}

PUBLIC = [
    "1.1.1.1",
    "8.8.8.8",
    "93.184.216.34",
    "11.0.0.1",
    "100.63.255.255",
    "100.128.0.1",
    "172.15.255.255",
    "172.32.0.1",
    "192.167.1.1",
    "198.17.255.255",
    "198.20.0.1",
    "223.255.255.255",
    "2606:2800:220:1:248:1893:25c8:1946",
    "2a00:1450:4001:81b::200e",
    "::ffff:8.8.8.8",
    "64:ff9b::8.8.8.8",
    "2002:808:808::1",
]


@pytest.mark.parametrize(("address", "reason"), REFUSED.items())
def test_what_is_not_public_is_refused_with_its_reason(address: str, reason: str) -> None:
    assert forbidden(address) == reason


@pytest.mark.parametrize("address", PUBLIC)
def test_a_public_address_passes(address: str) -> None:
    assert forbidden(address) is None


@given(st.ip_addresses(v=4))
def test_every_address_python_calls_private_is_refused(address: IPv4Address) -> None:
    if not address.is_global or address.is_multicast or address.is_reserved:
        assert forbidden(str(address)) is not None


@given(st.ip_addresses(v=6))
def test_no_address_outside_global_unicast_passes_but_two_forms_of_ipv4(address: IPv6Address) -> None:
    if forbidden(str(address)) is None:
        number = int(address)
        assert number >> 125 == 1 or number >> 32 in (0xFFFF, 0x64FF9B << 64)


@given(st.ip_addresses(v=4))
def test_no_ipv6_form_of_a_refused_ipv4_address_passes(address: IPv4Address) -> None:
    number = int(address)
    forms = (0xFFFF << 32 | number, 0x64FF9B << 96 | number, 0x2002 << 112 | number << 80, number)
    if forbidden(str(address)) is not None:
        assert all(forbidden(str(IPv6Address(form))) is not None for form in forms)


def test_an_owned_authority_opens_its_address_for_that_port_alone() -> None:
    own = ("127.0.0.1:8800",)
    assert refusal("127.0.0.1", 8800, "127.0.0.1", own) is None
    assert refusal("127.0.0.1", 8801, "127.0.0.1", own) == "loopback"
    assert refusal("evil.example", 8800, "127.0.0.1", own) == "loopback"


def test_an_owned_host_opens_whatever_private_address_it_has() -> None:
    own = ("intranet.example",)
    assert refusal("intranet.example", 443, "10.0.0.9", own) is None
    assert refusal("www.intranet.example", 443, "10.0.0.9", own) == "private"


def test_an_owned_network_opens_its_addresses_under_any_name() -> None:
    own = ("10.0.0.0/8",)
    assert refusal("anything.example", 80, "10.200.0.1", own) is None
    assert refusal("anything.example", 80, "192.168.0.1", own) == "private"


def test_a_name_never_opens_a_metadata_service() -> None:
    assert refusal("intranet.example", 80, "169.254.169.254", ("intranet.example",)) == METADATA
    assert refusal("intranet.example", 80, "169.254.169.254", ("169.254.169.254",)) is None
    assert refusal("intranet.example", 80, "169.254.169.254", ("169.254.0.0/16",)) is None


def test_owning_something_closes_nothing_that_is_public() -> None:
    assert refusal("example.org", 80, "93.184.216.34", ("10.0.0.0/8",)) is None


@given(st.ip_addresses())
def test_nothing_is_refused_in_a_network_that_is_all_owned(address: IPv4Address | IPv6Address) -> None:
    own = ("0.0.0.0/0", "::/0")
    assert refusal("any.example", 80, str(ip_address(address)), own) is None
