"""Whether there is room for a page that waits in the store: a budget that pays for it today, an open window, a
robots.txt that can be had or asked for.

A run that goes round once loads nothing else: thousands of pages would only be put back before it could end. One that
stays asks, when its memory is full, whether any page at all may be asked for.
"""

from collections.abc import Iterable, Iterator

from recrawl.engine.asking.lane import Lanes
from recrawl.engine.tally import Count, Tally
from recrawl.engine.wiring import Parts
from recrawl.model.page import Page

SAME_S = 0.5  # what holds for one page holds for its kin for so long: the lane looks again
MOST_KIN = 1000

Kin = tuple[str, str, str]  # site, server and scheme


class Room:
    def __init__(self, parts: Parts, lanes: Lanes, tally: Tally) -> None:
        self._parts, self._lanes, self._tally = parts, lanes, tally
        self._free: dict[Kin, float] = {}  # by site, server and scheme: until when all pages have room

    def fitting(self, pages: Iterable[Page]) -> Iterator[Page]:
        """Those for which there is room, and for robots.txt before them where that must be asked for first; none where
        it was and could not be had."""
        now = self._parts.clock.now()
        for page in pages:
            kin = page.site, page.server, page.url[:6]
            if self._free.get(kin, 0.0) > now or self._is_for(page, kin, now):
                yield page

    def _is_for(self, page: Page, kin: Kin, now: float) -> bool:
        said = self._lanes.doors.said_of(page, now, silent=True)
        unread = said.asks_here
        if said.unreachable:
            return False
        if not unread and self._parts.scheduler.rations.are_endless(page.site):
            if len(self._free) >= MOST_KIN:
                self._free.clear()
            self._free[kin] = now + SAME_S
            return True
        if not self._parts.scheduler.rations.allows(page, now, unread):
            return self._held_back()
        if not unread or self._parts.scheduler.rations.can_promise(page.site, now, page.server):
            return True
        self._lanes.aside.put_off.leave(page, now)
        return self._held_back()

    def is_none(self, now: float) -> bool:
        """For no page of any site that is wanted, so that none need be looked at. Sites of which nothing is due hold
        nothing back."""
        wanted = [name for name, quarry in self._parts.quarries.items() if not quarry.site.paused and not quarry.gone]
        if not wanted or not all(self._parts.scheduler.rations.is_shut(name, now) for name in wanted):
            return False
        if not self._tally[Count.HELD_BACK] and any(self._is_due(name, now) for name in wanted):
            self._held_back()
        return True

    def _is_due(self, site: str, now: float) -> bool:
        return any(page.due_at is not None and page.due_at <= now for page in self._parts.store.next_due(1, site))

    def _held_back(self) -> bool:
        self._tally.add(Count.HELD_BACK)
        return False
