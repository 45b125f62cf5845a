"""Heads that are too long, too many, broken or not HTTP at all."""

from recrawl.lab.hostile.body import ALL, either, lost, taken
from recrawl.lab.hostile.case import BAD, Case, Expect, Kind, page, raw, saying
from recrawl.lab.hostile.wire import HTML, Question, Wire

BODY = page("Head")
LENGTH = b"Content-Length: %d\r\n" % len(BODY)
TYPE = b"Content-Type: text/html\r\n"
OK = b"HTTP/1.1 200 OK\r\n"


def said(*lines: bytes, start: bytes = OK) -> bytes:
    return start + TYPE + b"".join(line + b"\r\n" for line in lines) + LENGTH + b"\r\n" + BODY


async def endless_headers(question: Question, wire: Wire) -> None:
    await wire.send(OK)
    await wire.endless(b"X-More: yes, there is more\r\n" * 1000)


async def endless_header_line(question: Question, wire: Wire) -> None:
    await wire.send(OK + b"X-Long: ")
    await wire.endless(b"a" * 65_536)


async def endless_status_line(question: Question, wire: Wire) -> None:
    await wire.send(b"HTTP/1.1 200 ")
    await wire.endless(b"O" * 65_536)


async def endless_interim(question: Question, wire: Wire) -> None:
    await wire.endless(b"HTTP/1.1 103 Early Hints\r\nLink: </x.css>; rel=preload\r\n\r\n" * 200)


async def endless_folds(question: Question, wire: Wire) -> None:
    await wire.send(OK + b"X-Folded: a\r\n")
    await wire.endless(b" and more\r\n" * 1000)


async def endless_cookies(question: Question, wire: Wire) -> None:
    cookies = [("Set-Cookie", f"c{number}={'v' * 300}; Path=/") for number in range(150)]
    await wire.answer(page("Cookies"), HTML, *cookies)


async def garbage(question: Question, wire: Wire) -> None:
    await wire.send(bytes(range(256)) * 64)
    wire.hang_up()


async def other_greeting(question: Question, wire: Wire) -> None:
    await wire.send(b"SSH-2.0-OpenSSH_9.6\r\n")
    await wire.idle(600.0)


def head(name: str, *lines: bytes, start: bytes = OK) -> Case:
    return taken(name, raw(said(*lines, start=start)), Kind.HEAD)


def odd(name: str, data: bytes) -> Case:
    return either(name, raw(data), Kind.HEAD)


NO_BODY = Expect(lost=(BAD,), says={BAD: "_"})

CASES = (
    lost("huge-header", raw(said(b"X-Huge: " + b"a" * 2_000_000)), "headers_too_large", Kind.HEAD),
    lost("many-headers", raw(said(*(b"X-%d: y" % number for number in range(20_000)))), "headers_too_large", Kind.HEAD),
    lost("endless-headers", endless_headers, "headers_too_large", Kind.HEAD),
    lost("endless-header-line", endless_header_line, "headers_too_large", Kind.HEAD),
    lost("endless-status-line", endless_status_line, "_", Kind.HEAD),
    lost("endless-interim-answers", endless_interim, "headers_too_large", Kind.HEAD),
    lost("endless-folded-header", endless_folds, "headers_too_large", Kind.HEAD),
    taken("some-interim-answers", raw(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 5, said()), Kind.HEAD),
    head("latin-1-in-headers", b"X-Name: caf\xe9 \xff\xfe"),
    head("utf-8-in-headers", "X-Name: 日本語".encode()),
    odd("nul-in-header", said(b"X-Nul: a\x00b")),
    odd("control-characters-in-header", said(b"X-Bell: \x07\x1b[31mred\x08")),
    odd("header-without-colon", said(b"this is no header")),
    odd("header-without-name", said(b": nameless")),
    odd("space-before-colon", said(b"X-Space : y")),
    head("folded-header", b"X-Folded: one\r\n two\r\n\tthree"),
    odd("bare-line-feeds", said().replace(b"\r\n", b"\n")),
    odd("bare-carriage-returns", said().replace(b"\r\n", b"\r")),
    odd("mixed-line-ends", said(b"A: b").replace(b"\r\n", b"\n", 2)),
    head("no-reason", start=b"HTTP/1.1 200\r\n"),
    head("http-1.0", start=b"HTTP/1.0 200 OK\r\n"),
    odd("http-1.2", said(start=b"HTTP/1.2 200 OK\r\n")),
    odd("http-9.9", said(start=b"HTTP/9.9 200 OK\r\n")),
    odd("lower-case-http", said(start=b"http/1.1 200 OK\r\n")),
    odd("space-before-status-line", b" " + said()),
    odd("empty-lines-before-status-line", b"\r\n\r\n" + said()),
    odd("status-000", said(start=b"HTTP/1.1 000 Nothing\r\n")),
    odd("status-99", said(start=b"HTTP/1.1 99 Low\r\n")),
    odd("status-999", said(start=b"HTTP/1.1 999 Denied\r\n")),
    odd("status-6000", said(start=b"HTTP/1.1 6000 High\r\n")),
    odd("status-negative", said(start=b"HTTP/1.1 -200 OK\r\n")),
    odd("status-is-a-word", said(start=b"HTTP/1.1 OK fine\r\n")),
    lost("no-status-line-http-0.9", raw(BODY), "_", Kind.HEAD, "does not take bytes without a head for a page"),
    lost("garbage", garbage, "_", Kind.HEAD),
    lost("another-protocol", other_greeting, "_", Kind.HEAD),
    lost("only-a-status-line", raw(OK), "_", Kind.HEAD),
    Case(
        "101-switching",
        Kind.HEAD,
        "asked for no upgrade and takes none",
        {
            BAD: raw(
                b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n\x81\x05hello"
            )
        },
        NO_BODY,
    ),
    Case(
        "204-with-body",
        Kind.HEAD,
        "knows that a 204 has no body",
        {BAD: raw(b"HTTP/1.1 204 No Content\r\n" + TYPE + LENGTH + b"\r\n" + BODY)},
        NO_BODY,
    ),
    Case(
        "205-with-body",
        Kind.HEAD,
        "takes it for no document",
        {BAD: saying(BODY, HTML, status=205)},
        NO_BODY,
    ),
    Case(
        "206-unasked",
        Kind.HEAD,
        "takes a part that nobody asked for for no document",
        {BAD: saying(BODY, HTML, ("Content-Range", "bytes 0-99/5000"), status=206)},
        NO_BODY,
    ),
    Case(
        "304-with-body",
        Kind.HEAD,
        "asked no question and takes no 304 for an answer",
        {BAD: raw(b"HTTP/1.1 304 Not Modified\r\n" + TYPE + LENGTH + b"\r\n" + BODY)},
        Expect(lost=(BAD,), says={BAD: "304"}),
    ),
    Case(
        "cookie-flood",
        Kind.HEAD,
        "keeps no cookies and sends none back",
        {BAD: endless_cookies},
        ALL,
    ),
)
