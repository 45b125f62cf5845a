"""What belongs to the user: the one place that reads an `own` list.

An entry is an authority (`127.0.0.1:8800`, `[::1]:8800`), a host (`intranet.example`, any port) or a network
(`10.0.0.0/8`, any host and port that lies in it). Names are compared whole: owning `intranet.example` says
nothing of `www.intranet.example`. An entry that cannot be read owns nothing.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network

Ip = IPv4Address | IPv6Address
Network = IPv4Network | IPv6Network

AUTHORITY = re.compile(r"(?P<host>\[[^\]]*\]|[^:\[\]]+)(?::(?P<port>\d{1,5}))?")


def owns(own: Iterable[str], host: str, port: int, ip: str = "") -> bool:
    """Whether a connection for `host` and `port` that ends at `ip` is covered. Without `ip` (nothing resolved
    yet) only authorities, hosts and literal addresses can match."""
    return any(covers(entry, host, port, ip) for entry in own)


@lru_cache(maxsize=4096)
def covers(entry: str, host: str, port: int, ip: str = "") -> bool:
    network = _network(entry)
    if network is not None:
        address = _address(ip or plain_host(host))
        return address is not None and address.version == network.version and address in network
    owned_host, owned_port = split_authority(entry)
    return bool(owned_host) and owned_host == plain_host(host) and owned_port in (None, port)


def split_authority(entry: str) -> tuple[str, int | None]:
    """`("host", port or None)` of an authority; `("", None)` if it cannot be read."""
    text = entry.strip()
    if _address(text) is not None:  # a bare IPv6 address is all colons
        return plain_host(text), None
    found = AUTHORITY.fullmatch(text)
    if found is None:
        return "", None
    port = found["port"]
    return plain_host(found["host"]), int(port) if port else None


def plain_host(host: str) -> str:
    """Lower case, without brackets and final dot; addresses in their shortest form."""
    text = host.strip().lower().removeprefix("[").removesuffix("]").removesuffix(".")
    address = _address(text)
    return text if address is None else str(address)


def _network(entry: str) -> Network | None:
    if "/" not in entry:
        return None
    try:
        return ip_network(entry.strip(), strict=False)
    except ValueError:
        return None


def _address(text: str) -> Ip | None:
    try:
        return ip_address(text)
    except ValueError:
        return None
