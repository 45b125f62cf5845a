"""The `Fetcher` on libcurl: one ask, one request, one reply."""

import asyncio
import socket
import ssl
from collections.abc import Callable, Sequence

from recrawl.fetch.driver import Driver
from recrawl.fetch.endpoint import Endpoint, locate
from recrawl.fetch.evidence import answered, failed
from recrawl.fetch.guard import refusal
from recrawl.fetch.head import head_of
from recrawl.fetch.order import Order
from recrawl.fetch.request import header_lines, raw_request, standing_lines
from recrawl.fetch.resolver import DnsLookup, Resolver
from recrawl.fetch.transfer import OpenSocket, Permit, Transfer, Trust, refused_sentence
from recrawl.model.failure import Failure
from recrawl.model.values import dataclass
from recrawl.model.visit import Ask, Evidence, Reply, Times
from recrawl.native import compiled

UNREACHED = (Failure.CONNECT, Failure.CONNECT_TIMEOUT)  # then another address of the host may do

if compiled is not None:
    compiled.answering(Reply, Evidence.NOT_MODIFIED)


@dataclass(frozen=True, slots=True)
class FetchSettings:
    """`resolver`: the DNS server to ask (`127.0.0.1:5353`), '' for the system's. `ca_file`: certificates to
    trust, '' for the system's. `kept_connections`: idle ones kept open, over all servers. `large_bytes`: what large
    bodies under way may hold together."""

    user_agent: str
    accept_language: str = "en;q=0.9, *;q=0.5"
    resolver: str = ""
    ca_file: str = ""
    kept_connections: int = 256
    large_bytes: int = 32 * 1024 * 1024


class Trip:
    """One ask on its way: to the first of the addresses that it may go to, or to others after it."""

    __slots__ = (
        "_allowed", "_before_s", "_passed_s", "_started_at", "ask", "at", "ended", "going_on", "order", "transfer",
        "tried",
    )  # fmt: skip
    transfer: Transfer  # once it has set out
    ended: Callable[[], None]

    def __init__(self, ask: Ask, at: float, order: Order, allowed: Sequence[str], before_s: float) -> None:
        self.ask, self.at = ask, at
        self.order = order  # for the address that it is at
        self._allowed, self._before_s, self._passed_s = allowed, before_s, before_s
        self.tried = 0
        self.going_on: asyncio.Task[Reply] | None = None

    def set_out(self, transfer: Transfer) -> Order:
        self.transfer, self._started_at = transfer, transfer.now()
        return self.order

    @property
    def is_all(self) -> bool:
        """The answer to the first request is the answer, and there is room for it."""
        transfer = self.transfer
        if transfer.is_unsent:
            return False
        if transfer.failure in UNREACHED:
            return len(self._allowed) == 1
        return not transfer.body_bytes or not transfer.ballast.is_overfull

    def turns_to_next(self) -> bool:
        """Whether there is another address to try."""
        if self.tried + 1 == len(self._allowed):
            return False
        self.tried += 1
        passed_s = self._passed_s = self._before_s + self.transfer.now() - self._started_at
        limits = self.order.limits
        self.order = self.order._replace(
            address=self._allowed[self.tried],
            connect_s=(limits.connect_s - passed_s) / (len(self._allowed) - self.tried),
            total_s=limits.total_s - passed_s,
        )
        return True

    def reply(self) -> Reply:
        return self._not_modified() or self._answer()

    def _not_modified(self) -> Reply | None:
        """None: it is another answer, or an odd one."""
        transfer, ask, order = self.transfer, self.ask, self.order
        if compiled is None or ask.form or transfer.body_bytes or transfer.failure is not None:
            return None
        plain: Reply | None = compiled.not_modified(
            ask, self.at, order.endpoint.authority, order.target, order.header_lines, transfer.lines,
            transfer.times(self._passed_s), transfer.peer(), transfer.head_bytes,
        )  # fmt: skip
        return plain

    def _answer(self) -> Reply:
        order, method = self.order, "POST" if self.ask.form else "GET"
        request = raw_request(order.endpoint.authority, order.target, order.header_lines, method)
        reply = _reply(self.transfer, self.ask, self.at, request, self._passed_s)
        if reply.body:
            self.transfer.ballast.keep(reply)
        return reply


