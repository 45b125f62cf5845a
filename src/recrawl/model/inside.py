"""Which addresses are not plainly public: everything recrawl or its agent connects to is judged by this table.

Pure: an address comes in as text, a reason goes out. An address that hides an IPv4 address inside (IPv4-mapped, NAT64,
6to4, Teredo, ISATAP) is judged by the hidden one as well.
"""

from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

METADATA = "metadata service"

METADATA_ADDRESSES = frozenset(
    ip_address(text)
    for text in (
        "169.254.169.254",
        "169.254.170.2",
        "169.254.170.23",
        "100.100.100.200",
        "168.63.129.16",
        "192.0.0.192",
        "fd00:ec2::254",
        "fd00:ec2::23",
        "fd20:ce::254",
    )
)

FORBIDDEN_V4 = tuple(
    (IPv4Network(network), reason)
    for network, reason in (
        ("255.255.255.255/32", "broadcast"),
        ("0.0.0.0/8", "unspecified"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "carrier-grade NAT"),
        ("127.0.0.0/8", "loopback"),
        ("169.254.0.0/16", "link-local"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "reserved"),
        ("192.0.2.0/24", "documentation"),
        ("192.88.99.0/24", "reserved"),
        ("192.168.0.0/16", "private"),
        ("198.18.0.0/15", "benchmarking"),
        ("198.51.100.0/24", "documentation"),
        ("203.0.113.0/24", "documentation"),
        ("224.0.0.0/4", "multicast"),
        ("240.0.0.0/4", "reserved"),
    )
)

FORBIDDEN_V6 = tuple(
    (IPv6Network(network), reason)
    for network, reason in (
        ("::/128", "unspecified"),
        ("::1/128", "loopback"),
        ("::/96", "IPv4-compatible"),
        ("64:ff9b:1::/48", "local-use NAT64"),
        ("100::/63", "discard"),
        ("2001:2::/48", "benchmarking"),
        ("2001:10::/28", "reserved"),
        ("2001:20::/28", "reserved"),
        ("2001:30::/28", "reserved"),
        ("2001:db8::/32", "documentation"),
        ("3fff::/20", "documentation"),
        ("5f00::/16", "reserved"),
        ("fc00::/7", "private"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "site-local"),
        ("ff00::/8", "multicast"),
    )
)

MAPPED = IPv6Network("::ffff:0:0/96")
NAT64 = IPv6Network("64:ff9b::/96")
SIX_TO_FOUR = IPv6Network("2002::/16")
TEREDO = IPv6Network("2001::/32")
GLOBAL_UNICAST = IPv6Network("2000::/3")
ISATAP_MARKS = (0x00005EFE, 0x02005EFE)
LOW_32 = 0xFFFFFFFF


@lru_cache(maxsize=16384)
def forbidden(ip: str) -> str | None:
    """Why `ip` is refused unless owned; None if it is a public address."""
    try:
        address = ip_address(ip)
    except ValueError:
        return "not an address"
    if address in METADATA_ADDRESSES:
        return METADATA
    return _forbidden_v4(address) if isinstance(address, IPv4Address) else _forbidden_v6(address)


def _forbidden_v4(address: IPv4Address) -> str | None:
    return next((reason for network, reason in FORBIDDEN_V4 if address in network), None)


def _forbidden_v6(address: IPv6Address) -> str | None:
    plain = IPv6Address(int(address))  # without a zone
    if plain in METADATA_ADDRESSES:
        return METADATA
    for network, reason in FORBIDDEN_V6:
        if plain in network:
            return reason
    hidden = [(kind, forbidden(str(inner))) for kind, inner in _hidden_v4(plain)]
    for kind, inner_reason in hidden:
        if inner_reason is not None:
            return f"{kind} of {inner_reason}"
    known = plain in GLOBAL_UNICAST or plain in NAT64 or plain in MAPPED
    return None if known else "reserved"


def _hidden_v4(address: IPv6Address) -> list[tuple[str, IPv4Address]]:
    """Every IPv4 address this one carries inside."""
    number = int(address)
    low = IPv4Address(number & LOW_32)
    if address in MAPPED:
        return [("IPv4-mapped form", low)]
    if address in NAT64:
        return [("NAT64 form", low)]
    if address in SIX_TO_FOUR:
        return [("6to4 form", IPv4Address(number >> 80 & LOW_32))]
    if address in TEREDO:
        client = IPv4Address(~number & LOW_32)
        return [("Teredo form", IPv4Address(number >> 64 & LOW_32)), ("Teredo form", client)]
    if number >> 32 & LOW_32 in ISATAP_MARKS:
        return [("ISATAP form", low)]
    return []
