"""Answers that are odd by the letter: lines, statuses, framing and headers that somebody, somewhere, sends."""

import gzip
import zlib

import brotli

from recrawl.lab.hostile.body import ALL, BODY, CHUNKED, END, HEAD, chunk, either, lost, taken
from recrawl.lab.hostile.case import BAD, FRONT, GOOD, Answer, Case, Door, Expect, Kind, moved, page, raw, saying
from recrawl.lab.hostile.redirect import INNER, to_port
from recrawl.lab.hostile.wire import HTML, Question, Wire

LENGTH = b"Content-Length: %d\r\n\r\n" % len(BODY)
TYPE = b"Content-Type: text/html\r\n"
LISTED = "/listed.html"
NEVER_ASKED = Expect(kept=(), requests=0)
UNKNOWN = 254  # a window that is larger than a decoder need support


def line(first: bytes) -> Answer:
    """A whole answer behind this status line."""
    return raw(first + b"\r\n" + TYPE + LENGTH + BODY)


def status(number: int, *headers: tuple[str, str], body: bytes = BODY) -> Answer:
    return saying(body, HTML, *headers, status=number)


def no_page(number: int) -> Case:
    """An answer that says by its status that it is not the page."""
    expect = Expect(lost=(BAD,), says={BAD: str(number)})
    return Case(f"status-{number}", Kind.HEAD, "keeps no copy, and says so", {BAD: status(number)}, expect)


def wide_brotli() -> bytes:
    """The first bytes announce a window beyond what RFC 7932 knows."""
    return bytes([0x11, UNKNOWN, *brotli.compress(BODY)])


def with_dictionary() -> bytes:
    packer = zlib.compressobj(zdict=b"A word that both sides should know")
    return packer.compress(BODY) + packer.flush()


def named_gzip() -> bytes:
    """A file name of a megabyte in the head of the member."""
    whole = gzip.compress(BODY, mtime=0)
    return whole[:3] + b"\x08" + whole[4:10] + b"n" * 1_000_000 + b"\0" + whole[10:]


def coded(name: str, body: bytes, coding: str) -> Case:
    return either(name, saying(body, HTML, ("Content-Encoding", coding)), Kind.CODING)


async def before_the_question(question: Question, wire: Wire) -> None:
    """The answer to the next question comes with the answer to this one."""
    evil = b"HTTP/1.1 200 OK\r\n" + TYPE + b"Content-Length: 4\r\n\r\nEvil"
    await wire.answer(page(f"Page {question.path}"), HTML, ("Keep-Alive", "timeout=0, max=0"), behind=evil)


async def early_hints(question: Question, wire: Wire) -> None:
    await wire.send(
        f"HTTP/1.1 103 Early Hints\r\nLink: <http://{INNER}:{question.port}/x>; rel=preload\r\n\r\n".encode()
    )
    await wire.answer(page("Hinted"))


async def other_services(question: Question, wire: Wire) -> None:
    """Names another server as good as this one."""
    there = f"{INNER}:{question.port}"
    await wire.answer(
        page("Elsewhere"), HTML, ("Alt-Svc", f'h2="{there}"; ma=99, h3=":{question.port}"'), ("Content-Location", f"//{there}/x"),  # noqa: E501
        ("SourceMap", f"http://{there}/map"), ("Refresh", f"0; url=http://{there}/refresh"),
    )  # fmt: skip


async def refreshed_by_header(question: Question, wire: Wire) -> None:
    await wire.answer(page("Refreshed"), HTML, ("Refresh", "0; url=/bad.html"))


async def trailers_that_lead_away(question: Question, wire: Wire) -> None:
    away = f"Location: http://{INNER}:{question.port}/\r\nContent-Length: 3\r\nSet-Cookie: a=b\r\nContent-Encoding: gzip\r\n"  # noqa: E501
    await wire.send(CHUNKED + chunk(BODY) + b"0\r\n" + away.encode() + b"\r\n")


def targets(name: str, target: str, asked: str = LISTED) -> Case:
    """A spelling that a browser understands."""
    routes = {BAD: moved(target), asked: saying(page("Arrived"))}
    return Case(
        name, Kind.REDIRECT, "arrives, as a browser does", routes, Expect(lost=(BAD,), kept=(FRONT, GOOD, asked))
    )


def nowhere(name: str, target: str, status: int = 302) -> Case:
    return Case(
        name,
        Kind.REDIRECT,
        "asks nobody else",
        {BAD: to_port(target) if status == 302 else moved(target, status)},
        Expect(lost=(BAD,)),
    )


