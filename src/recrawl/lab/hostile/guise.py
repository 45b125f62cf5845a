"""Documents in disguise, giants of other kinds, and servers whose words change under one's hands."""

import gzip

from recrawl.lab.hostile.body import ALL, either, lost, taken
from recrawl.lab.hostile.case import BAD, FRONT, GOOD, ROBOTS, Answer, Case, Expect, Kind, page, saying
from recrawl.lab.hostile.markup import AFTER, TEXT, survive
from recrawl.lab.hostile.robots import FREE, NOTHING, RULES, robots
from recrawl.lab.hostile.signals import NAMESPACE, SITEMAP, names_sitemap, rss, told, urlset
from recrawl.lab.hostile.trap import luck
from recrawl.lab.hostile.wire import HTML, Question, Wire

PLAIN = ("Content-Type", "text/plain")
NAMES = ("b", "big", "code", "em", "font", "i", "s", "small", "strike", "strong", "tt", "u")
SIZE = 3_000_000
PIXELS = b"QUJD" * (SIZE // 4)


def typed(name: str, content_type: str, body: bytes, *headers: tuple[str, str]) -> Case:
    return either(name, saying(body, ("Content-Type", content_type), *headers), Kind.HTML)


async def tag_differs(question: Question, wire: Wire) -> None:
    """Says that nothing has changed, and names a validator that was not asked about."""
    if question.times > 1:
        await wire.head(304, ("ETag", f'"other-{question.times}"'))
    else:
        await wire.answer(page("Once"), HTML, ("ETag", '"first"'))


async def goes_back(question: Question, wire: Wire) -> None:
    year = 2026 - question.times
    await wire.answer(page("Steady"), HTML, ("Last-Modified", f"Thu, 01 Jan {year} 00:00:00 GMT"))


async def then_excuse(question: Question, wire: Wire) -> None:
    """A page once, then an excuse that calls itself a page."""
    excuse = b"<html><title>Error</title><body><h1>Internal Server Error</h1>Database connection failed.</body></html>"
    await wire.answer(page("Once") if question.times == 1 else excuse)


async def then_binary(question: Question, wire: Wire) -> None:
    await wire.answer(page("Once") if question.times == 1 else bytes(range(256)) * 20)


async def now_and_then(question: Question, wire: Wire) -> None:
    """Every other time the rules say something else."""
    await wire.answer(RULES if question.times % 2 else b"User-agent: *\nDisallow: /\n", PLAIN)


async def no_way_back(question: Question, wire: Wire) -> None:
    links = [f"/deep/{luck(question.path, number)[:12]}" for number in range(6)]
    await wire.answer(page(luck(question.path)[:9], *links, text=" ".join(luck(question.path, n) for n in range(60))))


async def any_parameter(question: Question, wire: Wire) -> None:
    links = [f"/any?r={luck(question.path, question.times, number)[:16]}" for number in range(5)]
    await wire.answer(page("Any", *links, text="It says the same whatever is asked. " * 20))


async def grid(question: Question, wire: Wire) -> None:
    """A map that can be moved and zoomed for ever."""
    x, y, zoom = (int(part) for part in [*question.path.split("/"), "0", "0", "0"][2:5])
    links = [f"/map/{x + 1}/{y}/{zoom}", f"/map/{x}/{y + 1}/{zoom}", f"/map/{x}/{y}/{zoom + 1}"]
    await wire.answer(page(f"Map {x} {y}", *links, text=f"This is square {x} {y} at zoom {zoom}. " * 12))


def sitemap(name: str, answer: Answer, *, kept: tuple[str, ...] = (FRONT, GOOD)) -> Case:
    routes = {ROBOTS: names_sitemap, SITEMAP: answer, "/listed.html": saying(page("Listed"))}
    return Case(name, Kind.SIGNAL, "reads what can be read", routes, Expect(kept=kept), bad=())


def coded(text: str, encoding: str) -> Answer:
    async def answer(question: Question, wire: Wire) -> None:
        said = text.replace("{origin}", question.origin).encode(encoding)
        await wire.answer(said, ("Content-Type", "application/xml"))

    return answer


LISTED = urlset("{origin}/listed.html")
READ = (FRONT, GOOD, "/listed.html")
KEEPS = "keeps the good copy"
STEADY = Expect(kept=(FRONT, GOOD, BAD), versions={BAD: 1})

CASES = (
    survive("formatting-that-multiplies", lambda: TEXT + b"".join(b"<p><b a%d=1>" % n for n in range(90_000)) + AFTER),
    survive("formatting-before-tables", lambda: b"".join(b"<i a%d>" % n for n in range(50_000)) + b"<table>x" * 50_000),
    survive("formatting-of-every-kind", lambda: b"".join(f"<{n}>".encode() * 3 for n in NAMES) + b"<p>x" * 180_000),
    survive("picture-in-an-address", lambda: TEXT + b'<img src="data:image/png;base64,' + PIXELS + b'">' + AFTER),
    survive("link-to-a-picture-in-an-address", lambda: TEXT + b'<a href="data:image/png;base64,' + PIXELS + b'">x</a>'),
    survive("only-spaces", lambda: TEXT + b" " * SIZE + AFTER),
    survive("only-line-ends", lambda: TEXT + b"\r\n" * (SIZE // 2) + AFTER),
    survive("giant-doctype", lambda: b"<!doctype " + b"html " * 500_000 + b">" + TEXT),
    survive("instructions", lambda: TEXT + b"<?php echo 1 ?>" * 200_000),
    survive("options", lambda: TEXT + b"<select>" + b"<option value=x>y" * 200_000),
    survive("nested-math", lambda: TEXT + b"<math><mrow>" * 80_000),
    survive("nested-noscript", lambda: TEXT + b"<noscript><p>" * 80_000),
    survive("joined-emoji", lambda: TEXT + "👩‍👩‍👧‍👦".encode() * 150_000),
    survive("non-characters", lambda: TEXT + b"\xef\xbf\xbf\xef\xbf\xbe\xf0\x9f\xbf\xbf" * 200_000),
    survive("ids-without-number", lambda: TEXT + b"".join(b"<p id=i%d class=c%d>x" % (n, n) for n in range(150_000))),
    survive("giant-microdata", lambda: TEXT + b"<div itemscope itemprop=a itemtype=http://schema.org/X>" * 60_000),
    survive("json-ld-storm", lambda: b'<script type="application/ld+json">{"@type":"X"}</script>' * 60_000 + TEXT),
    survive("words-of-one-letter", lambda: TEXT + b"a " * (SIZE // 2)),
    survive("words-all-different", lambda: TEXT + b" ".join(b"w%d" % n for n in range(400_000))),
    typed("attachment-with-a-path", "text/html", page("File"), ("Content-Disposition", 'attachment; filename="../x"')),
    typed("html-called-binary", "application/octet-stream", page("Binary")),
    typed("html-called-json", "application/json", page("Json")),
    typed("html-called-script", "text/javascript", page("Script")),
    typed("gif-called-html", "text/html", b"GIF89a" + bytes(range(256)) * 500),
    typed("type-of-60-kilobytes", "text/html; " + "x=y; " * 12_000, page("Type")),
    typed("type-of-quotes", 'text/html; charset="' + '\\"' * 5000, page("Type")),
    lost("ten-thousand-codings", saying(page("Coded"), HTML, ("Content-Encoding", ",".join(["gzip"] * 10_000))), "bomb|headers_too_large", Kind.CODING),  # noqa: E501
    taken("no-codings-but-commas", saying(page("Commas"), HTML, ("Content-Encoding", "," * 5000)), Kind.CODING),
    taken("three-marks", saying(b"\xef\xbb\xbf" * 3 + page("Marks"), HTML), Kind.CHARSET),
    either("mark-of-utf-16-before-utf-8", saying(b"\xfe\xff" + page("Marks"), HTML), Kind.CHARSET),
    either("utf-16-of-odd-length", saying(b"\xff\xfe" + page("Odd").decode().encode("utf-16-le") + b"x"), Kind.CHARSET),
    either("a-thousand-charsets", saying(b"".join(b"<meta charset=x-%d>" % n for n in range(1000)) + page("Metas")), Kind.CHARSET),  # noqa: E501
    Case("304-with-another-tag", Kind.TRUTH, KEEPS, {BAD: tag_differs}, STEADY),
    Case("last-modified-goes-back", Kind.TRUTH, "compares the content and finds nothing new", {BAD: goes_back}, STEADY),
    Case("error-as-200-from-then-on", Kind.TRUTH, "does not crash over it", {BAD: then_excuse}, ALL),
    Case("binary-from-then-on", Kind.TRUTH, "does not crash over it", {BAD: then_binary}, ALL),
    Case("vary-star", Kind.TRUTH, "keeps it", {BAD: saying(page("Vary"), HTML, ("Vary", "*"))}, ALL),
    robots("robots-204", saying(b"", PLAIN, status=204), Expect(kept=()), "does not crash over it"),
    robots("robots-206", saying(RULES, PLAIN, status=206), Expect(kept=()), "does not crash over it"),
    robots("robots-304-unasked", saying(b"", PLAIN, status=304), NOTHING, "asks for no page while it cannot be read"),
    robots("robots-600", saying(RULES, PLAIN, status=600), NOTHING, "asks for no page while it cannot be read"),
    robots("robots-changes-its-mind", now_and_then, Expect(never=(BAD,)), "keeps to the last word it has heard"),
    robots("robots-of-half-a-megabyte-line", saying(b"Disallow: /" + b"a" * 520_000, PLAIN), FREE, "reads what it may"),
    sitemap("sitemap-in-utf-16", coded(LISTED.replace("?>", ' encoding="utf-16"?>'), "utf-16"), kept=READ),
    sitemap("sitemap-with-mark", coded("\ufeff" + LISTED, "utf-8"), kept=READ),
    sitemap("sitemap-in-cdata", told(urlset("<![CDATA[ {origin}/listed.html ]]>")), kept=READ),
    sitemap("sitemap-without-namespace", told(LISTED.replace(NAMESPACE, "")), kept=READ),
    sitemap("sitemap-that-is-a-feed", told(rss("{origin}/listed.html")), kept=READ),
    sitemap("sitemap-as-text", told("{origin}/listed.html\n{origin}/good.html\n"), kept=READ),
    sitemap("sitemap-gzipped-twice", saying(gzip.compress(gzip.compress(LISTED.encode())), HTML)),
    Case("no-way-back", Kind.TRAP, "sees that every page only leads on", {"/deep/*": no_way_back}, Expect(requests=1200), bad=("/deep/0",)),  # noqa: E501
    Case("any-parameter", Kind.TRAP, "sees that the pages say the same", {"/any*": any_parameter}, Expect(requests=500), bad=("/any",)),  # noqa: E501
    Case("map-without-end", Kind.TRAP, "stops at its limits", {"/map/*": grid}, Expect(requests=1200), bad=("/map/0",)),
)  # fmt: skip
