"""HTTP/2 whose frames and fields are malformed, too many or never end."""

from recrawl.lab.hostile import frames
from recrawl.lab.hostile.case import BAD, FRONT, GOOD, Case, Expect, Kind, page, saying
from recrawl.lab.hostile.frames import INDEXED, Code, Setting, Type, block, remembered
from recrawl.lab.hostile.http2 import (
    BODY,
    FINE,
    FIRST_HALF,
    H2,
    PAGES,
    PLAIN_TYPE,
    SECOND_HALF,
    Spoken,
    head,
    literally,
    never_well,
    over_h2,
    said,
    tail,
    with_field,
    without_head,
    wrong,
)
from recrawl.lab.hostile.shield import HTTP_1, HTTP_2, Shield
from recrawl.lab.hostile.stream import Stream
from recrawl.lab.hostile.wire import HTML, Question

OK = (":status", "200")
PING = frames.frame(Type.PING, 0, 0, bytes(8))
ENTRY = remembered("x-large", "v" * 4000)
HUGE = 16_000  # fields that one frame means by a byte each: 64 MB
BROKEN = "protocol|reset|headers_too_large|truncated"


def flooding(piece: bytes, before: Spoken | None = None) -> Spoken:
    """The same frames until the client has had enough."""
    many = piece * max(1, 16_384 // len(piece))

    async def say(question: Question, stream: Stream) -> None:
        if before:
            await before(question, stream)
        await stream.endless(many)

    return say


def endless(name: str, piece: bytes, before: Spoken | None = None, times: int = 2) -> Case:
    """Where nothing else had come, it is asked for once more in HTTP/1.1."""
    return wrong(name, flooding(piece, before), "timeout|slow|protocol|reset", times, kind=Kind.TIME)


def either(name: str, say: Spoken) -> Case:
    """Some clients pass over it, some do not; nobody may be led astray by it."""
    more = PAGES[:2]
    expect = Expect(kept=(FRONT, GOOD, *more), never=("/smuggled*", "/pushed*"), times={BAD: 1})
    routes = {BAD: over_h2(say), "/k/*": saying(page("Another"))}
    return Case(
        f"h2-{name}", Kind.HTTP2, "takes the page without it, or not at all", routes, expect, (BAD, *more), shield=H2
    )


async def flooded_on_its_stream(question: Question, stream: Stream) -> None:
    await said(FINE)(question, stream)
    await stream.endless(frames.data(stream.number, b"") * 1000)


async def continued_for_ever(question: Question, stream: Stream) -> None:
    await stream.send(frames.frame(Type.HEADERS, 0, stream.number, block(OK)))
    await stream.endless(frames.frame(Type.CONTINUATION, 0, stream.number, block(("x", "y" * 1000))) * 10)


async def continued_with_nothing(question: Question, stream: Stream) -> None:
    await stream.send(frames.frame(Type.HEADERS, 0, stream.number, block(OK)))
    await stream.endless(frames.frame(Type.CONTINUATION, 0, stream.number) * 1000)


async def hints_for_ever(question: Question, stream: Stream) -> None:
    await stream.endless(frames.headers(stream.number, block((":status", "103"), ("link", "</x>"))) * 100)


async def trailers_for_ever(question: Question, stream: Stream) -> None:
    await said(FINE, tail(end=False))(question, stream)
    await stream.send(frames.frame(Type.HEADERS, frames.END_STREAM, stream.number, block(("x", "y"))))
    await stream.endless(frames.frame(Type.CONTINUATION, 0, stream.number, block(("x", "y" * 1000))) * 10)


async def bomb(question: Question, stream: Stream) -> None:
    await stream.send(frames.headers(stream.number, block(OK) + ENTRY + INDEXED * 12_000))


async def bomb_in_trailers(question: Question, stream: Stream) -> None:
    await said(FINE, tail(end=False))(question, stream)
    await stream.send(frames.headers(stream.number, ENTRY + INDEXED * 12_000, end=True))


async def bomb_in_hints(question: Question, stream: Stream) -> None:
    for _ in range(200):
        await stream.send(frames.headers(stream.number, block((":status", "103")) + ENTRY + INDEXED * 10))


async def body_for_ever(question: Question, stream: Stream) -> None:
    await stream.head(200, HTML)
    while True:
        await stream.body(b"x" * 65_536, end=False)


async def beyond_the_window(question: Question, stream: Stream) -> None:
    await stream.head(200, HTML)
    await stream.endless(frames.data(stream.number, b"x" * 16_384))


async def stalls(question: Question, stream: Stream) -> None:
    await said(FINE, FIRST_HALF)(question, stream)
    await stream.idle(600.0)


async def drips(question: Question, stream: Stream) -> None:
    await stream.head(200, HTML)
    while True:
        await stream.send(frames.data(stream.number, b"x"))
        await stream.idle(0.3)


async def pings_now_and_then(question: Question, stream: Stream) -> None:
    await stream.endless(PING, pause_s=0.05)


async def nothing(question: Question, stream: Stream) -> None:
    await stream.idle(600.0)


def promise(number: int) -> bytes:
    wanted = block((":method", "GET"), (":scheme", "https"), (":authority", "127.81.0.1"), (":path", "/pushed.html"))
    pushed = frames.headers(2, block(OK, PLAIN_TYPE)) + frames.data(2, page("Pushed", "/pushed-too.html"), end=True)
    return frames.frame(Type.PUSH_PROMISE, frames.END_HEADERS, number, (2).to_bytes(4, "big") + wanted) + pushed


def other_stream(number: int) -> bytes:
    return frames.headers(number + 98, block(OK, PLAIN_TYPE)) + frames.data(number + 98, BODY, end=True)


def of_length(length: int) -> Spoken:
    return said(head(OK, PLAIN_TYPE, ("content-length", str(length))), tail())


async def counted(question: Question, stream: Stream) -> None:
    """Slow enough that a second question would be seen; whoever asks two at once is sent to the wrong page."""
    if question.headers.get(":authority", "").rpartition(":")[0] != question.host:
        await stream.answer(b"", HTML, ("Location", "/coalesced"), status=302)
        return
    await stream.idle(0.05)
    target = "/at-once" if stream.talk.under_way > 1 else ""
    await (
        stream.answer(b"", HTML, ("Location", target), status=302)
        if target
        else stream.answer(page(f"Page {question.path} of {question.host}"))
    )


def shared(name: str) -> Case:
    """Two names, one address, one certificate for both, and a server that says it answers for both."""
    names = b"".join(
        len(one).to_bytes(2, "big") + one for one in (b"https://one.shared.localhost", b"https://two.shared.localhost")
    )
    pages = tuple(f"/p/{number}" for number in range(5))
    return Case(
        f"h2-shared-by-two-{name}",
        Kind.TLS,
        "asks each name over a connection of its own, one page at a time",
        {FRONT: saying(page(f"Front of {name}", *pages)), "/p/*": over_h2(counted)},
        Expect(kept=(FRONT, *pages), never=("/coalesced", "/at-once"), requests=10),
        bad=(),
        shield=Shield(protocols=(HTTP_2, HTTP_1), name=f"{name}.shared", certified="*.shared.localhost"),
        opening=frames.settings() + frames.frame(Type.ORIGIN, 0, 0, names),
    )


CASES = (
    # fields
    wrong("name-in-capitals", with_field("X-Loud", "1"), BROKEN),
    wrong("connection-field", with_field("connection", "keep-alive"), BROKEN),
    wrong("chunked", with_field("transfer-encoding", "chunked"), BROKEN),
    wrong(
        "two-lengths", said(head(OK, PLAIN_TYPE, ("content-length", "10"), ("content-length", "11")), tail()), BROKEN
    ),
    wrong("no-status", without_head(PLAIN_TYPE), BROKEN),
    wrong("two-statuses", without_head(OK, (":status", "404"), PLAIN_TYPE), BROKEN),
    wrong("status-of-letters", without_head((":status", "fine"), PLAIN_TYPE), BROKEN),
    wrong("status-101", said(head((":status", "101")), FINE, tail()), BROKEN),
    wrong("status-behind-the-fields", without_head(PLAIN_TYPE, OK), BROKEN),
    wrong("unknown-pseudo-field", without_head(OK, (":path", "/"), PLAIN_TYPE), BROKEN),
    wrong("pseudo-field-in-trailers", said(FINE, tail(end=False), head((":status", "404"), end=True)), BROKEN),
    wrong("hint-that-ends-it", said(head((":status", "103"), end=True)), BROKEN),
    either("line-break-in-a-value", with_field("x-a", "b\r\nLocation: /smuggled")),
    either("line-break-in-a-name", with_field("x-a: b\r\nlocation", "/smuggled")),
    either("nul-in-a-value", with_field("x-a", "b\x00c")),
    either("empty-name", with_field("", "b")),
    either("space-in-a-name", with_field("x a", "b")),
    either("bytes-in-a-value", with_field("x-a", "\xff\xfe\x80")),
    # header compression
    wrong("header-bomb", bomb, BROKEN),
    wrong("header-bomb-in-hints", bomb_in_hints, BROKEN),
    wrong("continuation-without-end", continued_for_ever, BROKEN),
    wrong("continuation-of-nothing", continued_with_nothing, BROKEN),
    wrong("hints-without-end", hints_for_ever, BROKEN),
    wrong("index-of-nothing", said(lambda number: frames.headers(number, b"\xff\xff\x7f")), BROKEN),
    wrong(
        "table-beyond-its-size",
        said(lambda number: frames.headers(number, b"\x3f\xff\xff\xff\x7f" + block(OK))),
        BROKEN,
    ),
    wrong("number-without-end", said(lambda number: frames.headers(number, b"\x7f" + b"\xff" * 8000)), BROKEN),
    either("header-bomb-in-trailers", bomb_in_trailers),
    either("trailers-without-end", trailers_for_ever),
    # bodies
    wrong("longer-than-said", of_length(len(BODY) - 100), BROKEN),
    wrong("shorter-than-said", of_length(len(BODY) + 100), BROKEN),
    wrong("body-before-the-head", said(tail(end=False), FINE, tail()), BROKEN),
    wrong("body-without-end", body_for_ever, "body_too_large"),
    wrong("beyond-the-window", beyond_the_window, f"body_too_large|{BROKEN}"),
    wrong(
        "padding-beyond-the-frame",
        said(FINE, lambda number: frames.frame(Type.DATA, frames.PADDED, number, b"\xff" + BODY[:9])),
        BROKEN,
    ),
    either("body-behind-the-end", said(FINE, tail(), tail(page("More", "/smuggled")))),
    either("head-behind-the-end", said(FINE, tail(), FINE, tail(page("More", "/smuggled")))),
    # streams and frames
    either("push", said(promise, FINE, tail())),
    either("another-stream", said(other_stream, FINE, tail())),
    either("even-stream", said(literally(frames.headers(2, block(OK)) + frames.data(2, b"x", end=True)), FINE, tail())),
    either("body-for-nobody", said(literally(frames.data(0, b"x" * 100)), FINE, tail())),
    either("frame-too-large", said(FINE, lambda number: frames.data(number, BODY + b" " * 70_000, end=True))),
    either("reset-of-nobody", said(literally(frames.reset(0, Code.CANCEL)), FINE, tail())),
    either("ping-of-three-bytes", said(literally(frames.frame(Type.PING, 0, 0, b"abc")), FINE, tail())),
    either("settings-of-five-bytes", said(literally(frames.frame(Type.SETTINGS, 0, 0, b"abcde")), FINE, tail())),
    either("window-that-is-none", said(FINE, lambda number: frames.window(number, 0), tail())),
    either("window-without-measure", said(FINE, *[lambda number: frames.window(number, 2**31 - 1)] * 2, tail())),
    either("window-of-the-whole-without-measure", said(literally(frames.window(0, 2**31 - 1) * 2), FINE, tail())),
    either("push-switched-on", said(literally(frames.settings((Setting.ENABLE_PUSH, 1))), FINE, tail())),
    either("frames-of-one-byte", said(literally(frames.settings((Setting.MAX_FRAME_SIZE, 1))), FINE, tail())),
    either("garbage-between", said(FINE, FIRST_HALF, literally(bytes(range(255, -1, -1)) * 9), SECOND_HALF)),
    either(
        "elsewhere-offered",
        said(
            literally(frames.frame(Type.ALTSVC, 0, 0, b"\x00\x15https://127.0.0.1:443" + b'h2="127.81.0.1:80"')),
            FINE,
            tail(),
        ),
    ),
    never_well("settings-never-come", frames.frame(Type.UNKNOWN, 0, 0), "robots.txt could not be read"),
    never_well("garbage-at-once", bytes(range(256)) * 40, "robots.txt could not be read"),
    # what lasts
    wrong("deaf-to-a-goodbye", said(other_stream), "timeout|protocol", kind=Kind.TIME),
    endless("ping-flood", PING),
    endless("settings-flood", frames.settings((Setting.HEADER_TABLE_SIZE, 4096))),
    endless("flood-of-priorities", frames.frame(Type.PRIORITY, 0, 1, bytes(4) + b"\x10")),
    endless("flood-of-windows", frames.window(0, 1)),
    endless("flood-of-unknown-frames", frames.frame(Type.UNKNOWN, 0, 0, b"?" * 100)),
    endless("ping-flood-within-a-body", PING, said(FINE, FIRST_HALF), times=1),
    wrong("flood-of-empty-bodies", flooded_on_its_stream, "timeout|slow|protocol", kind=Kind.TIME),
    wrong("stall-amid-a-body", stalls, "slow|timeout", kind=Kind.TIME),
    wrong("drips", drips, "slow|timeout", kind=Kind.TIME),
    wrong("silence", nothing, "timeout", kind=Kind.TIME),
    wrong("pings-and-no-answer", pings_now_and_then, "timeout", kind=Kind.TIME),
    shared("one"),
    shared("two"),
)
