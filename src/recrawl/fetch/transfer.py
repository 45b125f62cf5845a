"""One request by libcurl: over a connection that it makes, or over TLS one that it has kept."""

import socket
from collections.abc import Callable
from time import monotonic

import pycurl

from recrawl.fetch.ballast import SMALL_BYTES
from recrawl.fetch.connections import Connection
from recrawl.fetch.decode import plainly_inflated
from recrawl.fetch.driver import Driver
from recrawl.fetch.exchange import BROKEN_OFF, LONG_HEAD, UNANSWERED, Exchange, Permit
from recrawl.fetch.failures import failure_of, sentence
from recrawl.fetch.guard import refusal
from recrawl.fetch.handle import Handle, Trust, milliseconds
from recrawl.fetch.head import final_head
from recrawl.fetch.incoming import is_kept_after
from recrawl.fetch.options import IN_HTTP_1, NEW, for_once
from recrawl.fetch.order import Order, lines_of
from recrawl.fetch.vigil import NEVER
from recrawl.model.failure import Failure
from recrawl.model.visit import Ask, Evidence, Reply, Times
from recrawl.native import compiled

NOT_TAKEN = "the server did not take the request"
SAID_OTHERWISE = {Failure.HEADERS_TOO_LARGE: LONG_HEAD, Failure.RESET: BROKEN_OFF}  # where libcurl says nothing
FIRST_BYTE, TOTAL = int(pycurl.STARTTRANSFER_TIME), int(pycurl.TOTAL_TIME)  # named with every request
NO_SOCKET = int(pycurl.SOCKET_BAD)
GO_ON = int(pycurl.PREREQFUNC_OK)
ABORT = int(pycurl.PREREQFUNC_ABORT)

if compiled is not None:
    compiled.answering(Reply, Times, monotonic, Evidence.NOT_MODIFIED, Evidence.DOCUMENT, plainly_inflated, SMALL_BYTES)

# Of an ask, its moment, the authority, target and lines sent, the lines that came, times, peer and received bytes;
# None: it is another answer, or an odd one.
Plain304 = Callable[[Ask, float, str, str, list[bytes], list[bytes], Times, str, int], Reply | None]
plain_304: Plain304 = (lambda *_: None) if compiled is None else compiled.not_modified
# The same, and the body as it was sent.
Whole = Callable[[Ask, float, str, str, list[bytes], list[bytes], Times, str, int, bytes], Reply | None]
came_whole: Whole = (lambda *_: None) if compiled is None else compiled.came_whole

OpenSocket = Callable[[int, int, int], socket.socket]


