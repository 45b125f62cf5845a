"""Errands: requests that somebody's push makes necessary. The crawl makes them, not the receiver.

A key file that proves an IndexNow ping, a feed that names its WebSub hub, the hub itself: each is a page of kind SIGNAL
in the line of its own server, so robots.txt, the gap, the budget and the address guard hold for it as for any page.
What waits for the answer lies in the store (a ping) or in the folder (subscriptions).
"""

import json
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import asdict, replace

from recrawl.engine.asking.errand_pages import HUB, KEY, TOPIC, errand, send
from recrawl.engine.finding.discover import Quarry
from recrawl.engine.hearing.heard import Hearing
from recrawl.engine.settling.ledger import Ledger
from recrawl.extract.feed import read_feed
from recrawl.folder.push_book import PushBook
from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.page import Page
from recrawl.model.site import Site
from recrawl.model.values import dataclass
from recrawl.model.visit import Ask, Evidence, Limits, Reply
from recrawl.notices import indexnow, websub
from recrawl.notices.answer import Received
from recrawl.notices.claim import origin_of_url
from recrawl.notices.indexnow import Ping
from recrawl.notices.websub import Subscription
from recrawl.ports import Store
from recrawl.scope.canonical import Canonicaliser

SLOTS = 8  # keys of one host that may wait for their proof at once
KEY_GOOD_S = 86_400.0
PING_WAITS_S = 6 * 3600.0  # for the crawl to come by; then another may have its place
TRIES = 4
TRY_AGAIN_S = 300.0  # times the number of tries so far
NO_PROOF = (Evidence.FAILED, Evidence.BUSY, Evidence.BROKEN)
FORM = (("Content-Type", "application/x-www-form-urlencoded"),)


# IndexNow: a ping waits until its key is proved


@dataclass(frozen=True, slots=True)
class Pings:
    store: Store

    def proved(self, ping: Ping, now: float) -> bool:
        return float(self.store.memo(_proof_memo(ping)) or 0.0) > now

    def wait(self, ping: Ping, site: Site, now: float) -> Received:
        """202, as the protocol has it: received, key validation pending."""
        slots = [errand(KEY, ping.key_url, site.name, now, slot) for slot in _slots(ping)]
        found = [(page, *self._waiting(page.id)) for page in slots]
        mine = next(((page, one, at) for page, one, at in found if one and replace(one, urls=ping.urls) == ping), None)
        free = next((page for page, one, at in found if one is None or now >= at + PING_WAITS_S), None)
        if mine is not None and now < mine[2] + PING_WAITS_S:
            page, waiting, since_at = mine
            urls = tuple(dict.fromkeys((*waiting.urls, *ping.urls)))
            if len(urls) > indexnow.MOST_URLS:
                return Received(429, "too many addresses wait for the proof of this key", count="indexnow: too often")
            self.store.save(Batch(memos=((_ping_memo(page.id), _written(replace(ping, urls=urls), since_at)),)))
        elif (place := mine[0] if mine else free) is not None:
            send(self.store, place, {_ping_memo(place.id): _written(ping, now)})
        else:
            return Received(429, "other keys of this host wait for their proof", count="indexnow: too often")
        return Received(202, "received; the key will be looked at", count="indexnow: key not proved yet")

    def settle(self, page: Page, reply: Reply, ledger: Ledger) -> Received | None:
        """The crawl has asked for the key file. None: nothing waits for it."""
        ping, _ = self._waiting(page.id)
        if ping is None:
            return None
        ledger.memos[_ping_memo(page.id)] = b""
        received = indexnow.judge(ping, reply)
        if received.status != 403:
            ledger.memos[_proof_memo(ping)] = str(reply.at + KEY_GOOD_S).encode()
        return received

    def _waiting(self, page: int) -> tuple[Ping | None, float]:
        memo = self.store.memo(_ping_memo(page))
        if not memo:
            return None, 0.0
        value = json.loads(memo)
        return Ping(**{**value["ping"], "urls": tuple(value["ping"]["urls"])}), float(value["at"])


def _written(ping: Ping, at: float) -> bytes:
    return json.dumps({"ping": asdict(ping), "at": at}).encode()


def _ping_memo(page: int) -> str:
    return f"ping:{page}"


def _proof_memo(ping: Ping) -> str:
    return f"key:{fingerprint(f'{ping.key_url} {ping.key}')}"


def _slots(ping: Ping) -> list[str]:
    """Where it may wait, its own place first: two keys may have the same."""
    first = fingerprint(f"{ping.key_url} {ping.key}")
    return [f"{origin_of_url(ping.key_url)} {(first + step) % SLOTS}" for step in range(SLOTS)]


