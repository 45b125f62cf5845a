"""Who may ask what: host names, origins, the token; and the headers that every answer carries.

There are no cookies. A write needs the token in the request itself (a `Bearer` header or a form field), so another
site's page cannot make one; it is refused by its origin all the same. Where others can reach the dashboard, reading
needs the token too: as `Bearer`, or as the password of HTTP Basic for browsers, which never suffices for a write.
"""

import base64
import binascii
import hmac
import re
from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address

from recrawl.messages.push import is_for_receivers
from recrawl.web.settings import WebSettings, is_loopback

OWN_PAGES = "; ".join(
    (
        "default-src 'none'",
        "style-src 'self'",
        "script-src 'self'",
        "img-src 'self'",
        "connect-src 'self'",
        "frame-src 'self'",
        "form-action 'self'",
        "base-uri 'none'",
        "frame-ancestors 'none'",
    )
)
ARCHIVED_PAGES = (
    "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:; "
    "form-action 'none'; base-uri 'none'; frame-ancestors 'self'"
)
HEADERS = {
    "content-security-policy": OWN_PAGES,
    "x-content-type-options": "nosniff",
    "referrer-policy": "same-origin",  # others learn nothing; without any, our own forms would come from nowhere
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=()",
    "x-dns-prefetch-control": "off",
    "cache-control": "no-cache",
}
PROBES = frozenset({"/health", "/ready"})
WRITES = frozenset({"POST", "PUT", "PATCH", "DELETE"})


@dataclass(frozen=True, slots=True)
class Refusal:
    status: int
    reason: str


def refusal(method: str, path: str, headers: Mapping[str, str], settings: WebSettings) -> Refusal | None:
    """Decide before anything else is done; None lets the request through (a write shows its token later)."""
    host = headers.get("host", "")
    if settings.receive and is_for_receivers(path):  # whoever pushes has a key of its own, and calls us by any name
        return None if same_origin(headers, host) else Refusal(403, "a page of another site may not write here")
    if not host_allowed(host, settings):
        return Refusal(421, "this dashboard does not answer under that name: use its address, or allow the name")
    if method in WRITES and not same_origin(headers, host):
        return Refusal(403, "a page of another site may not write here")
    if settings.open_to_others and path not in PROBES and not may_read(headers, settings.token):
        return Refusal(401, "the token is needed: as Bearer, or as the password of your browser's dialogue")
    return None


def host_allowed(host: str, settings: WebSettings) -> bool:
    """Only names that cannot be pointed here by somebody else: addresses, loopback's name, names the user gave."""
    name = host_name(host)
    if name in (settings.bind.strip("[]").lower(), *(one.lower() for one in settings.names)):
        return True
    return is_loopback(name) or (settings.open_to_others and is_address(name))


def host_name(host: str) -> str:
    found = re.fullmatch(r"(\[[0-9a-fA-F:.]+\]|[^:\[\]/@]+)(:\d{1,5})?", host.strip())
    return found.group(1).strip("[]").rstrip(".").lower() if found else ""


def is_address(name: str) -> bool:
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def same_origin(headers: Mapping[str, str], host: str) -> bool:
    """A browser says where a request comes from; a program says nothing."""
    if headers.get("sec-fetch-site", "none") not in ("none", "same-origin"):
        return False
    origin = headers.get("origin")
    return origin is None or origin.partition("://")[2].lower() == host.lower()


def may_read(headers: Mapping[str, str], token: str) -> bool:
    scheme, _, value = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "basic":
        return equal(_password(value), token)
    return has_bearer(headers, token)


def has_bearer(headers: Mapping[str, str], token: str) -> bool:
    scheme, _, value = headers.get("authorization", "").partition(" ")
    return scheme.lower() == "bearer" and equal(value.strip(), token)


def equal(given: str, token: str) -> bool:
    """Takes the same time whatever is wrong; an empty token lets nobody in."""
    return bool(token) and hmac.compare_digest(given.encode("utf-8", "replace"), token.encode())


def _password(value: str) -> str:
    try:
        return base64.b64decode(value, validate=True).decode("utf-8", "replace").partition(":")[2]
    except (binascii.Error, ValueError):
        return ""
