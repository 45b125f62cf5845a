"""Sitemaps and feeds that lie, swell or blow up."""

import gzip

from recrawl.lab.hostile.case import FRONT, GOOD, ROBOTS, Answer, Case, Expect, Kind, page, saying
from recrawl.lab.hostile.coding import gzip_bomb
from recrawl.lab.hostile.redirect import INNER
from recrawl.lab.hostile.timing import silence
from recrawl.lab.hostile.wire import HTML, Question, Wire

XML = ("Content-Type", "application/xml")
SITEMAP, FEED = "/sitemap.xml", "/feed.xml"
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'
LAUGHS = (
    '<!DOCTYPE x [<!ENTITY a "ha">'
    + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">' for n in range(10))
    + "]>"
)


def urlset(*urls: str, more: str = "") -> str:
    lines = "".join(f"<url><loc>{url}</loc>{more}</url>" for url in urls)
    return f'<?xml version="1.0"?><urlset {NAMESPACE}>{lines}</urlset>'


def index(*urls: str) -> str:
    lines = "".join(f"<sitemap><loc>{url}</loc></sitemap>" for url in urls)
    return f'<?xml version="1.0"?><sitemapindex {NAMESPACE}>{lines}</sitemapindex>'


def rss(*urls: str) -> str:
    items = "".join(f"<item><title>x</title><link>{url}</link></item>" for url in urls)
    return f'<?xml version="1.0"?><rss version="2.0"><channel>{items}</channel></rss>'


def told(text: str) -> Answer:
    """`{origin}` and `{port}` are the server's own."""

    async def answer(question: Question, wire: Wire) -> None:
        await wire.answer(text.replace("{origin}", question.origin).replace("{port}", str(question.port)).encode(), XML)

    return answer


async def names_sitemap(question: Question, wire: Wire) -> None:
    text = f"User-agent: *\nAllow: /\nSitemap: {question.origin}{SITEMAP}\n"
    await wire.answer(text.encode(), ("Content-Type", "text/plain"))


async def index_of_itself(question: Question, wire: Wire) -> None:
    number = int(question.path.rpartition("/")[2].partition(".")[0] or 0) if "/index/" in question.path else 0
    await wire.answer(index(*(f"{question.origin}/index/{number * 3 + n}.xml" for n in (1, 2, 3))).encode(), XML)


async def many(question: Question, wire: Wire) -> None:
    lines = "".join(f"<url><loc>{question.origin}/m/{n}</loc></url>" for n in range(1_000_000))
    await wire.answer(
        gzip.compress(f"<urlset {NAMESPACE}>{lines}</urlset>".encode(), 1), ("Content-Type", "application/gzip")
    )


async def bomb(question: Question, wire: Wire) -> None:
    await wire.answer(gzip_bomb(), ("Content-Type", "application/gzip"))


async def many_sitemaps(question: Question, wire: Wire) -> None:
    text = "User-agent: *\nAllow: /\n" + "".join(f"Sitemap: {question.origin}/s/{n}.xml\n" for n in range(20_000))
    await wire.answer(text.encode(), ("Content-Type", "text/plain"))


def sitemap(name: str, answer: Answer, good: str, expect: Expect | None = None, **routes: Answer) -> Case:
    routes_ = {ROBOTS: names_sitemap, SITEMAP: answer, **{f"/{key}": value for key, value in routes.items()}}
    return Case(name, Kind.SIGNAL, good, routes_, expect or Expect(asked=(SITEMAP,)), bad=())


def feed(name: str, answer: Answer, good: str, expect: Expect | None = None) -> Case:
    front = page(f"Front of {name}", GOOD).replace(
        b"</head>", b'<link rel="alternate" type="application/rss+xml" href="/feed.xml"></head>'
    )
    return Case(name, Kind.SIGNAL, good, {FRONT: saying(front), FEED: answer}, expect or Expect(asked=(FEED,)), bad=())


OUTSIDE = '<!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]>'
SURVIVES = "reads what it may and goes on"

