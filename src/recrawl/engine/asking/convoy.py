"""Lanes whose next page needs nothing but a request go on together.

In every turn of the loop what was answered is heard, lane after lane, then what follows is sent, lane after lane: the
same short code over all of them is warm, and none of them needs a coroutine that is woken for each page. Whatever else
a page calls for (robots.txt first, a document to be read, a budget to wait for) is odd here: its lane gets it back.
"""

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from recrawl.engine.asking.aside import Aside
from recrawl.engine.asking.asking import Asking, Unanswered
from recrawl.engine.asking.doors import Doors
from recrawl.engine.asking.loop import handed_on
from recrawl.engine.asking.revisit import Visitor, why_of
from recrawl.engine.asking.servers import Servers
from recrawl.engine.finding.discover import Quarry
from recrawl.engine.settling.settle import Settler
from recrawl.engine.wiring import Parts
from recrawl.frontier.queue import Frontier
from recrawl.model.address import origin_of
from recrawl.model.page import Page, Rank
from recrawl.model.site import Kind, Site
from recrawl.model.visit import Ask, Evidence, Reply
from recrawl.ports import Fetcher, PromptFetcher
from recrawl.scope.robots import Judge


class Halt(NamedTuple):
    """Why a lane goes on no further here: a page that is odd, perhaps with the answer that came for it; no room for
    another visit; or nothing more to be asked for."""

    page: Page | None = None
    reply: Reply | None = None
    wants_room: bool = False


SIGNAL, DOCUMENT = Kind.SIGNAL, Evidence.DOCUMENT  # a member of an enum is searched for wherever it is named
SAME_S = 0.1  # what lets one page of a server in lets its kin in for so long
DONE = Halt()
NO_ROOM = Halt(wants_room=True)


class Standing(NamedTuple):
    """Of a server, for a while: pages of this site and origin need nothing but a request, as far as robots.txt does not
    speak of them."""

    site: Site
    origin: str
    path_at: int  # in their addresses
    judge: Judge
    changes: int  # of what robots.txt of any server says
    until_at: float

    def is_for(self, page: Page, site: Site, changes: int, now: float) -> bool:
        url, path_at, judge = page.url, self.path_at, self.judge
        if self.site is not site or self.changes != changes or now >= self.until_at or not url.startswith(self.origin):
            return False
        return judge.is_deaf_to(url[path_at : path_at + 2]) or not judge.may_speak_of(url)


class Lane:
    """One server that is asked for one page after another. `page`: the one at hand."""

    __slots__ = ("begun_at", "ended", "key", "page", "quarry", "standing", "trip", "waiter")
    quarry: Quarry
    begun_at: float
    waiter: "asyncio.Future[Halt]"
    ended: Callable[[], None]

    def __init__(self, key: str) -> None:
        self.key = key
        self.page: Page | None = None
        self.standing: Standing | None = None
        self.trip: Any = None  # under way

    def halts(self, halt: Halt) -> None:
        if not self.waiter.done():
            self.waiter.set_result(halt)

    def fails(self, error: Exception) -> None:
        if not self.waiter.done():
            self.waiter.set_exception(error)


