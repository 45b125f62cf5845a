"""Which pages come into memory: those of our servers that are wanted and for which there is room, as they are due."""

from collections.abc import Collection, Sequence

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
            parts.store, frontier, partitions, lanes.servers.adopt, self.wants, None, self._claimed, self._met,
            self._has_room,
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
        for page in ledger.pages.values():
            self._frontier.drop(page.id)
            if page.due_at is not None and page.due_at <= now + self._horizon_s and self.wants(page):
                self._offer(page, now)
        for number in saved.entered:
            self._offer(ledger.entered[number], now)

    def wants(self, page: Page) -> bool:
        quarry = self._parts.quarries.get(page.site)
        if quarry is None or quarry.site.paused:
            return False
        seen_at = page.checked_at  # one in the future was written by a clock that ran ahead: not in this run
        return not (self._once and seen_at is not None and self._started_at <= seen_at <= self._parts.clock.now())

    def may_wait_here(self, page: Page) -> bool:
        return self._parts.partition(page.server) in self._partitions and self.wants(page)

    @property
    def _is_full(self) -> bool:
        return self._frontier.held >= self.refill.reach.crowd

    def _has_room(self, page: Page) -> bool:
        """A run that stays keeps in memory what it may not ask for yet, but not without end. While more of that waits
        in the store, pages just visited make room for it."""
        if self._once:
            return self._room.is_for(page)
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
        for site in {page.site for page in pages} & self._parts.quarries.keys():
            self._parts.quarries[site].knows([page for page in pages if page.site == site])

    def _claimed(self, page: Page) -> Page:
        """As one of the site that covers it, if its own is gone."""
        quarry = self._parts.quarries.get(page.site)
        if not self._parts.adopts or (quarry is not None and not quarry.gone):
            return page
        return adopted(page, self._parts.quarries) or page
