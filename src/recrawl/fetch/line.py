"""A kept connection of our own, and one request after another over it.

libcurl makes every connection, within its limits and under the guard, and speaks over it first; where there is no TLS
between, the connection is then ours. A request over it is one `send`, and most answers are one `recv`.
"""

import socket
from collections.abc import Callable
from time import monotonic
from typing import Protocol

from recrawl.fetch.ballast import SMALL_BYTES
from recrawl.fetch.driver import Driver
from recrawl.fetch.ears import NOTHING, READ, WRITE
from recrawl.fetch.exchange import BROKEN_OFF, UNANSWERED, Exchange, Permit
from recrawl.fetch.incoming import Incoming
from recrawl.fetch.order import NO_TERMS, Order, Terms, request_of
from recrawl.fetch.vigil import NEVER
from recrawl.model.failure import Failure
from recrawl.model.visit import Ask, Reply, Times
from recrawl.native import compiled

RECEIVE_BYTES = 64 * 1024
# The same by the compiled part, which lets go of the interpreter for neither: none of them waits.
go_out: Callable[[int, bytes], int] | None = None if compiled is None else compiled.sent
come_in: Callable[[int], bytes] | None = None if compiled is None else compiled.received
# The same, but where a plain 304 has come in one piece: the reply that it is. After the descriptor the ask, its moment,
# the request, when it was started, the peer, and of how many bytes and lines its head may be.
Answered = Callable[[int, Ask, float, bytes, float, str, int, int], bytes | Reply]
answered: Answered | None = None if compiled is None else compiled.answered

# Of what came first: how many bytes a plain answer has that begins so, of at most so many bytes and lines of a head and
# so many of a body; 0: it is odd, or its head is not whole.
Measured = Callable[[bytes, int, int, int], int]
measured: Measured = (lambda *_: 0) if compiled is None else compiled.measured
# The reply that a plain answer is, after the ask and its moment, the request, times and peer; None: it is not so plain.
Told = Callable[[Ask, float, bytes, bytes, Times, str], Reply | None]
told: Told = (lambda *_: None) if compiled is None else compiled.told


class Watching(Protocol):
    """Who watches the connections of lines, and has all requests of one turn of the loop leave together."""

    def send_soon(self, line: "Line") -> None: ...

    def watch(self, what: int, line: "Line") -> None: ...

    def forget(self, line: "Line") -> None: ...


