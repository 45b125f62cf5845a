"""Which pages come into memory: those of our servers that are wanted and for which there is room, as they are due."""

import math
from collections.abc import Collection, Iterable, Iterator, Sequence

from recrawl.engine.adoption import adopted
from recrawl.engine.asking.lane import Lanes
from recrawl.engine.filling.refill import Refill
from recrawl.engine.filling.room import Room
from recrawl.engine.settling.ledger import Ledger
from recrawl.engine.tally import Tally
from recrawl.engine.wiring import Parts
from recrawl.frontier.queue import Frontier
from recrawl.model.batch import Saved
from recrawl.model.page import Page
from recrawl.model.server import Server

CROWDED_S = 86_400.0  # so long pages just visited make room for those that memory could not hold


class Intake:
    """Filled by the store (`look`) and by what was just written (`take`). `once`: the run visits each page once, and
    takes in nothing but what is due and may be asked for."""

    def __init__(
        self,
        parts: Parts,
        partitions: Collection[int],
        frontier: Frontier,
        lanes: Lanes,
        tally: Tally,
        once: bool,
        horizon_s: float,
    ) -> None:
        self._parts, self._partitions, self._frontier, self._lanes = parts, partitions, frontier, lanes
        self._once, self._horizon_s = once, 0.0 if once else horizon_s
        self._started_at = parts.clock.now()
        self._room = Room(parts, lanes, tally)
        self.refill = Refill(
            parts.store, frontier, partitions, lanes.servers.adopt, self._claimed, None, self._met, self._with_room
        )  # fmt: skip
        self._crowded_until_at = 0.0  # memory was full, and more waited in the store for a budget or a window

    def look(self, now: float) -> int:
        """How many pages came."""
        if (self._once or self._is_full) and self._room.is_none(now):
            self.refill.pause()
            self._crowded_until_at = now + CROWDED_S
            return 0
        return self.refill.round(now, self._horizon_s)

    def take(self, ledger: Ledger, saved: Saved, now: float) -> None:
        """What was written: pages that are due again soon, and those that are new."""
        self._frontier.drop(*ledger.pages)
        until_at = now + self._horizon_s
        for page in ledger.pages.values():
            if page.due_at is not None and page.due_at <= until_at and self.wants(page):
                self._offer(page, now)
        for number in saved.entered:
            self._offer(ledger.entered[number], now)

    def wants(self, page: Page) -> bool:
        return bool(self._wanted((page,)))

    def _wanted(self, pages: Sequence[Page]) -> list[Page]:
        """A visit in the future was written by a clock that ran ahead: it was not in this run."""
        quarries, never_at = self._parts.quarries, math.inf
        sites = {page.site for page in pages}
        is_open = {site for site in sites if (one := quarries.get(site)) is not None and not one.site.paused}
        since_at, until_at = (self._started_at, self._parts.clock.now()) if self._once else (never_at, never_at)
        newest_at = max([page.checked_at or 0.0 for page in pages], default=0.0)
        if is_open == sites and newest_at < since_at:  # as nearly always
            return list(pages)
        return [
            page
            for page in pages
            if page.site in is_open and not (page.checked_at is not None and since_at <= page.checked_at <= until_at)
        ]

    def may_wait_here(self, page: Page) -> bool:
        return self._parts.partition(page.server) in self._partitions and self.wants(page)

    @property
    def _is_full(self) -> bool:
        return self._frontier.held >= self.refill.reach.crowd

    def _with_room(self, pages: Iterable[Page]) -> Iterator[Page]:
        return self._room.fitting(pages) if self._once else filter(self._has_room, pages)

    def _has_room(self, page: Page) -> bool:
        """A run that stays keeps in memory what it may not ask for yet, but not without end. While more of that waits
        in the store, pages just visited make room for it."""
        now = self._parts.clock.now()
        if not self._is_full or not self._parts.scheduler.rations.holds_back(page, now):
            return True
        self._crowded_until_at = now + CROWDED_S
        return False

    def _offer(self, page: Page, now: float) -> None:
        """Into the short-term queue, if the server is ours and its queue is not full."""
        if self._parts.partition(page.server) not in self._partitions:
            return
        if page.server not in self._lanes.servers.known:
            known = self._parts.store.server(page.server)
            self._lanes.servers.adopt(known or Server(page.server, self._parts.partition(page.server)))
        if self._crowded_until_at <= now and self.refill.may_wait(page.server):
            self._frontier.offer((page,))

    def _met(self, pages: Sequence[Page]) -> None:
        sites = {page.site for page in pages}
        for site in sites & self._parts.quarries.keys():
            self._parts.quarries[site].knows([one for one in pages if one.site == site] if len(sites) > 1 else pages)

    def _claimed(self, pages: list[Page]) -> list[Page]:
        """Those that are wanted: as pages of the site that covers them, if their own is gone."""
        quarries = self._parts.quarries
        gone = {site for site in {page.site for page in pages} if (one := quarries.get(site)) is None or one.gone}
        if self._parts.adopts and gone:
            pages = [(adopted(page, quarries) or page) if page.site in gone else page for page in pages]
        return self._wanted(pages)