class Transfer(Exchange):
    """`spare`: the connection, once it has carried an answer to its end and may carry another; whoever takes it sets it
    to None."""

    __slots__ = (
        "_connection", "_curl", "_driver", "_handle", "_is_kept", "_is_left", "_open_socket", "_opened", "_was_fresh",
        "spare",
    )  # fmt: skip

    def __init__(self, driver: Driver, trust: Trust, open_socket: OpenSocket, permit: Permit | None = None) -> None:
        super().__init__(driver.loop, driver.ballast, driver.vigil, permit)
        self._driver, self._open_socket = driver, open_socket
        self._opened: list[socket.socket] = []  # libcurl works on a duplicate of each
        self.spare: socket.socket | None = None
        self._handle = Handle(trust)
        self._curl = curl = self._handle.curl
        self.address = ""
        curl.setopt(pycurl.HEADERFUNCTION, self.head)
        curl.setopt(pycurl.WRITEFUNCTION, self._on_body)
        curl.setopt(pycurl.OPENSOCKETFUNCTION, self._on_open)
        curl.setopt(pycurl.SOCKOPTFUNCTION, self._on_opened)
        curl.setopt(pycurl.PREREQFUNCTION, self._on_connected)
        driver.take_up(curl, self)

    async def run(self, order: Order) -> None:
        """What `permit` raises comes through, and nothing was sent then."""
        if not order.ask.fresh:
            await super().run(order)
        await self.go_on(order)

    def start(self, order: Order, ended: Callable[[], None]) -> None:
        """The first attempt over a connection that may have been kept. `ended` is called out of libcurl; then `end`,
        and if the request `is_unsent`, `go_on`."""
        self._handle.prepare(order)
        self._set_out(order, ended)

    def plain_answer(self, order: Order) -> Reply | None:
        self.end()
        connection, size = self._connection, self.body_bytes
        if connection is None or not self._is_kept or self.failure is not None or order.ask.form:
            return None
        if size and self.ballast.is_overfull:
            return None
        info = self._curl.getinfo
        times = Times(0.0, 0.0, 0.0, info(FIRST_BYTE), info(TOTAL))
        asked = order.ask, order.at, self._terms.endpoint.authority, order.target, lines_of(order)
        if not size:
            return plain_304(*asked, self.head.lines, times, connection.peer, self.received_bytes)
        sent_body = self.pieces[0] if len(self.pieces) == 1 else b"".join(self.pieces)
        return came_whole(*asked, self.head.lines, times, connection.peer, self.received_bytes, sent_body)

    async def go_on(self, order: Order) -> None:
        """Where the first attempt found the connection closed, or must not be made: over another one."""
        if order.ask.fresh:
            self._handle.prepare(order)
        if not order.ask.fresh and self._was_closed and self._is_left:  # libcurl would come back to it again and again
            with self._handle.not_kept():
                await self._attempt(order)
        if order.ask.fresh or self._was_closed:
            await self._attempt_anew(order)
        self.raise_withheld()

    async def _attempt_anew(self, order: Order) -> None:
        """Over a new connection. What was left unanswered is asked for in HTTP/1.1, since HTTP/2 may be why; unless the
        server does not speak that."""
        if order.ask.fresh:
            with for_once(self._curl, NEW, IN_HTTP_1):
                await self._attempt(order)
        if not order.ask.fresh or (self.failure is Failure.TLS and not self._sent_at):
            with for_once(self._curl, NEW):
                await self._attempt(order)

    async def _attempt(self, order: Order) -> None:
        self._set_out(order, self._wake)
        await self._until_over()

    def _set_out(self, order: Order, ended: Callable[[], None]) -> None:
        limits = order.terms.limits
        self._clear(limits)
        self._tell, self.is_under_way = ended, True
        self._terms, self.address = order.terms, order.terms.address
        self._connection: Connection | None = None
        self._is_left = self._is_kept = False
        self._was_fresh = order.ask.fresh
        self._watch(min(limits.first_byte_s, limits.slow_for_s))
        self._driver.start(self._curl)

    def end(self) -> None:
        self._is_over, self._paused, self.due_at = True, False, NEVER
        self._abandon()
        if self._connection is not None:
            self._driver.connections.end(self._connection)
        while self._opened:
            self._opened.pop().close()

    def times(self, before_s: float) -> Times:
        info = self._curl.getinfo
        first, total = info(pycurl.STARTTRANSFER_TIME), info(pycurl.TOTAL_TIME)
        connect = tls = 0.0
        if not self._is_kept and info(pycurl.NUM_CONNECTS):
            connect, tls = info(pycurl.CONNECT_TIME), info(pycurl.APPCONNECT_TIME)
        if before_s:
            connect, tls, first = (passed and passed + before_s for passed in (connect, tls, first))
        return Times(before_s, connect, tls, first, total + before_s)

    @property
    def leads_to(self) -> tuple[str, str]:
        """An origin, and an address of it."""
        return self._terms.endpoint.origin, self._terms.address

    def peer(self) -> str:
        return self._connection.peer if self._connection is not None else str(self._curl.getinfo(pycurl.PRIMARY_IP))

    def close(self) -> None:
        self._handle.close()

    # what libcurl calls

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

    def _on_opened(self, descriptor: int, purpose: int) -> int:
        """libcurl's duplicate of it."""
        if self._terms.endpoint.scheme == "http":
            self._driver.passing(descriptor)
        return int(pycurl.SOCKOPT_OK)

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
        if not self._is_permitted():
            return ABORT
        is_new = bool(self._opened)
        self._is_kept = not is_new
        self._connection = self._driver.connections.begin((address, port, local_port), is_new)
        if self._connection is None:
            self._was_closed = True
            return ABORT
        self._sent_at = self.loop_time()
        return GO_ON

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
        elif self._terms.endpoint.scheme == "http" and len(self._opened) == 1 and is_kept_after(final_head(self.lines)):
            self.spare = self._opened.pop()

    def _part(self, descriptor: int) -> None:
        """Of a connection that libcurl has left open although it brought no answer (negative: it has not)."""
        self._is_left = descriptor >= 0
        if self._is_left and self._connection is not None:
            self._driver.connections.part(self._connection, descriptor)

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

    # what a carrier does

    def _abandon(self) -> None:
        """And its connection with it, unless another request goes over it."""
        if self.is_under_way:
            self.is_under_way = False
            with self._handle.not_kept():
                self._driver.abandon(self._curl)

    def _let_on(self) -> None:
        try:
            self._curl.pause(pycurl.PAUSE_CONT)
        except pycurl.error as error:  # what had been held back was handed over at once, and refused
            self._give_up(Failure.RESET, str(error))
        self._driver.stir()

    def _stop_clock(self) -> None:
        if self._paused and self.is_under_way:
            self._curl.setopt(pycurl.TIMEOUT_MS, 0)

    def _clock_from(self, rested_s: float) -> None:
        self._curl.setopt(pycurl.TIMEOUT_MS, milliseconds(self._terms.total_s + rested_s))

    def _first_byte_at(self, now: float) -> float:
        info = self._curl.getinfo
        waited_s: float = info(pycurl.STARTTRANSFER_TIME) - info(pycurl.PRETRANSFER_TIME)
        return min(now, self._sent_at + max(0.0, waited_s))


def refused_sentence(host: str, address: str, reason: str) -> str:
    return f"{host} leads to {address} ({reason}); list it under `own` if it is yours"
