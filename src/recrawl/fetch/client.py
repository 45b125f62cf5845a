"""The `Fetcher` on libcurl: one ask, one request, one reply."""

import asyncio
import socket
import ssl
from collections.abc import Callable, Sequence
from typing import cast

from recrawl.fetch.driver import Driver
from recrawl.fetch.endpoint import Endpoint, locate
from recrawl.fetch.evidence import answered, failed
from recrawl.fetch.exchange import Exchange, Permit
from recrawl.fetch.guard import refusal
from recrawl.fetch.handle import Trust
from recrawl.fetch.head import head_of
from recrawl.fetch.line import Line
from recrawl.fetch.lines import Lines
from recrawl.fetch.order import Terms, request_of
from recrawl.fetch.request import plain_head, standing_lines, standing_part
from recrawl.fetch.resolver import DnsLookup, Resolver
from recrawl.fetch.transfer import OpenSocket, Transfer, refused_sentence
from recrawl.model.failure import Failure
from recrawl.model.swift import replace
from recrawl.model.values import dataclass
from recrawl.model.visit import Ask, Reply, Times

SAME_S = 0.1  # what lets one request to an origin go lets others go for so long
MOST_WAYS = 1000
SHORTEST_ORIGIN = len("http://h")
UNREACHED = (Failure.CONNECT, Failure.CONNECT_TIMEOUT)  # then another address of the host may do


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


@dataclass(frozen=True, slots=True)
class Way:
    """To an origin, for a while: requests that differ in nothing but their path and their conditions share it.
    `standing`: what stands in all their heads."""

    terms: Terms
    allowed: Sequence[str]  # addresses
    standing: bytes
    until_at: float

    def is_for(self, ask: Ask, now: float) -> bool:
        if now >= self.until_at or ask.own != self.terms.own or ask.limits is not self.terms.limits:
            return False
        return not (ask.headers or ask.form or ask.enough_bytes or ask.fresh)


def unheard() -> None:
    """Nobody is to be told."""


@dataclass(slots=True)
class Trip:
    """One ask on its way: to the first of the addresses that it may go to, or to others after it. `before_s` had passed
    when it was made, `passed_s` when it turned to the address that it is at."""

    ask: Ask
    at: float
    terms: Terms  # for the address that it is at
    url: str
    target: str
    standing: list[bytes]
    allowed: Sequence[str]
    head: bytes | None = None
    before_s: float = 0.0
    passed_s: float = 0.0
    tried: int = 0
    transfer: Exchange = cast(Exchange, None)  # noqa: RUF009: once it has set out …
    started_at: float = 0.0  # … then
    ended: Callable[[], None] = unheard
    going_on: asyncio.Task[Reply] | None = None

    @property
    def is_all(self) -> bool:
        """The answer to the first request is the answer, and there is room for it."""
        transfer = self.transfer
        if transfer.is_unsent:
            return False
        if transfer.failure in UNREACHED:
            return len(self.allowed) == 1
        return not transfer.body_bytes or not transfer.ballast.is_overfull

    def turns_to_next(self) -> bool:
        """Whether there is another address to try."""
        if self.tried + 1 == len(self.allowed):
            return False
        self.tried += 1
        passed_s = self.passed_s = self.before_s + self.transfer.loop_time() - self.started_at
        limits = self.terms.limits
        self.terms = replace(
            self.terms,
            address=self.allowed[self.tried],
            connect_s=(limits.connect_s - passed_s) / (len(self.allowed) - self.tried),
            total_s=limits.total_s - passed_s,
        )
        return True

    def reply(self) -> Reply:
        reply = _reply(self.transfer, self.ask, self.at, request_of(self), self.passed_s)
        if reply.body:
            self.transfer.ballast.keep(reply)
        return reply


