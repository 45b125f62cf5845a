"""One request over an easy handle, and its limits."""

import asyncio
import socket
from collections.abc import Callable

import pycurl

from recrawl.fetch.ballast import PATIENCE_S, SMALL_BYTES
from recrawl.fetch.connections import Connection
from recrawl.fetch.decode import plainly_inflated
from recrawl.fetch.driver import Driver
from recrawl.fetch.failures import failure_of, sentence
from recrawl.fetch.guard import refusal
from recrawl.fetch.handle import Handle, Trust, milliseconds
from recrawl.fetch.head import final_head, status_of
from recrawl.fetch.head_lines import new_head_lines
from recrawl.fetch.options import IN_HTTP_1, NEW, NOT_KEPT, for_once
from recrawl.fetch.order import Order
from recrawl.fetch.vigil import NEVER
from recrawl.model.failure import Failure, RecrawlError
from recrawl.model.visit import Ask, Evidence, Reply, Times
from recrawl.native import compiled

ERROR_BODY_BYTES = 256 * 1024  # of an answer that is no document
LONG_HEAD = "the head of the answer is beyond the limits"
UNANSWERED = "the server closed the kept connection without an answer"
NOT_TAKEN = "the server did not take the request"
BROKEN_OFF = "the connection ended before the answer was whole"
SAID_OTHERWISE = {Failure.HEADERS_TOO_LARGE: LONG_HEAD, Failure.RESET: BROKEN_OFF}  # where libcurl says nothing
USUAL = b"HTTP/1.1 200 "
UNKNOWN = -1
STOP = -1
FIRST_BYTE, TOTAL = int(pycurl.STARTTRANSFER_TIME), int(pycurl.TOTAL_TIME)  # named with every request
NO_SOCKET = int(pycurl.SOCKET_BAD)
GO_ON = int(pycurl.PREREQFUNC_OK)
ABORT = int(pycurl.PREREQFUNC_ABORT)
MOST_PIECES = 16_384  # of a body; beyond that they are put together …
MOST_GATHERINGS = 32  # … so many times
PAUSE = int(pycurl.WRITEFUNC_PAUSE)

if compiled is not None:
    compiled.answering(Reply, Evidence.NOT_MODIFIED, Evidence.DOCUMENT, plainly_inflated, SMALL_BYTES)

# Of an ask, its moment, the authority, target and lines sent, the lines that came, times, peer and received bytes;
# None: it is another answer, or an odd one.
Plain304 = Callable[[Ask, float, str, str, list[bytes], list[bytes], Times, str, int], Reply | None]
plain_304: Plain304 = (lambda *_: None) if compiled is None else compiled.not_modified
# The same, and the body as it was sent.
Whole = Callable[[Ask, float, str, str, list[bytes], list[bytes], Times, str, int, bytes], Reply | None]
came_whole: Whole = (lambda *_: None) if compiled is None else compiled.came_whole

OpenSocket = Callable[[int, int, int], socket.socket]
Permit = Callable[[], None]  # raises a RecrawlError where nothing may be sent any more


