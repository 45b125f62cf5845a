"""One server asked for one page after another: robots.txt first, the gap between, the verdict handed on."""

import asyncio

from recrawl.engine.discover import Quarry
from recrawl.engine.doors import Doors
from recrawl.engine.errands import Errands, is_errand
from recrawl.engine.gate import BODY_CAP, ROBOTS, Gate, once_asked, robots_file, robots_page
from recrawl.engine.kept import LIMITS, limit_hit
from recrawl.engine.loop import guarded
from recrawl.engine.missing import PROBE
from recrawl.engine.put_off import PutOff
from recrawl.engine.revisit import Visitor
from recrawl.engine.settle import Settler
from recrawl.engine.signals import Signals, is_signal
from recrawl.engine.tally import Count, Tally
from recrawl.engine.wiring import Parts
from recrawl.fetch.retry_after import retry_after_s
from recrawl.frontier.manners import after_reply, free_again_at, gap_s
from recrawl.frontier.queue import Frontier
from recrawl.model.address import server_of
from recrawl.model.event import Event, EventKind
from recrawl.model.failure import Failure
from recrawl.model.page import Page, Rank, Status
from recrawl.model.server import UNASKED, Server
from recrawl.model.site import Kind, Site
from recrawl.model.swift import replace
from recrawl.model.visit import Ask, Evidence, Reply, Why

REFUSED_AGAIN_S = 7 * 86_400.0
FAILING_AFTER = 3
ELSEWHERE_WAIT_S = 2.0
LONGEST_SECOND_WAIT_S = 10.0
FAULT_WAIT_S = 3600.0


class Unanswered(Exception):
    """A kept connection ended before a byte of an answer came, as it may at any time: nothing was learnt."""


class BudgetSpent(Exception):
    """There was room for the page when it was chosen; others took it, or the first of several requests did, or its
    window closed meanwhile."""


