"""Pages put off until tomorrow because what is left of the day is set aside for other servers (`Spending.promise`).

What was set aside and is not called for, as of a server that forbids its pages, is there again the same day: then who
was put off first is called.
"""

from recrawl.engine.scheduling.rations import Rations
from recrawl.frontier.queue import Frontier
from recrawl.model.page import Page
from recrawl.model.swift import replace
from recrawl.schedule.settings import DAY_S

Times = dict[int, tuple[float, float]]  # by page: when it was due, and when it is now


class PutOff:
    """Filled by lanes whose promise failed, emptied when a promise is let go, and by the end of the day."""

    def __init__(self, frontier: Frontier, rations: Rations) -> None:
        self._frontier, self._rations = frontier, rations
        self._sites: dict[str, dict[str, Times]] = {}  # by site and server
        self._day = -1

    def add(self, page: Page, until_at: float, now: float) -> None:
        if page.due_at is not None:
            self._times(page, now)[page.id] = (page.due_at, until_at)

    def leave(self, page: Page, now: float) -> None:
        """It stays in the store; its server is called in its turn."""
        self._times(page, now)

    def call(self, now: float) -> None:
        """One server's pages, if there is room for it now."""
        self._begin_day(now)
        for site, servers in self._sites.items():
            if servers and self._rations.can_promise(site, now):
                server = next(iter(servers))
                self._bring_back(server, servers.pop(server))
                return

    def _times(self, page: Page, now: float) -> Times:
        self._begin_day(now)
        return self._sites.setdefault(page.site, {}).setdefault(page.server, {})

    def _bring_back(self, server: str, put_off: Times) -> None:
        """Those that still wait as they were left: others were visited, or given another time."""
        waiting = {(page.id, page.due_at): page for page in self._frontier.queue(server).pages()}
        known = ((waiting.get((number, until_at)), due_at) for number, (due_at, until_at) in put_off.items())
        self._frontier.hasten([replace(page, due_at=due_at) for page, due_at in known if page is not None])
        self._frontier.leave_rest(server, max(1, len(self._frontier.queue(server))))  # the store may hold more

    def _begin_day(self, now: float) -> None:
        if self._day != (day := int(now // DAY_S)):
            self._day, self._sites = day, {}