class Transfer(Handle):
    """The state of one request. After `run`, `lines` are the head lines of all responses, `pieces` the body as
    sent; `failure` and `detail` say what went wrong, None if the answer was read whole."""

    __slots__ = (
        "_body_room", "_connection", "_driver", "_gathered", "_has_ballast", "_has_enough", "_is_kept", "_is_left",
        "_is_over", "_loop", "_mark_at", "_mark_bytes", "_open_socket", "_opened", "_paused", "_paused_at", "_permit",
        "_rested_s", "_sent_at", "_tell", "_vigil", "_waiter", "_was_closed", "_was_fresh", "_withheld",
        "ballast", "body_bytes", "detail", "due_at", "failure", "head", "is_unanswered", "is_under_way", "loop_time",
        "pieces",
    )  # fmt: skip

    def __init__(self, driver: Driver, trust: Trust, open_socket: OpenSocket, permit: Permit | None = None) -> None:
        self._driver, self._permit = driver, permit
        self.ballast = driver.ballast
        self._loop, self.loop_time = driver.loop, driver.loop.time
        self._open_socket = open_socket
        self._opened: list[socket.socket] = []  # pycurl works on a duplicate of each
        self._waiter: asyncio.Future[None] | None = None
        self.is_under_way = self._has_ballast = False
        self._paused_at = self._rested_s = 0.0
        super().__init__(trust)
        curl = self._curl
        self.head = new_head_lines()
        curl.setopt(pycurl.HEADERFUNCTION, self.head)
        curl.setopt(pycurl.WRITEFUNCTION, self._on_body)
        curl.setopt(pycurl.OPENSOCKETFUNCTION, self._on_open)
        curl.setopt(pycurl.PREREQFUNCTION, self._on_connected)
        driver.take_up(curl, self)
        self._vigil, self.due_at = driver.vigil, NEVER
        self._vigil.know(self)

    async def run(self, order: Order) -> None:
        """Make the request to the address of the order; never raises for what the server does. What `permit` raises
        comes through, and nothing was sent then."""
        if not order.fresh:
            self.start(order, self._wake)
            await self._until_over()
        await self.go_on(order)

    def start(self, order: Order, ended: Callable[[], None]) -> None:
        """The first attempt over a connection that may have been kept. `ended` is called out of libcurl; then `end`,
        and if the request `is_unsent`, `go_on`."""
        self._prepare(order)
        self._set_out(order, ended)

    def plain_answer(self, order: Order, ask: Ask, at: float) -> Reply | None:
        """What came over a kept connection, where that is a plain 304, or a small document for which there is room;
        None: `times` and `lines` tell."""
        connection, size = self._connection, self.body_bytes
        if connection is None or not self._is_kept or self.failure is not None or order.form:
            return None
        if size and self.ballast.is_overfull:
            return None
        info, head = self._curl.getinfo, self.head
        times, received_bytes = Times(0.0, 0.0, 0.0, info(FIRST_BYTE), info(TOTAL)), head.size_bytes + size
        asked = ask, at, self._terms.endpoint.authority, order.target, order.header_lines
        if not size:
            return plain_304(*asked, head.lines, times, connection.peer, received_bytes)
        sent_body = self.pieces[0] if len(self.pieces) == 1 else b"".join(self.pieces)
        return came_whole(*asked, head.lines, times, connection.peer, received_bytes, sent_body)

    @property
    def is_unsent(self) -> bool:
        """The connection that was kept was closed, or nothing may be sent."""
        return self._was_closed or self._withheld is not None

    async def go_on(self, order: Order) -> None:
        """Where the first attempt found the connection closed, or must not be made: over another one."""
        if order.fresh:
            self._prepare(order)
        if not order.fresh and self._was_closed and self._is_left:  # libcurl would come back to it again and again
            with for_once(self._curl, NOT_KEPT):
                await self._attempt(order)
        if order.fresh or self._was_closed:
            await self._attempt_anew(order)
        if self._withheld is not None:
            raise self._withheld

    async def _attempt_anew(self, order: Order) -> None:
        """Over a new connection. What was left unanswered is asked for in HTTP/1.1, since HTTP/2 may be why; unless the
        server does not speak that."""
        if order.fresh:
            with for_once(self._curl, NEW, IN_HTTP_1):
                await self._attempt(order)
        if not order.fresh or (self.failure is Failure.TLS and not self._sent_at):
            with for_once(self._curl, NEW):
                await self._attempt(order)

    async def _attempt(self, order: Order) -> None:
        self._set_out(order, self._wake)
        await self._until_over()

    async def _until_over(self) -> None:
        self._waiter = self._loop.create_future()
        try:
            await self._waiter
        finally:
            self.end()

    def _set_out(self, order: Order, ended: Callable[[], None]) -> None:
        self.head.begin(self._most_head_bytes, self._most_lines)
        self.pieces: list[bytes] = []
        self.body_bytes = 0
        self.failure: Failure | None = None
        self.detail = ""
        self._body_room = UNKNOWN
        self._paused = self._is_over = self._has_enough = False
        self._gathered = 0
        self._connection: Connection | None = None
        self._was_closed = self._is_left = self._is_kept = self.is_unanswered = False
        self._withheld: RecrawlError | None = None
        self._was_fresh = order.fresh
        self._sent_at = 0.0
        self._mark_at = 0.0  # since when the speed is being measured; 0: no byte was seen yet
        self._mark_bytes = 0
        self._tell, self.is_under_way = ended, True
        self.due_at = due_at = self.loop_time() + self._patience_s
        if due_at < self._vigil.rings_at:
            self._vigil.ring_at(due_at)
        self._driver.start(self._curl)

    def _watch(self, patience_s: float) -> None:
        self.due_at = due_at = self.loop_time() + patience_s
        if due_at < self._vigil.rings_at:
            self._vigil.ring_at(due_at)

    def end(self) -> None:
        """An attempt is over, or given up."""
        self._is_over, self._paused, self.due_at = True, False, NEVER
        if self.is_under_way:
            self._abandon()
        if self._connection is not None:
            self._driver.connections.end(self._connection)
        while self._opened:
            self._opened.pop().close()

    @property
    def lines(self) -> list[bytes]:
        return self.head.lines

    def times(self, before_s: float) -> Times:
        """`before_s`: what had passed before libcurl was asked (the name was looked up)."""
        info = self._curl.getinfo
        first, total = info(pycurl.STARTTRANSFER_TIME), info(pycurl.TOTAL_TIME)
        connect = tls = 0.0
        if not self._is_kept and info(pycurl.NUM_CONNECTS):
            connect, tls = info(pycurl.CONNECT_TIME), info(pycurl.APPCONNECT_TIME)
        if before_s:
            connect, tls, first = (passed and passed + before_s for passed in (connect, tls, first))
        return Times(before_s, connect, tls, first, total + before_s)

    def peer(self) -> str:
        return self._connection.peer if self._connection is not None else str(self._curl.getinfo(pycurl.PRIMARY_IP))

    def cut(self, why: str) -> None:
        """End a request from outside."""
        self._give_up(Failure.RESET, why)

    # what there is room for

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
        """By ourselves: a server is not slow because we are. While libcurl calls us nothing can be set."""
        self._paused, self._paused_at = True, self.loop_time()
        self._watch(PATIENCE_S)
        self._loop.call_soon(self._stop_clock)

    def _stop_clock(self) -> None:
        if self._paused and self.is_under_way:
            self._curl.setopt(pycurl.TIMEOUT_MS, 0)

    def _go_on_with_clock(self) -> None:
        self._rested_s += self.loop_time() - self._paused_at
        self._curl.setopt(pycurl.TIMEOUT_MS, milliseconds(self._terms.total_s + self._rested_s))

    def let_go(self) -> bytes:
        """The body as it came, which is no longer held here."""
        pieces, self.pieces = self.pieces, []
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def rest(self) -> None:
        """The answer was taken, or given up."""
        self.pieces = []  # they may be large, and this may rest for long
        if self._has_ballast:
            self._has_ballast, self._rested_s = False, 0.0
            self._curl.setopt(pycurl.TIMEOUT_MS, milliseconds(self._terms.total_s))
            self.ballast.release(self)

    # what libcurl calls

    def _on_body(self, piece: bytes) -> int | None:
        if self._body_room == UNKNOWN:
            self._body_room = self._room_for_body()
        size = self.body_bytes + len(piece)
        if size > self._body_room:
            return self._beyond_room(piece)
        if size > SMALL_BYTES and not self._takes(size):
            self._pause()
            return PAUSE  # the piece comes again
        self.body_bytes = size
        self.pieces.append(piece)
        if len(self.pieces) >= MOST_PIECES:
            return self._gather()
        return None

    def _on_open(self, purpose: int, asked: tuple[int, int, int, tuple[str, int]]) -> socket.socket | int:
        """The guard's last word: no socket, no connection. Nor a second one, for a request that went out already."""
        if self._sent_at:
            self._not_taken()
            return NO_SOCKET
        family, kind, protocol, (address, port, *_) = asked
        endpoint = self._terms.endpoint
        reason = refusal(endpoint.host, endpoint.port, address, self._terms.own)
        if reason is None and port != endpoint.port:
            reason = "not the port that was asked for"
        if reason is not None:
            self._stop(Failure.FORBIDDEN_ADDRESS, refused_sentence(endpoint.host, address, reason))
            return NO_SOCKET
        try:
            opened = self._open_socket(family, kind, protocol)
        except OSError as error:
            self._stop(Failure.CONNECT, f"no socket could be opened: {error}")
            return NO_SOCKET
        self._opened.append(opened)
        self._driver.opened()
        if endpoint.scheme == "https":
            self._driver.lifeline.hold()
        return opened

    def _on_connected(self, address: str, local: str, port: int, local_port: int) -> int:
        """Before every request, on kept connections too: is it the address this ask was allowed, is it open, and
        is it the first? One ask is one request, so libcurl may not send it again when a connection breaks. And may it
        still be sent? Whoever was stopped while connecting may have slept long."""
        terms = self._terms
        if address != terms.address:
            self._stop(Failure.FORBIDDEN_ADDRESS, f"the connection leads to {address} and not to {terms.address}")
            return ABORT
        if self._sent_at:
            self._not_taken()
            return ABORT
        if self._permit is not None and not self._is_permitted(self._permit):
            return ABORT
        is_new = bool(self._opened)
        self._is_kept = not is_new
        plain = terms.endpoint.scheme == "http"
        self._connection = self._driver.connections.begin((address, port, local_port), plain, is_new)
        if self._connection is None:
            self._was_closed = True
            return ABORT
        self._sent_at = self.loop_time()
        return GO_ON

    def _is_permitted(self, permit: Permit) -> bool:
        try:
            permit()
        except RecrawlError as error:
            self._withheld = error
        return self._withheld is None

    def on_end(self, code: int, message: str) -> None:
        self.is_under_way = False
        if code or not self._is_kept or self.head.is_over:
            self._learn_from_end(code, message)
        self._tell_once()

    def _learn_from_end(self, code: int, message: str) -> None:
        info = self._curl.getinfo
        if self._connection is not None and not self._is_kept and info(pycurl.NUM_CONNECTS):
            descriptor = info(pycurl.ACTIVESOCKET)
            if descriptor >= 0:
                self._driver.connections.learn(self._connection, descriptor)
        if self.head.is_over:
            self._stop(Failure.HEADERS_TOO_LARGE, LONG_HEAD)
        if code and self.failure is None and not self._has_enough:
            self.failure = failure_of(code, self._sent_at > 0, info(pycurl.OS_ERRNO), message)
            self.detail = sentence(message) or SAID_OTHERWISE.get(self.failure, f"libcurl's error {code}")
            if self.failure is Failure.RESET:
                self._hung_up()
        if code:
            self._part(info(pycurl.ACTIVESOCKET))

    def _part(self, descriptor: int) -> None:
        """Of a connection that libcurl has left open although it brought no answer (negative: it has not)."""
        self._is_left = descriptor >= 0
        if self._is_left and self._connection is not None:
            self._driver.connections.part(self._connection, descriptor)

    def _abandon(self) -> None:
        """Stop it where it still is under way, and its connection with it, unless another request goes over it."""
        if self.is_under_way:
            self.is_under_way = False
            with for_once(self._curl, NOT_KEPT):
                self._driver.abandon(self._curl)

    def _hung_up(self) -> None:
        """The connection ended under the request. A kept one may have been given up by the server just before."""
        if self._is_kept and self._connection is not None:
            self.is_unanswered = self._driver.connections.hung_up(self._connection) and not self.lines
        self._stop(Failure.RESET, BROKEN_OFF)
        if self.is_unanswered:
            self.detail = UNANSWERED

    def _not_taken(self) -> None:
        """libcurl would ask a second time. Over a kept connection that ended it does so without a word from the server;
        over a new one only because the server said that it did nothing (RFC 9113, 8.7) or wants HTTP/1.1."""
        self._hung_up()
        if not self._is_kept and not self._was_fresh and not self.lines:
            self.is_unanswered, self.detail = True, NOT_TAKEN

    # limits that libcurl does not know

    def resume(self) -> None:
        """There is room again."""
        self._paused = False
        if not self.is_under_way:  # it was cut off meanwhile, or it is whole and waits to be taken
            self._wake()
            return
        self._go_on_with_clock()
        self._mark_at, self._mark_bytes = self.loop_time(), self.head.size_bytes + self.body_bytes
        try:
            self._curl.pause(pycurl.PAUSE_CONT)
        except pycurl.error as error:  # what had been held back was handed over at once, and refused
            self._give_up(Failure.RESET, str(error))
        self._driver.stir()

    def _gather(self) -> int | None:
        """A body in crumbs: put together what there is of it, but not for ever."""
        self.pieces = [b"".join(self.pieces)]
        self._gathered += 1
        if self._gathered > MOST_GATHERINGS:
            most = MOST_PIECES * MOST_GATHERINGS
            return self._stop(Failure.BODY_TOO_LARGE, f"the body comes in more than {most} pieces")
        return None

    def _beyond_room(self, piece: bytes) -> int:
        """A body that is longer than it may be, or as long as it need be."""
        left = self._body_room - self.body_bytes
        self.body_bytes += len(piece)
        if self._terms.enough_bytes:
            self.pieces.append(piece[:left])
            self._has_enough = True
            return STOP
        return self._stop(Failure.BODY_TOO_LARGE, f"the body is longer than {self._body_room} bytes")

    def _room_for_body(self) -> int:
        most = self._terms.enough_bytes or self._terms.limits.body_bytes
        if self.lines[:1] and self.lines[0].startswith(USUAL):
            return most
        return most if status_of(final_head(self.lines)) // 100 == 2 else min(ERROR_BODY_BYTES, most)

    def check(self, now: float) -> float:
        """Gives up when the first byte is late or a stretch was too slow; when to look again."""
        limits = self._terms.limits
        if not self.is_under_way and not self._is_over:
            return now + limits.slow_for_s  # whoever asked was told, and has not come for the answer yet
        if not self._sent_at:
            return now + limits.first_byte_s  # still connecting: that has its own limit
        if not self._mark_at and self.lines:
            info = self._curl.getinfo
            waited_s = info(pycurl.STARTTRANSFER_TIME) - info(pycurl.PRETRANSFER_TIME)
            self._mark_at = min(now, self._sent_at + max(0.0, waited_s))
        if not self._mark_at:
            if now < self._sent_at + limits.first_byte_s:
                return self._sent_at + limits.first_byte_s
            self._give_up(Failure.FIRST_BYTE_TIMEOUT, f"no answer within {limits.first_byte_s:g} s")
        elif self._paused:  # by ourselves
            self._mark_at, self._mark_bytes = now, self.head.size_bytes + self.body_bytes
            self.ballast.favour(self)
            return now + PATIENCE_S
        elif now < self._mark_at + limits.slow_for_s:
            return self._mark_at + limits.slow_for_s
        else:
            received = self.head.size_bytes + self.body_bytes
            if received - self._mark_bytes < limits.slow_bytes_per_s * (now - self._mark_at):
                self._give_up(Failure.TOO_SLOW, f"slower than {limits.slow_bytes_per_s} bytes a second")
            self._mark_at, self._mark_bytes = now, received
        return now + limits.slow_for_s

    def _give_up(self, failure: Failure, detail: str) -> None:
        self._stop(failure, detail)
        self._abandon()
        self._tell_once()

    def _stop(self, failure: Failure, detail: str) -> int:
        if self.failure is None and not self._has_enough:
            self.failure, self.detail = failure, detail
        return STOP

    def _tell_once(self) -> None:
        """Who is told a second time may be at its next request by then."""
        tell, self._tell = self._tell, _nobody
        tell()

    def _wake(self) -> None:
        if self._waiter is not None and not self._waiter.done():
            self._waiter.set_result(None)


def _nobody() -> None:
    """Waits any more."""


def refused_sentence(host: str, address: str, reason: str) -> str:
    return f"{host} leads to {address} ({reason}); list it under `own` if it is yours"