class Lanes:
    """Everything a lane needs, shared by all lanes of a worker."""

    def __init__(self, parts: Parts, frontier: Frontier, settler: Settler, tally: Tally, asked: bool) -> None:
        self.parts, self.frontier, self.settler, self.tally = parts, frontier, settler, tally
        self.asked = asked
        self.servers: dict[str, Server] = {}
        self.gate = Gate(parts.agent, once_asked(parts.store.robots))
        self.doors = Doors(parts.scheduler, frontier, self.gate)
        self.visitor = Visitor(parts, self._ask, self._may_ask_again)
        self.signals = Signals(parts.store, parts.quarries, parts.signals)
        self.errands = Errands(parts.store, parts.quarries, parts.push_book)
        self.put_off = PutOff(frontier, parts.scheduler)
        self.stopping = False
        self.resting = False  # the disk is nearly full
        self.leaving: set[str] = set()  # servers that another worker is going to ask
        self._robots_under_way: set[str] = set()
        self._once_more: set[str] = set()  # addresses that were left unanswered and are asked for a second time
        self._hearing = asyncio.Lock()
        self._answered = asyncio.Event()  # some request: there may be room for another

    async def serve(self, key: str) -> None:
        """Ask this server until nothing is due or it must rest."""
        while not self.stopping and not self.resting and key not in self.leaving:
            page = self.frontier.next_page(key, self.parts.clock.now())
            if page is None:
                return
            if page.rank == Rank.LIST and self.settler.behind:
                await self._look_again(page)
                continue
            more = await guarded(self._serve_or_put_back(page), self.tally, self.parts.complain)
            if more is None:
                self._fault(page)
            elif not more:
                return

    async def _look_again(self, page: Page) -> None:
        """S2's order: another category's list waits until it is known that the pages just read show no details."""
        self.frontier.put_back(page)
        await self.settler.caught_up()

    async def _serve_or_put_back(self, page: Page) -> bool:
        """What was left unanswered waits for the server's gap like any other page."""
        try:
            return await self._serve_page(page)
        except Unanswered:
            self.frontier.put_back(page)
        except BudgetSpent:
            self._wait_for_budget(page, self.parts.clock.now())
        return True

    async def _serve_page(self, page: Page) -> bool:
        """False: the lane has nothing more to do for now."""
        now = self.parts.clock.now()
        quarry = self.parts.quarries.get(page.site)
        if quarry is None or quarry.site.paused:
            self._leave(page)
            return True
        main = self.parts.alias_watch.table.main(page.server)
        if main != page.server:
            self._drop(page, f"{page.server} is another name of {main}")
            return True
        if unwelcome := quarry.unwelcome(page):
            self._drop(page, unwelcome)
            return True
        said = self.doors.said_of(page, now)
        if not self.parts.scheduler.allows(page, now, said.asks_here):
            self._put_off(page, said.asks_here, now)
            return True
        if page.category == ROBOTS:
            await self._fetch_robots(page.url, quarry.site)
            self._forget(page, now)
            return True
        if said.ask_first:
            return await self._ask_first(said.ask_first, said.elsewhere, page, quarry.site)
        if said.unreachable:
            self._let_go(page.server)
            self.frontier.shut_out([page], said.until_at)
            return True
        if self._must_wait(page.server, said.crawl_delay_s, now):
            self.frontier.put_back(page)
            return False
        if not said.allowed:
            self._refuse(page, said.reason, now)
            return True
        if page.category == PROBE and page.kind is Kind.SIGNAL:
            await self._probe(page, quarry.site)
        elif is_errand(page):
            await self._run_errand(page, quarry.site, now)
        elif is_signal(page):
            await self._read_signal(page, quarry)
        else:
            arrival = await self.visitor.visit(page, self._why(page), quarry)
            await self.settler.put(arrival, self.server(page.server).gap_s)
        self._once_more.discard(page.url)
        return True

    async def _ask_first(self, url: str, elsewhere: bool, page: Page, site: Site) -> bool:
        """robots.txt is not known: bring it, and look at the page again afterwards."""
        now = self.parts.clock.now()
        if not elsewhere and not self.parts.scheduler.promise(page.server, site.name, now):
            self._put_off(page, True, now)
            return True
        if not elsewhere:
            more = await self._fetch_robots(url, site)
            self.frontier.put_back(page)
            self.doors.shut_out(page.server, self.parts.clock.now())
            return more
        self.frontier.put_back(page)
        wanted = robots_page(url, site.name, self.parts.clock.now())
        self.settler.ledger.entered[wanted.id] = wanted
        self.settler.ledger.pages[wanted.id] = wanted
        self.settler.stir()
        self._rest(page.server, self.parts.clock.now() + ELSEWHERE_WAIT_S)
        return False

    async def _fetch_robots(self, url: str, site: Site) -> bool:
        """False: another lane of this server is bringing it."""
        if url in self._robots_under_way:
            return False
        self._robots_under_way.add(url)
        try:
            previous = self.parts.store.robots(url)
            reply = await self._ask(Ask(url, own=site.own, limits=self.parts.limits, enough_bytes=BODY_CAP), site)
        finally:
            self._robots_under_way.discard(url)
        self._once_more.discard(url)
        file = robots_file(url, reply, reply.at, previous)
        self.gate.learn(file)
        if self.gate.check(url, reply.at).unreachable:
            self._let_go(server_of(url))
        self.settler.ledger.robots.append(file)
        for found in self.signals.from_robots(self.gate.sitemaps(file.origin), site.name, reply.at):
            self.settler.ledger.entered[found.id] = found
        if file.status != UNASKED and reply.evidence in (Evidence.FAILED, Evidence.BUSY, Evidence.BROKEN):
            self.tally.add(Count.FAILED)
        if reply.failure in LIMITS:
            self._tell(limit_hit(str(reply.failure), reply.detail, reply.at, url, site.name))
            self.parts.quarries[site.name].bite(str(reply.failure))
        if previous is not None and previous.body != file.body and file.status == 200:
            self._tell(Event(EventKind.ROBOTS_CHANGED, reply.at, url, site.name))
        self.settler.stir()
        return True

    async def _read_signal(self, page: Page, quarry: Quarry) -> None:
        """A list of fifty thousand pages takes tens of megabytes until it is written: one such at a time."""
        reply = await self.visitor.ask_for_signal(page, quarry)
        async with self._hearing:
            arrival = await self.visitor.hear(page, self._why(page), reply, self.signals)
            await self.settler.put(arrival, self.server(page.server).gap_s)
            if arrival.signal is not None and arrival.signal.is_long:
                await self.settler.caught_up()

    async def _run_errand(self, page: Page, site: Site, now: float) -> None:
        """What somebody's push made necessary: one request, and what follows from its answer."""
        ask = self.errands.question(page, site, self.parts.limits, now)
        after = replace(page, due_at=None)
        if ask is not None:
            after = self.errands.settle(page, await self._ask(ask, site), self.settler.ledger)
        self._done(after)

    async def _probe(self, page: Page, site: Site) -> None:
        """What does this server show for an address that cannot exist?"""
        reply = await self._ask(Ask(page.url, own=site.own, limits=self.parts.limits), site)
        self._done(self.visitor.missing.settle(page, reply, site, self.settler.ledger))

    def _done(self, after: Page) -> None:
        self.settler.ledger.pages[after.id] = after
        self.frontier.drop(after.id)
        self.settler.stir()

    async def _ask(self, ask: Ask, site: Site) -> Reply:
        """The only way to a server: one request, and the server's next free moment from its answer. One that was left
        unanswered on a kept connection is made once more, in its turn and over a new connection."""
        key = server_of(ask.url)
        if ask.url in self._once_more:
            ask = replace(ask, fresh=True)
        if self.settler.is_heavy:
            await self.settler.lighten()
        await self._count(site, key)
        got_bytes = 0
        try:
            self.parts.need_lease()
            reply = await self.parts.fetcher.fetch(ask)
            got_bytes = reply.received_bytes
        finally:
            ended_at = self.parts.clock.now()
            self.parts.scheduler.end(site.name, ended_at, got_bytes)
            self._answered.set()
        self.tally.add(Count.REQUESTS, reply.failure is not Failure.FORBIDDEN_ADDRESS)
        self.tally.add(Count.RECEIVED_BYTES, got_bytes)
        server = self.server(key)
        owned = self.parts.owned(key, site)
        gap = gap_s(server, self.parts.manners, site.gap_s, owned)
        waits_s = retry_after_s(reply.header("retry-after"), ended_at) if reply.evidence is Evidence.BUSY else None
        after = after_reply(server, reply, gap, ended_at, waits_s, self.parts.manners)
        after = self.doors.others_spared(after, reply, ended_at)
        self._health(server, after, ended_at)
        self._put(after)
        if reply.unanswered and not ask.form and not ask.fresh:
            self._once_more.add(ask.url)
            raise Unanswered
        return reply

    async def _count(self, site: Site, server: str) -> None:
        """Take one request from the budgets, and see to it that a kill leaves few uncounted."""
        scheduler, now = self.parts.scheduler, self.parts.clock.now()
        while scheduler.must_keep(now):
            self.settler.ledger.memos.update(scheduler.spending_memo(now))
            await self.settler.flush()
            now = self.parts.clock.now()
        while not (begun := scheduler.begin(site.name, now)):
            if begun is False:
                self._let_go(server)
                raise BudgetSpent
            self._answered.clear()
            await self._answered.wait()
            now = self.parts.clock.now()
        scheduler.keep_promise(server)

    async def _may_ask_again(self, page: Page) -> bool:
        """Wait for the server's gap; not worth it where the gap is long or the server rests."""
        now = self.parts.clock.now()
        wait_s = self.server(page.server).free_at - now
        if self.stopping or wait_s > LONGEST_SECOND_WAIT_S:
            return False
        await self.parts.clock.sleep(wait_s)
        return not self.stopping and self.parts.scheduler.allows(page, self.parts.clock.now())

    def server(self, key: str) -> Server:
        return self.servers.get(key) or Server(key, self.parts.partition(key))

    def adopt(self, server: Server) -> None:
        """Take a server over from whoever asked it before: its last request may be just now. One that is ours already
        stays as we know it."""
        if server.key in self.servers:
            return
        now = self.parts.clock.now()
        site = self.parts.site_of(server.key)
        gap = gap_s(
            server, self.parts.manners, site.gap_s if site else None, bool(site and self.parts.owned(server.key, site))
        )
        free_at = free_again_at(server, gap, now, self.parts.manners)
        if gap == 0.0 and server.free_at <= now:
            free_at = 0.0
        self.servers[server.key] = replace(server, free_at=free_at)
        self._set_lanes(server.key, site)
        self.frontier.set_free_at(server.key, free_at)

    def reconsider(self) -> None:
        """Site files changed: so may have the number of lanes their servers bear."""
        for key in self.servers:
            self._set_lanes(key, self.parts.site_of(key))

    def _set_lanes(self, key: str, site: Site | None) -> None:
        self.frontier.queue(key).parallel = site.parallel if site and self.parts.owned(key, site) else 1

    def _put(self, server: Server) -> None:
        self.servers[server.key] = server
        self.settler.ledger.servers[server.key] = server
        self.frontier.set_free_at(server.key, server.free_at)

    def _rest(self, key: str, until_at: float) -> None:
        server = self.server(key)
        self._put(replace(server, free_at=max(server.free_at, until_at)))
        self.settler.stir()  # a run that goes round once waits until everything is written

    def _must_wait(self, key: str, crawl_delay_s: float | None, now: float) -> bool:
        """A Crawl-delay just learnt counts from the last request on."""
        server = self.server(key)
        if server.crawl_delay_s != crawl_delay_s:
            longer_s = max(0.0, (crawl_delay_s or 0.0) - server.gap_s)
            server = replace(server, crawl_delay_s=crawl_delay_s, free_at=server.free_at + longer_s)
            self._put(server)
        return server.free_at > now

    def _why(self, page: Page) -> Why:
        if page.visits == 0:
            return Why.FIRST
        if page.failures:
            return Why.RETRY
        if page.misses:
            return Why.PROBE
        if page.rank == Rank.NOTICED:
            return Why.NOTICE
        return Why.ASKED if self.asked else Why.DUE

    def _refuse(self, page: Page, reason: str, now: float) -> None:
        """robots.txt says no: stored with the line that said so, and looked at again when the file may have changed."""
        status = page.status if page.status in (Status.LIVE, Status.MOVED) else Status.REFUSED
        after = replace(page, status=status, reason=reason, due_at=now + REFUSED_AGAIN_S)
        self.settler.ledger.pages[page.id] = after
        self.tally.add(Count.REFUSED)
        self._leave(page)
        self.settler.stir()

    def _drop(self, page: Page, reason: str) -> None:
        self.settler.ledger.pages[page.id] = replace(page, status=Status.DROPPED, reason=reason, due_at=None)
        self._leave(page)
        self.settler.stir()

    def _leave(self, page: Page) -> None:
        """It is not asked for; nor is its server, if nothing else of it waits."""
        self.frontier.drop(page.id)
        if not len(self.frontier.queue(page.server)):
            self._let_go(page.server)

    def _let_go(self, server: str) -> None:
        """It is not asked for pages now: what was set aside for them is there for others."""
        if self.parts.scheduler.forget_promise(server):
            self.put_off.call(self.parts.clock.now())

    def _wait_for_budget(self, page: Page, now: float) -> float:
        """The day's budget is spent, or no window is open: the page waits in memory, its place in the store stays.
        Until when."""
        self.tally.add(Count.HELD_BACK)
        again_at = self.parts.scheduler.again_at(page, now)
        self.frontier.put_back(replace(page, due_at=again_at))
        return again_at

    def _put_off(self, page: Page, unread: bool, now: float) -> None:
        """Until tomorrow, or until what is set aside for other servers is free again."""
        again_at = self._wait_for_budget(page, now)
        if unread and not self.parts.scheduler.can_promise(page.site, now, page.server):
            self.put_off.add(page, again_at, now)

    def _fault(self, page: Page) -> None:
        """recrawl itself failed on this page: it waits, the others go on."""
        again_at = self.parts.clock.now() + FAULT_WAIT_S
        reason = "an error of recrawl itself, see the log"
        after = replace(page, failures=page.failures + 1, reason=reason, due_at=again_at)
        self.settler.ledger.pages[page.id] = after
        self.frontier.drop(page.id)
        self.settler.stir()

    def _forget(self, page: Page, now: float) -> None:
        self.settler.ledger.pages[page.id] = replace(page, due_at=None, visits=page.visits + 1, checked_at=now)
        self.frontier.drop(page.id)
        self.settler.stir()

    def _health(self, before: Server, after: Server, at: float) -> None:
        if before.failures < FAILING_AFTER <= after.failures:
            facts: dict[str, object] = {"server": after.key, "failures": after.failures, "rests_until": after.free_at}
            self._tell(Event(EventKind.SERVER_FAILING, at, facts=facts))
        if before.failures >= FAILING_AFTER and after.failures == 0:
            self._tell(Event(EventKind.SERVER_RECOVERED, at, facts={"server": after.key}))

    def _tell(self, event: Event) -> None:
        self.settler.ledger.events.append(event)