class Line(Exchange):
    """`origin`: of all that it carries. `is_spent`: it carries no other. `rested_at`: since when it carries none.

    What an exchange that was not plain has left is cleared before the next one (`_is_marked`): most are plain."""

    __slots__ = (
        "_ask", "_at", "_ended_at", "_first_at", "_held", "_incoming", "_is_awaited", "_is_marked", "_missing_bytes",
        "_most_body_bytes", "_most_lines", "_patience_s", "_reply", "_request", "_started_at", "_unsent", "_watching",
        "_wire", "descriptor", "is_spent", "origin", "rested_at",
    )  # fmt: skip

    def __init__(
        self,
        driver: Driver,
        watching: Watching,
        wire: socket.socket,
        origin: str,
        address: str,
        permit: Permit | None,
    ) -> None:
        super().__init__(driver.loop, driver.ballast, driver.vigil, permit)
        self._watching, self._wire, self.descriptor = watching, wire, wire.fileno()
        self.origin, self.address = origin, address
        self.is_spent = False
        self._sent_at = 0.0
        self.rested_at = self.loop_time()
        self._incoming: Incoming | None = None
        self._held: list[bytes] = []
        self._reply: Reply | None = None
        self._is_awaited = False
        self._missing_bytes = 0
        self._unsent, self._is_marked = b"", True
        self._agree_to(NO_TERMS)
        wire.setblocking(False)

    async def run(self, order: Order) -> None:
        self._is_awaited = True
        try:
            await super().run(order)
        finally:
            self._is_awaited = False
        if self._held:
            self._look_closely()

    def start(self, order: Order, ended: Callable[[], None]) -> None:
        terms = order.terms
        if terms is not self._terms:  # most share them with the one before
            self._agree_to(terms)
        if self._is_marked:
            self._clear(terms.limits)
            self._incoming, self._is_marked = None, False
        self._held, self._reply, self._first_at, self._sent_at = [], None, 0.0, 0.0
        self._tell, self.is_under_way = ended, True
        self._ask, self._at, self._request = order.ask, order.at, order.head or request_of(order)
        self._started_at = monotonic()
        self._watch(self._patience_s)
        self._watching.send_soon(self)

    def _agree_to(self, terms: Terms) -> None:
        limits, self._terms = terms.limits, terms
        self._patience_s = min(limits.first_byte_s, limits.slow_for_s, terms.total_s)
        self._most_body_bytes = min(SMALL_BYTES, limits.body_bytes) if not terms.enough_bytes else 0
        self._most_lines = limits.header_count + 2  # the status line and the empty one

    def send(self) -> None:
        """With all others of this turn."""
        if not self.is_under_way:
            return
        if self.is_spent:
            self._was_closed = self._is_marked = True
            self._be_over()
        elif self._permit is not None and not self._is_permitted():
            self._is_marked = True
            self._be_over()
        else:
            self._sent_at = self.loop_time()
            self._send(self._request)

    def _send(self, data: bytes) -> None:
        try:
            sent = self._wire.send(data) if go_out is None else go_out(self.descriptor, data)
        except BlockingIOError:
            sent = 0
        except OSError:
            self._hung_up()
            return
        if sent < len(data) or self._unsent:
            self._unsent = data[sent:]
            self._watching.watch(READ | WRITE if self._unsent else READ, self)

    def stirred(self, can_write: bool) -> None:
        """There is something to read, or the connection ended, or more can be sent."""
        if can_write and self._unsent:
            self._send(self._unsent)
            return
        if not self._sent_at or not self.is_under_way:
            self._spend()  # it ended, or the server speaks unasked
            return
        try:
            data = self._come()
        except BlockingIOError:
            return
        except OSError:
            self._hung_up()
            return
        if isinstance(data, Reply):
            self._reply, self.is_under_way = data, False
            self._tell_once()
        elif not data:
            self._end_of_all()
        elif self._incoming is not None:
            self._feed(self._incoming, data)
        else:
            self._take(data)

    def _come(self) -> bytes | Reply:
        if answered is not None and not (self._held or self._is_marked or self._is_awaited):
            return answered(
                self.descriptor, self._ask, self._at, self._request, self._started_at, self.address,
                self._terms.limits.header_bytes, self._most_lines,
            )  # fmt: skip
        return self._wire.recv(RECEIVE_BYTES) if come_in is None else come_in(self.descriptor)

    def _take(self, data: bytes) -> None:
        """The first of an answer tells whether it is plain; then it is but counted."""
        held = self._held
        held.append(data)
        if len(held) > 1:
            self._missing_bytes -= len(data)
        else:
            self._first_at = monotonic()
            limits = self._terms.limits
            whole_bytes = measured(data, limits.header_bytes, self._most_lines, self._most_body_bytes)
            self._missing_bytes = whole_bytes - len(data) if whole_bytes else -1
        if self._missing_bytes == 0:
            self._be_over()
        elif self._missing_bytes < 0:
            self._look_closely()

    def _look_closely(self) -> Incoming:
        """At what came so far and at all that follows."""
        limits = self._terms.limits
        most_body_bytes = 1 << 62 if self._terms.enough_bytes else limits.body_bytes
        self._is_marked = True
        incoming = self._incoming = Incoming(self.head, self._on_body, limits.header_bytes, most_body_bytes)
        held, self._held = self._held, []
        self._feed(incoming, b"".join(held))
        return incoming

    def _feed(self, incoming: Incoming, data: bytes) -> None:
        incoming.feed(data)
        self._learn_from(incoming)

    def _learn_from(self, incoming: Incoming) -> None:
        if not incoming.is_over:
            return
        if incoming.wrong is not None:
            self._stop(*incoming.wrong)
        if not incoming.is_kept:
            self._spend()
        self._be_over()

    def _end_of_all(self) -> None:
        """The server has closed the connection. If it has said something before, that may be all."""
        if not self._first_at:
            self._hung_up()
            return
        incoming = self._incoming or self._look_closely()
        incoming.ended()
        self._learn_from(incoming)

    def _hung_up(self) -> None:
        """The connection broke. It may have been given up by the server just before."""
        self._spend()
        self._is_marked, self.is_unanswered = True, not self._first_at
        self._stop(Failure.RESET, UNANSWERED if self.is_unanswered else BROKEN_OFF)
        if self._first_at and self._incoming is None:
            self._look_closely()
        self._be_over()

    def _be_over(self) -> None:
        if self.is_under_way:
            self._ended_at, self.is_under_way = monotonic(), False
            self._tell_once()

    def end(self) -> None:
        self.due_at = NEVER
        if self._is_marked:
            self._is_over, self._paused = True, False
        if self.is_under_way:
            self._abandon()

    def plain_answer(self, order: Order) -> Reply | None:
        self.due_at = NEVER
        held, reply = self._held, self._reply
        if reply is not None:
            self._reply = None
            return reply
        if held and self._incoming is None and self.failure is None:
            data = held[0] if len(held) == 1 else b"".join(held)
            first_s, total_s = self._first_at - self._started_at, self._ended_at - self._started_at
            reply = told(order.ask, order.at, self._request, data, Times(0.0, 0.0, 0.0, first_s, total_s), self.address)
            if reply is not None and not (reply.body and self.ballast.is_overfull):
                self._held = []
                return reply
        self.end()
        if held and self._incoming is None:
            self._look_closely()
        return None

    def times(self, before_s: float) -> Times:
        """`before_s`: what had passed before it was begun (the name was looked up)."""
        first = self._first_at - self._started_at + before_s if self._first_at else 0.0
        return Times(before_s, 0.0, 0.0, first, (self._ended_at or monotonic()) - self._started_at + before_s)

    def peer(self) -> str:
        return self.address

    def close(self) -> None:
        self._spend()

    def _spend(self) -> None:
        if not self.is_spent:
            self.is_spent = True
            self._watching.forget(self)
            self._wire.close()

    # what the carrier does

    def _abandon(self) -> None:
        if self.is_under_way:
            self._spend()
            self._ended_at, self.is_under_way = monotonic(), False

    def _let_on(self) -> None:
        if not self.is_spent:
            self._watching.watch(READ, self)
        if self._incoming is not None:
            self._incoming.go_on()
            self._learn_from(self._incoming)

    def _clock_from(self, rested_s: float) -> None:
        self._rested_s = rested_s

    def _stop_clock(self) -> None:
        """Nothing is read meanwhile, so the server stops sending."""
        if self._paused and self.is_under_way and not self.is_spent:
            self._watching.watch(NOTHING, self)

    def _first_byte_at(self, now: float) -> float:
        return min(now, self._sent_at + max(0.0, self._first_at - self._started_at))

    def check(self, now: float) -> float:
        if self._held and self.is_under_way:
            self._look_closely()
        overdue_at = self._sent_at + self._terms.total_s + self._rested_s
        if self.is_under_way and self._sent_at and not self._paused:
            if now >= overdue_at:
                self._give_up(Failure.TOTAL_TIMEOUT, f"timed out: not whole within {self._terms.total_s:g} s")
                return NEVER
            return min(super().check(now), overdue_at)
        return super().check(now)
