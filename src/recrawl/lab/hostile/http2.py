"""HTTP/2 that is not what it should be: connections and streams that end, and answers that RFC 9113 does not know."""

from collections.abc import Awaitable, Callable

from recrawl.lab.hostile import frames
from recrawl.lab.hostile.case import BAD, FRONT, GOOD, ROBOTS, Answer, Case, Expect, Kind, page, saying
from recrawl.lab.hostile.frames import Code, Setting, Type, block
from recrawl.lab.hostile.shield import HTTP_1, HTTP_2, Shield
from recrawl.lab.hostile.stream import Stream
from recrawl.lab.hostile.wire import Question, Wire

H2 = Shield(protocols=(HTTP_2, HTTP_1))
BODY = page("Bad")
PAGES = tuple(f"/k/{number}" for number in range(6))
PLAIN_TYPE = ("content-type", "text/html; charset=utf-8")

Spoken = Callable[[Question, Stream], Awaitable[None]]
WELL = Expect(kept=(FRONT, GOOD, BAD), times={FRONT: 1, GOOD: 1, BAD: 1, ROBOTS: 1}, requests=9)
AGAIN = Expect(kept=(FRONT, GOOD, BAD), times={BAD: 2}, requests=10)


async def no_answer(question: Question, wire: Wire) -> None:
    wire.hang_up()


def over_h2(say: Spoken, otherwise: Answer = no_answer) -> Answer:
    """`otherwise`: over HTTP/1.1, in which what was not taken is asked for once more."""

    async def answer(question: Question, wire: Wire) -> None:
        await (say(question, wire) if isinstance(wire, Stream) else otherwise(question, wire))

    return answer


def legal(name: str, say: Spoken, good: str = "reads it like any other", opening: bytes = b"") -> Case:
    opening = opening or frames.settings()
    return Case(f"h2-{name}", Kind.HTTP2, good, {BAD: over_h2(say)}, WELL, shield=H2, opening=opening)


def once_more(name: str, say: Spoken) -> Case:
    """An honest page in HTTP/1.1."""
    good = "asks once more, in HTTP/1.1: the server did not take it (RFC 9113, 8.7)"
    return Case(f"h2-{name}", Kind.HTTP2, good, {BAD: over_h2(say, saying(BODY))}, AGAIN, shield=H2)


def wrong(name: str, say: Spoken, says: str, times: int = 1, kind: Kind = Kind.HTTP2) -> Case:
    return Case(
        f"h2-{name}",
        kind,
        "keeps nothing of it and says why; its other pages are read",
        {BAD: over_h2(say), "/k/*": saying(page("Another"))},
        Expect(kept=(FRONT, GOOD, *PAGES[:2]), lost=(BAD,), says={BAD: says}, times={BAD: times}),
        bad=(BAD, *PAGES[:2]),
        shield=H2,
        deaf=kind is Kind.TIME,
    )


def never_well(name: str, opening: bytes, says: str, kind: Kind = Kind.HTTP2) -> Case:
    return Case(
        f"h2-{name}",
        kind,
        "gives the server up and does not knock all day",
        {FRONT: saying(page("Never shown"))},
        Expect(kept=(), lost=(FRONT,), never=(FRONT,), says={FRONT: says}, requests=6),
        shield=H2,
        opening=opening,
    )


def in_vain(name: str, opening: bytes) -> Case:
    """HTTP/2 does not work there, but HTTP/1.1 does."""
    good = "asks once more, in HTTP/1.1, and loses no page"
    return Case(
        f"h2-{name}", Kind.HTTP2, good, {BAD: saying(BODY)}, Expect((FRONT, GOOD, BAD)), shield=H2, opening=opening
    )


def said(*pieces: Callable[[int], bytes]) -> Spoken:
    """Frames for the stream of the question, in one write."""

    async def say(question: Question, stream: Stream) -> None:
        await stream.send(b"".join(piece(stream.number) for piece in pieces))

    return say


def head(*fields: tuple[str, str], end: bool = False) -> Callable[[int], bytes]:
    return lambda number: frames.headers(number, block(*fields), end)