class CurlFetcher:
    """Belongs to the loop that makes its first request. `open_socket` is where sockets come from; `permit`, if any, is
    asked once more when a connection stands and the request would go out: `fetch` raises what it raises."""

    def __init__(
        self,
        settings: FetchSettings,
        clock_now: Callable[[], float],
        open_socket: OpenSocket = socket.socket,
        permit: Permit | None = None,
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
        self._lines: Lines | None = None
        self._transfers: list[Transfer] = []  # all of them
        self._idle: dict[str, list[Transfer]] = {}  # by the address that each was at last
        self._ways: dict[str, Way] = {}  # by origin

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
        exchange = self._take(trip)
        try:
            await exchange.run(trip)
            return await self._rest_of(trip)
        finally:
            self._give_back(trip.transfer)

    def ready(self, ask: Ask) -> Trip | None:
        """What can be begun at once: `begin` it. None: something must be waited for first, or refused (see `fetch`)."""
        at, url = self._now(), ask.url
        path_at = url.find("/", SHORTEST_ORIGIN)
        way = self._ways.get(url[:path_at])
        if way is None or not way.is_for(ask, at):
            return self._ready_anew(ask, at)
        head = plain_head(url, path_at, ask.etag, ask.last_modified, way.standing)
        if head is None:
            return self._ready_anew(ask, at)
        return Trip(ask, at, way.terms, url, url[path_at:], self._standing, way.allowed, head)

    def _ready_anew(self, ask: Ask, at: float) -> Trip | None:
        located = locate(ask.url)
        if located is None or ask.fresh:
            return None
        endpoint, target = located
        addresses = self._addresses(endpoint)
        allowed = _allowed(endpoint, addresses, ask.own) if addresses else None
        if not allowed:
            return None
        trip = self._trip(ask, at, endpoint, target, allowed)
        if trip.url == ask.url and not ask.enough_bytes:
            standing = standing_part(endpoint.authority, self._standing)
            self._remember(Way(trip.terms, allowed, standing, at + SAME_S))
        return trip

    def _remember(self, way: Way) -> None:
        if len(self._ways) >= MOST_WAYS:
            self._ways.clear()
        self._ways[way.terms.endpoint.origin] = way

    def _trip(
        self, ask: Ask, at: float, endpoint: Endpoint, target: str, allowed: Sequence[str], before_s: float = 0.0
    ) -> Trip:
        """To the first of these addresses, which leaves some time for the others."""
        limits = ask.limits
        connect_s, total_s = (limits.connect_s - before_s) / len(allowed), limits.total_s - before_s
        terms = Terms(endpoint, allowed[0], ask.own, limits, connect_s, total_s, ask.enough_bytes)
        url = f"{endpoint.origin}{target}"
        return Trip(ask, at, terms, url, target, self._standing, allowed, None, before_s, before_s)

    def begin(self, trip: Trip, ended: Callable[[], None]) -> None:
        """`ended` is called when there is something to `hear`."""
        transfer = self._take(trip)
        trip.ended = ended
        transfer.start(trip, ended)

    def listen(self) -> None:
        if self._lines is not None:
            self._lines.listen()

    def hear(self, trip: Trip) -> Reply | None:
        """What came; None: it is not all yet, and `ended` is called once more. Raises what `permit` raised."""
        if trip.going_on is not None:
            return trip.going_on.result()
        transfer = trip.transfer
        if transfer.is_under_way:  # who came too early comes again
            return None
        reply = transfer.plain_answer(trip)
        if reply is not None:
            if self._lines is not None and isinstance(transfer, Line):
                self._lines.give_back(transfer)  # holds nothing
            else:
                self._give_back(transfer)
            return reply
        if not trip.is_all:
            trip.going_on = asyncio.get_running_loop().create_task(self._go_on(trip))
            trip.going_on.add_done_callback(lambda _: self._gone_on(trip))
            return None
        try:
            return trip.reply()
        finally:
            self._give_back(transfer)

    def leave(self, trip: Trip) -> None:
        """Nobody waits for it any more."""
        trip.ended = unheard
        if trip.going_on is not None:
            trip.going_on.cancel()
        else:
            trip.transfer.end()
            self._give_back(trip.transfer)

    async def _go_on(self, trip: Trip) -> Reply:
        if isinstance(trip.transfer, Transfer):
            await trip.transfer.go_on(trip)
        return await self._rest_of(trip)

    def _gone_on(self, trip: Trip) -> None:
        """Also where it was left before it had begun to."""
        self._give_back(trip.transfer)
        trip.ended()

    async def _rest_of(self, trip: Trip) -> Reply:
        """What follows the first request: a new connection where the kept one was closed; other addresses, one after
        the other, within the one connect limit."""
        transfer = trip.transfer
        transfer.raise_withheld()
        if transfer.is_unsent:
            self._give_back(transfer)
            transfer = self._take_transfer(trip)
            await transfer.run(trip)
        while transfer.failure in UNREACHED and trip.turns_to_next():
            await transfer.run(trip)
        if trip.tried and transfer.failure is None:
            self._resolver.prefer(trip.terms.endpoint.host, trip.terms.address)
            self._ways.clear()
        if transfer.body_bytes and transfer.ballast.is_overfull:
            await transfer.until_room()
        return trip.reply()

    def _addresses(self, endpoint: Endpoint) -> Sequence[str]:
        """As far as they are known."""
        return (endpoint.literal,) if endpoint.literal else self._resolver.known(endpoint.host)

    async def close(self) -> None:
        """Open connections are closed; whoever still waits gets a failed reply."""
        self._closed = True
        for exchange in self._busy:
            exchange.cut("the fetcher was closed")
        if self._lines is not None:
            self._lines.close()
            self._lines = None
        if self._driver is not None:
            self._driver.close()
            self._driver = None
        for transfer in self._idle_ones():
            transfer.close()
        self._idle = {}
        await self._lookup.close()

    @property
    def _busy(self) -> set[Exchange]:
        lines = self._lines.busy if self._lines is not None else []
        return {*lines, *self._transfers}.difference(self._idle_ones())

    def _idle_ones(self) -> list[Transfer]:
        return [transfer for idle in self._idle.values() for transfer in idle]

    def _take(self, trip: Trip) -> Exchange:
        """A connection that was kept, if there is one that leads there; else one is made."""
        if self._lines is not None and not trip.ask.form and not trip.ask.fresh:
            line = self._lines.take(trip.terms.endpoint.origin, trip.terms.address)
            if line is not None:
                trip.transfer = line
                return line
        return self._take_transfer(trip)

    def _take_transfer(self, trip: Trip) -> Transfer:
        """For this trip: one that was at its address, or any other."""
        idle, address = self._idle, trip.terms.address
        if idle and address not in idle:
            address = next(iter(idle))
        if not idle:
            transfer = self._new_transfer()
        else:
            transfer = idle[address].pop()
            if not idle[address]:
                del idle[address]
        trip.transfer, trip.started_at = transfer, transfer.loop_time()
        return transfer

    def _new_transfer(self) -> Transfer:
        if self._closed:
            raise RuntimeError("this fetcher is closed")
        if self._driver is None:
            settings = self._settings
            self._driver = Driver(asyncio.get_running_loop(), settings.kept_connections, settings.large_bytes)
            self._lines = Lines(self._driver, settings.kept_connections, self._permit)
        transfer = Transfer(self._driver, self._trust, self._open_socket, self._permit)
        self._transfers.append(transfer)
        return transfer

    def _give_back(self, exchange: Exchange) -> None:
        if exchange.body_bytes:
            exchange.rest()
        if self._lines is not None and isinstance(exchange, Line):
            self._lines.give_back(exchange)
        elif isinstance(exchange, Transfer):
            self._give_back_transfer(exchange)

    def _give_back_transfer(self, transfer: Transfer) -> None:
        wire, transfer.spare = transfer.spare, None
        if self._closed:
            transfer.close()
        else:
            self._idle.setdefault(transfer.address, []).append(transfer)
        if wire is not None:
            self._keep(wire, transfer)

    def _keep(self, wire: socket.socket, transfer: Transfer) -> None:
        if self._closed or self._lines is None:
            wire.close()
        else:
            self._lines.adopt(wire, *transfer.leads_to)


def trusted(ca_file: str) -> Trust:
    """The given certificates, or those that Python itself trusts on this machine."""
    if ca_file:
        return ca_file, ""
    paths = ssl.get_default_verify_paths()
    return paths.cafile or "", paths.capath or ""


def _reply(transfer: Exchange, ask: Ask, at: float, request: bytes, before_s: float) -> Reply:
    status, headers, raw_head = head_of(transfer.lines)
    times, peer = transfer.times(before_s), transfer.peer()
    received_bytes = transfer.received_bytes
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


def _allowed(endpoint: Endpoint, addresses: Sequence[str], own: tuple[str, ...]) -> list[str]:
    return [ip for ip in addresses if refusal(endpoint.host, endpoint.port, ip, own) is None]


def _refused(endpoint: Endpoint, address: str, own: tuple[str, ...]) -> str:
    reason = refusal(endpoint.host, endpoint.port, address, own) or ""
    return refused_sentence(endpoint.host, address, reason)
