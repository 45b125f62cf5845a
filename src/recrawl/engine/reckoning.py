"""What a batch of visits comes to: beliefs, due times, copies, events, links, all into one ledger. Nothing is written
here; everything that is written has passed through here."""

from collections.abc import Collection, Mapping, Sequence

from recrawl.engine.asking.lane import Lanes
from recrawl.engine.finding.discover import Quarry
from recrawl.engine.finding.discover_memo import (
    bitten_memo,
    closed_memo,
    closed_text,
    closed_traps,
    counted_text,
    dropped_memo,
    hosts_memo,
    traps_memo,
)
from recrawl.engine.hearing.heard import Outcomes
from recrawl.engine.hearing.listed import Lists
from recrawl.engine.hearing.signals import is_signal, paced, without_feeds
from recrawl.engine.settling.arrival import Arrival
from recrawl.engine.settling.confirmed import note_first, note_run
from recrawl.engine.settling.kept import copy_of, event_of, limit_event, outgrown, visit_row
from recrawl.engine.settling.ledger import Ledger
from recrawl.engine.settling.pace import importance_among, is_at_rest, pace
from recrawl.engine.settling.recording import Recorder
from recrawl.engine.settling.savings import Savings
from recrawl.engine.settling.wrappers import wrappers_of
from recrawl.engine.tally import Count, Tally
from recrawl.engine.wiring import Parts
from recrawl.model.event import Event, EventKind
from recrawl.model.page import Link, Page
from recrawl.model.server import Server
from recrawl.model.site import Kind
from recrawl.model.swift import replace
from recrawl.model.verdict import Change
from recrawl.model.visit import UNUSABLE, Evidence
from recrawl.notices.outcome import counts_by_source
from recrawl.schedule.load import after as load_after
from recrawl.schedule.load import is_overloaded
from recrawl.scope.traps import SAVE_EVERY

COUNT_OF = {
    Change.NEW: Count.NEW,
    Change.SAME: Count.SAME,
    Change.CHANGED: Count.CHANGED,
    Change.MOVED: Count.MOVED,
    Change.GONE: Count.GONE,
}
NOBODY, LIST, SIGNAL = counts_by_source(()), Kind.LIST, Kind.SIGNAL
MOVED, UNKNOWN, NOT_MODIFIED = Change.MOVED, Change.UNKNOWN, Evidence.NOT_MODIFIED  # looked at with every visit


