"""Which pages of a server may be asked for now: by its robots.txt, and by its ports, of which one may let nobody in."""

from recrawl.engine.asking.gate import Gate, Pass
from recrawl.engine.scheduling.rations import Rations
from recrawl.frontier.manners import ONE_PORT
from recrawl.frontier.queue import Frontier
from recrawl.model.address import origin_of
from recrawl.model.page import Page
from recrawl.model.server import Server
from recrawl.model.swift import replace
from recrawl.model.visit import Reply
from recrawl.scope.robots import Judge


class Doors:
    def __init__(self, rations: Rations, frontier: Frontier, gate: Gate) -> None:
        self._rations, self._frontier, self.gate = rations, frontier, gate
        self.closed: dict[str, float] = {}  # origins that let nobody in, on servers with others, and until when

    def said_of(self, page: Page, now: float, silent: bool = False) -> Pass:
        """`silent`: of the server, not of this page."""
        if self.closed and (until_at := self.closed.get(origin := origin_of(page.url), 0.0)):
            if until_at > now:
                return Pass(unreachable=True, until_at=until_at)
            del self.closed[origin]
        return self.gate.check(page.url, now, self._rations.pays_for_one(page.site, now), silent)

    def judge(self, page: Page, now: float) -> Judge | None:
        """Whose silence lets all pages in that are asked for as this one is; None: each of them is to be looked at."""
        return self.gate.judge(page.url, now, self._rations.pays_for_one(page.site, now)) if not self.closed else None

    def shut_out(self, server: str, now: float) -> None:
        """All pages that wait for a robots.txt that could not be had, while the server may have to rest first: nobody
        need wait for that. http pages may have another one than https."""
        waiting = ((page, self.said_of(page, now)) for page in self._frontier.queue(server).pages())
        shut = [(page, said.until_at) for page, said in waiting if said.unreachable]
        for until_at in {until_at for _, until_at in shut}:
            self._frontier.shut_out([page for page, its_at in shut if its_at == until_at], until_at)

    def others_spared(self, server: Server, reply: Reply, now: float) -> Server:
        """Where pages of another origin wait, only those of the port that let nobody in rest."""
        if reply.failure not in ONE_PORT:
            return server
        origin = origin_of(reply.ask.url)
        if all(origin_of(page.url) == origin for page in self._frontier.queue(server.key).pages()):
            return server
        self.closed = {one: until_at for one, until_at in self.closed.items() if until_at > now}
        self.closed[origin] = server.free_at
        return replace(server, free_at=now + server.gap_s)
