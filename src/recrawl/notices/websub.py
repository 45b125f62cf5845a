"""WebSub as its subscriber: ask a hub, prove that we asked, take what it sends if it is signed, renew in time.

Pure: whoever carries bytes hands them in and sends what comes out.
"""

import hashlib
import hmac
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from enum import StrEnum
from urllib.parse import urlencode

from recrawl.model.failure import FormatError
from recrawl.model.late import late
from recrawl.model.values import dataclass
from recrawl.notices.answer import Received

LEASE_S = 864_000  # ten days, the usual wish
SHORTEST_LEASE_S = 300
LONGEST_LEASE_S = 30 * 86_400
RENEW_SHARE = 0.2  # renewed when so much of the lease is left
_LINK = late(r"<([^<>]*)>((?:\s*;\s*[^;,<>]+)*)")
_REL = late(r"""rel\s*=\s*(?:"([^"]*)"|([^\s;,"]+))""", re.IGNORECASE)
_DIGESTS = {"sha1": hashlib.sha1, "sha256": hashlib.sha256, "sha384": hashlib.sha384, "sha512": hashlib.sha512}


class Wish(StrEnum):
    SUBSCRIBE = "subscribe"
    UNSUBSCRIBE = "unsubscribe"


@dataclass(frozen=True, slots=True)
class Subscription:
    """`wish`: what we asked the hub for last. `hub` '': the topic was not read yet. `until_at` None: not verified yet,
    or ended."""

    number: str  # unguessable; part of the callback's address
    topic: str
    hub: str
    secret: str
    callback: str
    site: str = ""
    wish: Wish = Wish.SUBSCRIBE
    asked_at: float = 0.0
    lease_s: float = LEASE_S
    until_at: float | None = None
    waiting: bool = True  # the crawl has yet to ask: the topic for its hub, or the hub
    fault: str = ""  # why nothing came of it


def hubs_in_headers(headers: Sequence[tuple[str, str]]) -> tuple[tuple[str, ...], str]:
    """(hubs, topic) from the Link headers of the topic's own answer."""
    hubs, topic = [], ""
    for name, value in headers:
        if name.lower() != "link":
            continue
        for found in _LINK.finditer(value):
            words = _REL.search(found[2])
            relations = ((words[1] or words[2] or "") if words else "").lower().split()
            hubs += [found[1]] if "hub" in relations else []
            topic = found[1] if "self" in relations and not topic else topic
    return tuple(hubs), topic


def request_form(subscription: Subscription) -> bytes:
    """What is posted to the hub."""
    fields = {
        "hub.mode": subscription.wish.value,
        "hub.topic": subscription.topic,
        "hub.callback": subscription.callback,
    }
    if subscription.wish is Wish.SUBSCRIBE:
        fields |= {"hub.lease_seconds": str(int(subscription.lease_s)), "hub.secret": subscription.secret}
    return urlencode(fields).encode()


def verify(
    subscription: Subscription | None, query: Mapping[str, str], now: float
) -> tuple[Received, Subscription | None]:
    """The hub asks whether it was us. The answer, and the subscription as it stands then (None: unchanged)."""
    mode, topic, challenge = query.get("hub.mode", ""), query.get("hub.topic", ""), query.get("hub.challenge", "")
    if subscription is None or topic != subscription.topic:
        return Received(404, count="websub: not asked for"), None
    if mode == "denied":
        return Received(200, count="websub: denied"), replace(subscription, until_at=None)
    if mode != subscription.wish.value or not challenge or len(challenge) > 4096:
        return Received(404, count="websub: not asked for"), None
    if subscription.wish is Wish.UNSUBSCRIBE:
        return Received(200, challenge, count="websub: left"), replace(subscription, until_at=None)
    lease_s = _lease_s(query.get("hub.lease_seconds", ""), subscription.lease_s)
    after = replace(subscription, until_at=now + lease_s, lease_s=lease_s)
    return Received(200, challenge, count="websub: verified"), after


def delivered(subscription: Subscription | None, body: bytes, signature: str, now: float) -> Received:
    """Is this really from the hub we asked? Its content is read by the caller. Unsigned and wrongly signed
    deliveries are ignored, as the standard demands."""
    if subscription is None or subscription.until_at is None or subscription.wish is Wish.UNSUBSCRIBE:
        return Received(410, count="websub: no such subscription")
    if now > subscription.until_at + SHORTEST_LEASE_S:
        return Received(410, count="websub: lease over")
    if not is_signed(subscription.secret, body, signature):
        return Received(403, count="websub: wrong signature")
    return Received(202, count="websub: taken")


def is_signed(secret: str, body: bytes, header: str) -> bool:
    method, _, digest = header.strip().partition("=")
    make = _DIGESTS.get(method.lower())
    if make is None or not secret or not digest.isascii():
        return False
    return hmac.compare_digest(hmac.new(secret.encode(), body, make).hexdigest(), digest.lower())


def to_renew(subscriptions: Sequence[Subscription], now: float) -> list[Subscription]:
    """Whose lease is nearly over, and those that were asked for but not verified within an hour."""
    return [
        one
        for one in subscriptions
        if one.wish is Wish.SUBSCRIBE
        and one.hub
        and not one.waiting
        and (
            now > one.asked_at + 3600.0
            if one.until_at is None
            else one.until_at - now < RENEW_SHARE * one.lease_s and now > one.asked_at + SHORTEST_LEASE_S
        )
    ]


def read(data: bytes | None) -> list[Subscription]:
    if not data:
        return []
    try:
        return [Subscription(**{**row, "wish": Wish(row["wish"])}) for row in json.loads(data)]
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"subscriptions cannot be read: {error}") from error


def write(subscriptions: Sequence[Subscription]) -> bytes:
    return json.dumps([asdict(one) for one in subscriptions]).encode()


def _lease_s(text: str, asked_s: float) -> float:
    granted = float(text) if re.fullmatch(r"[0-9]{1,10}", text) else asked_s
    return min(max(granted, SHORTEST_LEASE_S), LONGEST_LEASE_S)
