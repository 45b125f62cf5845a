"""Two misdeeds at once, and back doors to pages that robots.txt closes."""

import gzip
import zlib

import brotli

from recrawl.lab.hostile.body import either, lost, taken
from recrawl.lab.hostile.busy import busy
from recrawl.lab.hostile.case import BAD, FRONT, GOOD, ROBOTS, Answer, Case, Expect, Kind, moved, page, saying
from recrawl.lab.hostile.coding import gzip_bomb
from recrawl.lab.hostile.markup import AFTER, TEXT, survive
from recrawl.lab.hostile.robots import FREE, RULED, RULES, robots
from recrawl.lab.hostile.signals import FEED, SITEMAP, XML, feed, rss, sitemap, told, urlset
from recrawl.lab.hostile.trap import trap
from recrawl.lab.hostile.truth import dated
from recrawl.lab.hostile.wire import HTML, Question, Wire

PLAIN = ("Content-Type", "text/plain")
GZIP, BROTLI = ("Content-Encoding", "gzip"), ("Content-Encoding", "br")
BODY = page("Mixed")
SECRET = "User-agent: *\nDisallow: /secret\nSitemap: {origin}/sitemap.xml\n"
BACK_DOORS = (
    '<meta http-equiv="refresh" content="9; url=/secret/refresh"><link rel=canonical href="/secret/canonical">'
    '<link rel=alternate hreflang=de href="/secret/hreflang"><link rel=next href="/secret/next">'
    '<iframe src="/secret/frame"></iframe><map><area href="/secret/area"></map><a href="/%73ecret/escaped">x</a>'
    '<a href="/a/../secret/dots">x</a><a href="\\secret\\back">x</a><a href="/./secret/dot">x</a>'
    '<a href="{origin}/secret/whole">x</a><a href="/sec&#114;et/reference">x</a><a href="/se\ncret/line">x</a>'
)
SHUT = "asks for no page that robots.txt closes, whoever leads there"


def with_origin(text: str, *headers: tuple[str, str]) -> Answer:
    async def answer(question: Question, wire: Wire) -> None:
        await wire.answer(text.replace("{origin}", question.origin).encode(), *headers)

    return answer


async def dripping_gzip(question: Question, wire: Wire) -> None:
    """Every byte stands for a thousand; there is one now and then."""
    await wire.chunks([], HTML, GZIP)
    for at in range(len(gzip_bomb())):
        await wire.send(b"1\r\n%b\r\n" % gzip_bomb()[at : at + 1])
        await wire.idle(0.3)


async def bomb_in_chunks(question: Question, wire: Wire) -> None:
    bomb = gzip_bomb()
    await wire.chunks((bomb[at : at + 997] for at in range(0, len(bomb), 997)), HTML, GZIP)
    await wire.send(b"0\r\n\r\n")


async def plain_then_bomb(question: Question, wire: Wire) -> None:
    """An honest page, and a bomb behind it as a second member."""
    await wire.answer(gzip.compress(BODY) + gzip_bomb(), HTML, GZIP)


async def mirror(question: Question, wire: Wire) -> None:
    """The whole site once more below every address."""
    name = question.path.rstrip("/").rpartition("/")[2]
    links = [f"{question.path.rstrip('/')}/{one}/" for one in ("news", "shop", "about")]
    await wire.answer(page(f"All about {name}", *links))


async def points_back(question: Question, wire: Wire) -> None:
    other = "/two" if question.path.endswith("one") else "/one"
    head = f'<link rel=canonical href="/loop{other}">'.encode()
    await wire.answer(head + page(f"Page {question.path}", f"/loop{other}"))


def bomb_with(name: str, status: int, *headers: tuple[str, str], kept: tuple[str, ...] = (FRONT, GOOD)) -> Case:
    answer = saying(gzip_bomb(), HTML, GZIP, *headers, status=status)
    return Case(name, Kind.CODING, "believes the head", {BAD: answer}, Expect(kept=kept, lost=(BAD,), requests=12))


def many(piece: str, count: int) -> bytes:
    return "".join(piece.format(n) for n in range(count)).encode()


