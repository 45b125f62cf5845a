"""A signed text: who holds the secret wrote it, at that moment, and it is new.

    t=1700000000,id=5f1c…,v1=<hex of HMAC-SHA256 over "t.id.text" with the secret>

A line end is one character whatever the mail's way made of it, and blank lines at the end do not count.
"""

import hashlib
import hmac
import re

from recrawl.model.values import dataclass

_HEADER = re.compile(r"t=([0-9]{1,12}),id=([A-Za-z0-9_-]{8,64}),v1=([0-9a-f]{64})")


@dataclass(frozen=True, slots=True)
class Signature:
    at: int
    nonce: str
    digest: str


def parse(header: str) -> Signature | None:
    """None: this is no signature."""
    found = _HEADER.fullmatch(re.sub(r"\s+", "", header))
    return Signature(int(found[1]), found[2], found[3]) if found else None


def render(signature: Signature) -> str:
    return f"t={signature.at},id={signature.nonce},v1={signature.digest}"


def sign(secret: str, text: str, at: int, nonce: str) -> Signature:
    return Signature(at, nonce, _digest(secret, text, at, nonce))


def fits(secret: str, text: str, signature: Signature) -> bool:
    expected = _digest(secret, text, signature.at, signature.nonce)
    return bool(secret) and hmac.compare_digest(expected, signature.digest)


def is_fresh(signature: Signature, now: float, oldest_s: float, ahead_s: float = 300.0) -> bool:
    return now - oldest_s <= signature.at <= now + ahead_s


def _digest(secret: str, text: str, at: int, nonce: str) -> str:
    plain = text.replace("\r\n", "\n").rstrip("\n")
    signed = f"{at}.{nonce}.{plain}".encode("utf-8", "surrogatepass")
    return hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()
