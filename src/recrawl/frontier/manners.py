"""How gently a server is treated: its gap, its back-off, and what a failed visit means for page and server."""

from recrawl.model.failure import Failure
from recrawl.model.server import Server
from recrawl.model.swift import replace
from recrawl.model.values import dataclass
from recrawl.model.visit import Evidence, Reply

DAY_S = 86_400.0
FAILED = Evidence.FAILED  # looked at with every answer


@dataclass(frozen=True, slots=True)
class Manners:
    """The rules of politeness. There is no setting that goes below them for servers one does not own."""

    gap_s: float = 1.0
    response_factor: float = 2.0  # never faster than this multiple of the server's own response time
    longest_gap_s: float = 60.0  # bound of the adaptive part; Crawl-delay is not bounded by it
    longest_crawl_delay_s: float = DAY_S
    longest_retry_after_s: float = DAY_S
    patience_s: float = 45.0  # `run --once` waits this long for a busy server


@dataclass(frozen=True, slots=True)
class Trouble:
    """What a kind of failure means. `server`: the whole server rests, not only the page."""

    server: bool
    server_wait_s: float = 0.0  # doubles with every further one
    page_wait_s: float = 60.0  # times four with every further one


REST = Trouble(server=True, server_wait_s=60.0)
ONLY_PAGE = Trouble(server=False)

TROUBLE: dict[Failure, Trouble] = {
    Failure.NO_HOST: REST,
    Failure.CONNECT: REST,
    Failure.CONNECT_TIMEOUT: REST,
    Failure.TLS: Trouble(server=False, page_wait_s=600.0),  # the server's http pages may be well
    Failure.FIRST_BYTE_TIMEOUT: Trouble(server=False, page_wait_s=300.0),
    Failure.TOTAL_TIMEOUT: Trouble(server=False, page_wait_s=300.0),
    Failure.TOO_SLOW: Trouble(server=False, page_wait_s=300.0),
    Failure.RESET: ONLY_PAGE,
    Failure.TRUNCATED: ONLY_PAGE,
    Failure.PROTOCOL: Trouble(server=False, page_wait_s=600.0),
    Failure.UNASKED_304: ONLY_PAGE,
    Failure.FORBIDDEN_ADDRESS: Trouble(server=False, page_wait_s=DAY_S),
    Failure.HEADERS_TOO_LARGE: Trouble(server=False, page_wait_s=DAY_S),
    Failure.BODY_TOO_LARGE: Trouble(server=False, page_wait_s=DAY_S),
    Failure.BOMB: Trouble(server=False, page_wait_s=7 * DAY_S),
    Failure.UNDECODABLE: Trouble(server=False, page_wait_s=3600.0),
    Failure.BAD_ADDRESS: Trouble(server=False, page_wait_s=30 * DAY_S),
    Failure.NOT_RENDERED: Trouble(server=False, page_wait_s=3600.0),
}
BUSY = Trouble(server=True, server_wait_s=15.0)
BROKEN = Trouble(server=False, page_wait_s=120.0)
REFUSED = Trouble(server=False, page_wait_s=DAY_S)
MET = {Evidence.BUSY: BUSY, Evidence.BROKEN: BROKEN, Evidence.REFUSED: REFUSED}

# Not the server's health but the page's: these answers show that the server is well.
WELL = frozenset({Evidence.DOCUMENT, Evidence.NOT_MODIFIED, Evidence.REDIRECT, Evidence.MISSING, Evidence.REFUSED})
# Nor do these say anything of the server's health: it answered with something that we do not take, or was not asked.
NOT_TAKEN = frozenset(
    {
        Failure.HEADERS_TOO_LARGE,
        Failure.BODY_TOO_LARGE,
        Failure.BOMB,
        Failure.UNDECODABLE,
        Failure.UNASKED_304,
        Failure.FORBIDDEN_ADDRESS,
    }
)
# A port that lets nobody in says nothing of the other one: https may be closed where http is well.
ONE_PORT = frozenset({Failure.CONNECT, Failure.CONNECT_TIMEOUT})
LONGEST_SERVER_REST_S = DAY_S
LONGEST_PAGE_WAIT_S = 30 * DAY_S
PATIENT = 2  # server troubles in a row that are not held against the page
FADING, FRESH = 0.8, 0.2  # parts of the mean response time, with every answer
STREAK = 5  # page-only troubles in a row that make the server rest all the same


