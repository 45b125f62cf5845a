"""Servers that take their time."""

from recrawl.lab.hostile.case import BAD, Case, Expect, Kind, page, saying
from recrawl.lab.hostile.wire import HTML, Question, Wire

FOREVER_S = 600.0
BODY = page("Slow")


async def silence(question: Question, wire: Wire) -> None:
    await wire.idle(FOREVER_S)


async def slow_status_line(question: Question, wire: Wire) -> None:
    for letter in b"HTTP/1.1 200 OK\r\n" * 40:
        await wire.send(bytes([letter]))
        await wire.idle(0.4)


async def slow_headers(question: Question, wire: Wire) -> None:
    await wire.send(b"HTTP/1.1 200 OK\r\n")
    for number in range(10_000):
        await wire.send(b"X-%d: y\r\n" % number)
        await wire.idle(0.4)


async def slow_header_line(question: Question, wire: Wire) -> None:
    await wire.send(b"HTTP/1.1 200 OK\r\nX-Long: ")
    await wire.endless(b"a", 0.3)


async def slow_body(question: Question, wire: Wire) -> None:
    await wire.head(200, HTML, length=len(BODY) + 10_000)
    await wire.endless(b"a", 0.3)


async def slow_chunks(question: Question, wire: Wire) -> None:
    await wire.chunks([b"<p>"])
    await wire.endless(b"1\r\na\r\n", 0.3)


async def slow_chunk_size(question: Question, wire: Wire) -> None:
    await wire.chunks([b"<p>"])
    await wire.endless(b"0", 0.3)


async def stops_in_the_middle(question: Question, wire: Wire) -> None:
    await wire.head(200, HTML, length=len(BODY))
    await wire.send(BODY[: len(BODY) // 2])
    await wire.idle(FOREVER_S)


async def whole_but_open(question: Question, wire: Wire) -> None:
    await wire.head(200, HTML)
    await wire.send(BODY)
    await wire.idle(FOREVER_S)


async def whole_and_open(question: Question, wire: Wire) -> None:
    await wire.answer(BODY)
    await wire.idle(FOREVER_S)


async def just_fast_enough(question: Question, wire: Wire) -> None:
    """Above the minimum speed, for ever."""
    await wire.head(200, HTML)
    await wire.send(b"<p>")
    await wire.endless(b"word " * 40, 0.2)


async def late_but_fine(question: Question, wire: Wire) -> None:
    await wire.idle(0.8)
    await wire.answer(page("Late but fine"))


async def interim_then_silence(question: Question, wire: Wire) -> None:
    await wire.send(b"HTTP/1.1 100 Continue\r\n\r\n")
    await wire.idle(FOREVER_S)


async def interim_drip(question: Question, wire: Wire) -> None:
    await wire.endless(b"HTTP/1.1 102 Processing\r\n\r\n", 0.3)


LOST = Expect(lost=(BAD,))
LATE = "first_byte_timeout|too_slow|total_timeout"
GIVES_UP = "gives the page up when its time is over, keeps the others, asks again much later"


def _lost(name: str, answer: object, says: str) -> Case:
    return Case(name, Kind.TIME, GIVES_UP, {BAD: answer}, Expect(lost=(BAD,), says={BAD: says}))  # type: ignore[dict-item]


CASES = (
    _lost("silence", silence, LATE),
    _lost("slow-status-line", slow_status_line, "_"),
    _lost("slow-headers", slow_headers, LATE),
    _lost("slow-header-line", slow_header_line, "_"),
    _lost("slow-body", slow_body, LATE),
    _lost("slow-chunks", slow_chunks, LATE),
    _lost("slow-chunk-size", slow_chunk_size, "_"),
    _lost("stops-in-the-middle", stops_in_the_middle, LATE),
    _lost("never-closes", whole_but_open, LATE),
    _lost("endless-at-modest-speed", just_fast_enough, LATE),
    _lost("interim-then-silence", interim_then_silence, "_"),
    _lost("interim-drip", interim_drip, "_"),
    Case("late-but-fine", Kind.TIME, "waits", {BAD: late_but_fine}, Expect(kept=("/", "/good.html", BAD))),
    Case(
        "silent-after-keep-alive",
        Kind.TIME,
        "takes the body by its length, and gives up on what it asks for next on the same connection",
        {BAD: whole_and_open},
        Expect(kept=("/", BAD)),
    ),
    Case(
        "silent-front-page",
        Kind.TIME,
        "gives up on the only page it knows, without harm to other servers",
        {"/": silence},
        Expect(kept=(), lost=("/",), says={"/": LATE}),
    ),
    Case(
        "all-pages-slow",
        Kind.TIME,
        "lets the server rest after a row of failures instead of waiting for every page",
        {"/": saying(page("Front", *(f"/slow/{number}" for number in range(40)))), "/slow/*": silence},
        Expect(kept=("/",), requests=12),
    ),
)
