"""Pages that speak of other pages: sitemaps and feeds, found in robots.txt and in pages, read on their own schedule.

A signal is a page of kind SIGNAL: due, asked for and paced like any other, but not kept, not announced and not counted
among the pages. What it says differently from last time is a notice.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field
from urllib.parse import urljoin

from recrawl.detect.digest import body_digest
from recrawl.detect.verdict import at_once
from recrawl.engine.finding.discover import Quarry
from recrawl.engine.hearing.heard import Hearing
from recrawl.engine.settling.arrival import Arrival, Signal
from recrawl.engine.settling.ledger import Ledger
from recrawl.extract.settings import SignalLimits
from recrawl.extract.signals_late import FEED_TYPES, read_feed, read_sitemap
from recrawl.model.address import Address
from recrawl.model.notice import NoticeKind, Source
from recrawl.model.page import Link, Page, Rank
from recrawl.model.site import Kind
from recrawl.model.swift import replace
from recrawl.model.values import dataclass
from recrawl.model.verdict import Change, Verdict
from recrawl.model.visit import Reply
from recrawl.notices import trust as trusts
from recrawl.notices.claim import Claim
from recrawl.notices.signals import Heard, Said, compare, left, memo_key
from recrawl.notices.trust import Record
from recrawl.ports import Store

ALTERNATE = "alternate"  # as feeds are linked
SITEMAP, FEED = "sitemap", "feed"
DEFAULT_LIMITS = SignalLimits()
SIGNAL = Kind.SIGNAL  # looked at with every visit
SOURCES = {SITEMAP: Source.SITEMAP, FEED: Source.FEED}
SHORTEST_S, LONGEST_S = 600.0, 86_400.0  # between two readings of one signal
MOST_LEFT = 0.5  # a sitemap that lost more than this at once is broken rather than telling of deletions


@dataclass(frozen=True, slots=True)
class Reading:
    """What one answer said. `children`: sitemaps that an index names."""

    said: tuple[Said, ...] = ()
    children: tuple[str, ...] = ()
    whole: bool = False
    fault: str = ""
    limit: str = ""  # the setting that let the rest go


def is_signal(page: Page) -> bool:
    return page.kind is SIGNAL and page.category in SOURCES


def read_signal(category: str, body: bytes, url: str, limits: SignalLimits = DEFAULT_LIMITS) -> Reading:
    """A sitemap may turn out to be a feed, which the protocol allows."""
    if category == SITEMAP:
        found = read_sitemap(body, limits.sitemap_bytes, limits.sitemap_entries)
        if not found.other:
            limit = _bitten(found.cut, "sitemap_entries", found.too_large, "sitemap_bytes")
            if found.index:
                return Reading(children=tuple(entry.url for entry in found.entries), fault=found.fault, limit=limit)
            said = tuple(Said(entry.url, entry.modified_at) for entry in found.entries)
            return Reading(said, whole=not found.fault and not found.cut, fault=found.fault, limit=limit)
    feed = read_feed(body, limits.feed_entries, limits.feed_bytes)
    items = tuple(Said(urljoin(url, item.url), item.moment_at, item.deleted) for item in feed.items)
    return Reading(items, fault=feed.fault, limit=_bitten(feed.cut, "feed_entries", feed.too_large, "feed_bytes"))


def _bitten(cut: bool, entries: str, too_large: bool, size: str) -> str:
    return f"signals.{entries}" if cut else f"signals.{size}" if too_large else ""


def is_feed(link: Link) -> bool:
    return link.relation == ALTERNATE and link.media_type in FEED_TYPES


def feeds_among(links: Iterable[Link]) -> list[Link]:
    return [link for link in links if link.relation == ALTERNATE and is_feed(link)]


def without_feeds(links: Sequence[Link]) -> Sequence[Link]:
    """What is left to discover as pages."""
    return [link for link in links if not is_feed(link)] if links and feeds_among(links) else links


def signal_page(address: Address, site: str, category: str, now: float, found_from: Page | None = None) -> Page:
    """`hops` counts the indexes that led to a sitemap."""
    nested = found_from is not None and is_signal(found_from)
    return Page(
        id=address.id,
        url=address.url,
        server=address.server,
        site=site,
        kind=Kind.SIGNAL,
        category=category,
        rank=Rank.SIGNAL,
        found_from=found_from.id if found_from else None,
        found_at=now,
        due_at=now,
        depth=1,
        hops=found_from.hops + 1 if found_from and nested else 0,
    )


def paced(page: Page, at: float) -> Page:
    """Signals are cheap and their silence costs freshness: read at least daily, at most every ten minutes."""
    if not is_signal(page) or page.due_at is None or page.failures:
        return page
    interval_s = min(max(page.interval_s, SHORTEST_S), LONGEST_S)
    return replace(page, interval_s=interval_s, due_at=at + interval_s)


@dataclass(slots=True)
class Signals:
    """Finds signals, reads them, and notes what they say."""

    store: Store
    quarries: dict[str, Quarry]
    limits: SignalLimits = DEFAULT_LIMITS
    _met: dict[tuple[str, str], set[int]] = field(default_factory=dict)

    def from_robots(self, urls: Iterable[str], site: str, now: float) -> list[Page]:
        return self._enter(urls, site, SITEMAP, self.limits.sitemaps, now, None)

    def from_links(self, page: Page, links: Sequence[Link], now: float) -> list[Page]:
        feeds = [link.url for link in feeds_among(links)] if links else []
        return self._enter(feeds, page.site, FEED, self.limits.feeds, now, page) if feeds else []

    def hear(self, page: Page, reply: Reply) -> tuple[Verdict, Signal | None]:
        """The verdict on the signal itself is whether it had anything new to say, so that one that rewrites its dates
        at every look is not read all day; one that nobody listens to any more counts as unchanged."""
        decided = at_once(page, reply)
        if decided is not None:
            return decided, None
        reading = read_signal(page.category, reply.body, page.url, self.limits)
        said = self._canonical(reading.said, page.site)
        source = SOURCES[page.category]
        memory = self.store.memo(memo_key(page.id)) or None  # emptied: it is to be heard anew
        heard = compare(memory, said, source, reading.whole, reply.at)
        if reading.whole:
            heard = replace(heard, claims=(*heard.claims, *self._deleted(memory, said, source)))
        return self._verdict(page, reply, heard, reading), Signal(heard, reading.children, reading.fault)

    def note(self, one: Arrival, ledger: Ledger) -> None:
        """Into the ledger of the group commit: the memory, the notices, the pages."""
        signal, page, now = one.signal, one.page, one.reply.at
        if signal is None:
            return
        quarry = self.quarries[page.site]
        if signal.heard.memory or signal.heard.claims:
            ledger.memos[memo_key(page.id)] = signal.heard.memory
        children = self._enter(signal.children, page.site, SITEMAP, self.limits.sitemaps, now, page)
        leads = quarry.discover(page, [Link(url) for url in signal.heard.leads], now)
        ledger.entered.update((found.id, found) for found in (*children, *leads))
        if signal.heard.claims:
            Hearing(self.store, {page.site: quarry}).note(signal.heard.claims, now, ledger)

    def _enter(
        self, urls: Iterable[str], site: str, category: str, most: int, now: float, found_from: Page | None
    ) -> list[Page]:
        """Addresses of the site's own hosts, each once, not more than a site may have nor in more indexes."""
        quarry = self.quarries[site]
        if found_from and is_signal(found_from) and found_from.hops >= self.limits.sitemap_depth:
            quarry.dropped["signals.sitemap_depth"] += sum(1 for _ in urls)
            return []
        met = self._met.setdefault((site, category), set())
        found = []
        for url in urls:
            address = quarry.canonicaliser.canonical(url)
            if address is None or address.id in met:
                continue
            if len(met) >= most:
                quarry.dropped[f"signals.{category}s"] += 1
                continue
            if quarry.rules.admit(quarry.main_name(address), 1, Kind.SIGNAL).allowed:
                met.add(address.id)
                found.append(signal_page(quarry.main_name(address), site, category, now, found_from))
        return found

    def _canonical(self, said: Iterable[Said], site: str) -> list[Said]:
        """So that an id of the memory is the id of the page."""
        quarry = self.quarries[site]
        named: Callable[[str], Address | None] = quarry.canonicaliser.canonical
        return [
            replace(one, url=quarry.main_name(address).url) for one in said if (address := named(one.url)) is not None
        ]

    def _deleted(self, memory: bytes | None, said: Sequence[Said], source: Source) -> list[Claim]:
        gone = left(memory, said)
        if not gone or len(gone) > MOST_LEFT * (len(gone) + len(said)):
            return []
        return [Claim(page.url, NoticeKind.DELETED, source) for page in self.store.pages(sorted(gone))]

    def _verdict(self, page: Page, reply: Reply, heard: Heard, reading: Reading) -> Verdict:
        record = trusts.read(self.store.memo(trusts.memo_key(page.site))).get(SOURCES[page.category], Record())
        change = Change.NEW if not page.body_digest else Change.CHANGED if heard.claims else Change.SAME
        reason = (
            reading.fault or f"{len(reading.said) or len(reading.children)} entries, {len(heard.claims)} differences"
        )
        if reading.limit:
            reason = f"{reason}; the rest is not listened to ({reading.limit})"
        if change is Change.CHANGED and record.ignored:
            change, reason = Change.SAME, f"{reason}; not listened to, because it is mostly wrong"
        digest = body_digest(reply.body)
        return Verdict(change, body_digest=digest, noise=page.noise, reason=reason, limit=reading.limit)
