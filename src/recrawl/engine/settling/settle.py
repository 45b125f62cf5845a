"""Group commit: what the lanes found becomes durable and then known.

The order is the order of durability: WARC record flushed → state committed → outcome told. Filled by the lanes, emptied
by one writer at a time; a lane that runs too far ahead waits: written and gathering visits together are at most two
batches. A kill loses these; their answers are in the journal. Where others could not read that, a lane waits until its
visit is written before it asks again, so that no more than the request under way is repeated.
"""

import asyncio
from collections.abc import Awaitable, Callable, Collection, Sequence
from types import TracebackType

from recrawl.engine.allocator import trim
from recrawl.engine.settling.arrival import Arrival
from recrawl.engine.settling.ledger import Ledger
from recrawl.model.batch import Saved
from recrawl.model.site import Kind

LONGEST_PATIENCE_S = 0.1  # that a visit waits for others to be written with
EACH_PATIENCE_S = 0.01  # the same, where its lane waits as well
BATCH_BYTES = 3 * 512 * 1024  # of answers that are gathered: enough, however few they are
GAP_SHARE = 8  # and at most such a part of its server's gap: a kill then loses no more than one of its visits
LARGE_BYTES = 4 * 1024 * 1024  # of answers just written: worth giving memory back, which the next batch asks for again
MOST_BYTES = 24 * 1024 * 1024  # of answers handed over and not yet written