def trouble(reply: Reply) -> Trouble | None:
    """None: the visit was an answer that can be judged."""
    if reply.evidence is Evidence.FAILED:
        return TROUBLE.get(reply.failure, ONLY_PAGE) if reply.failure else ONLY_PAGE
    return MET.get(reply.evidence)


def gap_s(server: Server, manners: Manners, asked_gap_s: float | None, owned: bool) -> float:
    """The pause between two requests: what the user set or the default, the server's own Crawl-delay,
    and, on servers of others, a multiple of its response time."""
    delay_s = min(server.crawl_delay_s, manners.longest_crawl_delay_s) if server.crawl_delay_s else 0.0
    if owned:
        wanted_s = asked_gap_s or 0.0
        return max(wanted_s, delay_s) if delay_s else wanted_s
    wanted_s = manners.gap_s if asked_gap_s is None else max(asked_gap_s, manners.gap_s)
    adaptive_s = min(manners.response_factor * server.response_s, manners.longest_gap_s)
    return max(wanted_s, adaptive_s, delay_s)


def after_reply(
    server: Server, reply: Reply, gap: float, ended_at: float, retry_after_s: float | None, manners: Manners
) -> Server:
    """The server as it stands after one answer: free again after its gap, or resting."""
    if reply.evidence in WELL:
        return after_good_reply(server, reply, gap, ended_at)
    met = trouble(reply)
    counts = reply.failure not in NOT_TAKEN and not reply.unanswered  # a server may close what is kept at any time
    failures = server.failures + counts
    rest_s = _rest_s(met, failures) if counts else 0.0
    if met is not None and met.server and retry_after_s is not None:
        rest_s = min(max(retry_after_s, gap), manners.longest_retry_after_s)
    failing_since = None if failures == 0 else server.failing_since or ended_at
    return replace(
        server,
        gap_s=gap,
        free_at=ended_at + max(gap, rest_s),
        failures=failures,
        failing_since=failing_since,
        response_s=_smoothed(server.response_s, reply),
        requests=server.requests + 1,
    )


def after_good_reply(server: Server, reply: Reply, gap: float, ended_at: float) -> Server:
    """The same after nearly every answer."""
    took_s, before_s = reply.times.first_byte_s, server.response_s
    if took_s <= 0:
        took_s = before_s
    elif before_s != 0:
        took_s = FADING * before_s + FRESH * took_s
    return replace(
        server, gap_s=gap, free_at=ended_at + gap, failures=0, failing_since=None, response_s=took_s,
        requests=server.requests + 1,
    )  # fmt: skip


def free_again_at(server: Server, gap: float, now: float, manners: Manners) -> float:
    """When somebody who takes the server over may ask it: its last request may be just now. A rest that no trouble
    explains was written by a clock that ran ahead and has been set right since."""
    longest_s = max(gap, manners.longest_retry_after_s) if server.failures else gap
    return max(min(server.free_at, now + longest_s), now + gap)


def page_wait_s(met: Trouble, failures: int) -> float:
    """How long a page waits after its n-th failed visit in a row. While it is the server that rests, the page is
    due as soon as the server is free, unless it keeps meeting the trouble."""
    lasting = failures - PATIENT if met.server else failures
    return 0.0 if lasting <= 0 else float(min(met.page_wait_s * 4.0 ** min(lasting - 1, 12), LONGEST_PAGE_WAIT_S))


def _rest_s(met: Trouble | None, failures: int) -> float:
    if met is None or failures == 0:
        return 0.0
    if met.server:
        return float(min(met.server_wait_s * 2.0 ** min(failures - 1, 16), LONGEST_SERVER_REST_S))
    if failures >= STREAK:
        return float(min(60.0 * 2.0 ** min(failures - STREAK, 16), LONGEST_SERVER_REST_S))
    return 0.0


def _smoothed(response_s: float, reply: Reply) -> float:
    """Mean response time, old answers fading; failures without a first byte do not count."""
    took_s = reply.times.first_byte_s
    if took_s <= 0 or reply.evidence is FAILED:
        return response_s
    return took_s if response_s == 0 else FADING * response_s + FRESH * took_s
