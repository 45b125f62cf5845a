"""The servers that a worker asks, as it knows them: when each is free again, how many lanes it bears, how it fares."""

from recrawl.engine.settling.settle import Settler
from recrawl.engine.wiring import Parts
from recrawl.frontier.manners import free_again_at, gap_s
from recrawl.frontier.queue import Frontier
from recrawl.model.event import Event, EventKind
from recrawl.model.server import Server
from recrawl.model.site import Site
from recrawl.model.swift import replace

FAILING_AFTER = 3


class Servers:
    def __init__(self, parts: Parts, frontier: Frontier, settler: Settler) -> None:
        self._parts, self._frontier, self._settler = parts, frontier, settler
        self.known: dict[str, Server] = {}

    def of(self, key: str) -> Server:
        return self.known.get(key) or Server(key, self._parts.partition(key))

    def adopt(self, server: Server) -> None:
        """Take a server over from whoever asked it before: its last request may be just now. One that is ours already
        stays as we know it."""
        if server.key in self.known:
            return
        now = self._parts.clock.now()
        site = self._parts.site_of(server.key)
        owned = site is not None and self._parts.owned(server.key, site)
        gap = gap_s(server, self._parts.manners, site.gap_s if site else None, owned)
        free_at = free_again_at(server, gap, now, self._parts.manners)
        if gap == 0.0 and server.free_at <= now:
            free_at = 0.0
        self.known[server.key] = replace(server, free_at=free_at)
        self._set_lanes(server.key, site)
        self._frontier.set_free_at(server.key, free_at)

    def reconsider(self) -> None:
        """Site files changed: so may have the number of lanes their servers bear."""
        for key in self.known:
            self._set_lanes(key, self._parts.site_of(key))

    def _set_lanes(self, key: str, site: Site | None) -> None:
        self._frontier.queue(key).parallel = site.parallel if site and self._parts.owned(key, site) else 1

    def put(self, server: Server) -> None:
        key = server.key
        self.known[key] = self._settler.ledger.servers[key] = server
        self._frontier.set_free_at(key, server.free_at)

    def rest(self, key: str, until_at: float) -> None:
        server = self.of(key)
        self.put(replace(server, free_at=max(server.free_at, until_at)))
        self._settler.stir()  # a run that goes round once waits until everything is written

    def must_wait(self, key: str, crawl_delay_s: float | None, now: float) -> bool:
        """A Crawl-delay just learnt counts from the last request on."""
        server = self.of(key)
        if server.crawl_delay_s != crawl_delay_s:
            longer_s = max(0.0, (crawl_delay_s or 0.0) - server.gap_s)
            server = replace(server, crawl_delay_s=crawl_delay_s, free_at=server.free_at + longer_s)
            self.put(server)
        return server.free_at > now

    def tell_health(self, before: Server, after: Server, at: float) -> None:
        if before.failures < FAILING_AFTER <= after.failures:
            facts: dict[str, object] = {"server": after.key, "failures": after.failures, "rests_until": after.free_at}
            self._settler.ledger.events.append(Event(EventKind.SERVER_FAILING, at, facts=facts))
        if before.failures >= FAILING_AFTER and after.failures == 0:
            facts = {"server": after.key}
            self._settler.ledger.events.append(Event(EventKind.SERVER_RECOVERED, at, facts=facts))