class Settler:
    """`prepare` turns arrivals into a ledger (on the loop), `carry_out` writes it (off the loop),
    `settled` hears of it afterwards. `loop_s`: the loop's seconds for those of the clock. `lanes`: who may hand visits
    over, where each waits until its own is written."""

    def __init__(
        self,
        prepare: Callable[[Sequence[Arrival], Ledger], None],
        carry_out: Callable[[Ledger], Awaitable[Saved]],
        settled: Callable[[Ledger, Saved], None],
        most: int,
        loop_s: Callable[[float], float] = float,
        lanes: Collection[object] | None = None,
    ) -> None:
        self._prepare, self._carry_out, self._settled, self._loop_s = prepare, carry_out, settled, loop_s
        self._most, self._lanes = most, lanes
        self._arrivals: list[Arrival] = []
        self.ledger = Ledger()
        self._under_way: Ledger | None = None  # being written
        self._writer: asyncio.Task[None] | None = None
        self._room = asyncio.Event()
        self._error: BaseException | None = None
        self._origin: TracebackType | None = None
        self._bytes = 0  # of the answers handed over and not yet written …
        self._gathered_bytes = 0  # … and of those among them that still gather
        self._given = self._taken = 0  # arrivals handed over, and those of which everything is known
        self._written = asyncio.Event()
        self._enough = asyncio.Event()
        self._hurried = False
        self._patience_s = LONGEST_PATIENCE_S  # of the least patient visit that is gathered

    @property
    def idle(self) -> bool:
        return not self._arrivals and not self.ledger and (self._writer is None or self._writer.done())

    @property
    def _is_full(self) -> bool:
        most = self._most if self._lanes is None else min(self._most, len(self._lanes))
        return len(self._arrivals) >= most or self._bytes >= BATCH_BYTES

    @property
    def has_room(self) -> bool:
        """For the next visit: what is written and what gathers are two batches. If not, `room` waits for it."""
        if self._lanes is not None or self._error is not None:
            return False
        return self._given - self._taken < 2 * self._most and self._bytes < 2 * BATCH_BYTES

    async def put(self, arrival: Arrival, gap_s: float = 0.0) -> None:
        """Hand one visit over; returns when there is room for the next. `gap_s`: of its server."""
        self.hand_over(arrival, gap_s)
        await self.room()

    def hand_over(self, arrival: Arrival, gap_s: float = 0.0) -> None:
        if gap_s:
            self._patience_s = min(self._patience_s, gap_s / GAP_SHARE)
        self.hand_over_all((arrival,), arrival.reply.held_bytes)
        if arrival.document is not None and arrival.page.kind is Kind.LIST:
            self.hurry()  # the new details that it may show go before the old ones

    def hand_over_all(self, arrivals: Sequence[Arrival], held_bytes: int) -> None:
        """Visits that hold so much together, of servers without a gap; none of a list."""
        self._bytes += held_bytes
        self._gathered_bytes += held_bytes
        self._arrivals += arrivals
        self._given += len(arrivals)
        if self._lanes is not None:
            self._patience_s = min(self._patience_s, EACH_PATIENCE_S)
        if self._writer is None or self._writer.done():
            self.stir()
        if self._is_full and not self._enough.is_set():
            self._enough.set()

    async def room(self) -> None:
        """Until the next visit may be made."""
        if self._lanes is not None:
            await self._until_written()
            return
        while not self.has_room and self._error is None:
            self._room.clear()
            await self._room.wait()
        self.complain()

    @property
    def is_heavy(self) -> bool:
        """The answers that wait to be written weigh too much for another request, or cannot be written."""
        return self._bytes > MOST_BYTES or self._error is not None

    async def lighten(self) -> None:
        """Until they do not."""
        while self._bytes > MOST_BYTES and self._error is None:
            self.hurry()
            self._written.clear()
            await self._written.wait()
        self.complain()

    def stir(self) -> None:
        """See to it that what has gathered is written soon."""
        if self._writer is None or self._writer.done():
            self.complain()
            self._writer = asyncio.create_task(self._write_all())

    @property
    def behind(self) -> bool:
        return self.unwritten > 0

    @property
    def unwritten(self) -> int:
        """Visits that were handed over and are not written."""
        return self._given - self._taken

    async def caught_up(self) -> None:
        """Until everything handed over and noted so far is written and its links are in the queues."""
        self.hurry()
        noted = (self._under_way, self.ledger)
        await self._until_written()
        while self._error is None and any(self._is_unwritten(ledger) for ledger in noted if ledger is not None):
            self.hurry()
            self.stir()
            self._written.clear()
            await self._written.wait()
        self.complain()

    def _is_unwritten(self, ledger: Ledger) -> bool:
        return ledger is self._under_way or (ledger is self.ledger and bool(ledger))

    async def _until_written(self) -> None:
        given = self._given
        while self._taken < given and self._error is None:
            self._written.clear()
            await self._written.wait()
        self.complain()

    async def flush(self) -> None:
        while not self.idle:
            self.hurry()
            self.stir()
            if self._writer is not None:
                await asyncio.wait([self._writer])
            self.complain()

    def complain(self) -> None:
        """Raise what went wrong in the writing, if anything did."""
        if self._error is not None:
            raise self._error.with_traceback(self._origin)  # else every lane adds its own lines to it

    def hurry(self) -> None:
        """Somebody waits for what is being gathered, or nobody is left to add to it."""
        self._hurried = True
        self._enough.set()

    async def _linger(self) -> None:
        """A batch costs little more than a single visit: let it gather for a moment, while the lanes go on."""
        if not self._hurried and not self._is_full:
            self._enough.clear()
            timer = asyncio.get_running_loop().call_later(self._loop_s(self._patience_s), self._enough.set)
            await self._enough.wait()
            timer.cancel()
        self._hurried, self._patience_s = False, LONGEST_PATIENCE_S

    async def _write_all(self) -> None:
        try:
            while self._arrivals or self.ledger:
                await self._linger()
                arrivals, self._arrivals = self._arrivals, []
                written, self._gathered_bytes = self._gathered_bytes, 0
                ledger, self.ledger = self.ledger, Ledger()
                self._under_way = ledger
                self._prepare(arrivals, ledger)
                self._settled(ledger, await self._carry_out(ledger))
                self._taken += len(arrivals)
                self._bytes -= written
                self._under_way = None
                del arrivals, ledger
                if written > LARGE_BYTES:
                    trim()
                self._room.set()
                self._written.set()
        except BaseException as error:  # noqa: BLE001 — handed on, not swallowed
            self._error, self._origin = error, error.__traceback__  # whoever hands over next hears of it
            self._room.set()
            self._written.set()