class Reckoning:
    """Estimate, schedule and discover, for the visits that the lanes of a worker bring."""

    def __init__(self, parts: Parts, lanes: Lanes, tally: Tally) -> None:
        self.parts, self.lanes, self.tally = parts, lanes, tally
        self.outcomes = Outcomes(parts.store)
        self._lists = Lists(parts.store, parts.quarries)
        self._savings = Savings(parts.store, parts.worker)
        self._recognised = 0  # addresses of this batch that the store holds
        self._is_known_ground = False
        self.reread()

    def reread(self) -> None:
        """Site files changed: so may have the records that they want."""
        parts = self.parts
        self._recorder = Recorder(parts.store, parts.archive, wrappers_of(parts.quarries), parts.begin_reading)

    def take(self, arrivals: Sequence[Arrival], ledger: Ledger) -> None:
        self.outcomes.start_batch(arrivals)
        luck, scheduler, now = self.parts.dice.luck(len(arrivals)), self.parts.scheduler, self.parts.clock.now()
        pages = pace(arrivals, scheduler, self.parts.importance, self.lanes.servers.of, self._announced, luck)
        patience = {site: scheduler.patience(site, now) for site in {page.site for page in pages}}
        told = [one for one in arrivals if one.reply.evidence is not NOT_MODIFIED]
        self._recognise(told)
        self._note_each(list(arrivals), pages, patience, ledger)
        self.weigh([one.page for one in arrivals], pages, ledger)
        self._count([one for one in arrivals if one.page.kind is not SIGNAL or not is_signal(one.page)])
        events, memos = self.parts.alias_watch.news()
        ledger.events += events
        for learnt in (memos, self.lanes.visitor.learnt(), self._dropped(told), self._savings.memos()):
            ledger.memos.update(learnt)
        ledger.memos.update(self.trapped())
        ledger.memos.update(scheduler.memos(self.parts.clock.now()))
        self._recorder.note(arrivals, ledger)

    def _note_each(
        self, arrivals: list[Arrival], pages: list[Page], patience: Mapping[str, float], ledger: Ledger
    ) -> None:
        """`pages`: as they are after the visits; here they become what is written."""
        place = 0
        while place < len(arrivals):
            one, after = arrivals[place], pages[place]
            if one.reply.evidence is NOT_MODIFIED and (noted := self._note_run(arrivals, pages, place, ledger)):
                place += noted
                continue
            if is_signal(one.page):
                pages[place] = after = paced(after, one.reply.at)
                self._hear(one, after, ledger)
            else:
                pages[place] = after = self.outcomes.rested(after, one.reply.at, patience[after.site])
                self._note(one, after, ledger)
            place += 1

    def _note_run(self, arrivals: list[Arrival], pages: list[Page], start: int, ledger: Ledger) -> int:
        """How many from there on were noted together."""
        outcomes = self.outcomes
        records = self.parts.record_unchanged
        return note_run(
            arrivals, pages, start, outcomes.awaited, lambda site: outcomes.is_quiet(site, ledger), records, ledger
        )

    def entered(self, offered: int, new: int) -> None:
        """Of so many addresses that a batch brought so many were new. Where the store held most, be it from another
        worker or an earlier run, it is asked before anything is made of the next ones."""
        known = self._recognised + offered - new
        self._recognised = 0
        if known or new:
            self._is_known_ground = known > new

    def _recognise(self, arrivals: Sequence[Arrival]) -> None:
        """Where pages lead that were seen before, or that stand on known ground: asked of the store at once, where that
        waits for nobody."""
        read: dict[str, list[tuple[Page, Sequence[Link]]]] = {}
        for one in arrivals:
            if one.document is not None and one.follow and (one.page.visits or self._is_known_ground):
                read.setdefault(one.page.site, []).append((one.page, without_feeds(one.document.links)))
        if read and self.parts.store.at_hand(to_read=True):
            self._recognised += sum(self.parts.quarries[site].recognise(pages) for site, pages in read.items())

    def _note(self, one: Arrival, after: Page, ledger: Ledger) -> None:
        """One visit of a page."""
        most = self.parts.versions
        is_first = (not most or one.page.changes + 1 < most) and note_first(one, after, ledger)
        if not is_first:
            self._note_all(one, after, ledger)
        self.outcomes.judge(one, ledger)
        if one.reply.evidence is not NOT_MODIFIED:
            if not is_first:
                self._tell_limit(one, ledger)
            if one.document is not None or one.verdict.change is MOVED:
                self._discover(one, ledger)
            if self.parts.quarries[one.page.site].traps.has_news:
                self._tell_traps(one, ledger)
            if one.page.kind is LIST:
                self._lists.note(one, ledger)
        if one.verdict.change is Change.NEW:
            self.parts.alias_watch.fetched(one.page, one.verdict.body_digest, self.lanes.servers.known, one.reply.at)

    def _note_all(self, one: Arrival, after: Page, ledger: Ledger) -> None:
        """What it leaves behind, whatever it says."""
        ledger.pages[after.id] = after
        ledger.visits.append(visit_row(one))
        if (copy := copy_of(one, self.parts.record_unchanged)) is not None:
            ledger.copies.append(copy)
            if copy.is_version:
                self._forget_oldest(one, ledger)
        if (event := event_of(one, after)) is not None:
            ledger.events.append(event)

    def _hear(self, one: Arrival, after: Page, ledger: Ledger) -> None:
        """One visit of a sitemap or feed."""
        ledger.pages[after.id] = after
        before = set(ledger.noticed)
        self.lanes.signals.note(one, ledger)
        self._weigh_notices(ledger, ledger.noticed.keys() - before, one.reply.at)
        self._tell_limit(one, ledger)
        self._tell_traps(one, ledger)

    def _weigh_notices(self, ledger: Ledger, told: Collection[int], now: float) -> None:
        """A list that truly says of a page every hour that it changed would take the budget of all others: pages that
        will be stale again at once are not hastened. What was said of them stays, and counts when they are due."""
        known = [page for page in self.parts.store.pages(sorted(told)) if is_at_rest(page)] if told else []
        if not known:
            return
        servers = [self.lanes.servers.of(page.server) for page in known]
        worthwhile = self.parts.scheduler.worthwhile(
            known, importance_among(known, self.parts.importance), servers, now
        )
        for page, wanted in zip(known, worthwhile, strict=True):
            if not wanted:
                del ledger.noticed[page.id]

    def _forget_oldest(self, one: Arrival, ledger: Ledger) -> None:
        """As many as are beyond the versions that a page may have; told when the first of them go."""
        most, page = self.parts.versions, one.page
        too_old = outgrown(self.parts.store, one, most)
        ledger.outgrown += too_old
        if too_old:
            self.parts.quarries[page.site].bite("keep.versions")
        if len(too_old) > 1 or (too_old and page.changes <= most):
            says = f"more than {most} versions: the oldest are forgotten, in the archive they stay (keep.versions)"
            facts: dict[str, object] = {"limit": "keep.versions", "says": says}
            ledger.events.append(Event(EventKind.LIMIT_HIT, one.reply.at, page.url, page.site, facts=facts))

    def _tell_limit(self, one: Arrival, ledger: Ledger) -> None:
        if (event := limit_event(one)) is not None:
            ledger.events.append(event)
            self.parts.quarries[one.page.site].bite(str(event.facts["limit"]))

    def _tell_traps(self, one: Arrival, ledger: Ledger) -> None:
        """Spaces without end that were closed by this page or list, or by what it leads to."""
        quarry, page = self.parts.quarries[one.page.site], one.page
        for says in quarry.traps.news():
            facts: dict[str, object] = {"limit": "trap", "says": says}
            ledger.events.append(Event(EventKind.LIMIT_HIT, one.reply.at, page.url, page.site, facts=facts))
            quarry.bite("trap")

    def _announced(self, judged: Sequence[Arrival]) -> list[Sequence[int]] | None:
        """How many notices of each source spoke of these pages since their last visits; None: nobody of any."""
        if not any(self.outcomes.awaited.values()):
            return None
        waiting = [self.outcomes.waiting(one.page, one.reply.at) for one in judged]
        return [counts_by_source(told) if told else NOBODY for told in waiting]

    def _discover(self, one: Arrival, ledger: Ledger) -> None:
        quarry = self.parts.quarries[one.page.site]
        now = one.reply.at
        if one.verdict.change is Change.MOVED:
            found = quarry.redirected(one.page, one.verdict.target, self.parts.redirects, now)
            self.parts.alias_watch.redirected(one.page, one.verdict.target, now)
            if one.page.depth == 0:
                ledger.memos.update(self._widened(quarry))
        elif one.document is not None and (not one.directives or one.follow):
            page, links = one.page, one.document.links
            found = self.lanes.signals.from_links(page, links, now) if links else []
            if links or page.kind is LIST:
                found += quarry.discover(page, without_feeds(links), now)
            if self.parts.probe_missing:
                found += self.lanes.visitor.missing.probe(page, now)
        else:
            return
        for page in found:
            ledger.entered[page.id] = page

    def _widened(self, quarry: Quarry) -> dict[str, bytes]:
        """Where the site has gone, beside what other workers saw."""
        name = hosts_memo(quarry.site.name)
        kept = frozenset((self.parts.store.memo(name) or b"").decode().split())
        return {} if quarry.widened <= kept else {name: " ".join(sorted(quarry.widened | kept)).encode()}

    def _dropped(self, arrivals: Sequence[Arrival]) -> dict[str, bytes]:
        """How many links were dropped, of the sites whose links were just read."""
        worker, quarries = self.parts.worker, self.parts.quarries
        sites = {one.page.site for one in arrivals if one.document or one.signal or one.verdict.change is MOVED}
        memos = {dropped_memo(site, worker): counted_text(quarries[site].dropped) for site in sites if site in quarries}
        for quarry in quarries.values():
            if quarry.was_bitten():
                memos[bitten_memo(quarry.site.name, worker)] = counted_text(quarry.bitten)
        return memos

    def trapped(self, closing: bool = False) -> dict[str, bytes]:
        """What is known of spaces without end, for the store's memo. `closing`: everything, since the run ends; two
        workers that closed one at the same moment may have overwritten each other's word."""
        least = 1 if closing else SAVE_EVERY
        memos: dict[str, bytes] = {}
        for name, quarry in self.parts.quarries.items():
            if (memo := quarry.traps.memo(least)) is not None:
                memos[traps_memo(name, self.parts.worker)] = memo
            if memo is not None or closing:
                memos |= self._closed(quarry)
        return memos

    def _closed(self, quarry: Quarry) -> dict[str, bytes]:
        """Which of them are closed, beside what other workers closed."""
        name, limits, closed = quarry.site.name, quarry.traps.limits, quarry.traps.closed()
        kept = closed_traps(self.parts.store, name, limits) if closed else {}
        return {closed_memo(name): closed_text(kept | closed, limits)} if closed.keys() - kept else {}

    def weigh(self, before: Sequence[Page], after: Sequence[Page], ledger: Ledger) -> None:
        """S1's load index of their servers, kept with the old and the new interval of each page."""
        sites = {page.server: page.site for page in after}
        loads = {key: self.lanes.servers.of(key).load_per_s for key in sites}
        loads = load_after(
            loads, [(new.server, old.interval_s, new.interval_s) for old, new in zip(before, after, strict=True)]
        )
        for key, load_per_s in loads.items():
            self._bear(self.lanes.servers.of(key), load_per_s, sites[key], ledger)

    def _bear(self, server: Server, load_per_s: float, site: str, ledger: Ledger) -> None:
        """A server whose load is another now."""
        overloaded, now = is_overloaded(load_per_s, server.gap_s), self.parts.clock.now()
        if overloaded != server.overloaded:
            kind = EventKind.SERVER_OVERLOADED if overloaded else EventKind.SERVER_RELIEVED
            facts: dict[str, object] = {"server": server.key, "load_per_s": load_per_s, "gap_s": server.gap_s}
            ledger.events.append(Event(kind, now, site=site, facts=facts))
        server = replace(server, load_per_s=load_per_s, overloaded=overloaded)
        server = self.parts.scheduler.relieved(server, site, now)
        self.lanes.servers.known[server.key] = ledger.servers[server.key] = server

    def _count(self, visits: Sequence[Arrival]) -> None:
        self._savings.note(visits)
        self.tally.add(Count.VISITS, len(visits))
        changes = [one.verdict.change for one in visits]
        for change, count in COUNT_OF.items():
            self.tally.add(count, changes.count(change))
        for one, change in zip(visits, changes, strict=True) if UNKNOWN in changes else ():
            if change is UNKNOWN:
                self.tally.add(_count_of_unproved(one))
        spared = [one.page.size_bytes for one in visits if one.reply.evidence is NOT_MODIFIED]
        self.tally.add(Count.NOT_MODIFIED, len(spared))
        self.tally.add(Count.SPARED_BYTES, sum(spared))


def _count_of_unproved(one: Arrival) -> Count:
    if one.reply.evidence in UNUSABLE:
        return Count.FAILED
    return Count.NOT_FOUND if one.reply.evidence is Evidence.MISSING or one.verdict.soft_404 else Count.UNDECIDED
