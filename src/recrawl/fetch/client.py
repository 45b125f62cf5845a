"""The `Fetcher` on libcurl: one ask, one request, one reply."""

import asyncio
import socket
import ssl
from collections.abc import Callable

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
from recrawl.model.visit import Ask, Reply, Times

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
        addresses = (endpoint.literal,) if endpoint.literal else self._resolver.known(endpoint.host)
        if not addresses:
            loop = asyncio.get_running_loop()
            started_at = loop.time()
            answer = await self._resolver.resolve(endpoint.host, ask.limits.connect_s)
            before_s = loop.time() - started_at
            addresses = answer.addresses
            if not addresses:
                return failed(ask, at, Failure.NO_HOST, answer.problem, times=Times(before_s, total_s=before_s))
        allowed = [ip for ip in addresses if refusal(endpoint.host, endpoint.port, ip, ask.own) is None]
        if not allowed:
            return failed(ask, at, Failure.FORBIDDEN_ADDRESS, _refused(endpoint, addresses[0], ask.own))
        return await self._ask_one_of(allowed, ask, at, endpoint, target, before_s)

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

    async def _ask_one_of(
        self, allowed: list[str], ask: Ask, at: float, endpoint: Endpoint, target: str, before_s: float
    ) -> Reply:
        """Try the addresses one after the other, within the one connect limit."""
        lines = header_lines(self._standing, ask)
        limits, passed_s = ask.limits, before_s
        transfer = self._take()
        started_at = transfer.now()
        try:
            for tried, address in enumerate(allowed):
                connect_s = (limits.connect_s - passed_s) / (len(allowed) - tried)
                total_s = limits.total_s - passed_s
                order = Order(endpoint, address, target, lines, ask.own, limits, connect_s, total_s, ask.form)
                await transfer.run(_as_asked(order, ask))
                if transfer.failure not in UNREACHED:
                    break
                passed_s = before_s + transfer.now() - started_at
            if tried and transfer.failure is None:
                self._resolver.prefer(endpoint.host, address)
            request = raw_request(endpoint.authority, target, lines, "POST" if ask.form else "GET")
            if transfer.body_bytes and transfer.ballast.is_overfull:
                await transfer.until_room()
            reply = _reply(transfer, ask, at, request, passed_s)
            transfer.ballast.keep(reply)
            return reply
        finally:
            self._give_back(transfer)

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


def _as_asked(order: Order, ask: Ask) -> Order:
    if not ask.enough_bytes and not ask.fresh:
        return order  # as nearly always
    return order._replace(enough_bytes=ask.enough_bytes, fresh=ask.fresh)


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


def _refused(endpoint: Endpoint, address: str, own: tuple[str, ...]) -> str:
    reason = refusal(endpoint.host, endpoint.port, address, own) or ""
    return refused_sentence(endpoint.host, address, reason)
