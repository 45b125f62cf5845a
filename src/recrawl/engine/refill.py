"""From the long-term queue (the store) to the short-term one (the frontier), a few pages a server at a time.

A server is loaded when it is new to us, when its stored `next_due_at` fell below what we saw (somebody entered a
page), when its queue has run low and the store held more, and when it ran empty. After loading, the store settles
the server's bound, so an idle server costs nothing until something becomes due.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass

from recrawl.frontier.queue import LOW, Frontier
from recrawl.model.page import Page
from recrawl.model.server import Server
from recrawl.ports import Store

LOAD = 500  # pages a server and load
SERVERS = 2000  # servers looked at in one round


@dataclass(slots=True)
class Loaded:
    bound_at: float | None
    until_at: float


class Refill:
    def __init__(
        self,
        store: Store,
        frontier: Frontier,
        partitions: Collection[int],
        adopt: Callable[[Server], None],
        wanted: Callable[[Page], bool],
    ) -> None:
        self._store, self._frontier, self._partitions = store, frontier, partitions
        self._adopt, self._wanted = adopt, wanted
        self._loaded: dict[str, Loaded] = {}

    def round(self, now: float, horizon_s: float) -> int:
        """Load every server that calls for it; how many pages came."""
        taken = 0
        for server in self._store.servers_due(self._partitions, now + horizon_s, SERVERS):
            if self._calls(server, now, horizon_s):
                taken += self._load(server, now + horizon_s)
        return taken

    def forget(self) -> None:
        """What was passed over may be wanted now: look at every server again."""
        for key in self._loaded:
            self._loaded[key] = Loaded(None, 0.0)

    def _calls(self, server: Server, now: float, horizon_s: float) -> bool:
        known = self._loaded.get(server.key)
        if known is None:
            return True
        queue = self._frontier.queue(server.key)
        if len(queue) < LOW and queue.more_in_store:
            return True
        if len(queue) == 0 and queue.lanes == 0 and server.next_due_at is not None and server.next_due_at <= now:
            return True
        lowered = known.bound_at is None or (server.next_due_at is not None and server.next_due_at < known.bound_at)
        return lowered or known.until_at < now + horizon_s / 2

    def _load(self, server: Server, until_at: float) -> int:
        if server.key not in self._loaded:
            self._adopt(server)
        queue = self._frontier.queue(server.key)
        pages = self._store.due(server.key, until_at, LOAD, skip=queue.held)
        taken = self._frontier.offer(page for page in pages if self._wanted(page))
        queue.more_in_store = len(pages) >= LOAD
        self._loaded[server.key] = Loaded(self._store.settle_server(server.key), until_at)
        return taken
