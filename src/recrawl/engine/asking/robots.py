"""robots.txt brought by the lane of its server: one request, and what follows from the answer."""

import asyncio

from recrawl.engine.asking.aside import Aside
from recrawl.engine.asking.asking import Asking
from recrawl.engine.asking.gate import BODY_CAP, Gate, robots_file
from recrawl.engine.hearing.signals import Signals
from recrawl.engine.settling.kept import LIMITS, limit_hit
from recrawl.engine.settling.settle import Settler
from recrawl.engine.tally import Count, Tally
from recrawl.engine.wiring import Parts
from recrawl.model.address import server_of
from recrawl.model.event import Event, EventKind
from recrawl.model.server import UNASKED, RobotsFile
from recrawl.model.site import Site
from recrawl.model.visit import Ask, Evidence, Reply
from recrawl.scope.robots_policy import Access, access_of


class Robots:
    def __init__(
        self, parts: Parts, gate: Gate, asking: Asking, aside: Aside, signals: Signals, settler: Settler, tally: Tally
    ) -> None:
        self._parts, self._gate, self._asking, self._aside = parts, gate, asking, aside
        self._signals, self._settler, self._tally = signals, settler, tally
        self._under_way: dict[str, asyncio.Event] = {}  # set when it is there

    async def fetch(self, url: str, site: Site) -> bool:
        """False: another lane of this server has brought it meanwhile. One that did not wait for that would be opened
        again at once, and again, for as long as the server takes."""
        if (under_way := self._under_way.get(url)) is not None:
            await under_way.wait()
            return False
        under_way = self._under_way[url] = asyncio.Event()
        try:
            previous = self._parts.store.robots(url)
            ask = Ask(url, own=site.own, limits=self._parts.limits, enough_bytes=BODY_CAP)
            reply = await self._asking.ask(ask, site)
        finally:
            del self._under_way[url]
            under_way.set()
        self._asking.once_more.discard(url)
        file = robots_file(url, reply, reply.at, previous)
        self._gate.learn(file)
        if self._gate.check(url, reply.at).unreachable:
            self._aside.let_go(server_of(url))
        ledger = self._settler.ledger
        ledger.robots.append(file)
        for found in self._signals.from_robots(self._gate.sitemaps(file.origin), site.name, reply.at):
            ledger.entered[found.id] = found
        self._note(reply, file, previous, site)
        self._settler.stir()
        return True

    def _note(self, reply: Reply, file: RobotsFile, previous: RobotsFile | None, site: Site) -> None:
        if file.status != UNASKED and reply.evidence in (Evidence.FAILED, Evidence.BUSY, Evidence.BROKEN):
            self._tally.add(Count.ROBOTS_FAILED)
        events = self._settler.ledger.events
        if reply.failure in LIMITS:
            events.append(limit_hit(str(reply.failure), reply.detail, reply.at, file.origin, site.name))
            self._parts.quarries[site.name].bite(str(reply.failure))
        if previous is not None and _is_known(previous) and file.status == 200 and previous.body != file.body:
            events.append(Event(EventKind.ROBOTS_CHANGED, reply.at, file.origin, site.name))


def _is_known(file: RobotsFile) -> bool:
    """While the server gave no answer nobody knows what it would have said."""
    return access_of(file.status or None) is not Access.NONE
