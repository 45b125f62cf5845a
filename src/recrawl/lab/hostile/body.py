"""Bodies that are not as long as they say, and connections that break."""

from recrawl.lab.hostile.case import BAD, FRONT, GOOD, Answer, Case, Expect, Kind, page, raw, saying
from recrawl.lab.hostile.wire import HTML, Question, Wire

BODY = page("Body")
HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
END = b"0\r\n\r\n"
MEGABYTE = b"x" * (1 << 20)


def chunk(data: bytes, extension: bytes = b"") -> bytes:
    return b"%x%b\r\n%b\r\n" % (len(data), extension, data)


async def reset_in_the_body(question: Question, wire: Wire) -> None:
    await wire.head(200, HTML, length=len(BODY))
    await wire.send(BODY[:100])
    wire.reset()


async def reset_at_once(question: Question, wire: Wire) -> None:
    wire.reset()


async def closes_at_once(question: Question, wire: Wire) -> None:
    wire.hang_up()


async def reset_in_the_head(question: Question, wire: Wire) -> None:
    await wire.send(b"HTTP/1.1 200 OK\r\nContent-Ty")
    wire.reset()


async def half_closed(question: Question, wire: Wire) -> None:
    await wire.head(200, HTML)
    await wire.send(BODY)
    wire.end_sending()
    await wire.idle(600.0)


async def longer_than_said(question: Question, wire: Wire) -> None:
    await wire.head(200, HTML, length=len(BODY))
    await wire.send(BODY + b"HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nEvil!")


async def endless_length(question: Question, wire: Wire) -> None:
    await wire.head(200, HTML)
    await wire.endless(MEGABYTE)


async def endless_chunks(question: Question, wire: Wire) -> None:
    await wire.send(CHUNKED)
    await wire.endless(chunk(MEGABYTE))


async def endless_small_chunks(question: Question, wire: Wire) -> None:
    await wire.send(CHUNKED)
    await wire.endless(chunk(b"x") * 10_000)


async def endless_trailers(question: Question, wire: Wire) -> None:
    await wire.send(CHUNKED + chunk(BODY) + b"0\r\n")
    await wire.endless(b"X-Trailer: y\r\n" * 1000)


async def endless_chunk_extension(question: Question, wire: Wire) -> None:
    await wire.send(CHUNKED + b"5;")
    await wire.endless(b"x" * 65_536)


async def endless_error_page(question: Question, wire: Wire) -> None:
    await wire.head(404, HTML)
    await wire.endless(MEGABYTE)


async def endless_redirect_body(question: Question, wire: Wire) -> None:
    await wire.head(302, HTML, ("Location", GOOD))
    await wire.endless(MEGABYTE)


async def closed_after_keep_alive(question: Question, wire: Wire) -> None:
    """Says keep-alive and closes behind every answer."""
    await wire.answer(page(f"Page {question.path}"), HTML, ("Connection", "keep-alive"))
    wire.hang_up()


async def odd_requests_fail(question: Question, wire: Wire) -> None:
    if question.times == 1:
        wire.reset()
    await wire.answer(page(f"Second try {question.path}"))


async def binary_stream(question: Question, wire: Wire) -> None:
    await wire.head(200, ("Content-Type", "video/mp4"))
    await wire.endless(b"\x00\x00\x00\x18ftypmp42" + MEGABYTE)


async def no_delay_bytes(question: Question, wire: Wire) -> None:
    """A whole answer in packets of one byte."""
    for letter in b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: %d\r\n\r\n" % len(BODY) + BODY:
        await wire.send(bytes([letter]))


ALL = Expect(kept=(FRONT, GOOD, BAD))
KEEPS = "takes the answer as it is meant"
REFUSES = "keeps nothing of an answer that is not whole, and says why"


def lost(name: str, answer: Answer, says: str = "_", kind: Kind = Kind.BODY, good: str = REFUSES) -> Case:
    return Case(name, kind, good, {BAD: answer}, Expect(lost=(BAD,), says={BAD: says}))


def taken(name: str, answer: Answer, kind: Kind = Kind.BODY, good: str = KEEPS) -> Case:
    return Case(name, kind, good, {BAD: answer}, ALL)


