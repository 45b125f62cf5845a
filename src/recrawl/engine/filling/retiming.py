"""Due times follow what they were solved from: prices that moved, bursts, and what others say of a page.

What waits in memory is solved for again at once when a price has moved, the overdue too: a backlog that does not hear
of the price drives it on. All other pages follow within hours, so many at a time (`Sweep`), and only those are written
whose due time moved. A notice that was not followed at once is weighed: with it a visit may be worth its price sooner.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import field

from recrawl.engine.asking.lane import Lanes
from recrawl.engine.hearing.heard import Outcomes
from recrawl.engine.settling.ledger import Ledger
from recrawl.engine.settling.pace import importance_among, is_at_rest
from recrawl.engine.settling.settle import Settler
from recrawl.engine.wiring import Parts
from recrawl.frontier.queue import Frontier
from recrawl.model.belief import unpack
from recrawl.model.page import Page
from recrawl.model.server import Server
from recrawl.model.swift import replace
from recrawl.model.values import dataclass
from recrawl.notices.outcome import counts_by_source, pending
from recrawl.ports import Store
from recrawl.schedule.material import TURN_HOURS

EVERY_S = 3600.0
MOST_WAITING = 2000  # pages in memory solved for again in one go
LEAST_SWEPT, MOST_SWEPT = 200, 5000  # pages in the store, in one go
WORTH_WRITING = 0.05  # of the gap: a due time that moved by less stays
MOST_NOTICES = 100  # of a page

Counts = Sequence[Sequence[int]]


@dataclass(slots=True)
class Sweep:
    """A walk through all pages in order of id, round and round while prices move."""

    store: Store
    after: int | None = None
    left: int = 0

    def begin(self) -> None:
        self.left = self.store.totals().pages

    def pages(self) -> list[Page]:
        if self.left <= 0:
            return []
        count = min(max(self.store.totals().pages // TURN_HOURS, LEAST_SWEPT), MOST_SWEPT)
        found = self.store.scan("", self.after, count)
        self.after = found[-1].id if len(found) == count else None
        self.left -= count
        return found


@dataclass(slots=True)
class Retiming:
    """`weigh`: what another interval means for its server's load. `wanted`: is the page this worker's to visit?"""

    parts: Parts
    frontier: Frontier
    settler: Settler
    lanes: Lanes
    outcomes: Outcomes
    weigh: Callable[[Sequence[Page], Sequence[Page], Ledger], None]
    wanted: Callable[[Page], bool]
    again_at: float
    sweep: Sweep
    prices: dict[str, float] = field(default_factory=dict)

    def turn(self, now: float) -> None:
        if now < self.again_at:
            return
        self.again_at = now + EVERY_S
        prices = self.parts.scheduler.moved(self.prices, self.lanes.servers.known.values())
        if prices is not None:
            self.prices = prices
            self.sweep.begin()
            self._waiting(self.frontier.lift(is_at_rest, MOST_WAITING), now)
        self._far([page for page in self.sweep.pages() if self._is_ours(page)], now)

    def hear(self, pages: Iterable[Page], now: float) -> None:
        """Pages of which somebody spoke who is not followed at once."""
        told = {page.id: page for page in pages if self.parts.scheduler.patience(page.site, now) > 1.0}
        if not told:  # else every page that waits would be looked at
            return
        lifted = {page.id: page for page in self.frontier.lift(lambda page: page.id in told, MOST_WAITING)}
        far = [page for page in told.values() if page.id not in lifted and self._is_ours(page)]
        spoken_of = [*lifted.values(), *far]
        counts = [counts_by_source(pending(self.parts.store.notices(one.id, MOST_NOTICES), now)) for one in spoken_of]
        for page, after in zip(spoken_of, self._solved(spoken_of, now, counts), strict=True):
            if page.id in lifted or _due(after) < _due(page):
                self._note(page, replace(page, due_at=min(_due(after), _due(page))))

    def _waiting(self, pages: Sequence[Page], now: float) -> None:
        solved = self._solved(pages, now)
        for page, after in zip(pages, solved, strict=True):
            self._note(page, after)
        self.weigh(pages, solved, self.settler.ledger)

    def _far(self, pages: Sequence[Page], now: float) -> None:
        """The interval stays: it is what the load of servers is reckoned from, and these may not be in memory."""
        for page, after in zip(pages, self._solved(pages, now), strict=True):
            if abs(_due(after) - _due(page)) > WORTH_WRITING * after.interval_s:
                self._note(page, replace(page, due_at=after.due_at))

    def _is_ours(self, page: Page) -> bool:
        return is_at_rest(page) and page.id not in self.frontier and self.wanted(page)

    def _solved(self, pages: Sequence[Page], now: float, notices: Counts | None = None) -> list[Page]:
        if not pages:
            return []
        scheduler = self.parts.scheduler
        gaps_s = scheduler.solved(
            pages,
            unpack(page.belief for page in pages),
            importance_among(pages, self.parts.importance),
            [self._server(page.server) for page in pages],
            now,
            notices,
        )
        return [self._after(page, float(gap_s), now) for page, gap_s in zip(pages, gaps_s, strict=True)]

    def _after(self, page: Page, gap_s: float, now: float) -> Page:
        seen_at = min(max(page.checked_at or now, now - gap_s), now)  # a clock that ran ahead may have written it
        due_at = self.parts.scheduler.rations.due_at(page, seen_at, gap_s)
        after = replace(page, interval_s=gap_s, due_at=due_at)
        return self.outcomes.rested(after, seen_at, self.parts.scheduler.patience(page.site, now))

    def _server(self, key: str) -> Server:
        if key in self.lanes.servers.known:
            return self.lanes.servers.known[key]
        return self.parts.store.server(key) or self.lanes.servers.of(key)

    def _note(self, page: Page, after: Page) -> None:
        """Held until it is written: nobody may take it from the store as it was."""
        self.frontier.hold(page)
        self.settler.ledger.pages[page.id] = after
        self.settler.stir()


def _due(page: Page) -> float:
    return page.due_at if page.due_at is not None else float("inf")
