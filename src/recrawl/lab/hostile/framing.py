"""Where one answer ends and the next begins: framing that lies, and kept connections that are poisoned."""

from recrawl.lab.hostile.body import BODY, CHUNKED, END, HEAD, chunk, either, lost, taken
from recrawl.lab.hostile.case import BAD, FRONT, GOOD, Case, Expect, Kind, page, raw, saying
from recrawl.lab.hostile.wire import HTML, Question, Wire

LENGTH = b"Content-Length: %d\r\n" % len(BODY)
WHOLE = HEAD + LENGTH + b"\r\n" + BODY
INTERIM = b"HTTP/1.1 100 Continue\r\nContent-Length: 5\r\n\r\nhello"
EVIL = (
    b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 41\r\n\r\n<title>Evil</title>Evil words, not asked."
)
LATE = b"HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
PAGES = tuple(f"/k/{number}" for number in range(6))
HONEST = {path: f"Page {path} tells" for path in PAGES}


def encoded(*lines: bytes) -> bytes:
    return HEAD + b"".join(b"Transfer-Encoding: " + line + b"\r\n" for line in lines) + b"\r\n" + chunk(BODY) + END


def poisoned(name: str, good: str, behind: bytes, closes: bool = False) -> Case:
    """Every answer is followed by bytes that look like the answer to the next question."""

    async def answer(question: Question, wire: Wire) -> None:
        await wire.answer(page(f"Page {question.path}"), HTML, ("Connection", "keep-alive"), behind=behind)
        if closes:
            wire.hang_up()

    front = saying(page("Front", *PAGES))
    return Case(
        name,
        Kind.CONNECTION,
        good,
        {FRONT: front, "/k/*": answer},
        Expect(kept=(FRONT, *PAGES), holds=HONEST, requests=16),
    )


async def no_length_but_body(question: Question, wire: Wire) -> None:
    """Says that there is nothing, and sends something."""
    await wire.answer(b"", behind=EVIL)


async def speaks_http_2(question: Question, wire: Wire) -> None:
    await wire.send(b"\x00\x00\x12\x04\x00\x00\x00\x00\x00" + bytes(18))
    await wire.idle(600.0)


async def parts_for_ever(question: Question, wire: Wire) -> None:
    await wire.head(200, ("Content-Type", "multipart/x-mixed-replace; boundary=b"))
    await wire.endless(b"--b\r\nContent-Type: text/html\r\n\r\n" + BODY + b"\r\n")


async def events_for_ever(question: Question, wire: Wire) -> None:
    await wire.head(200, ("Content-Type", "text/event-stream"))
    await wire.endless(b"data: more\n\n" * 10_000)


NEXT_IS_TRUE = "takes nothing that it did not ask for for an answer to what it asks next"

CASES = (
    poisoned("poisoned-connection", NEXT_IS_TRUE, EVIL),
    poisoned("poisoned-connection-by-halves", NEXT_IS_TRUE, EVIL[:30]),
    poisoned("408-behind-every-answer", NEXT_IS_TRUE, LATE, closes=True),
    poisoned("empty-lines-behind-every-answer", NEXT_IS_TRUE, b"\r\n\r\n\r\n"),
    poisoned("junk-behind-every-answer", NEXT_IS_TRUE, bytes(range(256)) * 40),
    Case(
        "length-zero-with-a-body",
        Kind.CONNECTION,
        NEXT_IS_TRUE,
        {BAD: no_length_but_body},
        Expect(holds={GOOD: "Good page"}),
    ),
    either("chunked-twice", raw(encoded(b"chunked", b"chunked"))),
    either("chunked-and-identity", raw(encoded(b"identity, chunked"))),
    either("chunked-misspelt", raw(encoded(b"xchunked"))),
    either("chunked-in-http-1.0", raw(encoded(b"chunked").replace(b"HTTP/1.1", b"HTTP/1.0"))),
    either("chunked-with-a-space", raw(encoded(b"chunked").replace(b"Encoding:", b"Encoding :"))),
    either("chunked-behind-a-tab", raw(encoded(b"\tchunked"))),
    either("gzip-as-transfer-coding", raw(encoded(b"gzip, chunked"))),
    either("unknown-transfer-coding", raw(encoded(b"rot13"))),
    taken("chunk-sizes-with-zeros", raw(CHUNKED, b"0000" + chunk(BODY), END)),
    either("chunk-sizes-with-very-many-zeros", raw(CHUNKED, b"0" * 50_000 + chunk(BODY), END)),
    either("chunk-sizes-with-spaces", raw(CHUNKED, chunk(BODY, b"   "), END)),
    either("chunks-with-bare-line-feeds", raw(CHUNKED, chunk(BODY).replace(b"\r\n", b"\n"), b"0\n\n")),
    either("chunk-size-in-hex-prefix", raw(CHUNKED, b"0x" + chunk(BODY), END)),
    lost("chunk-size-alone", raw(CHUNKED, b"%x" % len(BODY))),
    either("last-chunk-first", raw(CHUNKED, END, chunk(BODY), END)),
    lost("length-with-a-plus", raw(HEAD + b"Content-Length: +90000\r\n\r\n" + BODY)),
    either("length-in-hex", raw(HEAD + b"Content-Length: 0x20\r\n\r\n" + BODY)),
    either("lengths-in-a-list", raw(HEAD + b"Content-Length: %d, %d\r\n\r\n" % (len(BODY), len(BODY)) + BODY)),
    lost("lengths-that-differ-in-a-list", raw(HEAD + b"Content-Length: %d, 90000\r\n\r\n" % len(BODY) + BODY)),
    either("interim-answer-with-a-body", raw(INTERIM, WHOLE), Kind.HEAD),
    either("many-interim-answers", raw(b"HTTP/1.1 102 Processing\r\n\r\n" * 90, WHOLE), Kind.HEAD),
    either("two-status-lines", raw(b"HTTP/1.1 404 Not Found\r\n" + WHOLE), Kind.HEAD),
    either("long-header-name", raw(HEAD + b"X" * 30_000 + b": y\r\n" + LENGTH + b"\r\n" + BODY), Kind.HEAD),
    either("status-line-without-version", raw(b"HTTP 200 OK\r\n" + LENGTH + b"\r\n" + BODY), Kind.HEAD),
    lost("http-2-unasked", speaks_http_2, "_", Kind.HEAD),
    lost("parts-for-ever", parts_for_ever, "body_too_large"),
    lost("events-for-ever", events_for_ever, "body_too_large"),
)  # fmt: skip
