"""A signed delivery, as the Standard Webhooks specification has it, so that its libraries can verify it.

    webhook-id: changes_17_42          the same for every attempt
    webhook-timestamp: 1700000000
    webhook-signature: v1,<base64 of HMAC-SHA256 over "id.timestamp.body">

A secret is `whsec_` and base 64 of the key; any other text is the key itself.
"""

import binascii
import hashlib
import hmac
from base64 import b64decode, b64encode
from urllib.parse import urlsplit

PREFIX = "whsec_"
TOLERANCE_S = 300


def complaint(url: str) -> str:
    """Why nothing can be delivered to an address; '' if it can. No password that stands in it is repeated."""
    if "@" in url.partition("://")[2].partition("/")[0]:
        return "no user and password in an address; use webhooks.secret"
    try:
        parts = urlsplit(url)
        name = (parts.hostname or "").encode("idna")
        is_web = parts.scheme in ("http", "https") and bool(name) and parts.port != 0
    except ValueError:  # a port or a name that cannot be
        is_web = False
    return "" if is_web else f"{url!r} is no web address; write it in full, as https://example.org/changes"


def headers(secret: str, identity: str, at: float, body: bytes) -> dict[str, str]:
    stamp = str(int(at))
    told = {"content-type": "application/json", "webhook-id": identity, "webhook-timestamp": stamp}
    return told | ({"webhook-signature": f"v1,{_signature(secret, identity, stamp, body)}"} if secret else {})


def fits(secret: str, told: dict[str, str], body: bytes, now: float) -> bool:
    """For whoever receives: is it from us, as it was sent, and fresh?"""
    stamp, identity = told.get("webhook-timestamp", ""), told.get("webhook-id", "")
    if not secret or not stamp.isascii() or not stamp.isdecimal() or abs(now - int(stamp)) > TOLERANCE_S:
        return False
    expected = _signature(secret, identity, stamp, body).encode()
    given = [one.partition(",")[2] for one in told.get("webhook-signature", "").split() if one.startswith("v1,")]
    return any(hmac.compare_digest(expected, one.encode("utf-8", "replace")) for one in given)


def _signature(secret: str, identity: str, stamp: str, body: bytes) -> str:
    signed = f"{identity}.{stamp}.".encode() + body
    return b64encode(hmac.new(_key(secret), signed, hashlib.sha256).digest()).decode("ascii")


def _key(secret: str) -> bytes:
    if not secret.startswith(PREFIX):
        return secret.encode()
    try:
        return b64decode(secret.removeprefix(PREFIX), validate=True)
    except binascii.Error:
        return secret.encode()
