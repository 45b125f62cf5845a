"""One server asked for one page after another: robots.txt first, the gap between, the verdict handed on."""

import asyncio
from collections.abc import Awaitable, Collection

from recrawl.engine.asking.aside import Aside
from recrawl.engine.asking.asking import Asking, BudgetSpent, Unanswered
from recrawl.engine.asking.convoy import Convoy, Lane
from recrawl.engine.asking.doors import Doors
from recrawl.engine.asking.errand_pages import is_errand
from recrawl.engine.asking.gate import ROBOTS, Gate, once_asked, robots_page
from recrawl.engine.asking.loop import each_tried, guarded
from recrawl.engine.asking.missing import PROBE
from recrawl.engine.asking.rendering import Rendering
from recrawl.engine.asking.revisit import Visitor, why_of
from recrawl.engine.asking.robots import Robots
from recrawl.engine.asking.servers import Servers
from recrawl.engine.asking.shelf import Begun, Unread
from recrawl.engine.finding.discover import Quarry
from recrawl.engine.hearing.signals import Signals, is_signal
from recrawl.engine.settling.arrival import Arrival
from recrawl.engine.settling.settle import Settler
from recrawl.engine.tally import Tally
from recrawl.engine.wiring import Parts
from recrawl.folder.death_watch import MOST_DEATHS
from recrawl.frontier.queue import Frontier
from recrawl.model.late import late_module
from recrawl.model.page import Page, Rank
from recrawl.model.site import Kind, Site
from recrawl.model.swift import replace
from recrawl.model.visit import Ask, Reply

_ERRANDS = late_module("recrawl.engine.asking.errands")
ELSEWHERE_WAIT_S = 2.0
LONGEST_SECOND_WAIT_S = 10.0


