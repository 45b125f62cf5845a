"""Notices by webhook: signed by an agent we registered with, or with a token that the operator gave to a site.

{"notices": [{"kind": "U", "url": "https://example.com/a.html", "size": 156, "modified": "2026-11-15T10:20:00Z"}]}
{"urls": ["https://www.example.com/a.html"]}
"""

import hmac
import json
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from recrawl.formats import signature, w3c_moment
from recrawl.formats.his import KINDS
from recrawl.model.notice import NoticeKind, Source
from recrawl.notices.answer import Received
from recrawl.notices.claim import Checked, Claim, url_fault
from recrawl.notices.registrations import Registration, Standing

MOST_NOTICES = 100_000
MOST_BYTES = 20_000_000
OLDEST_S = 3600.0
SKEW_S = 86_400.0


def receive_signed(
    body: bytes, header: str, registrations: Sequence[Registration], seen: Collection[str], now: float
) -> Received:
    """From an agent: the signature says which, the nonce that it is new."""
    signed = signature.parse(header)
    if signed is None:
        return _no(401, "no signature")
    if len(body) > MOST_BYTES:
        return _no(413, "too large")
    text = body.decode("utf-8", "replace")
    known = [one for one in registrations if one.standing is not Standing.UNCONFIRMED]
    signer = next((one for one in known if signature.fits(one.secret, text, signed)), None)
    if signer is None:
        return _no(403, "wrong signature")
    mark = f"{signer.server} {signed.nonce}"
    if not signature.is_fresh(signed, now, OLDEST_S):
        return _no(403, "signed too long ago")
    if mark in seen:
        return _no(409, "replayed")
    checked = _read(body, frozenset({signer.origin}), Source.AGENT, now)
    if checked is None:
        return _no(400, "malformed")
    return Received(200, "", checked.claims, "webhook: taken", mark, checked.refused)


def receive_with_token(body: bytes, authorization: str, tokens: Mapping[str, Collection[str]], now: float) -> Received:
    """`tokens`: each with the origins that its holder may speak of. `Authorization: Bearer TOKEN`."""
    kind, _, given = authorization.partition(" ")
    origins = [
        own
        for token, own in tokens.items()
        if kind.lower() == "bearer" and hmac.compare_digest(token.encode(), given.strip().encode())
    ]
    if not origins:
        return _no(401, "no valid token")
    if len(body) > MOST_BYTES:
        return _no(413, "too large")
    checked = _read(body, frozenset(origins[0]), Source.WEBHOOK, now)
    if checked is None:
        return _no(400, "malformed")
    return Received(200, "", checked.claims, "webhook: taken", refused=checked.refused)


def _read(body: bytes, origins: frozenset[str], source: Source, now: float) -> Checked | None:
    try:
        value = json.loads(body)
        told, urls = value.get("notices", []), value.get("urls", [])
    except (ValueError, AttributeError, TypeError, RecursionError):
        return None
    if not isinstance(told, list) or not isinstance(urls, list):
        return None
    rows = [*told, *({"kind": "U", "url": url} for url in urls)]
    if not rows or len(rows) > MOST_NOTICES or not all(isinstance(row, dict) for row in rows):
        return None
    claims, refused = [], []
    for row in rows:
        claim, fault = _claim(row, origins, source, now)
        claims += [claim] if claim else []
        refused += [fault] if fault else []
    return Checked(tuple(claims), tuple(refused))


def _claim(row: dict[str, Any], origins: frozenset[str], source: Source, now: float) -> tuple[Claim | None, str]:
    kind, url, size = str(row.get("kind", "U")), str(row.get("url", "")), row.get("size")
    modified_at = w3c_moment.parse(str(row.get("modified", "")))
    fault = "unreadable" if kind not in KINDS else url_fault(url, origins)
    if not fault and modified_at is not None and modified_at > now + SKEW_S:
        fault = "future"
    if fault:
        return None, fault
    sized = size if isinstance(size, int) and not isinstance(size, bool) and size >= 0 else None
    return Claim(url, NoticeKind(kind), source, sized, modified_at), ""


def _no(status: int, reason: str) -> Received:
    return Received(status, reason, count=f"webhook: {reason}")