class CurlFetcher:
    """Belongs to the loop that makes its first request. `open_socket` is where sockets come from; `permit` is asked
    once more when a connection stands and the request would go out: `fetch` raises what it raises."""

    def __init__(
        self,
        settings: FetchSettings,
        clock_now: Callable[[], float],
        open_socket: OpenSocket = socket.socket,
        permit: Permit = lambda: None,
    ) -> None:
        self._settings = settings
        self._now = clock_now
        self._open_socket, self._permit = open_socket, permit
        self._standing = standing_lines(settings.user_agent, settings.accept_language)
        self._trust = trusted(settings.ca_file)
        self._lookup = DnsLookup(settings.resolver)
        self._resolver = Resolver(self._lookup, clock_now)
        self._driver: Driver | None = None
        self._closed = False
        self._idle: list[Transfer] = []
        self._busy: set[Transfer] = set()

    async def fetch(self, ask: Ask) -> Reply:
        at = self._now()
        located = locate(ask.url)
        if located is None:
            return failed(ask, at, Failure.BAD_ADDRESS, f"{ask.url[:200]!r} is not an address that can be asked")
        endpoint, target = located
        before_s = 0.0
        addresses = self._addresses(endpoint)
        if not addresses:
            loop = asyncio.get_running_loop()
            started_at = loop.time()
            answer = await self._resolver.resolve(endpoint.host, ask.limits.connect_s)
            before_s = loop.time() - started_at
            addresses = answer.addresses
            if not addresses:
                return failed(ask, at, Failure.NO_HOST, answer.problem, times=Times(before_s, total_s=before_s))
        allowed = _allowed(endpoint, addresses, ask.own)
        if not allowed:
            return failed(ask, at, Failure.FORBIDDEN_ADDRESS, _refused(endpoint, addresses[0], ask.own))
        trip = self._trip(ask, at, endpoint, target, allowed, before_s)
        transfer = self._take()
        try:
            await transfer.run(trip.set_out(transfer))
            return await self._rest_of(trip)
        finally:
            self._give_back(transfer)

    def ready(self, ask: Ask) -> Trip | None:
        """What can be begun at once: `begin` it. None: something must be waited for first, or refused (see `fetch`)."""
        located = locate(ask.url)
        if located is None or ask.fresh:
            return None
        endpoint, target = located
        addresses = self._addresses(endpoint)
        allowed = _allowed(endpoint, addresses, ask.own) if addresses else None
        if not allowed:
            return None
        return self._trip(ask, self._now(), endpoint, target, allowed)

    def _trip(
        self, ask: Ask, at: float, endpoint: Endpoint, target: str, allowed: Sequence[str], before_s: float = 0.0
    ) -> Trip:
        """To the first of these addresses, which leaves some time for the others."""
        limits, lines = ask.limits, header_lines(self._standing, ask)
        connect_s, total_s = (limits.connect_s - before_s) / len(allowed), limits.total_s - before_s
        order = Order(
            endpoint, allowed[0], target, lines, ask.own, limits, connect_s, total_s, ask.form, ask.enough_bytes,
            ask.fresh,
        )  # fmt: skip
        return Trip(ask, at, order, allowed, before_s)

    def begin(self, trip: Trip, ended: Callable[[], None]) -> None:
        """`ended` is called when there is something to `hear`."""
        transfer = self._take()
        trip.ended = ended
        transfer.start(trip.set_out(transfer), ended)

    def hear(self, trip: Trip) -> Reply | None:
        """What came; None: it is not all yet, and `ended` is called once more. Raises what `permit` raised."""
        if trip.going_on is not None:
            return trip.going_on.result()
        trip.transfer.end()
        if not trip.is_all:
            trip.going_on = asyncio.get_running_loop().create_task(self._go_on(trip))
            trip.going_on.add_done_callback(lambda _: self._gone_on(trip))
            return None
        try:
            return trip.reply()
        finally:
            self._give_back(trip.transfer)

    def leave(self, trip: Trip) -> None:
        """Nobody waits for it any more."""
        trip.ended = _unheard
        if trip.going_on is not None:
            trip.going_on.cancel()
        else:
            trip.transfer.end()
            self._give_back(trip.transfer)

    async def _go_on(self, trip: Trip) -> Reply:
        await trip.transfer.go_on(trip.order)
        return await self._rest_of(trip)

    def _gone_on(self, trip: Trip) -> None:
        """Also where it was left before it had begun to."""
        self._give_back(trip.transfer)
        trip.ended()

    async def _rest_of(self, trip: Trip) -> Reply:
        """What follows the first request: other addresses, one after the other, within the one connect limit."""
        transfer = trip.transfer
        while transfer.failure in UNREACHED and trip.turns_to_next():
            await transfer.run(trip.order)
        if trip.tried and transfer.failure is None:
            self._resolver.prefer(trip.order.endpoint.host, trip.order.address)
        if transfer.body_bytes and transfer.ballast.is_overfull:
            await transfer.until_room()
        return trip.reply()

    def _addresses(self, endpoint: Endpoint) -> Sequence[str]:
        """As far as they are known."""
        return (endpoint.literal,) if endpoint.literal else self._resolver.known(endpoint.host)

    async def close(self) -> None:
        """Open connections are closed; whoever still waits gets a failed reply."""
        self._closed = True
        for transfer in self._busy:
            transfer.cut("the fetcher was closed")
        if self._driver is not None:
            self._driver.close()
            self._driver = None
        while self._idle:
            self._idle.pop().close()
        await self._lookup.close()

    def _take(self) -> Transfer:
        if self._closed:
            raise RuntimeError("this fetcher is closed")
        if self._driver is None:
            settings = self._settings
            self._driver = Driver(asyncio.get_running_loop(), settings.kept_connections, settings.large_bytes)
        if self._idle:
            transfer = self._idle.pop()
        else:
            transfer = Transfer(self._driver, self._trust, self._open_socket, self._permit)
        self._busy.add(transfer)
        return transfer

    def _give_back(self, transfer: Transfer) -> None:
        self._busy.discard(transfer)
        transfer.rest()
        if self._closed:
            transfer.close()
        else:
            self._idle.append(transfer)