class Convoy:
    """`is_over`: whether a server must not be asked any more. `asked`: somebody wanted everything to be visited."""

    def __init__(
        self,
        parts: Parts,
        frontier: Frontier,
        settler: Settler,
        servers: Servers,
        doors: Doors,
        asking: Asking,
        aside: Aside,
        visitor: Visitor,
        is_over: Callable[[str], bool],
        asked: bool,
    ) -> None:
        self._parts, self._frontier, self._settler, self._servers = parts, frontier, settler, servers
        self._doors, self._asking, self._aside, self._visitor = doors, asking, aside, visitor
        self._is_over, self._asked = is_over, asked
        self._fetcher = prompt(parts.fetcher)
        self._free: list[Lane] = []  # to be asked for another page
        self._answered: list[Lane] = []
        self._is_stirred = False

    async def run(self, lane: Lane) -> Halt:
        """Ask for one page after another, as long as nothing is odd."""
        lane.waiter = asyncio.get_running_loop().create_future()
        lane.ended = partial(self._on_ended, lane)
        self._free.append(lane)
        self._stir()
        try:
            return await lane.waiter
        finally:
            if lane.trip is not None:
                self._fetcher.leave(lane.trip)
                self._end(lane, 0, self._parts.clock.now())

    def _stir(self) -> None:
        if not self._is_stirred:
            self._is_stirred = True
            asyncio.get_running_loop().call_soon(self._turn)

    def _on_ended(self, lane: Lane) -> None:
        self._answered.append(lane)
        self._stir()

    def _turn(self) -> None:
        self._is_stirred = False
        answered, self._answered = self._answered, []
        handed_on(self._hear, (lane for lane in answered if lane.trip is not None), self._parts.clock.now())
        try:
            if answered and self._parts.journal is not None:
                self._parts.journal.flush()
        finally:  # the loop tells of what went wrong; lanes that nobody sends on would wait for ever
            self._send_all()

    def _send_all(self) -> None:
        free, self._free = self._free, []
        handed_on(self._send, (lane for lane in free if not lane.waiter.done()), self._parts.clock.now())

    # up to the request

    def _send(self, lane: Lane, now: float) -> None:
        page = lane.page = None if self._is_over(lane.key) else self._frontier.next_page(lane.key, now)
        if page is None:
            lane.halts(DONE)
            return
        quarry = self._parts.quarries.get(page.site)
        if quarry is None or not self._is_plain(lane, page, quarry, now) or not self._ask_for(lane, page, quarry, now):
            lane.halts(Halt(page))

    def _is_plain(self, lane: Lane, page: Page, quarry: Quarry, now: float) -> bool:
        """Nothing is to be done for it but to ask. Who says no here decides nothing: the lane looks again."""
        if page.kind is SIGNAL or page.rank == Rank.LIST or quarry.unwelcome(page):
            return False
        journal = self._parts.journal
        if self._aside.deaths(page) or (journal is not None and journal.holds(page.id)):
            return False
        standing = lane.standing
        doors = self._doors
        if standing is not None and not doors.closed and standing.is_for(page, quarry.site, doors.changes, now):
            return True
        lane.standing = None
        if not self._is_let_in(page, quarry, now):
            return False
        lane.standing = self._standing(page, quarry, now)
        return True

    def _is_let_in(self, page: Page, quarry: Quarry, now: float) -> bool:
        parts = self._parts
        if quarry.rendered or quarry.site.paused or parts.alias_watch.table.main(page.server) != page.server:
            return False
        said = self._doors.said_of(page, now)
        if not said.allowed or not parts.scheduler.rations.allows(page, now):
            return False
        return not self._servers.must_wait(page.server, said.crawl_delay_s, now)

    def _standing(self, page: Page, quarry: Quarry, now: float) -> Standing | None:
        """After one was let in: whether others can be without being looked at as closely. Their server is free when
        the frontier gives them out; budgets and windows are looked at for each."""
        doors, origin = self._doors, origin_of(page.url)
        judge = doors.judge(page, now) if self._parts.scheduler.rations.are_endless(page.site) else None
        if judge is None:
            return None
        return Standing(quarry.site, f"{origin}/", len(origin), judge, doors.changes, now + SAME_S)

    def _ask_for(self, lane: Lane, page: Page, quarry: Quarry, now: float) -> bool:
        asking = self._asking
        if not asking.may_go_at_once(page):
            return False
        trip = self._fetcher.ready(self._visitor.question(page, quarry))
        if trip is None:
            return False
        self._parts.need_lease()
        if not asking.count_at_once(quarry.site, page.server, now):
            return False
        lane.quarry, lane.begun_at = quarry, now
        try:
            self._fetcher.begin(trip, lane.ended)
        except BaseException:
            self._end(lane, 0, now)
            raise
        lane.trip = trip
        return True

    # from the answer on

    def _hear(self, lane: Lane, now: float) -> None:
        try:
            reply = self._fetcher.hear(lane.trip)
        except BaseException:
            self._end(lane, 0, now)
            raise
        page = lane.page
        if reply is None or page is None:
            return
        self._end(lane, reply.received_bytes, now)
        try:
            self._asking.heard(reply, lane.quarry.site, page.server, lane.begun_at, now)
        except Unanswered:
            self._frontier.put_first(page)
            self._free.append(lane)
            return
        if self._parts.journal is not None:
            self._parts.journal.gather(page.id, reply)
        if reply.evidence is DOCUMENT:
            lane.halts(Halt(page, reply))
        else:
            self._hand_over(lane, page, reply)

    def _hand_over(self, lane: Lane, page: Page, reply: Reply) -> None:
        """What it proves without being read."""
        arrival = self._visitor.proved(page, why_of(page, self._asked), reply)
        self._aside.let_go(page.server)
        self._settler.hand_over(arrival, self._servers.of(page.server).gap_s)
        if self._settler.has_room:
            self._free.append(lane)
        else:
            lane.halts(NO_ROOM)

    def _end(self, lane: Lane, got_bytes: int, now: float) -> None:
        lane.trip = None
        self._asking.end(lane.quarry.site, got_bytes, now)


def prompt(fetcher: Fetcher) -> PromptFetcher:
    return fetcher if isinstance(fetcher, PromptFetcher) else InTasks(fetcher)


class InTasks:
    """Any fetcher, a task for each request."""

    def __init__(self, fetcher: Fetcher) -> None:
        self._fetcher = fetcher
        self.fetch, self.close = fetcher.fetch, fetcher.close

    def ready(self, ask: Ask) -> "list[Any]":
        return [ask]

    def begin(self, trip: "list[Any]", ended: Callable[[], None]) -> None:
        task = asyncio.ensure_future(self._fetcher.fetch(trip[0]))
        trip.append(task)
        task.add_done_callback(lambda _: ended())

    def hear(self, trip: "list[Any]") -> Reply | None:
        reply: Reply = trip[1].result()
        return reply

    def leave(self, trip: "list[Any]") -> None:
        trip[1].cancel()