class Lanes:
    """Everything a lane needs, shared by all lanes of a worker."""

    def __init__(self, parts: Parts, frontier: Frontier, settler: Settler, tally: Tally, asked: bool) -> None:
        self.parts, self.frontier, self.settler, self.tally = parts, frontier, settler, tally
        self.asked = asked
        self.servers = Servers(parts, frontier, settler)
        self._gate = gate = Gate(parts.agent, once_asked(parts.store.robots))
        self.doors = Doors(parts.scheduler.rations, frontier, gate)
        self.asking = Asking(parts, settler, tally, self.servers, self.doors)
        self.aside = Aside(parts, frontier, settler, tally)
        rendering = Rendering(parts, self.asking, self.servers, gate, lambda: self.stopping)
        self.visitor = Visitor(parts, self.asking.ask, self._may_ask_again, rendering.shown)
        self.signals = Signals(parts.store, parts.quarries, parts.signals)
        self.robots = Robots(parts, gate, self.asking, self.aside, self.signals, settler, tally)
        self.convoy = Convoy(
            parts,
            frontier,
            settler,
            self.servers,
            self.doors,
            self.asking,
            self.aside,
            self.visitor,
            self._is_over,
            asked,
        )
        self.stopping = False
        self.resting = False  # the disk is nearly full
        self.leaving: set[str] = set()  # servers that another worker is going to ask
        self._hearing, self._suspected, self._looking = asyncio.Lock(), asyncio.Lock(), asyncio.Lock()

    def forget(self, servers: Collection[str]) -> None:
        """These are another worker's: should they come back, everything of them is read from the store anew."""
        for key in servers:
            self.servers.known.pop(key, None)
        self.visitor.forget(servers)
        self._gate.forget(servers)

    async def serve(self, key: str) -> None:
        """Ask this server until nothing is due or it must rest."""
        if self.parts.death_watch is not None:
            self.parts.death_watch.look()
        lane = Lane(key)
        while await self._goes_on(lane):
            pass

    async def _goes_on(self, lane: Lane) -> bool:
        """Up to what is odd or to be read."""
        halt = await guarded(self.convoy.run(lane), self.tally, self.parts.complain)
        await self._read_all(lane)
        if halt is None:
            if lane.page is not None:
                self.aside.fault(lane.page)
            return True
        if halt.comes_again:
            await self.settler.room()
            return True
        return halt.page is not None and await self._see_to_odd(halt.page)

    async def _read_all(self, lane: Lane) -> None:
        """What came is let go with this: it would take the room that the next answer waits for."""
        if any(one.page.body_digest for one in lane.unread):
            await self._look_first(lane)
        for unread in self.convoy.unread(lane):
            await self._see_to(unread.page, self._read(unread))

    async def _look_first(self, lane: Lane) -> None:
        """For all lanes; one at a time, so that nobody looks at what somebody looks at already."""
        async with self._looking:
            if waiting := self.convoy.waiting(lane):
                await guarded(self.visitor.look_first(waiting, self.asked), self.tally, self.parts.complain)
            arrivals = self.convoy.judged(lane)
        for arrival, wrong in zip(arrivals, each_tried(self._hand_over, arrivals), strict=True):
            if wrong is not None:
                await self._see_to(arrival.page, _raised(wrong))

    async def _see_to_odd(self, page: Page) -> bool:
        """False: the lane has nothing more to do for now."""
        if page.rank == Rank.LIST and self.settler.behind:
            await self._look_again(page)
            return True
        return await self._see_to(page, self._serve_page(page))

    async def _see_to(self, page: Page, work: Awaitable[bool]) -> bool:
        more = await guarded(self._or_put_back(page, work), self.tally, self.parts.complain)
        if more is None:
            self.aside.fault(page)
        return more is not False

    def _is_over(self, key: str) -> bool:
        return self.stopping or self.resting or key in self.leaving

    async def _look_again(self, page: Page) -> None:
        """S2's order: another category's list waits until it is known that the pages just read show no details."""
        self.frontier.put_back(page)
        await self.settler.caught_up()

    async def _or_put_back(self, page: Page, work: Awaitable[bool]) -> bool:
        """What was left unanswered, be it a second look, waits for the server's gap like any other page, and comes
        next: that it was left is held against nobody, so a server that takes nothing must not be asked for page after
        page."""
        try:
            return await work
        except Unanswered:
            self.frontier.put_first(page)
        except BudgetSpent:
            self.aside.let_go(page.server)
            self.aside.until_paid(page, self.parts.clock.now())
        return True

    async def _read(self, unread: Unread) -> bool:
        found = unread.found
        if isinstance(found, Exception):
            raise found
        await self._visit(unread.page, unread.quarry, unread.reply, found)
        return True

    async def _visit(self, page: Page, quarry: Quarry, reply: Reply | None = None, begun: Begun | None = None) -> None:
        self._hand_over(await self.visitor.visit(page, why_of(page, self.asked), quarry, reply, begun))
        await self.settler.room()

    def _hand_over(self, arrival: Arrival) -> None:
        server = arrival.page.server
        self.aside.let_go(server)  # no request was needed where a killed run had got the answer
        self.settler.hand_over(arrival, self.servers.of(server).gap_s)

    async def _serve_page(self, page: Page) -> bool:
        """False: the lane has nothing more to do for now."""
        now = self.parts.clock.now()
        quarry = self.parts.quarries.get(page.site)
        if quarry is None or quarry.site.paused:
            self.aside.leave(page)
            return True
        main = self.parts.alias_watch.table.main(page.server)
        if main != page.server:
            self.aside.drop(page, f"{page.server} is another name of {main}")
            return True
        if unwelcome := quarry.unwelcome(page):
            self.aside.drop(page, unwelcome)
            return True
        if not (deaths := self.aside.deaths(page)):
            return await self._serve_welcome(page, quarry, now)
        async with self._suspected:  # one at a time, after what others brought: that shall not be lost with it
            if deaths < MOST_DEATHS:
                await self.settler.caught_up()
                return await self._serve_welcome(page, quarry, self.parts.clock.now())
            self.aside.spare(page)
            await self.settler.caught_up()
            self.aside.try_once_more(page)
            return True

    async def _serve_welcome(self, page: Page, quarry: Quarry, now: float) -> bool:
        said = self.doors.said_of(page, now)
        if not self.parts.scheduler.rations.allows(page, now, said.asks_here):
            self.aside.until_promised(page, said.asks_here, now)
            return True
        if page.category == ROBOTS:
            await self.robots.fetch(page.url, quarry.site)
            self.aside.done(replace(page, due_at=None, visits=page.visits + 1, checked_at=now))
            return True
        if said.ask_first:
            return await self._ask_first(said.ask_first, said.elsewhere, page, quarry.site)
        if said.unreachable:
            self.aside.let_go(page.server)
            self.frontier.shut_out([page], said.until_at)
            return True
        if self.servers.must_wait(page.server, said.crawl_delay_s, now):
            self.frontier.put_back(page)
            return False
        if not said.allowed:
            self.aside.refuse(page, said.reason, now)
            return True
        if page.category == PROBE and page.kind is Kind.SIGNAL:
            await self._probe(page, quarry.site)
        elif is_errand(page):
            await self._run_errand(page, quarry.site, now)
        elif is_signal(page):
            await self._read_signal(page, quarry)
        else:
            await self._visit(page, quarry)
        self.asking.once_more.discard(page.url)
        return True

    async def _ask_first(self, url: str, elsewhere: bool, page: Page, site: Site) -> bool:
        """robots.txt is not known: bring it, and look at the page again afterwards."""
        now = self.parts.clock.now()
        if not elsewhere and not self.parts.scheduler.rations.promise(page.server, site.name, now):
            self.aside.until_promised(page, True, now)
            return True
        if not elsewhere:
            more = await self.robots.fetch(url, site)
            self.frontier.put_back(page)
            self.doors.shut_out(page.server, self.parts.clock.now())
            return more
        self.frontier.put_back(page)
        wanted = robots_page(url, site.name, self.parts.clock.now())
        self.settler.ledger.entered[wanted.id] = wanted
        self.settler.ledger.pages[wanted.id] = wanted
        self.settler.stir()
        self.servers.rest(page.server, self.parts.clock.now() + ELSEWHERE_WAIT_S)
        return False

    async def _read_signal(self, page: Page, quarry: Quarry) -> None:
        """A list of fifty thousand pages takes tens of megabytes until it is written: one such at a time."""
        reply = await self.visitor.ask_for_signal(page, quarry)
        async with self._hearing:
            arrival = await self.visitor.hear(page, why_of(page, self.asked), reply, self.signals)
            self.settler.hand_over(arrival, self.servers.of(page.server).gap_s)
            if arrival.signal is not None and arrival.signal.is_long:
                await self.settler.caught_up()
        await self.settler.room()

    async def _run_errand(self, page: Page, site: Site, now: float) -> None:
        """What somebody's push made necessary: one request, and what follows from its answer."""
        errands = _ERRANDS.Errands(self.parts.store, self.parts.quarries, self.parts.push_book)
        ask = errands.question(page, site, self.parts.limits, now)
        after = replace(page, due_at=None)
        if ask is not None:
            after = errands.settle(page, await self.asking.ask(ask, site), self.settler.ledger)
        self.aside.done(after)

    async def _probe(self, page: Page, site: Site) -> None:
        """What does this server show for an address that cannot exist?"""
        reply = await self.asking.ask(Ask(page.url, own=site.own, limits=self.parts.limits), site)
        self.aside.done(self.visitor.missing.settle(page, reply, site, self.settler.ledger))

    async def _may_ask_again(self, page: Page) -> bool:
        """Wait for the server's gap; not worth it where the gap is long or the server rests."""
        now = self.parts.clock.now()
        wait_s = self.servers.of(page.server).free_at - now
        if self.stopping or wait_s > LONGEST_SECOND_WAIT_S:
            return False
        await self.parts.clock.sleep(wait_s)
        return not self.stopping and self.parts.scheduler.rations.allows(page, self.parts.clock.now())


async def _raised(error: Exception) -> bool:
    raise error
