"""What comes back for one request, within its limits; who carries it stands below."""

import asyncio
from abc import ABC, abstractmethod
from collections.abc import Callable

from recrawl.fetch.ballast import PATIENCE_S, SMALL_BYTES, Ballast
from recrawl.fetch.head import final_head, status_of
from recrawl.fetch.head_lines import new_head_lines
from recrawl.fetch.order import Order, Terms
from recrawl.fetch.vigil import NEVER, Vigil
from recrawl.model.failure import Failure, RecrawlError
from recrawl.model.visit import Limits, Reply, Times

ERROR_BODY_BYTES = 256 * 1024  # of an answer that is no document
LONG_HEAD = "the head of the answer is beyond the limits"
UNANSWERED = "the server closed the kept connection without an answer"
BROKEN_OFF = "the connection ended before the answer was whole"
USUAL = b"HTTP/1.1 200 "
UNKNOWN = -1
STOP = -1  # what a taker of lines or of a body says when it takes no more …
PAUSE = 0x10000001  # … and when the same piece is to come again later: libcurl's numbers
MOST_PIECES = 16_384  # of a body; beyond that they are put together …
MOST_GATHERINGS = 32  # … so many times

Permit = Callable[[], None]  # raises a RecrawlError where nothing may be sent any more


class Exchange(ABC):
    """After `run`, `lines` are the head lines of all responses, `pieces` the body as sent; `failure` and `detail` say
    what went wrong, None if the answer was read whole. `address`: where it is carried to, or was at last."""

    __slots__ = (
        "_body_room",
        "_gathered",
        "_has_ballast",
        "_has_enough",
        "_is_over",
        "_loop",
        "_mark_at",
        "_mark_bytes",
        "_paused",
        "_paused_at",
        "_permit",
        "_rested_s",
        "_sent_at",
        "_tell",
        "_terms",
        "_vigil",
        "_waiter",
        "_was_closed",
        "_withheld",
        "address",
        "ballast",
        "body_bytes",
        "detail",
        "due_at",
        "failure",
        "head",
        "is_unanswered",
        "is_under_way",
        "loop_time",
        "pieces",
    )  # fmt: skip
    _terms: Terms
    _tell: Callable[[], None]
    address: str
    pieces: list[bytes]

    def __init__(
        self, loop: asyncio.AbstractEventLoop, ballast: Ballast, vigil: Vigil, permit: Permit | None = None
    ) -> None:
        self._loop, self.loop_time, self._permit = loop, loop.time, permit
        self.ballast, self._vigil, self.due_at = ballast, vigil, NEVER
        self._waiter: asyncio.Future[None] | None = None
        self.is_under_way = self._has_ballast = False
        self._paused_at = self._rested_s = 0.0
        self.head = new_head_lines()
        vigil.know(self)

    # for who asks

    async def run(self, order: Order) -> None:
        """Make the request to the address of the order; never raises for what the server does."""
        self.start(order, self._wake)
        await self._until_over()

    @abstractmethod
    def start(self, order: Order, ended: Callable[[], None]) -> None:
        """`ended` is called once, and not from within here; then `end`."""

    @abstractmethod
    def end(self) -> None:
        """It is over, or given up."""

    @abstractmethod
    def plain_answer(self, order: Order) -> Reply | None:
        """`end`, and what came where that is a plain 304, or a small document for which there is room; None: `times`
        and `lines` tell."""

    @abstractmethod
    def times(self, before_s: float) -> Times:
        """`before_s`: what had passed before it was begun (the name was looked up)."""

    @abstractmethod
    def peer(self) -> str: ...

    @abstractmethod
    def close(self) -> None: ...

    @property
    def is_unsent(self) -> bool:
        """The connection that was kept was closed, or nothing may be sent."""
        return self._was_closed or self._withheld is not None

    @property
    def lines(self) -> list[bytes]:
        return self.head.lines

    @property
    def received_bytes(self) -> int:
        return self.head.size_bytes + self.body_bytes

    def raise_withheld(self) -> None:
        """What `permit` raised."""
        if self._withheld is not None:
            raise self._withheld

    def cut(self, why: str) -> None:
        """End a request from outside."""
        self._give_up(Failure.RESET, why)

    def let_go(self) -> bytes:
        """The body as it came, which is no longer held here."""
        pieces, self.pieces = self.pieces, []
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def rest(self) -> None:
        """The answer was taken, or given up."""
        self.pieces = []  # they may be large, and this may rest for long
        if self._has_ballast:
            self._has_ballast, self._rested_s = False, 0.0
            self._clock_from(0.0)
            self.ballast.release(self)

    # from beginning to end

    def _clear(self, limits: Limits) -> None:
        """Nothing has come, and nothing is wrong."""
        self.head.begin(limits.header_bytes, limits.header_count + 2)  # the status line and the empty one
        self.pieces = []
        self.body_bytes = 0
        self.failure: Failure | None = None
        self.detail = ""
        self._body_room = UNKNOWN
        self._paused = self._is_over = self._has_enough = False
        self._gathered = 0
        self._was_closed = self.is_unanswered = False
        self._withheld: RecrawlError | None = None
        self._sent_at = 0.0
        self._mark_at = 0.0  # since when the speed is being measured; 0: no byte was seen yet
        self._mark_bytes = 0

    async def _until_over(self) -> None:
        self._waiter = self._loop.create_future()
        try:
            await self._waiter
        finally:
            self.end()

    def _tell_once(self) -> None:
        """Who is told a second time may be at its next request by then."""
        tell, self._tell = self._tell, nobody
        tell()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)

    def _is_permitted(self) -> bool:
        if self._permit is not None:
            try:
                self._permit()
            except RecrawlError as error:
                self._withheld = error
        return self._withheld is None

    def _give_up(self, failure: Failure, detail: str) -> None:
        self._stop(failure, detail)
        self._abandon()
        self._tell_once()

    def _stop(self, failure: Failure, detail: str) -> int:
        if self.failure is None and not self._has_enough:
            self.failure, self.detail = failure, detail
        return STOP

    # what the carrier does

    @abstractmethod
    def _abandon(self) -> None:
        """Stop it where it still is under way."""

    @abstractmethod
    def _let_on(self) -> None:
        """After a pause: hand over what was held back."""

    @abstractmethod
    def _clock_from(self, rested_s: float) -> None:
        """The time in which we held it up does not count."""

    @abstractmethod
    def _stop_clock(self) -> None:
        """While it is paused. Called in a later turn of the loop: not while the carrier hands something over."""

    @abstractmethod
    def _first_byte_at(self, now: float) -> float:
        """Of an answer of which there is something."""

    # what there is room for

    def _on_body(self, piece: bytes) -> int | None:
        if self._body_room == UNKNOWN:
            self._body_room = self._room_for_body()
        size = self.body_bytes + len(piece)
        if size > self._body_room:
            return self._beyond_room(piece)
        if size > SMALL_BYTES and not self._takes(size):
            self._pause()
            return PAUSE
        self.body_bytes = size
        self.pieces.append(piece)
        if len(self.pieces) >= MOST_PIECES:
            return self._gather()
        return None

    def _room_for_body(self) -> int:
        most = self._terms.enough_bytes or self._terms.limits.body_bytes
        if self.lines[:1] and self.lines[0].startswith(USUAL):
            return most
        return most if status_of(final_head(self.lines)) // 100 == 2 else min(ERROR_BODY_BYTES, most)

    def _beyond_room(self, piece: bytes) -> int:
        """A body that is longer than it may be, or as long as it need be."""
        left = self._body_room - self.body_bytes
        self.body_bytes += len(piece)
        if self._terms.enough_bytes:
            self.pieces.append(piece[:left])
            self._has_enough = True
            return STOP
        return self._stop(Failure.BODY_TOO_LARGE, f"the body is longer than {self._body_room} bytes")

    def _gather(self) -> int | None:
        """A body in crumbs: put together what there is of it, but not for ever."""
        self.pieces = [b"".join(self.pieces)]
        self._gathered += 1
        if self._gathered > MOST_GATHERINGS:
            most = MOST_PIECES * MOST_GATHERINGS
            return self._stop(Failure.BODY_TOO_LARGE, f"the body comes in more than {most} pieces")
        return None

    async def until_room(self) -> None:
        """Until what there is of large answers leaves room for what may come out of this one."""
        ballast = self.ballast
        while ballast.is_overfull and not ballast.lets_on(self) and self.failure is None:
            self._paused = True
            self._waiter, self._tell = self._loop.create_future(), self._wake
            ballast.wait(self)
            self._has_ballast = True
            self._watch(PATIENCE_S)
            await self._waiter
        self.due_at = NEVER

    def _takes(self, size: int) -> bool:
        self._has_ballast = True
        return self.ballast.takes(self, size)

    def _pause(self) -> None:
        """By ourselves: a server is not slow because we are."""
        self._paused, self._paused_at = True, self.loop_time()
        self._watch(PATIENCE_S)
        self._loop.call_soon(self._stop_clock)

    def resume(self) -> None:
        """There is room again."""
        self._paused = False
        if not self.is_under_way:  # it was cut off meanwhile, or it is whole and waits to be taken
            self._wake()
            return
        self._rested_s += self.loop_time() - self._paused_at
        self._clock_from(self._rested_s)
        self._mark_at, self._mark_bytes = self.loop_time(), self.received_bytes
        self._let_on()

    # limits of time

    def _watch(self, patience_s: float) -> None:
        self.due_at = due_at = self.loop_time() + patience_s
        if due_at < self._vigil.rings_at:
            self._vigil.ring_at(due_at)

    def check(self, now: float) -> float:
        """Gives up when the first byte is late or a stretch was too slow; when to look again."""
        limits = self._terms.limits
        if not self.is_under_way and not self._is_over:
            return now + limits.slow_for_s  # whoever asked was told, and has not come for the answer yet
        if not self._sent_at:
            return now + limits.first_byte_s  # still connecting: that has its own limit
        if not self._mark_at and self.lines:
            self._mark_at = self._first_byte_at(now)
        if not self._mark_at:
            if now < self._sent_at + limits.first_byte_s:
                return self._sent_at + limits.first_byte_s
            self._give_up(Failure.FIRST_BYTE_TIMEOUT, f"no answer within {limits.first_byte_s:g} s")
        elif self._paused:  # by ourselves
            self._mark_at, self._mark_bytes = now, self.received_bytes
            self.ballast.favour(self)
            return now + PATIENCE_S
        elif now < self._mark_at + limits.slow_for_s:
            return self._mark_at + limits.slow_for_s
        else:
            received = self.received_bytes
            if received - self._mark_bytes < limits.slow_bytes_per_s * (now - self._mark_at):
                self._give_up(Failure.TOO_SLOW, f"slower than {limits.slow_bytes_per_s} bytes a second")
            self._mark_at, self._mark_bytes = now, received
        return now + limits.slow_for_s


def nobody() -> None:
    """Waits any more."""
