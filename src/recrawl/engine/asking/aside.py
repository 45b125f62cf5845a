"""Pages that a lane takes up and does not ask for: forbidden, not wanted any more, or waiting for a budget."""

from recrawl.engine.asking.put_off import PutOff
from recrawl.engine.settling.settle import Settler
from recrawl.engine.tally import Count, Tally
from recrawl.engine.wiring import Parts
from recrawl.folder.death_watch import MOST_DEATHS
from recrawl.frontier.queue import Frontier
from recrawl.model.page import Page, Status
from recrawl.model.swift import replace

REFUSED_AGAIN_S = 7 * 86_400.0
FAULT_WAIT_S = 3600.0
DEADLY_WAIT_S = 86_400.0


class Aside:
    def __init__(self, parts: Parts, frontier: Frontier, settler: Settler, tally: Tally) -> None:
        self._parts, self._frontier, self._settler, self._tally = parts, frontier, settler, tally
        self.put_off = PutOff(frontier, parts.scheduler.rations)

    def refuse(self, page: Page, reason: str, now: float) -> None:
        """robots.txt says no: stored with the line that said so, and looked at again when the file may have changed."""
        status = page.status if page.status in (Status.LIVE, Status.MOVED) else Status.REFUSED
        after = replace(page, status=status, reason=reason, due_at=now + REFUSED_AGAIN_S)
        self._settler.ledger.pages[page.id] = after
        self._tally.add(Count.REFUSED)
        self.leave(page)
        self._settler.stir()

    def drop(self, page: Page, reason: str) -> None:
        self._settler.ledger.pages[page.id] = replace(page, status=Status.DROPPED, reason=reason, due_at=None)
        self.leave(page)
        self._settler.stir()

    def leave(self, page: Page) -> None:
        """It is not asked for; nor is its server, if nothing else of it waits."""
        self._frontier.drop(page.id)
        if not len(self._frontier.queue(page.server)):
            self.let_go(page.server)

    def let_go(self, server: str) -> None:
        """It is not asked for pages now: what was set aside for them is there for others."""
        if self._parts.scheduler.rations.forget_promise(server):
            self.put_off.call(self._parts.clock.now())

    def until_paid(self, page: Page, now: float) -> float:
        """The day's budget is spent, or no window is open: the page waits in memory, its place in the store stays.
        Until when."""
        self._tally.add(Count.HELD_BACK)
        again_at = self._parts.scheduler.rations.again_at(page, now)
        self._frontier.put_back(replace(page, due_at=again_at))
        return again_at

    def until_promised(self, page: Page, unread: bool, now: float) -> None:
        """Until tomorrow, or until what is set aside for other servers is free again."""
        again_at = self.until_paid(page, now)
        if unread and not self._parts.scheduler.rations.can_promise(page.site, now, page.server):
            self.put_off.add(page, again_at, now)

    def fault(self, page: Page) -> None:
        """recrawl itself failed on this page: it waits, the others go on."""
        again_at = self._parts.clock.now() + FAULT_WAIT_S
        reason = "an error of recrawl itself, see the log"
        self.done(replace(page, failures=page.failures + 1, reason=reason, due_at=again_at))

    def deaths(self, page: Page) -> int:
        """Of workers, in a row, that read it."""
        return self._parts.death_watch.deaths(page.id) if self._parts.death_watch is not None else 0

    def spare(self, page: Page) -> None:
        """One that is deadly waits; the others go on."""
        reason = f"recrawl itself died {MOST_DEATHS} times in a row when it read this page: it rests for a day"
        self._parts.complain(f"{page.url}: {reason}")
        again_at = self._parts.clock.now() + DEADLY_WAIT_S
        self.done(replace(page, failures=page.failures + 1, reason=reason, due_at=again_at))

    def try_once_more(self, page: Page) -> None:
        """When its time comes again. Counted now that it is written: who dies before that leaves it to the next."""
        self._tally.add(Count.ERRORS)
        if self._parts.death_watch is not None:
            self._parts.death_watch.rested(page.id)

    def done(self, after: Page) -> None:
        """Nothing more is to be done for it in this lane."""
        self._settler.ledger.pages[after.id] = after
        self._frontier.drop(after.id)
        self._settler.stir()
