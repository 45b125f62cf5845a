"""The `Fetcher` without a network: canned answers, for tests and simulations."""

from collections.abc import Callable, Mapping
from http import HTTPStatus

from recrawl.fetch.endpoint import locate
from recrawl.fetch.evidence import answered, failed
from recrawl.fetch.request import header_lines, raw_request, standing_lines
from recrawl.model.failure import Failure
from recrawl.model.values import dataclass
from recrawl.model.visit import Ask, Reply

AGENT = "recrawl/memory"


@dataclass(frozen=True, slots=True)
class Canned:
    """What a server would say, whoever asks; with an ETag it answers 304 to a condition that fits."""

    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("content-type", "text/html; charset=utf-8"),)
    failure: Failure | None = None


Answers = Mapping[str, Canned] | Callable[[Ask], Reply]


class MemoryFetcher:
    """Answers from a table of addresses (404 where there is none) or from a function; `asked` keeps every ask."""

    def __init__(self, answers: Answers, clock_now: Callable[[], float]) -> None:
        self._answers = answers
        self._now = clock_now
        self.asked: list[Ask] = []

    async def fetch(self, ask: Ask) -> Reply:
        self.asked.append(ask)
        if callable(self._answers):
            return self._answers(ask)
        return reply_from(ask, self._answers.get(ask.url, NOTHING_THERE), self._now())

    async def close(self) -> None:
        return None


NOTHING_THERE = Canned(b"", 404, ())


def reply_from(ask: Ask, canned: Canned, at: float) -> Reply:
    """The reply a real fetcher would have made of this answer."""
    located = locate(ask.url)
    if located is None:
        return failed(ask, at, Failure.BAD_ADDRESS, f"{ask.url[:200]!r} is not an address that can be asked")
    endpoint, target = located
    request = raw_request(endpoint.authority, target, header_lines(standing_lines(AGENT, ""), ask))
    if canned.failure is not None:
        return failed(ask, at, canned.failure, "canned", raw_request=request)
    if _unchanged(ask, canned):
        canned = Canned(b"", 304, canned.headers)
    headers = tuple((name.lower(), value) for name, value in canned.headers)
    head = render_head(canned.status, headers)
    limits = ask.limits
    too_large = (Failure.BODY_TOO_LARGE, f"the body is longer than {limits.body_bytes} bytes")
    return answered(
        ask,
        at,
        canned.status,
        headers,
        canned.body,
        raw_request=request,
        raw_head=head,
        peer=endpoint.literal or "127.0.0.1",
        received_bytes=len(head) + len(canned.body),
        lost=too_large if len(canned.body) > limits.body_bytes else None,
    )


def render_head(status: int, headers: tuple[tuple[str, str], ...]) -> bytes:
    try:
        phrase = HTTPStatus(status).phrase
    except ValueError:
        phrase = "Unknown"
    lines = [f"HTTP/1.1 {status} {phrase}", *(f"{name}: {value}" for name, value in headers)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def _unchanged(ask: Ask, canned: Canned) -> bool:
    fields = {name.lower(): value for name, value in canned.headers}
    if canned.status != 200:
        return False
    if ask.etag:
        return fields.get("etag") == ask.etag
    return bool(ask.last_modified) and fields.get("last-modified") == ask.last_modified
