"""The short-term queue: one priority queue a server, holding what is due within the horizon."""

import heapq
from bisect import bisect_right, insort
from collections.abc import Callable, Collection, Iterable
from dataclasses import field

from recrawl.model.page import Page
from recrawl.model.swift import replace
from recrawl.model.values import dataclass

Entry = tuple[float, int, Page]
Ready = tuple[int, float, int, Page]

FEW = 4  # pages that ripen at once are put in their places one by one


@dataclass(slots=True)
class ServerQueue:
    """Filled by `Frontier.offer`, emptied by the server's lane through `Frontier.next_page`."""

    key: str
    waiting: list[Entry] = field(default_factory=list)  # by due time
    ready: list[Ready] = field(default_factory=list)  # due, by rank, then due time; what comes next stands last
    free_at: float = 0.0
    lanes: int = 0
    parallel: int = 1
    low: int = 0  # shorter than this it is filled up again; 0: the store holds no more
    held: set[int] = field(default_factory=set)  # queued or under way
    shut_until_at: float = 0.0  # some of them wait for a robots.txt that cannot be had

    def __len__(self) -> int:
        return len(self.waiting) + len(self.ready)

    @property
    def is_low(self) -> bool:
        return len(self) < self.low

    def ripen(self, now: float) -> None:
        """Nearly always none or all of them."""
        waiting = self.waiting
        for _ in range(FEW):
            if not waiting or waiting[0][0] > now:
                return
            self.add_ready(heapq.heappop(waiting))
        waiting.sort()  # still a heap
        ripe = bisect_right(waiting, now, key=_due_at)
        self.ready += [(page.rank, due_at, number, page) for due_at, number, page in waiting[:ripe]]
        self.ready.sort(reverse=True)
        del waiting[:ripe]

    def add_ready(self, entry: Entry) -> None:
        due_at, number, page = entry
        insort(self.ready, (page.rank, due_at, number, page), key=_from_last)

    def pages(self) -> list[Page]:
        """All that wait or are overdue, in no order."""
        return [entry[2] for entry in self.waiting] + [entry[3] for entry in self.ready]

    def remove(self, ids: Collection[int]) -> None:
        self.waiting = [entry for entry in self.waiting if entry[2].id not in ids]
        self.ready = [entry for entry in self.ready if entry[3].id not in ids]
        heapq.heapify(self.waiting)

    def is_idle(self, now: float) -> bool:
        """Nobody asks this server, and nothing here is due."""
        return self.lanes == 0 and not self.ready and not (self.waiting and self.waiting[0][0] <= now)

    @property
    def first_due_at(self) -> float:
        """When the page that comes next here was due; there is one."""
        return self.ready[-1][1] if self.ready else self.waiting[0][0]

    def earliest_at(self) -> float | None:
        """The first moment at which a page could be asked for here; None: nothing waits."""
        if self.ready:
            return self.free_at
        if self.waiting:
            return max(self.free_at, self.waiting[0][0])
        return None


