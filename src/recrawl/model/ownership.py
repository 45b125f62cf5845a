"""What belongs to the user: authorities (`127.0.0.1:8800`), hosts (`intranet.example`) and networks (`10.0.0.0/8`).

Only there may private addresses be connected to. An entry speaks of a name or of a network, never of both: a foreign
name that resolves to an owned authority's address is not owned, a foreign name that resolves into an owned network is.
"""

from collections.abc import Iterable
from functools import lru_cache
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address, ip_network


def owns(own: Iterable[str], host: str, port: int | None = None, ip: str | None = None) -> bool:
    """Whether the user owns what is found under `host`, on `port`, at the resolved address `ip` (None: not known)."""
    name = _plain(host)
    return any(_owned_by(entry, name, port, ip) for entry in own)


@lru_cache(maxsize=4096)
def owns_server(own: tuple[str, ...], server: str) -> bool:
    """By name or literal address, on its port or the usual ones: a name is not resolved for this."""
    host, port = split_authority(server)
    return any(owns(own, host, known) for known in ((port,) if port else (80, 443)))


def fault_of(entry: str) -> str:
    """Why an entry of `own` cannot be meant so; '' if it can."""
    if "/" in entry and _network(entry) is None:
        return "is neither a network (10.0.0.0/8) nor a host; write a host without scheme or path"
    name, port = split_authority(entry)
    if not name or name == "*" or " " in name or (port is not None and not 0 < port < 65536):
        return "is not a host (intranet.example), an authority (host:port) or a network (10.0.0.0/8)"
    return ""


def _owned_by(entry: str, name: str, port: int | None, ip: str | None) -> bool:
    network = _network(entry)
    if network is not None:
        address = _address(ip or name)
        return address is not None and address in network
    owned_name, owned_port = split_authority(entry)
    if owned_port is not None and owned_port != port:
        return False
    if owned_name.startswith("*."):
        return name.endswith(owned_name[1:])
    return name == owned_name


@lru_cache(maxsize=1024)
def split_authority(entry: str) -> tuple[str, int | None]:
    """`[::1]:80` → ("::1", 80); `example.com` → ("example.com", None)."""
    text = entry.strip()
    head, colon, tail = text.rpartition(":")
    if colon and tail.isascii() and tail.isdecimal() and (":" not in head or head.endswith("]")):
        return _plain(head), int(tail)
    return _plain(text), None


@lru_cache(maxsize=1024)
def _network(entry: str) -> IPv4Network | IPv6Network | None:
    if "/" not in entry:
        return None
    try:
        return ip_network(entry.strip(), strict=False)
    except ValueError:
        return None


@lru_cache(maxsize=4096)
def _address(text: str) -> IPv4Address | IPv6Address | None:
    try:
        address = ip_address(text)
    except ValueError:
        return None
    mapped = address.ipv4_mapped if isinstance(address, IPv6Address) else None
    return mapped or address


@lru_cache(maxsize=4096)
def _plain(host: str) -> str:
    """One spelling of a host: no brackets, no final dot, small letters, addresses in their shortest form."""
    name = host.strip().lower().removeprefix("[").removesuffix("]").removesuffix(".")
    address = _address(name)
    return name if address is None else str(address)