CASES = (
    Case("door-that-stays-shut", Kind.CONNECTION, "gives up in time", {"/": status(200)}, NEVER_ASKED, door=Door.SHUT),
    Case("nobody-listens", Kind.CONNECTION, "says so, and asks again later", {"/": status(200)}, NEVER_ASKED, door=Door.NONE),  # noqa: E501
    Case("answers-before-the-question", Kind.CONNECTION, "takes no answer for a question it did not ask", {BAD: before_the_question, GOOD: before_the_question}, Expect(kept=(FRONT, GOOD, BAD), holds={BAD: "Page /bad", GOOD: "Page /good"})),  # noqa: E501
    Case("early-hints-inside", Kind.HEAD, "preloads nothing", {BAD: early_hints}, ALL),
    Case("other-services-inside", Kind.HEAD, "asks nobody else", {BAD: other_services}, ALL),
    Case("refresh-header-to-itself", Kind.REDIRECT, "does not go round", {BAD: refreshed_by_header}, Expect(kept=(FRONT, GOOD, BAD), requests=6)),  # noqa: E501
    Case("trailers-that-lead-away", Kind.BODY, "takes trailers for nothing", {BAD: trailers_that_lead_away}, ALL),
    either("status-line-with-tabs", line(b"HTTP/1.1\t200\tOK"), Kind.HEAD),
    either("status-without-space-behind", line(b"HTTP/1.1 200OK"), Kind.HEAD),
    either("status-line-grown-together", line(b"HTTP/1.1200 OK"), Kind.HEAD),
    either("status-of-four-digits", line(b"HTTP/1.1 0200 OK"), Kind.HEAD),
    either("status-with-a-fraction", line(b"HTTP/1.1 200.1 OK"), Kind.HEAD),
    either("icy-answer", line(b"ICY 200 OK"), Kind.HEAD),
    either("http-2-in-plain-letters", line(b"HTTP/2 200"), Kind.HEAD),
    either("reason-of-60-kilobytes", line(b"HTTP/1.1 200 " + b"O" * 60_000), Kind.HEAD),
    either("reason-with-escapes", line(b"HTTP/1.1 200 \x1b[31m\x00<script>"), Kind.HEAD),
    either("length-with-zeros", raw(HEAD + b"Content-Length: 0000%d\r\n\r\n" % len(BODY) + BODY)),
    either("length-in-quotes", raw(HEAD + b'Content-Length: "%d"\r\n\r\n' % len(BODY) + BODY)),
    either("length-folded", raw(HEAD + b"Content-Length:\r\n %d\r\n\r\n" % len(BODY) + BODY)),
    lost("length-of-twenty-digits", raw(HEAD + b"Content-Length: 18446744073709551617\r\n\r\n" + BODY), "_"),
    either("chunked-then-identity", raw(HEAD + b"Transfer-Encoding: chunked, identity\r\n\r\n" + chunk(BODY) + END)),
    either("chunked-with-a-parameter", raw(HEAD + b"Transfer-Encoding: chunked;q=1\r\n\r\n" + chunk(BODY) + END)),
    either("chunked-folded", raw(HEAD + b"Transfer-Encoding:\r\n chunked\r\n\r\n" + chunk(BODY) + END)),
    either("chunk-extension-in-quotes", raw(CHUNKED, chunk(BODY, b';a="\r\n0\r\n"'), END)),
    either("chunk-sizes-in-underscores", raw(CHUNKED, b"1_0\r\n" + b"x" * 16 + b"\r\n", END)),
    either("connection-of-many-words", saying(BODY, HTML, ("Connection", "keep-alive, close, upgrade, te"), ("Upgrade", "h2c")), Kind.HEAD),  # noqa: E501
    either("strict-transport", saying(BODY, HTML, ("Strict-Transport-Security", "max-age=99999999; includeSubDomains"))),  # noqa: E501
    either("digest-that-lies", saying(BODY, HTML, ("Content-MD5", "AAAA"), ("Repr-Digest", "sha-256=:AAAA:"))),
    either("range-of-a-whole", saying(BODY, HTML, ("Content-Range", "bytes 0-5/900"))),
    *(no_page(number) for number in (400, 405, 406, 408, 409, 412, 416, 421, 425, 426, 428, 431, 444, 499, 501, 504, 505, 507, 508, 511, 520, 529)),  # noqa: E501
    *(either(f"status-{number}", status(number, ("Location", f"//{INNER}/x")), Kind.HEAD) for number in (201, 202, 203, 207, 208, 305, 306)),  # noqa: E501
    targets("redirect-303", "{origin}" + LISTED),
    targets("redirect-to-a-query", "?listed", f"{BAD}?listed"),
    targets("redirect-with-dots", "/a/b/../../listed.html"),
    targets("redirect-with-backslashes", "\\listed.html"),
    targets("redirect-with-spaces-around", "  /listed.html \t"),
    targets("redirect-in-capitals", "HTTP:" + LISTED),
    targets("redirect-with-unicode", "/listed-\u00fc.html", "/listed-%C3%BC.html"),
    nowhere("redirect-to-three-slashes", "///"),
    nowhere("redirect-to-an-empty-host", "http:///x"),
    nowhere("redirect-to-a-name-and-password-inside", f"http://a:b@{INNER}:{{port}}/x"),
    nowhere("redirect-to-a-websocket", f"ws://{INNER}:{{port}}/x"),
    nowhere("redirect-to-view-source", f"view-source:http://{INNER}:{{port}}/x"),
    nowhere("redirect-to-a-punycode-name", "http://xn--a-ecp.invalid/"),
    coded("brotli-with-a-wide-window", wide_brotli(), "br"),
    coded("deflate-with-a-dictionary", with_dictionary(), "deflate"),
    coded("gzip-with-a-giant-name", named_gzip(), "gzip"),
    coded("coding-compress", BODY, "compress"),
    coded("coding-with-a-dictionary", BODY, "dcz"),
    coded("coding-with-parameters", gzip.compress(BODY), "gzip;q=1.0"),
    coded("coding-in-quotes", gzip.compress(BODY), '"gzip"'),
    taken("error-page-coded-wrongly", saying(BODY, HTML, ("X-Content-Encoding", "gzip")), Kind.CODING),
)  # fmt: skip
