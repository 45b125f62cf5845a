"""robots.txt and what can happen to it."""

from recrawl.lab.hostile.case import BAD, FRONT, GOOD, ROBOTS, Answer, Case, Expect, Kind, moved, raw, saying
from recrawl.lab.hostile.redirect import INNER
from recrawl.lab.hostile.timing import silence, slow_body
from recrawl.lab.hostile.wire import HTML, Question, Wire

TEXT = ("Content-Type", "text/plain")
RULES = b"User-agent: *\nDisallow: /bad.html\n"
NOTHING = Expect(kept=(), never=(FRONT, GOOD, BAD))
RULED = Expect(kept=(FRONT, GOOD), never=(BAD,), lost=(BAD,))
FREE = Expect(kept=(FRONT, GOOD), asked=(BAD,))


async def endless(question: Question, wire: Wire) -> None:
    await wire.head(200, TEXT)
    await wire.send(RULES)
    await wire.endless(b"# more and more\n" * 10_000)


async def reset(question: Question, wire: Wire) -> None:
    wire.reset()


async def counts_up(question: Question, wire: Wire) -> None:
    number = int(question.path.rpartition("/")[2]) if "/r/" in question.path else 0
    await wire.answer(b"", TEXT, ("Location", f"/r/{number + 1}"), status=302)


async def to_inner(question: Question, wire: Wire) -> None:
    await wire.answer(b"", TEXT, ("Location", f"http://{INNER}:{question.port}/robots.txt"), status=302)


def robots(name: str, answer: Answer, expect: Expect, good: str) -> Case:
    return Case(name, Kind.ROBOTS, good, {ROBOTS: answer}, expect)


def closed(name: str, answer: Answer) -> Case:
    return robots(name, answer, NOTHING, "asks for no page while robots.txt cannot be read")


def free(name: str, answer: Answer) -> Case:
    return robots(name, answer, FREE, "takes it for no rules")


def ruled(name: str, body: bytes, *headers: tuple[str, str]) -> Case:
    return robots(name, saying(body, *(headers or (TEXT,))), RULED, "reads the rules all the same")


CASES = (
    closed("robots-500", saying(b"oh", TEXT, status=500)),
    closed("robots-502", saying(b"oh", TEXT, status=502)),
    closed("robots-503", saying(b"busy", TEXT, ("Retry-After", "9999"), status=503)),
    closed("robots-503-for-ever", saying(b"busy", TEXT, ("Retry-After", "9" * 300), status=503)),
    closed("robots-429", saying(b"busy", TEXT, status=429)),
    closed("robots-silent", silence),
    closed("robots-slow", slow_body),
    closed("robots-reset", reset),
    closed("robots-garbage", raw(bytes(range(256)) * 10)),
    closed("robots-truncated", raw(b"HTTP/1.1 200 OK\r\nContent-Length: 900\r\n\r\n" + RULES)),
    closed("robots-gzip-that-is-not", saying(RULES, TEXT, ("Content-Encoding", "gzip"))),
    free("robots-400", saying(b"", TEXT, status=400)),
    free("robots-401", saying(RULES, TEXT, status=401)),
    free("robots-403", saying(RULES, TEXT, status=403)),
    free("robots-404", saying(RULES, TEXT, status=404)),
    free("robots-410", saying(RULES, TEXT, status=410)),
    free("robots-empty", saying(b"", TEXT)),
    free("robots-html", saying(b"<html><body>User-agent: * Disallow: /</body></html>", HTML)),
    free("robots-binary", saying(bytes(range(256)) * 100, TEXT)),
    free("robots-redirect-to-itself", moved(ROBOTS)),
    free("robots-redirect-chain", counts_up),
    Case(
        "robots-redirect-chain-without-end",
        Kind.ROBOTS,
        "gives up after five and takes it for absent",
        {ROBOTS: counts_up, "/r/*": counts_up},
        Expect(kept=(FRONT, GOOD), requests=14),
    ),
    Case(
        "robots-redirect-within",
        Kind.ROBOTS,
        "follows it",
        {ROBOTS: moved("/real-robots.txt"), "/real-robots.txt": saying(RULES, TEXT)},
        RULED,
    ),
    Case(
        "robots-redirect-inside",
        Kind.ROBOTS,
        "never asks an inner address, wherever the word comes from",
        {ROBOTS: to_inner},
        Expect(kept=()),
    ),
    ruled("robots-with-mark", b"\xef\xbb\xbf" + RULES),
    ruled("robots-carriage-returns-only", RULES.replace(b"\n", b"\r")),
    ruled("robots-crlf", RULES.replace(b"\n", b"\r\n")),
    ruled("robots-nul-bytes", b"\x00\n" + RULES),
    ruled("robots-upper-case", RULES.upper().replace(b"/BAD.HTML", b"/bad.html")),
    ruled("robots-spaces", b"  User-agent  :  *  \n\t Disallow\t:\t/bad.html # no\n"),
    ruled("robots-misspelt", b"User agent: *\nDissallow: /bad.html\n"),
    ruled("robots-latin-1", b"# caf\xe9\n" + RULES),
    ruled("robots-as-html-type", RULES, HTML),
    ruled("robots-many-lines", b"Disallow: /x\n" * 5000 + RULES),
    ruled("robots-wildcards", b"User-agent: *\nDisallow: /*ad.h*l$\n"),
    ruled("robots-star-storm", b"User-agent: *\nDisallow: /" + b"*a" * 2000 + b"$\nDisallow: /bad.html\n"),
    ruled("robots-escapes", b"User-agent: *\nDisallow: /b%61d.html\n"),
    ruled(
        "robots-groups",
        b"User-agent: Googlebot\nDisallow:\n\nUser-agent: x\nUser-agent: recrawl\nDisallow: /bad.html\n",
    ),
    ruled("robots-long-line", b"Disallow: /" + b"y" * 100_000 + b"\n" + RULES),
    robots(
        "robots-utf-16", saying(RULES.decode().encode("utf-16"), TEXT), Expect(kept=(FRONT, GOOD)), "does not crash"
    ),
    robots("robots-endless", endless, Expect(kept=(), requests=12), "reads half a megabyte at most, or nothing"),
    robots(
        "robots-huge",
        saying(RULES + b"# filler\n" * 200_000, TEXT),
        RULED,
        "reads at least the first half megabyte",
    ),
    robots("robots-all-forbidden", saying(b"User-agent: *\nDisallow: /\n", TEXT), NOTHING, "asks for nothing"),
    robots(
        "crawl-delay-absurd",
        saying(b"User-agent: *\nCrawl-delay: 99999999999\n", TEXT),
        Expect(kept=(), requests=4),
        "keeps to it, and lets others go on",
    ),
    robots(
        "crawl-delay-garbage",
        saying(b"User-agent: *\nCrawl-delay: soon\nCrawl-delay: -5\nCrawl-delay: nan\nCrawl-delay: 1e999\n", TEXT),
        Expect(kept=(), requests=12),
        "does not crash over it",
    ),
)