class Frontier:
    """All server queues of one worker.

    A server is served by *lanes*: one lane asks for one page at a time, so that at most `parallel` requests are
    under way. A page is held from offer to `drop`, which keeps a refill from bringing it twice.
    """

    def __init__(self) -> None:
        self._servers: dict[str, ServerQueue] = {}
        self._held: dict[int, str] = {}
        self._cut: set[str] = set()  # servers of which the store holds more
        self._wakes: list[tuple[float, float, str]] = []  # when, and of those at once who has waited longest
        self._number = 0
        self._first_number = 0  # before all others

    def __len__(self) -> int:
        return sum(len(queue) for queue in self._servers.values())

    def __contains__(self, page: int) -> bool:
        return page in self._held

    @property
    def held(self) -> int:
        """How many pages are in memory, waiting or under way."""
        return len(self._held)

    def queues(self) -> Iterable[ServerQueue]:
        return self._servers.values()

    def queue(self, server: str) -> ServerQueue:
        queue = self._servers.get(server)
        if queue is None:
            queue = self._servers[server] = ServerQueue(server)
        return queue

    def offer(self, pages: Iterable[Page]) -> int:
        """Take pages in; those without a due time or already held are passed over. How many were taken."""
        before, stirred, held = self._number, dict[str, ServerQueue](), self._held
        for page in pages:
            number, due_at, server = page.id, page.due_at, page.server
            if due_at is None or number in held:
                continue
            if (queue := stirred.get(server)) is None:
                queue = stirred[server] = self.queue(server)
            held[number] = server
            queue.held.add(number)
            self._number += 1
            heapq.heappush(queue.waiting, (due_at, self._number, page))
        for queue in stirred.values():
            self._wake(queue)
        return self._number - before

    def hasten(self, pages: Iterable[Page]) -> int:
        """Take pages in as `offer` does, and those that wait already as they are now: due sooner, more urgent.
        What is ripe or under way stays as it is."""
        fresh = {page.id: page for page in pages}
        for server in {page.server for page in fresh.values()}:
            queue = self.queue(server)
            again = [entry[2].id for entry in queue.waiting if entry[2].id in fresh]
            queue.waiting = [entry for entry in queue.waiting if entry[2].id not in fresh]
            heapq.heapify(queue.waiting)
            for number in again:
                self.drop(number)
        return self.offer(fresh.values())

    def set_free_at(self, server: str, free_at: float) -> None:
        queue = self._servers.get(server)
        if queue is None:
            queue = self.queue(server)
        queue.free_at = free_at
        if queue.lanes < queue.parallel:
            self._wake(queue)

    def open_lanes(self, now: float, limit: int) -> list[str]:
        """Servers that may be asked now, each as often as it has lanes to spare; their lanes count as open."""
        opened: list[str] = []
        while self._wakes and self._wakes[0][0] <= now and len(opened) < limit:
            *_, server = heapq.heappop(self._wakes)
            queue = self._servers[server]
            queue.ripen(now)
            if queue.free_at > now or not queue.ready:
                self._wake(queue)
                continue
            room = min(queue.parallel - queue.lanes, len(queue.ready), limit - len(opened))
            queue.lanes += max(0, room)
            opened += [server] * max(0, room)
            if room > 0 and len(opened) == limit:
                self._wake(queue)
        return opened

    def close_lane(self, server: str) -> None:
        queue = self.queue(server)
        queue.lanes -= 1
        self._wake(queue)

    def next_page(self, server: str, now: float) -> Page | None:
        """The page this server's lane asks for next; None: nothing is due or the server is not free."""
        queue = self._servers.get(server)
        if queue is None:
            return None
        if queue.waiting and queue.waiting[0][0] <= now:
            queue.ripen(now)
        if queue.free_at > now or not queue.ready:
            return None
        return queue.ready.pop()[3]

    def lift(self, wanted: Callable[[Page], bool], limit: int) -> list[Page]:
        """Take pages that wait or are overdue out of their queues to be given another due time. They stay held until
        dropped."""
        lifted: list[Page] = []
        for queue in self._servers.values():
            room = max(0, limit - len(lifted))
            taken = [page for page in queue.pages() if wanted(page)][:room]
            if taken:
                queue.remove({page.id for page in taken})
                lifted += taken
        return lifted

    def hold(self, page: Page) -> None:
        """Keep a page from being taken from the store until it is dropped; its server need not be known."""
        self._held.setdefault(page.id, page.server)

    def drop(self, *pages: int) -> None:
        held, servers = self._held, self._servers
        for page in pages:
            server = held.pop(page, None)
            if server in servers:
                servers[server].held.discard(page)

    def put_back(self, page: Page) -> None:
        """A page that was taken but not asked for."""
        self.drop(page.id)
        self.offer((page,))

    def put_first(self, page: Page) -> None:
        """A page that was taken and comes next again: before all that are as urgent and as long due."""
        self.drop(page.id)
        queue = self.queue(page.server)
        self._held[page.id] = page.server
        queue.held.add(page.id)
        self._first_number -= 1
        queue.add_ready((page.due_at or 0.0, self._first_number, page))
        self._wake(queue)

    def shut_out(self, pages: Collection[Page], until_at: float) -> None:
        """Pages that were taken, or wait, and may not be asked for before then; others of their server may."""
        for server in {page.server for page in pages}:
            self.queue(server).shut_until_at = until_at
            self.queue(server).remove({page.id for page in pages})
        for page in pages:
            self.put_back(replace(page, due_at=max(page.due_at or 0.0, until_at)))

    def clear(self, server: str) -> list[Page]:
        """Forget what waits for a server; the pages stay in the store."""
        queue = self.queue(server)
        pages = [entry[3] for entry in queue.ready] + [entry[2] for entry in queue.waiting]
        queue.ready, queue.waiting = [], []
        for page in pages:
            self.drop(page.id)
        return pages

    def leave_rest(self, server: str, low: int) -> None:
        """The store holds more of this server: its queue is filled up when it is shorter than `low`. 0: no more."""
        self.queue(server).low = low
        (self._cut.add if low else self._cut.discard)(server)

    def leave_all(self) -> None:
        """No queue is filled up until its server is looked at again."""
        for server in list(self._cut):
            self.leave_rest(server, 0)

    def leave_others(self, due: Collection[str]) -> None:
        """Of all but these servers nothing is due in the store: whoever of them has run low need not be filled up."""
        for server in [one for one in self._cut if self._servers[one].is_low and one not in due]:
            self.leave_rest(server, 0)

    def hungry(self) -> bool:
        """Some queue has run low while the store holds more."""
        return any(self._servers[server].is_low for server in self._cut)

    def wake_at(self) -> float | None:
        """When it is worth calling `open_lanes` again; None: only an offer can bring work."""
        while self._wakes:
            at, due_at, server = self._wakes[0]
            queue = self._servers[server]
            earliest = queue.earliest_at()
            if earliest is None or queue.lanes >= queue.parallel:
                heapq.heappop(self._wakes)
            elif earliest > at:
                heapq.heapreplace(self._wakes, (earliest, due_at, server))
            else:
                return at
        return None

    def _wake(self, queue: ServerQueue) -> None:
        if queue.lanes < queue.parallel and (earliest := queue.earliest_at()) is not None:
            heapq.heappush(self._wakes, (earliest, queue.first_due_at, queue.key))


def _due_at(entry: Entry) -> float:
    return entry[0]


def _from_last(entry: Ready) -> tuple[int, float, int]:
    rank, due_at, number, _ = entry
    return -rank, -due_at, -number
