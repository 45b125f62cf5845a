"""From an address to where it must be asked: scheme, host, port and request target."""

import re
from functools import lru_cache
from ipaddress import ip_address

from recrawl.model.late import late, late_module
from recrawl.model.values import dataclass

_ADA = late_module("ada_url")
PORTS = {"http": 80, "https": 443}
NORMAL = late(r"(https?)://([^/?#@\\\s]+)(/[!\"$-~]*)", re.ASCII)
PLAIN = re.compile(r"(https?)://([^/?#@\\\s]+)(/[!\"$-\[\]-~]*)", re.ASCII)  # needs no normalising: no backslash


_BYTE = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
USUAL = (
    re.compile(  # what the full parser returns letter by letter: no last part that is a number, no port that is usual
        rf"(?!.*xn--)((?:[a-z0-9-]+\.)*[a-z][a-z0-9-]*|{_BYTE}(?:\.{_BYTE}){{3}})"
        "(?::([1-9][0-9]{3}|[1-5][0-9]{4}|6[0-4][0-9]{3}))?"
    )
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """`host` has no brackets; `literal` is the address itself where the host is one, else ''."""

    scheme: str
    host: str
    port: int
    authority: str
    literal: str
    origin: str


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
    return usual_endpoint(scheme, authority) or odd_endpoint(scheme, authority)


def usual_endpoint(scheme: str, authority: str) -> Endpoint | None:
    """Of what every browser reads alike; None: it is not so plain."""
    found = USUAL.fullmatch(authority)
    if found is None:
        return None
    host, port = found[1], int(found[2] or PORTS[scheme])
    return Endpoint(scheme, host, port, authority, _literal(host), f"{scheme}://{authority}")


def odd_endpoint(scheme: str, authority: str) -> Endpoint | None:
    try:
        url = _ADA.URL(f"{scheme}://{authority}/")
    except ValueError:
        return None
    host = url.hostname.removeprefix("[").removesuffix("]")
    if not host or url.username or url.password:
        return None
    port = int(url.port) if url.port else PORTS[scheme]
    return Endpoint(scheme, host, port, url.host, _literal(host), f"{scheme}://{url.host}") if port else None


def _normalised(url: str) -> str:
    try:
        parsed = _ADA.URL(url)
    except ValueError:
        return ""
    parsed.hash = ""
    return "" if parsed.username or parsed.password else str(parsed.href)


def _literal(host: str) -> str:
    try:
        return str(ip_address(host))
    except ValueError:
        return ""