def either(name: str, answer: Answer, kind: Kind = Kind.BODY, good: str = "neither crashes nor waits") -> Case:
    return Case(name, kind, good, {BAD: answer}, Expect(asked=(BAD,)))


CASES = (
    lost("shorter-than-said", raw(HEAD + b"Content-Length: 90000\r\n\r\n" + BODY), "truncated"),
    taken("longer-than-said", longer_than_said, good="takes as many bytes as were said and drops the connection"),
    lost("two-lengths", raw(HEAD + b"Content-Length: 10\r\nContent-Length: 400\r\n\r\n" + BODY)),
    taken(
        "same-length-twice",
        raw(HEAD + (b"Content-Length: %d\r\n" % len(BODY)) * 2 + b"\r\n" + BODY),
    ),
    either(
        "length-and-chunked", raw(HEAD + b"Content-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", chunk(BODY), END)
    ),
    lost("negative-length", raw(HEAD + b"Content-Length: -5\r\n\r\n" + BODY)),
    lost("absurd-length", raw(HEAD + b"Content-Length: 999999999999999999999999\r\n\r\n" + BODY)),
    lost("length-beyond-the-limit", raw(HEAD + b"Content-Length: 90000000000\r\n\r\n" + BODY), "body_too_large"),
    lost("length-is-no-number", raw(HEAD + b"Content-Length: many\r\n\r\n" + BODY)),
    taken("no-length-then-close", raw(HEAD + b"\r\n" + BODY)),
    either("empty-body", saying(b"")),
    lost("endless-body", endless_length, "body_too_large"),
    lost("endless-chunks", endless_chunks, "body_too_large"),
    lost("endless-chunks-of-one-byte", endless_small_chunks),
    lost("endless-trailers", endless_trailers),
    lost("endless-chunk-extension", endless_chunk_extension),
    lost("broken-chunk-size", raw(CHUNKED, chunk(b"<p>"), b"zz\r\nabc\r\n", END)),
    lost("negative-chunk-size", raw(CHUNKED, b"-5\r\nabcde\r\n", END)),
    lost("absurd-chunk-size", raw(CHUNKED, b"FFFFFFFFFFFFFFFFF\r\nabc\r\n", END)),
    lost("chunk-longer-than-said", raw(CHUNKED, b"3\r\nabcdefgh\r\n", END)),
    lost("chunks-without-end", raw(CHUNKED, chunk(BODY))),
    taken("chunk-extensions", raw(CHUNKED, chunk(BODY, b';name="value";x'), END)),
    taken("trailers", raw(CHUNKED, chunk(BODY), b"0\r\nX-Trailer: late\r\nContent-Length: 5\r\n\r\n")),
    lost("reset-in-the-body", reset_in_the_body, "reset"),
    lost("reset-in-the-head", reset_in_the_head),
    lost("reset-at-once", reset_at_once, "reset"),
    lost("closes-at-once", closes_at_once),
    taken("half-closed", half_closed, Kind.CONNECTION),
    taken("packets-of-one-byte", no_delay_bytes, Kind.CONNECTION),
    lost("endless-video", binary_stream, "body_too_large"),
    Case(
        "endless-error-page",
        Kind.BODY,
        "believes the status and stops reading",
        {BAD: endless_error_page},
        Expect(lost=(BAD,), says={BAD: "404"}),
    ),
    Case(
        "endless-redirect-body",
        Kind.BODY,
        "believes the redirect and stops reading",
        {BAD: endless_redirect_body},
        Expect(lost=(BAD,), asked=(GOOD,)),
    ),
    Case(
        "closed-after-keep-alive",
        Kind.CONNECTION,
        "opens another connection and loses no page",
        {FRONT: saying(page("Front", *(f"/k/{number}" for number in range(8)))), "/k/*": closed_after_keep_alive},
        Expect(kept=(FRONT, *(f"/k/{number}" for number in range(8)))),
    ),
    Case(
        "flapping",
        Kind.CONNECTION,
        "takes a failed visit for no evidence and comes back later",
        {"/flap/*": odd_requests_fail},
        Expect(requests=12),
        bad=tuple(f"/flap/{number}" for number in range(4)),
    ),
)
