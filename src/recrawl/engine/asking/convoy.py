"""Lanes whose next page needs nothing but a request go on together.

In every turn of the loop what was answered is heard, lane after lane, then what follows is sent, lane after lane: the
same short code over all of them is warm, and none of them needs a coroutine that is woken for each page. In between,
once the journal has them, documents of pages without a copy are looked at. Whatever else a page calls for (robots.txt
first, a document to be compared, a budget to wait for) is odd here: its lane gets it back.
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
from recrawl.engine.asking.shelf import Begun, Shelf, Unread
from recrawl.engine.finding.discover import Quarry
from recrawl.engine.settling.arrival import Arrival
from recrawl.engine.settling.settle import Settler
from recrawl.engine.wiring import Parts
from recrawl.frontier.queue import Frontier
from recrawl.model.address import origin_of
from recrawl.model.page import Page, Rank
from recrawl.model.site import Kind, Site
from recrawl.model.values import dataclass
from recrawl.model.visit import Ask, Evidence, Reply
from recrawl.ports import Fetcher, PromptFetcher
from recrawl.scope.robots import Judge


class Halt(NamedTuple):
    """Why a lane goes on no further here: a page that is odd; documents to be read or no room for another visit, and it
    comes again; or nothing more to be asked for."""

    page: Page | None = None
    comes_again: bool = False


SIGNAL, LISTS, LIST, DOCUMENT = (
    Kind.SIGNAL,
    Kind.LIST,
    Rank.LIST,
    Evidence.DOCUMENT,
)  # a member of an enum is searched for when named
HEARINGS = 2  # in one turn
SAME_S = 0.1  # what lets one page of a server in lets its kin in for so long
DONE = Halt()
LATER = Halt(comes_again=True)


@dataclass(frozen=True, slots=True)
class Standing:
    """Of a server, for a while: pages of this site and origin need nothing but a request, as far as robots.txt does not
    speak of them."""

    site: Site
    origin: str
    path_at: int  # in their addresses
    judge: Judge
    learnt: int  # files robots.txt, of any server
    until_at: float
    deaf: dict[str, bool]  # whether it is, to each beginning of a path so far

    def is_for(self, page: Page, site: Site, learnt: int, now: float) -> bool:
        url = page.url
        if self.site is not site or self.learnt != learnt or now >= self.until_at or not url.startswith(self.origin):
            return False
        beginning = url[self.path_at : self.path_at + 2]
        if (is_deaf := self.deaf.get(beginning)) is None:
            is_deaf = self.deaf[beginning] = self.judge.is_deaf_to(beginning)
        return is_deaf or not self.judge.may_speak_of(url)


class Lane:
    """One server that is asked for one page after another. `page`: the one at hand."""

    __slots__ = ("begun_at", "came", "ended", "key", "page", "quarry", "standing", "trip", "unread", "waiter")
    quarry: Quarry
    begun_at: float
    waiter: "asyncio.Future[Halt]"
    ended: Callable[[], None]

    def __init__(self, key: str) -> None:
        self.key = key
        self.page: Page | None = None
        self.standing: Standing | None = None
        self.trip: Any = None  # under way
        self.unread: list[Unread] = []
        self.came: Unread | None = None  # of this turn, and not looked at

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
        self._journal, self._death_watch, self._rations = parts.journal, parts.death_watch, parts.scheduler.rations
        self._fetcher = prompt(parts.fetcher)
        self._shelf = Shelf()
        self._running: dict[Lane, None] = {}  # in the order that they came
        self._free: list[Lane] = []  # to be asked for another page
        self._answered: list[Lane] = []
        self._first: list[Lane] = []  # with a document of a page that there is no copy of
        self._proved: list[Lane] = []  # without anything to be read …
        self._bare: list[Arrival] = []  # … and what, where no gap counts, …
        self._bare_bytes = 0  # … and what these hold
        self._is_stirred = False

    async def run(self, lane: Lane) -> Halt:
        """Ask for one page after another, as long as nothing is odd."""
        lane.waiter = asyncio.get_running_loop().create_future()
        lane.ended = partial(self._on_ended, lane)
        self._running[lane] = None
        self._free.append(lane)
        self._stir()
        try:
            return await lane.waiter
        finally:
            self._running.pop(lane, None)
            if lane.trip is not None:
                self._fetcher.leave(lane.trip)
                self._give_up(lane, self._parts.clock.now())

    def break_off(self) -> bool:
        """Lanes with something to be read wait for no answer any more; whether there are any."""
        holding = [lane for lane in self._running if lane.unread]
        for lane in holding:
            lane.halts(DONE)
        return bool(holding)

    def waiting(self, lane: Lane) -> list[Unread]:
        """What came for this lane and for those under way, of pages that are known: it is to be looked at now."""
        found = [
            one for each in self._beside(lane) for one in each.unread if one.page.body_digest and not one.is_looked_at
        ]
        return self._shelf.give(found)

    def judged(self, lane: Lane) -> list[Arrival]:
        """What that has proved; their lanes have nothing more to do with it."""
        arrivals: list[Arrival] = []
        for each in self._beside(lane):
            if found := [one.arrival for one in each.unread if one.arrival is not None]:
                each.unread = [one for one in each.unread if one.arrival is None]
                arrivals += found
        return arrivals

    def unread(self, lane: Lane) -> list[Unread]:
        """What is left for it, and is to be read now."""
        unread, lane.unread = lane.unread, []
        self._shelf.give([one for one in unread if not one.is_looked_at])
        return unread

    def _beside(self, lane: Lane) -> list[Lane]:
        return [lane, *(one for one in self._running if one is not lane and one.unread)]

    def _stir(self) -> None:
        if not self._is_stirred:
            self._is_stirred = True
            asyncio.get_running_loop().call_soon(self._turn)

    def _on_ended(self, lane: Lane) -> None:
        self._answered.append(lane)
        if not self._is_stirred:
            self._stir()

    def _turn(self) -> None:
        now = self._parts.clock.now()
        try:
            self._hear_all(now)
        finally:
            self._is_stirred = False
        self._settle_all(now)
        try:
            if self._journal is not None:
                self._journal.flush()
        finally:  # the loop tells of what went wrong; lanes that nobody sends on would wait for ever
            first, self._first = self._first, []
            handed_on(self._open, first, now)
            handed_on(self._look_at, first, now)
            self._settle_all(now)
            self._send_all()

    def _hear_all(self, now: float) -> None:
        """Others come while those are heard that woke us: the more go on together, the less each of them costs."""
        for _ in range(HEARINGS):
            self._fetcher.listen()
            answered, self._answered = self._answered, []
            handed_on(self._hear, [lane for lane in answered if lane.trip is not None], now)

    def _settle_all(self, now: float) -> None:
        """What was proved by now; then its lanes go on."""
        proved, self._proved = self._proved, []
        if self._bare:
            handed_on(self._hand_over_bare, proved[:1], now)
        if self._settler.has_room:
            self._free += proved
        else:
            for lane in proved:
                lane.halts(LATER)

    def _send_all(self) -> None:
        free, self._free = self._free, []
        handed_on(self._send, [lane for lane in free if not lane.waiter.done()], self._parts.clock.now())

    # up to the request

    def _send(self, lane: Lane, now: float) -> None:
        if lane.unread and (lane.unread[0].is_looked_at or self._shelf.is_due(now)):
            lane.halts(LATER)
            return
        page = lane.page = None if self._is_over(lane.key) else self._frontier.next_page(lane.key, now)
        if page is None:
            lane.halts(DONE)
            return
        quarry = self._parts.quarries.get(page.site)
        if quarry is None or not self._is_plain(lane, page, quarry, now) or not self._ask_for(lane, page, quarry, now):
            lane.halts(Halt(page))

    def _is_plain(self, lane: Lane, page: Page, quarry: Quarry, now: float) -> bool:
        """Nothing is to be done for it but to ask. Who says no here decides nothing: the lane looks again."""
        if page.kind is SIGNAL or page.rank == LIST or quarry.unwelcome(page):
            return False
        journal, watch, standing, doors = self._journal, self._death_watch, lane.standing, self._doors
        if (watch is not None and page.id in watch.table) or (journal is not None and page.id in journal.in_hand):
            return False
        if standing is not None and not doors.closed and standing.is_for(page, quarry.site, doors.gate.learnt, now):
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
        return Standing(quarry.site, f"{origin}/", len(origin), judge, doors.gate.learnt, now + SAME_S, {})

    def _ask_for(self, lane: Lane, page: Page, quarry: Quarry, now: float) -> bool:
        """Nothing needs to be written or waited for before it is asked for."""
        if self._settler.is_heavy or page.url in self._asking.once_more:
            return False
        trip = self._fetcher.ready(self._visitor.question(page, quarry))
        if trip is None:
            return False
        if self._parts.need_lease is not None:
            self._parts.need_lease()
        if not self._rations.take(quarry.site.name, page.server, now):
            return False
        lane.quarry, lane.begun_at = quarry, now
        try:
            self._fetcher.begin(trip, lane.ended)
        except BaseException:
            self._give_up(lane, now)
            raise
        lane.trip = trip
        return True

    # from the answer on

    def _hear(self, lane: Lane, now: float) -> None:
        try:
            reply = self._fetcher.hear(lane.trip)
        except BaseException:
            self._give_up(lane, now)
            raise
        page, site, asking = lane.page, lane.quarry.site, self._asking
        if reply is None or page is None:
            return
        lane.trip = None
        asking.end(site, reply.received_bytes, now)
        try:
            asking.heard(reply, site, page.server, lane.begun_at, now)
        except Unanswered:
            self._frontier.put_first(page)
            self._free.append(lane)
            return
        if self._journal is not None:
            self._journal.gather(page.id, reply)
        if reply.evidence is DOCUMENT:
            self._lay_aside(lane, page, reply, now)
        else:
            self._hand_over(lane, page, self._visitor.proved(page, why_of(page, self._asked), reply))

    def _lay_aside(self, lane: Lane, page: Page, reply: Reply, now: float) -> None:
        """What is to be read. Where there is no copy, a look at it is mostly enough, and it may lead on."""
        unread = Unread(page, lane.quarry, reply)
        if page.body_digest:
            self._shelve(lane, unread, now)
        else:
            lane.came = unread
            self._first.append(lane)

    def _open(self, lane: Lane, now: float) -> None:
        """All of a turn are opened before any is looked at: the same code over sixteen pages costs less than all of it
        over one page after another. But a tree is too large to wait."""
        came, lane.came = lane.came, None
        if came is None or lane.waiter.done():  # whoever is let go reads it alone
            if came is not None:
                self._shelve(lane, came, now)
            return
        parsed = self._visitor.opened(came.page, came.reply, came.quarry)
        lane.came = came
        if parsed is not None:
            came.found = Begun(parsed)
        if parsed is None or parsed.sight is None:
            self._look_at(lane, now)

    def _look_at(self, lane: Lane, now: float) -> None:
        came, lane.came = lane.came, None
        if came is None:
            return
        if isinstance(came.found, Begun):
            page, parsed = came.page, came.found.parsed
            arrival = self._visitor.looked_at(page, why_of(page, self._asked), came.reply, came.quarry, parsed)
            if arrival is not None:
                self._hand_over(lane, page, arrival)
                return
        self._shelve(lane, came, now)

    def _shelve(self, lane: Lane, unread: Unread, now: float) -> None:
        """For its lane to read."""
        lane.unread.append(unread)
        may_wait = self._shelf.takes(unread.page, unread.reply, lane.begun_at, now)
        if may_wait and self._settler.has_room:
            self._free.append(lane)
        else:
            lane.halts(LATER)

    def _hand_over(self, lane: Lane, page: Page, arrival: Arrival) -> None:
        """What an answer proves, with no more than a look."""
        if self._rations.promised:
            self._aside.let_go(page.server)
        gap_s = self._servers.known[page.server].gap_s
        if gap_s or page.kind is LISTS:
            self._settler.hand_over(arrival, gap_s)
        else:
            self._bare.append(arrival)
            if arrival.reply.sent_body:
                self._bare_bytes += arrival.reply.held_bytes
        self._proved.append(lane)

    def _hand_over_bare(self, lane: Lane, now: float) -> None:
        """One lane hears what goes wrong with all."""
        bare, self._bare, held_bytes, self._bare_bytes = self._bare, [], self._bare_bytes, 0
        self._settler.hand_over_all(bare, held_bytes)

    def _give_up(self, lane: Lane, now: float) -> None:
        lane.trip = None
        self._asking.end(lane.quarry.site, 0, now)


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

    def listen(self) -> None:
        """The loop tells of tasks that have ended."""

    def hear(self, trip: "list[Any]") -> Reply | None:
        reply: Reply = trip[1].result()
        return reply

    def leave(self, trip: "list[Any]") -> None:
        trip[1].cancel()