def tail(body: bytes = BODY, end: bool = True) -> Callable[[int], bytes]:
    return lambda number: frames.data(number, body, end)


def literally(data: bytes) -> Callable[[int], bytes]:
    return lambda number: data


FINE = head((":status", "200"), PLAIN_TYPE, ("content-length", str(len(BODY))))
FIRST_HALF = tail(BODY[:200], end=False)
SECOND_HALF = tail(BODY[200:])


def with_field(name: str, value: str) -> Spoken:
    return said(head((":status", "200"), PLAIN_TYPE, (name, value)), tail())


def without_head(*fields: tuple[str, str]) -> Spoken:
    return said(head(*fields), tail())


# how connections end


async def goaway_and_gone(question: Question, stream: Stream) -> None:
    await stream.leave(stream.number - 2)


async def goaway_amid(question: Question, stream: Stream) -> None:
    await said(FINE, FIRST_HALF)(question, stream)
    await stream.leave(0, Code.INTERNAL_ERROR)


async def closed_amid(question: Question, stream: Stream) -> None:
    await said(FINE, FIRST_HALF)(question, stream)
    stream.hang_up()


async def closed_in_silence(question: Question, stream: Stream) -> None:
    stream.hang_up()


async def calm(question: Question, stream: Stream) -> None:
    await stream.leave(stream.number, Code.ENHANCE_YOUR_CALM)


async def answered_and_left(question: Question, stream: Stream) -> None:
    await stream.answer(page(f"Page {question.path}"), behind=frames.goaway(stream.number))
    stream.hang_up()


async def answered_and_left_open(question: Question, stream: Stream) -> None:
    await stream.answer(page(f"Page {question.path}"), behind=frames.goaway(stream.number))


async def refused_if_not_first(question: Question, stream: Stream) -> None:
    """Every connection is good for one page; it says so when the next question comes."""
    if stream.number > 3:
        await stream.leave(stream.number - 2)
    await stream.answer(page(f"Page {question.path}"))


def leaves(name: str, say: Spoken, good: str, requests: int) -> Case:
    return Case(
        f"h2-{name}",
        Kind.HTTP2,
        good,
        {FRONT: saying(page("Front", *PAGES)), "/k/*": over_h2(say, saying(page("Another")))},
        Expect(kept=(FRONT, *PAGES), requests=requests),
        bad=(),
        shield=H2,
    )


def storm(name: str, code: int) -> Case:
    """Not a page but the first comes through."""
    many = tuple(f"/k/{number}" for number in range(40))
    routes = {FRONT: saying(page("Front", *many)), "/k/*": over_h2(resetting(code))}
    good = "lets the server rest after a few, instead of trying them all"
    expect = Expect(kept=(FRONT,), lost=many, requests=30)
    return Case(f"h2-{name}", Kind.HTTP2, good, routes, expect, bad=(), shield=H2)


def resetting(code: int) -> Spoken:
    return said(lambda number: frames.reset(number, code))


async def refused_at_first(question: Question, stream: Stream) -> None:
    await (stream.refuse() if question.times == 1 else stream.answer(BODY))


async def speaks_http_1(question: Question, wire: Wire) -> None:
    await wire.answer(BODY)