CASES = (
    sitemap("sitemap", told(urlset("{origin}/good.html")), "reads it"),
    sitemap(
        "sitemap-entity-bomb",
        told(f'<?xml version="1.0"?>{LAUGHS}<urlset {NAMESPACE}><url><loc>&k;</loc></url></urlset>'),
        SURVIVES,
    ),
    sitemap(
        "sitemap-external-entity",
        told(f"{OUTSIDE}<urlset {NAMESPACE}><url><loc>&f;</loc></url></urlset>"),
        SURVIVES,
    ),
    sitemap("sitemap-gzip-bomb", bomb, SURVIVES),
    sitemap(
        "sitemap-index-of-itself",
        index_of_itself,
        "reads so many sitemaps and no more",
        Expect(requests=130),
        **{"index/*": index_of_itself},
    ),
    sitemap(
        "sitemap-index-loop",
        told(index("{origin}/sitemap.xml", "{origin}/other.xml")),
        "reads each once",
        Expect(requests=8),
        **{"other.xml": told(index("{origin}/sitemap.xml"))},
    ),
    sitemap(
        "sitemap-of-another-host",
        told(urlset("http://example.invalid/x", f"http://{INNER}:{{port}}/secret", "file:///etc/passwd")),
        "takes only pages of the site",
    ),
    sitemap(
        "sitemap-index-of-another-host",
        told(index(f"http://{INNER}:{{port}}/sitemap.xml")),
        "reads only sitemaps of the site",
    ),
    sitemap("sitemap-html", saying(page("No sitemap"), HTML), SURVIVES),
    sitemap("sitemap-binary", saying(bytes(range(256)) * 1000, XML), SURVIVES),
    sitemap("sitemap-empty", saying(b"", XML), SURVIVES),
    sitemap("sitemap-404", saying(b"", XML, status=404), SURVIVES),
    sitemap("sitemap-silent", silence, SURVIVES),
    sitemap("sitemap-cut-off", told(urlset("{origin}/good.html")[:-12]), "takes what could be read"),
    sitemap("sitemap-deep", saying(b"<a>" * 200_000, XML), SURVIVES),
    sitemap(
        "sitemap-many-attributes",
        saying(b"<urlset " + b"".join(b"a%d='b' " % n for n in range(100_000)) + b"/>", XML),
        SURVIVES,
    ),
    sitemap(
        "sitemap-absurd-dates",
        told(urlset("{origin}/good.html", more="<lastmod>99999-99-99T99:99:99Z</lastmod><priority>NaN</priority>")),
        SURVIVES,
    ),
    sitemap("sitemap-long-address", told(urlset("{origin}/" + "x" * 100_000)), SURVIVES),
    sitemap("sitemap-giant-text", told(urlset("{origin}/good.html", more="<x>" + "y" * 5_000_000 + "</x>")), SURVIVES),
    Case(
        "sitemap-of-a-million",
        Kind.SIGNAL,
        "takes as many as its limits allow",
        {ROBOTS: names_sitemap, SITEMAP: many, "/m/*": saying(b"", HTML, status=404)},
        Expect(requests=200),
        bad=(),
    ),
    Case(
        "robots-of-many-sitemaps",
        Kind.SIGNAL,
        "takes so many and no more",
        {ROBOTS: many_sitemaps, "/s/*": told(urlset("{origin}/good.html"))},
        Expect(requests=130),
        bad=(),
    ),
    feed("feed", told(rss("{origin}/good.html")), "reads it"),
    feed(
        "feed-entity-bomb",
        told(f'<?xml version="1.0"?>{LAUGHS}<rss><channel><item><link>&k;</link></item></channel></rss>'),
        SURVIVES,
    ),
    feed("feed-html", saying(page("No feed"), HTML), SURVIVES),
    feed(
        "feed-of-a-million",
        told(rss(*("{origin}/x" + str(n) for n in range(50_000)))),
        "takes so many and no more",
        Expect(requests=220),
    ),
    feed(
        "feed-of-another-host",
        told(rss(f"http://{INNER}:{{port}}/secret", "javascript:alert(1)", "file:///etc/passwd")),
        "takes only pages of the site",
    ),
    feed("feed-broken", told(rss("{origin}/good.html").replace("</item>", "<<&&")), SURVIVES),
    feed(
        "feed-json-deep",
        saying(b'{"version":"https://jsonfeed.org/version/1.1","items":' + b"[" * 100_000, XML),
        SURVIVES,
    ),
    feed(
        "feed-absurd-dates",
        told(
            rss("{origin}/good.html").replace("<title>", "<pubDate>Fri, 99 Foo 99999 99:99:99 +9999</pubDate><title>")
        ),
        SURVIVES,
    ),
)
