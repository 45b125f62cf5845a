"""The only way to a server: one request, counted before it leaves; its server's next free moment from the answer."""

import asyncio

from recrawl.engine.asking.doors import Doors
from recrawl.engine.asking.servers import Servers
from recrawl.engine.scheduling.spending import TELLING_BYTES
from recrawl.engine.settling.settle import Settler
from recrawl.engine.tally import Count, Tally
from recrawl.engine.wiring import Parts
from recrawl.fetch.retry_after import retry_after_s
from recrawl.frontier.manners import WELL, after_good_reply, after_reply, gap_s
from recrawl.model.address import server_of
from recrawl.model.failure import Failure
from recrawl.model.ownership import owns_server
from recrawl.model.site import Site
from recrawl.model.swift import replace
from recrawl.model.visit import Ask, Evidence, Reply

BUSY, FORBIDDEN = Evidence.BUSY, Failure.FORBIDDEN_ADDRESS  # looked at with every answer


class Unanswered(Exception):
    """A kept connection ended before a byte of an answer came, as it may at any time: nothing was learnt."""


class BudgetSpent(Exception):
    """There was room for the page when it was chosen; others took it, or the first of several requests did, or its
    window closed meanwhile."""


class Asking:
    def __init__(self, parts: Parts, settler: Settler, tally: Tally, servers: Servers, doors: Doors) -> None:
        self._parts, self._settler, self._tally, self._servers, self._doors = parts, settler, tally, servers, doors
        self.once_more: set[str] = set()  # addresses that were left unanswered and are asked for a second time
        self._answered = asyncio.Event()  # some request: there may be room for another
        self._is_waited_for = False
        self._rations = parts.scheduler.rations

    async def ask(self, ask: Ask, site: Site) -> Reply:
        """One that was left unanswered on a kept connection is made once more, in its turn and over a new one."""
        key = server_of(ask.url)
        if ask.url in self.once_more:
            ask = replace(ask, fresh=True)
        if self._settler.is_heavy:
            await self._settler.lighten()
        begun_at = await self._count(site, key)
        got_bytes = 0
        try:
            if self._parts.need_lease is not None:
                self._parts.need_lease()
            reply = await self._parts.fetcher.fetch(ask)
            got_bytes = reply.received_bytes
        finally:
            ended_at = self._parts.clock.now()
            self.end(site, got_bytes, ended_at)
        self.heard(reply, site, key, begun_at, ended_at)
        return reply

    def end(self, site: Site, got_bytes: int, ended_at: float) -> None:
        """A request that was counted is under way no more."""
        if self._rations.budgets or got_bytes >= TELLING_BYTES:
            self._rations.end(site.name, ended_at, got_bytes)
        if self._is_waited_for:
            self._is_waited_for = False
            self._answered.set()

    def heard(self, reply: Reply, site: Site, key: str, begun_at: float, ended_at: float) -> None:
        """What an answer says of its server."""
        manners, ask = self._parts.manners, reply.ask
        if reply.failure is FORBIDDEN:
            self._rations.take_back(site.name, begun_at, ended_at)
            self._tally.add(Count.RECEIVED_BYTES, reply.received_bytes)
        else:
            self._tally.add_request(reply.received_bytes)
        server = self._servers.known.get(key) or self._servers.of(key)
        gap = gap_s(server, manners, site.gap_s, owns_server(site.own, key))
        if reply.evidence in WELL and not server.failures:  # as nearly always
            self._servers.put(after_good_reply(server, reply, gap, ended_at))
            return
        waits_s = retry_after_s(reply.header("retry-after"), ended_at) if reply.evidence is BUSY else None
        after = after_reply(server, reply, gap, ended_at, waits_s, manners)
        if after.failures or server.failures:
            after = self._doors.others_spared(after, reply, ended_at)
            self._servers.tell_health(server, after, ended_at)
        self._servers.put(after)
        if reply.unanswered and not ask.form and not ask.fresh:
            self.once_more.add(ask.url)
            raise Unanswered

    async def _count(self, site: Site, server: str) -> float:
        """Take one request from the budgets, and see to it that a kill leaves few uncounted. When it was taken."""
        rations, now = self._rations, self._parts.clock.now()
        while rations.must_be_written(now):
            self._settler.ledger.memos.update(rations.memos(now))
            await self._settler.flush()
            now = self._parts.clock.now()
        while not (begun := rations.begin(site.name, now)):
            if begun is False:
                raise BudgetSpent
            self._is_waited_for = True
            self._answered.clear()
            await self._answered.wait()
            now = self._parts.clock.now()
        rations.keep_promise(server)
        return now
