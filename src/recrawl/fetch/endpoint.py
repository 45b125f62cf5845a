"""From an address to where it must be asked: scheme, host, port and request target."""

import re
from functools import lru_cache
from ipaddress import ip_address

import ada_url

from recrawl.model.values import dataclass

PORTS = {"http": 80, "https": 443}
NORMAL = re.compile(r"(https?)://([^/?#@\\\s]+)(/[!\"$-~]*)", re.ASCII)
PLAIN = re.compile(r"(https?)://([^/?#@\\\s]+)(/[!\"$-\[\]-~]*)", re.ASCII)  # needs no normalising: no backslash


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`host` has no brackets; `literal` is the address itself where the host is one, else ''."""

    scheme: str
    host: str
    port: int
    authority: str
    literal: str


def locate(url: str) -> tuple[Endpoint, str] | None:
    """Where to ask, and for what (path and query); None if it is no address that can be asked. An address with
    a user name in it is none: credentials are never sent."""
    found = PLAIN.fullmatch(url)
    if found is None:
        found = NORMAL.fullmatch(_normalised(url))
    if found is None:
        return None
    endpoint = endpoint_of(found[1], found[2])
    return None if endpoint is None else (endpoint, found[3])


@lru_cache(maxsize=8192)
def endpoint_of(scheme: str, authority: str) -> Endpoint | None:
    """Reads hosts as browsers do: `0x7f.1` and `2130706433` are 127.0.0.1."""
    try:
        url = ada_url.URL(f"{scheme}://{authority}/")
    except ValueError:
        return None
    host = url.hostname.removeprefix("[").removesuffix("]")
    if not host or url.username or url.password:
        return None
    port = int(url.port) if url.port else PORTS[scheme]
    return Endpoint(scheme, host, port, url.host, _literal(host)) if port else None


def _normalised(url: str) -> str:
    try:
        parsed = ada_url.URL(url)
    except ValueError:
        return ""
    parsed.hash = ""
    return "" if parsed.username or parsed.password else str(parsed.href)


def _literal(host: str) -> str:
    try:
        return str(ip_address(host))
    except ValueError:
        return ""
