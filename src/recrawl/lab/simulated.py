"""The web of a world as a Fetcher: no sockets, any clock, the same replies as the real one would bring.

Each fetch waits on the clock for as long as the answer takes, so that a virtual month passes in seconds and two
requests to one server at once would show in `log`.
"""

from collections.abc import Callable
from http import HTTPStatus

from recrawl.fetch.evidence import answered, failed
from recrawl.fetch.request import ACCEPT_ENCODING, header_lines, is_conditional, raw_request, standing_lines
from recrawl.lab.faults import CALM, FaultKind, FaultPlan
from recrawl.lab.http_answers import Answer
from recrawl.lab.requests_log import Request
from recrawl.lab.world import World, answer, path_of
from recrawl.model.address import server_of
from recrawl.model.failure import Failure
from recrawl.model.values import dataclass
from recrawl.model.visit import Ask, Limits, Reply, Times
from recrawl.ports import Clock

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
}
_TOO_LARGE = Broken(
    Failure.BODY_TOO_LARGE, lambda limits, said: said.delay_s, "the body is larger than the limit", headed=True
)


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
            return failed(ask, at, Failure.NO_HOST, "no server of this world has that name")
        said = answer(self.world, _as_sent(ask), at, self.faults)
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


def _as_sent(ask: Ask) -> Ask:
    """What reaches the server: conditions only where they are fit to be sent."""
    headers = (*ask.headers, ("Accept-Encoding", ACCEPT_ENCODING))
    if not is_conditional(ask):
        return Ask(ask.url, headers=headers)
    return Ask(ask.url, ask.etag, ask.last_modified, headers=headers)


def request_head(ask: Ask, agent: str) -> bytes:
    """As the real fetcher writes it."""
    lines = header_lines(standing_lines(agent, ""), ask)
    return raw_request(server_of(ask.url), path_of(ask.url), lines)


def response_head(said: Answer) -> bytes:
    lines = [f"HTTP/1.1 {said.status} {HTTPStatus(said.status).phrase}"]
    lines += [f"{name}: {value}" for name, value in said.headers]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def reply_to(ask: Ask, said: Answer, at: float, request: bytes, peer: str) -> Reply:
    """What a client makes of an answer, classified by the same function as real answers."""
    broken = _broken(ask, said)
    total_s = broken.takes_s(ask.limits, said) if broken else RESOLVE_S + CONNECT_S + said.delay_s
    times = Times(RESOLVE_S, CONNECT_S, 0.0, 0.0 if broken and not broken.headed else total_s, total_s)
    if broken and not broken.headed:
        return failed(ask, at, broken.failure, broken.detail, raw_request=request, peer=peer, times=times)
    head = response_head(said)
    return answered(
        ask,
        at,
        said.status,
        tuple((name.lower(), value) for name, value in said.headers),
        said.body,
        raw_request=request,
        raw_head=head,
        peer=peer,
        times=times,
        received_bytes=len(head) + len(said.body),
        lost=(broken.failure, broken.detail) if broken else None,
    )


def _broken(ask: Ask, said: Answer) -> Broken | None:
    if said.fault in _BROKEN:
        return _BROKEN[said.fault]
    if said.delay_s > ask.limits.first_byte_s:
        return _BROKEN[FaultKind.STALL]
    return _TOO_LARGE if len(said.body) > ask.limits.body_bytes else None