# The crawl's side


@dataclass(frozen=True, slots=True)
class Errands:
    """Asked by the lanes: what to ask, and what an answer leads to."""

    store: Store
    quarries: Mapping[str, Quarry]
    book: PushBook | None = None

    def question(self, page: Page, site: Site, limits: Limits, now: float) -> Ask | None:
        """None: nobody waits for it any more."""
        if page.category != HUB:
            return Ask(page.url, own=site.own, limits=limits)
        chosen = next((one for one in self._subscriptions() if one.waiting and one.hub == page.url), None)
        if chosen is None:
            return None
        self._change(chosen.number, lambda one: replace(one, waiting=False, asked_at=now))  # it may call back at once
        return Ask(page.url, own=site.own, limits=limits, headers=FORM, form=websub.request_form(chosen))

    def settle(self, page: Page, reply: Reply, ledger: Ledger) -> Page:
        """Everything the answer leads to, into the ledger; the errand as it stands then."""
        if reply.evidence in NO_PROOF and page.failures + 1 < TRIES:
            self._still_waiting(page, reply)
            again_at = reply.at + TRY_AGAIN_S * (page.failures + 1)
            return replace(page, visits=page.visits + 1, failures=page.failures + 1, due_at=again_at)
        reason = SETTLE[page.category](self, page, reply, ledger)
        more = page.category == HUB and any(one.waiting and one.hub == page.url for one in self._subscriptions())
        due_at = reply.at if more else None
        return replace(page, visits=page.visits + 1, failures=0, reason=reason, due_at=due_at)

    def _key(self, page: Page, reply: Reply, ledger: Ledger) -> str:
        received = Pings(self.store).settle(page, reply, ledger)
        if received is None:
            return ""
        counts = Counter({received.count: 1})
        if received.taken:
            counts.update(Hearing(self.store, self.quarries).note(received.claims, reply.at, ledger))
        self._count(counts)
        return received.text

    def _topic(self, page: Page, reply: Reply, ledger: Ledger) -> str:
        hubs, topic = hubs_of(reply, page.url)
        fault = "" if hubs else f"{page.url} names no WebSub hub (it answered {reply.status or reply.detail})"

        def told(one: Subscription) -> Subscription:
            if one.hub or one.topic != page.url:
                return one
            return replace(one, topic=topic, hub=hubs[0]) if hubs else replace(one, waiting=False, fault=fault)

        if self.book is not None:
            self.book.change(told)
        for hub in hubs[:1]:
            found = errand(HUB, hub, page.site, reply.at)
            ledger.entered[found.id] = found
            ledger.noticed[found.id] = reply.at
        return fault

    def _hub(self, page: Page, reply: Reply, ledger: Ledger) -> str:
        fault = "" if 200 <= reply.status < 300 else f"the hub answered {reply.status or reply.detail}"
        for one in self._asked(page, reply):
            self._change(one.number, lambda one: replace(one, fault=fault))
        self._count({"websub: refused by the hub" if fault else "websub: asked": 1})
        return fault

    def _still_waiting(self, page: Page, reply: Reply) -> None:
        for one in self._asked(page, reply):
            self._change(one.number, lambda one: replace(one, waiting=True))

    def _asked(self, page: Page, reply: Reply) -> list[Subscription]:
        """Those that the request just made was for."""
        return [
            one
            for one in self._subscriptions()
            if one.hub == page.url and not one.waiting and websub.request_form(one) == reply.ask.form
        ]

    def _subscriptions(self) -> list[Subscription]:
        return self.book.subscriptions() if self.book else []

    def _change(self, number: str, change: Callable[[Subscription], Subscription]) -> None:
        if self.book is not None:
            self.book.change(lambda one: change(one) if one.number == number else one)

    def _count(self, counts: Mapping[str, int]) -> None:
        if self.book is not None:
            self.book.count(counts)


SETTLE: Mapping[str, Callable[[Errands, Page, Reply, Ledger], str]] = {
    KEY: Errands._key,
    TOPIC: Errands._topic,
    HUB: Errands._hub,
}


def hubs_of(reply: Reply, topic: str) -> tuple[tuple[str, ...], str]:
    """(hubs, canonical topic): from the Link headers, else from the feed itself."""
    hubs, named = websub.hubs_in_headers(reply.headers)
    if not hubs and reply.evidence is Evidence.DOCUMENT:
        feed = read_feed(reply.body)
        hubs, named = feed.hubs, feed.topic
    hubs = tuple(hub for hub in hubs if Canonicaliser().canonical(hub) is not None)
    return hubs, named if named and origin_of_url(named) == origin_of_url(topic) else topic
