"""The web of a world as a Fetcher: no sockets, any clock, the same replies as the real one would bring.

Each fetch waits on the clock for as long as the answer takes, so that a virtual month passes in seconds and two
requests to one server at once would show in `log`.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from http import HTTPStatus

from recrawl.lab.faults import CALM, FaultKind, FaultPlan
from recrawl.lab.http_answers import Answer, Headers
from recrawl.lab.requests_log import Request
from recrawl.lab.world import World, answer, path_of
from recrawl.model.address import server_of
from recrawl.model.failure import Failure
from recrawl.model.visit import Ask, Evidence, Limits, Reply, Times
from recrawl.ports import Clock

ACCEPT_ENCODING = "gzip, deflate, br, zstd"
USER_AGENT = "recrawl/lab (+mailto:nobody@recrawl.test)"
RESOLVE_S = 0.002
CONNECT_S = 0.001


@dataclass(frozen=True, slots=True)
class Broken:
    """How a fault of the transport looks from the client: the failure, and how long it takes to notice."""

    failure: Failure
    takes_s: Callable[[Limits, Answer], float]
    detail: str
    headed: bool = False  # status line and headers had come


_BROKEN: dict[FaultKind, Broken] = {
    FaultKind.NO_HOST: Broken(Failure.NO_HOST, lambda limits, said: RESOLVE_S, "the name does not resolve"),
    FaultKind.CONNECT: Broken(Failure.CONNECT, lambda limits, said: CONNECT_S, "the server refused the connection"),
    FaultKind.CONNECT_TIMEOUT: Broken(
        Failure.CONNECT_TIMEOUT, lambda limits, said: limits.connect_s, "no connection within the limit"
    ),
    FaultKind.STALL: Broken(
        Failure.FIRST_BYTE_TIMEOUT, lambda limits, said: limits.first_byte_s, "no answer within the limit"
    ),
    FaultKind.RESET: Broken(Failure.RESET, lambda limits, said: said.delay_s, "the connection was cut off"),
    FaultKind.TRUNCATED: Broken(Failure.TRUNCATED, lambda limits, said: said.delay_s, "the body ended too early", True),
    FaultKind.GIBBERISH: Broken(Failure.PROTOCOL, lambda limits, said: said.delay_s, "the answer is not HTTP"),
    FaultKind.GARBLED: Broken(Failure.UNDECODABLE, lambda limits, said: said.delay_s, "the gzip body is broken", True),
}

_MISSING = (404, 410)
_BUSY = (429, 503)
_MOVED = (301, 302, 303, 307, 308)


class SimulatedFetcher:
    """Implements the Fetcher port over a world. `log` holds every request that began, in order of its end."""

    def __init__(self, world: World, clock: Clock, faults: FaultPlan = CALM, user_agent: str = USER_AGENT) -> None:
        self.world, self.faults, self.log = world, faults, list[Request]()
        self._clock, self._user_agent = clock, user_agent
        self._peers = {server: f"203.0.113.{number % 254 + 1}" for number, server in enumerate(world.maps)}

    async def fetch(self, ask: Ask) -> Reply:
        at, server = self._clock.now(), server_of(ask.url)
        if not ask.url.startswith("http://") or server not in self._peers:
            await self._clock.sleep(RESOLVE_S)
            detail = "no server of this world has that name"
            return Reply(ask, at, Evidence.FAILED, failure=Failure.NO_HOST, detail=detail)
        asked = Ask(ask.url, ask.etag, ask.last_modified, ask.own, (*ask.headers, ("Accept-Encoding", ACCEPT_ENCODING)))
        said = answer(self.world, asked, at, self.faults)
        reply = reply_to(ask, said, at, request_head(ask, self._user_agent), self._peers[server])
        try:
            await self._clock.sleep(reply.times.total_s)
        finally:
            self.log.append(self._seen(ask, server, said, reply))
        return reply

    async def close(self) -> None:
        """Nothing to let go of."""

    def _seen(self, ask: Ask, server: str, said: Answer, reply: Reply) -> Request:
        return Request(
            reply.at, self._clock.now(), server, "GET", path_of(ask.url), reply.status, reply.received_bytes,
            ask.etag, ask.last_modified, self._user_agent, reply.header("retry-after"), said.fault or "", reply.at,
        )  # fmt: skip


def request_head(ask: Ask, user_agent: str) -> bytes:
    lines = [f"GET {path_of(ask.url)} HTTP/1.1", f"Host: {server_of(ask.url)}", f"User-Agent: {user_agent}"]
    lines += ["Accept: */*", f"Accept-Encoding: {ACCEPT_ENCODING}"]
    lines += [f"If-None-Match: {ask.etag}"] * bool(ask.etag)
    lines += [f"If-Modified-Since: {ask.last_modified}"] * bool(ask.last_modified)
    lines += [f"{name}: {value}" for name, value in ask.headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def response_head(said: Answer) -> bytes:
    lines = [f"HTTP/1.1 {said.status} {HTTPStatus(said.status).phrase}"]
    lines += [f"{name}: {value}" for name, value in said.headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def reply_to(ask: Ask, said: Answer, at: float, request: bytes, peer: str) -> Reply:
    """What a client makes of an answer: the whole of `Reply`, with the limits of the ask kept."""
    broken = _broken(ask, said)
    if broken is None:
        return _answered(ask, said, at, request, peer)
    times = Times(RESOLVE_S, CONNECT_S, total_s=broken.takes_s(ask.limits, said))
    failed = Reply(ask, at, Evidence.FAILED, raw_request=request, peer=peer, times=times,
                   failure=broken.failure, detail=broken.detail)  # fmt: skip
    if not broken.headed:
        return failed
    head = response_head(said)
    return replace(failed, status=said.status, headers=_lowered(said), raw_head=head, received_bytes=len(head))


def _answered(ask: Ask, said: Answer, at: float, request: bytes, peer: str) -> Reply:
    evidence, failure, detail = classify(ask, said)
    whole, head = evidence is not Evidence.FAILED, response_head(said)
    total_s = RESOLVE_S + CONNECT_S + said.delay_s
    return Reply(
        ask, at, evidence, said.status, _lowered(said), request, head,
        said.body if whole else b"", said.plain if whole else b"",
        peer, Times(RESOLVE_S, CONNECT_S, 0.0, total_s, total_s), failure, detail, len(head) + len(said.body),
    )  # fmt: skip


def _lowered(said: Answer) -> Headers:
    return tuple((name.lower(), value) for name, value in said.headers)


def classify(ask: Ask, said: Answer) -> tuple[Evidence, Failure | None, str]:
    status, location = said.status, any(name == "Location" for name, _ in said.headers)
    if status == 304 and not ask.conditional:
        return Evidence.FAILED, Failure.UNASKED_304, "304 to a request without a condition"
    if len(said.body) > ask.limits.body_bytes or len(said.plain) > ask.limits.decoded_bytes:
        return Evidence.FAILED, Failure.BODY_TOO_LARGE, "the body is larger than the limit"
    decided = (
        (status == 304, Evidence.NOT_MODIFIED),
        (200 <= status < 300, Evidence.DOCUMENT),
        (status in _MOVED and location, Evidence.REDIRECT),
        (status in _MISSING, Evidence.MISSING),
        (status in _BUSY, Evidence.BUSY),
        (400 <= status < 500, Evidence.REFUSED),
    )
    evidence = next((evidence for holds, evidence in decided if holds), Evidence.BROKEN)
    return evidence, None, f"{status} {HTTPStatus(status).phrase}"


def _broken(ask: Ask, said: Answer) -> Broken | None:
    if said.fault in _BROKEN:
        return _BROKEN[said.fault]
    return _BROKEN[FaultKind.STALL] if said.delay_s > ask.limits.first_byte_s else None