CASES = (
    lost("dripping-gzip", dripping_gzip, "_", Kind.TIME),
    lost("gzip-bomb-in-chunks", bomb_in_chunks, "bomb", Kind.CODING),
    lost("gzip-bomb-behind-a-page", plain_then_bomb, "bomb", Kind.CODING),
    bomb_with("gzip-bomb-that-is-missing", 404),
    bomb_with("gzip-bomb-that-leads-on", 302, ("Location", GOOD)),
    bomb_with("gzip-bomb-that-is-busy", 503, ("Retry-After", "600"), kept=(FRONT,)),
    lost("zlib-bomb-called-gzip", saying(zlib.compress(bytes(1 << 24)), HTML, GZIP), "_", Kind.CODING),
    robots("robots-gzipped", saying(gzip.compress(RULES), PLAIN, GZIP), RULED, "reads the rules all the same"),
    robots("robots-in-brotli", saying(brotli.compress(RULES), PLAIN, BROTLI), RULED, "reads the rules all the same"),
    robots("robots-gzipped-and-huge", saying(gzip.compress(RULES + b"# filler\n" * 400_000), PLAIN, GZIP), Expect(kept=(), never=(BAD,)), "reads the rules, or nothing"),  # noqa: E501
    robots("robots-gzip-bomb", saying(gzip_bomb(), PLAIN, GZIP), Expect(kept=(), requests=12), "does not blow up over it"),  # noqa: E501
    robots("robots-of-line-ends", saying(b"\r\n" * 300_000, PLAIN), FREE, "takes it for no rules"),
    Case(
        "redirect-to-a-forbidden-page",
        Kind.REDIRECT,
        SHUT,
        {ROBOTS: with_origin(SECRET, PLAIN), BAD: moved("/secret/page"), "/secret*": saying(BODY)},
        Expect(lost=(BAD, "/secret/page"), never=("/secret*",)),
    ),
    Case(
        "back-doors-to-a-forbidden-page",
        Kind.LINK,
        SHUT,
        {
            ROBOTS: with_origin(SECRET, PLAIN),
            BAD: with_origin(BACK_DOORS + BODY.decode(), HTML, ("Link", "</secret/header>; rel=next"), ("Refresh", "9; url=/secret/r")),  # noqa: E501
            FRONT: saying(b'<link rel=alternate type="application/rss+xml" href="/feed.xml">' + page("Front", GOOD, BAD)),  # noqa: E501
            SITEMAP: told(urlset("{origin}/secret/sitemap", "{origin}/%73ecret/sitemap", "{origin}/good.html")),
            FEED: told(rss("{origin}/secret/feed", "{origin}/x/../secret/feed")),
            "/secret*": saying(BODY),
        },
        Expect(kept=(FRONT, GOOD, BAD), asked=(SITEMAP, FEED), never=("/secret*", "/%73ecret*", "/a/../secret*")),
    ),
    busy("503-until-the-year-9999", 503, "Fri, 31 Dec 9999 23:59:59 GMT"),
    busy("503-since-the-year-0", 503, "Sat, 01 Jan 0000 00:00:00 GMT"),
    taken("retry-after-with-a-page", saying(BODY, HTML, ("Retry-After", "99999")), Kind.BUSY),
    dated("last-modified-in-the-year-9999", "Last-Modified", "Fri, 31 Dec 9999 23:59:59 GMT"),
    dated("last-modified-in-the-year-0", "Last-Modified", "Sat, 01 Jan 0000 00:00:00 GMT"),
    dated("expires-in-the-year-9999", "Expires", "Fri, 31 Dec 9999 23:59:59 GMT"),
    sitemap("sitemap-bomb-as-coding", saying(gzip_bomb(), XML, GZIP), "reads what it may and goes on"),
    feed("feed-bomb-as-coding", saying(gzip_bomb(), XML, GZIP), "reads what it may and goes on"),
    either("languages-by-thousands", saying(many('<link rel=alternate hreflang=x-{0} href="/good.html?l={0}">', 30_000) + BODY), Kind.LINK),  # noqa: E501
    survive("links-of-scripts-by-thousands", lambda: TEXT + many('<a href="javascript:go({0})">x</a><a href="data:,{0}">y</a>', 60_000) + AFTER),  # noqa: E501
    survive("robots-metas-by-thousands", lambda: many('<meta name=robots content="max-snippet:{0}, x{0}">', 40_000) + TEXT),  # noqa: E501
    Case("canonical-loop", Kind.LINK, "keeps both", {"/loop/*": points_back}, Expect(kept=(FRONT, "/loop/one", "/loop/two"), requests=10), bad=("/loop/one",)),  # noqa: E501
    trap("mirror-below-every-page", "/mirror/", "/mirror/*", mirror, 600),
)  # fmt: skip
