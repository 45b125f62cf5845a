"""From the long-term queue (the store) to the short-term one (the frontier), a few pages a server at a time.

A server is loaded when it is new to us, when its stored `next_due_at` fell below what we saw (somebody entered a
page), when its queue has run low and the store held more, and when it idles though something is said to be due. The
store settles the server's bound with every load, so an idle server costs nothing until something becomes due.

Memory has an end: while the frontier has room it takes what is due within the horizon, afterwards only what is due
soon, and of that a little a server. A round is short, so that the first requests go out while others are still loaded.
"""

import math
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from itertools import islice

from recrawl.frontier.queue import Frontier, ServerQueue
from recrawl.frontier.reach import Reach
from recrawl.model.page import Page
from recrawl.model.server import Server
from recrawl.model.values import dataclass
from recrawl.ports import Store

SERVERS = 2000  # servers looked at in one round, more where these call for nothing
LOADS = 64  # servers loaded in one round
AGAIN_S = 30.0  # unless something calls, a server is not looked at again sooner
LONGEST_AGAIN_S = 600.0  # in a run that goes round once, where nothing of what is due may be asked for
WIDER = (1, 8, 64)  # how much further to look where nothing was wanted


@dataclass(slots=True)
class Loaded:
    """`barren`: something is due there, but nothing that is wanted now."""

    bound_at: float | None
    again_at: float
    barren: bool = False
    wait_s: float = 0.0


class Refill:
    """`wanted` and `room` leave those pages that may come into memory, and that may now. `unfinished`: the last round
    was cut short, another one should follow at once."""

    def __init__(
        self,
        store: Store,
        frontier: Frontier,
        partitions: Collection[int],
        adopt: Callable[[Server], None],
        wanted: Callable[[list[Page]], list[Page]],
        reach: Reach | None = None,
        met: Callable[[Sequence[Page]], None] = lambda pages: None,
        room: Callable[[Iterable[Page]], Iterator[Page]] = iter,
    ) -> None:
        self._store, self._frontier, self._partitions = store, frontier, partitions
        self._adopt, self._wanted, self._met, self._room = adopt, wanted, met, room
        self.reach = reach or Reach()
        self._loaded: dict[str, Loaded] = {}
        self._look_at_servers = SERVERS
        self.unfinished = False

    def round(self, now: float, horizon_s: float) -> int:
        """Load servers that call for it, soonest first; how many pages came."""
        taken = loads = 0
        reach_s = self.reach.seconds(horizon_s, self._frontier.held)
        servers = self._store.servers_due(self._partitions, now + reach_s, self._look_at_servers)
        for server in servers:
            reach_s = self.reach.seconds(horizon_s, self._frontier.held)
            if loads == LOADS or (server.next_due_at or 0.0) > now + reach_s:
                break
            if self._calls(server, now):
                first = server.key not in self._loaded
                brought = self._load(server, now, reach_s)
                taken += brought
                loads += bool(brought or first)
        self._look_further(len(servers), loads == LOADS)
        if not self.unfinished:
            self._frontier.leave_others({server.key for server in servers})
        return taken

    def forget(self) -> None:
        """What is wanted has changed: every server calls again."""
        for known in self._loaded.values():
            known.again_at, known.barren = 0.0, False

    def pause(self) -> None:
        """Nothing may be asked for: whoever has run low stays so."""
        self.unfinished = False
        self._frontier.leave_all()

    def may_wait(self, server: str) -> bool:
        """Is there room in memory for one more page of this server? If not, it waits in the store."""
        queue = self._frontier.queue(server)
        if self.reach.allows(self._frontier.held, len(queue)):
            return True
        self._frontier.leave_rest(server, max(queue.low, self.reach.low(len(queue))))
        return False

    def _look_further(self, looked_at: int, cut: bool) -> None:
        """Servers that come first and call for nothing must not hide those behind them."""
        hidden = looked_at >= self._look_at_servers and not cut
        self.unfinished = hidden or cut
        if hidden:
            self._look_at_servers *= 2
        elif looked_at < self._look_at_servers // 2:
            self._look_at_servers = max(SERVERS, self._look_at_servers // 2)

    def let_go(self, server: str) -> None:
        """It is somebody else's now; should it come back, it is adopted anew."""
        self._loaded.pop(server, None)

    def _calls(self, server: Server, now: float) -> bool:
        known = self._loaded.get(server.key)
        if known is None:
            return True
        queue = self._frontier.queue(server.key)
        if queue.is_low:
            return True
        due_at = math.inf if server.next_due_at is None else server.next_due_at
        if due_at <= now and not known.barren and queue.is_idle(now) and not self._is_shut(queue, now):
            return True
        return known.bound_at is None or due_at < known.bound_at or known.again_at <= now

    def _is_shut(self, queue: ServerQueue, now: float) -> bool:
        """As many as may wait in memory are shut out, and most of the others will be, too: they follow slowly."""
        return queue.shut_until_at > now and not self.reach.allows(self._frontier.held, len(queue))

    def _load(self, server: Server, now: float, reach_s: float) -> int:
        if server.key not in self._loaded:
            self._adopt(server)
        most = self.reach.pages(self._frontier.held)
        bound_at = self._store.settle_server(server.key)  # before looking: who puts a page in meanwhile lowers it again
        found, wanted, pages = self._pages(server.key, now + reach_s, most)
        taken = self._frontier.offer(pages)
        self._frontier.leave_rest(server.key, self.reach.low(taken) if pages and found >= most else 0)
        barren = not pages and (found > 0 or (bound_at is not None and bound_at <= now))
        known = self._loaded.get(server.key)
        waited_s = known.wait_s if known is not None and known.barren else 0.0
        wait_s = max(reach_s / 2, AGAIN_S) if not barren else _again_s(reach_s, wanted, waited_s)
        self._loaded[server.key] = Loaded(bound_at, now + wait_s, barren, wait_s)
        return taken

    def _pages(self, server: str, until_at: float, most: int) -> tuple[int, int, list[Page]]:
        """How many are due, as far as looked at, how many of them are wanted, and those for which there is room now.
        What is not wanted must not hide what is."""
        skip = self._frontier.queue(server).held
        for wider in WIDER:
            found = self._store.due(server, until_at, most * wider, skip=skip)
            self._met(found)
            wanted = self._wanted(found)
            pages = list(islice(self._room(wanted), most))
            if pages or len(found) < most * wider:
                break
        return len(found), len(wanted), pages


def _again_s(reach_s: float, wanted: int, waited_s: float) -> float:
    """How soon to look again where nothing came. A budget that is spent, or a window that is closed, stays so for a
    while: a run that goes round once looks less and less often, since it has to read all that waits."""
    if reach_s:
        return AGAIN_S
    return min(max(AGAIN_S, 2.0 * waited_s), LONGEST_AGAIN_S) if wanted else 0.0