def trusted(ca_file: str) -> Trust:
    """The given certificates, or those that Python itself trusts on this machine."""
    if ca_file:
        return ca_file, ""
    paths = ssl.get_default_verify_paths()
    return paths.cafile or "", paths.capath or ""


def _reply(transfer: Transfer, ask: Ask, at: float, request: bytes, before_s: float) -> Reply:
    status, headers, raw_head = head_of(transfer.lines)
    times, peer = transfer.times(before_s), transfer.peer()
    received_bytes = transfer.head_bytes + transfer.body_bytes
    failure = transfer.failure
    if status < 200:
        failure = failure if failure and not raw_head else Failure.PROTOCOL
        detail = transfer.detail or "there is no complete answer"
        return failed(
            ask,
            at,
            failure,
            detail,
            raw_request=request,
            peer=peer,
            times=times,
            received_bytes=received_bytes,
            unanswered=transfer.is_unanswered,
        )
    return answered(
        ask,
        at,
        status,
        headers,
        transfer.let_go(),
        raw_request=request,
        raw_head=raw_head,
        peer=peer,
        times=times,
        received_bytes=received_bytes,
        lost=None if failure is None else (failure, transfer.detail),
    )


def _unheard() -> None:
    """Nobody is to be told."""


def _allowed(endpoint: Endpoint, addresses: Sequence[str], own: tuple[str, ...]) -> list[str]:
    return [ip for ip in addresses if refusal(endpoint.host, endpoint.port, ip, own) is None]


def _refused(endpoint: Endpoint, address: str, own: tuple[str, ...]) -> str:
    reason = refusal(endpoint.host, endpoint.port, address, own) or ""
    return refused_sentence(endpoint.host, address, reason)