CASES = (
    legal("honest", said(FINE, tail())),
    legal("many-frames", said(FINE, *(tail(BODY[at : at + 1], end=False) for at in range(len(BODY))), tail(b""))),
    legal(
        "padding",
        said(
            FINE,
            lambda number: frames.frame(
                Type.DATA, frames.END_STREAM | frames.PADDED, number, b"\xff" + BODY + bytes(255)
            ),
        ),
    ),
    legal("unknown-frames", said(*[literally(frames.frame(Type.UNKNOWN, 0xFF, 0, b"?" * 99))] * 50, FINE, tail())),
    legal(
        "trailers",
        said(FINE, tail(end=False), head(("x-checksum", "none"), ("location", "http://127.81.0.1/"), end=True)),
    ),
    legal("early-hints", said(*[head((":status", "103"), ("link", "</x>; rel=preload"))] * 5, FINE, tail())),
    legal("reset-behind-a-whole-answer", said(FINE, tail(), lambda number: frames.reset(number, Code.NO_ERROR))),
    legal("goaway-before-the-answer", said(lambda number: frames.goaway(number), FINE, tail())),
    legal(
        "goaway-within-the-answer", said(FINE, FIRST_HALF, literally(frames.goaway(frames.LAST_STREAM)), SECOND_HALF)
    ),
    legal("no-streams-but-one", said(FINE, tail()), opening=frames.settings((Setting.MAX_CONCURRENT_STREAMS, 1))),
    legal("window-of-nothing", said(FINE, tail()), opening=frames.settings((Setting.INITIAL_WINDOW_SIZE, 0))),
    legal("pings-between", said(*[literally(frames.frame(Type.PING, 0, 0, bytes(8)))] * 20, FINE, tail())),
    legal("settings-between", said(*[literally(frames.settings((Setting.HEADER_TABLE_SIZE, 0)))] * 20, FINE, tail())),
    leaves("goaway-behind-each-answer", answered_and_left, "loses no page and asks for none twice", 16),
    leaves("goaway-behind-each-answer-and-open", answered_and_left_open, "loses no page and asks for none twice", 16),
    leaves("goaway-under-the-next", refused_if_not_first, "asks once more over a new connection", 24),
    once_more("goaway-for-what-was-not-begun", goaway_and_gone),
    once_more("refused-stream", resetting(Code.REFUSED_STREAM)),
    once_more("only-in-http-1", resetting(Code.HTTP_1_1_REQUIRED)),
    once_more("closed-without-an-answer", closed_in_silence),
    wrong("refused-stream-always", resetting(Code.REFUSED_STREAM), "refused|reset", times=2),
    wrong("goaway-amid-a-body", goaway_amid, "reset|protocol|truncated"),
    wrong("closed-amid-a-body", closed_amid, "reset|truncated"),
    wrong("reset-stream", resetting(Code.INTERNAL_ERROR), "INTERNAL_ERROR"),
    wrong("cancelled-stream", resetting(Code.CANCEL), "CANCEL"),
    wrong("calm-down", calm, "reset", times=2),  # a kept connection may end at any time
    wrong(
        "reset-amid-a-body",
        said(FINE, FIRST_HALF, lambda number: frames.reset(number, Code.INTERNAL_ERROR)),
        "protocol",
    ),
    wrong("reset-storm", said(lambda number: frames.reset(number, Code.CANCEL) * 5000), "protocol"),
    in_vain("goaway-at-once", frames.settings() + frames.goaway(0)),
    in_vain("no-streams-at-all", frames.settings((Setting.MAX_CONCURRENT_STREAMS, 0))),
    storm("every-stream-reset", Code.INTERNAL_ERROR),
    storm("every-stream-refused", Code.REFUSED_STREAM),
    storm("every-stream-in-http-1", Code.HTTP_1_1_REQUIRED),
    never_well(
        "calm-at-once", frames.settings() + frames.goaway(0, Code.ENHANCE_YOUR_CALM), "robots.txt could not be read"
    ),
    Case(
        "h2-and-nothing-else",
        Kind.HTTP2,
        "asks once more, in HTTP/2, where HTTP/1.1 is not spoken",
        {BAD: over_h2(refused_at_first)},
        AGAIN,
        shield=Shield(protocols=(HTTP_2,)),
    ),
    Case(
        "h2-promised-and-not-spoken",
        Kind.HTTP2,
        "takes it for no answer",
        {"*": speaks_http_1},
        Expect(kept=(), lost=(FRONT,), requests=8),
        shield=Shield(protocols=(HTTP_2,)),
        opening=b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n",
    ),
    Case(
        "h2-spoken-and-not-promised",
        Kind.HTTP2,
        "takes it for no answer",
        {"*": speaks_http_1},
        Expect(kept=(), lost=(FRONT,), requests=8),
        shield=Shield(protocols=(b"spdy/1",), insists=True),
    ),
)
