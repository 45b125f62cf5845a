"""Every other way to send a crawler inside: spellings, headers, sitemaps, feeds, hubs and frames."""

from recrawl.lab.hostile.case import BAD, FRONT, GOOD, ROBOTS, Answer, Case, Expect, Kind, page
from recrawl.lab.hostile.redirect import INNER, to_port
from recrawl.lab.hostile.signals import FEED, SITEMAP, index, rss, told, urlset
from recrawl.lab.hostile.wire import HTML, Question, Wire

NEVER = "never asks an inner address, wherever the word comes from"
TARGET = f"http://{INNER}:{{port}}/secret"

SPELLINGS = {
    "without-a-scheme": f"//{INNER}:{{port}}/secret",
    "with-backslashes": f"\\\\{INNER}:{{port}}\\secret",
    "with-one-slash": f"http:/{INNER}:{{port}}/secret",
    "without-slashes": f"http:{INNER}:{{port}}/secret",
    "with-many-slashes": f"http:////{INNER}:{{port}}/secret",
    "behind-a-name": f"http://example.org@{INNER}:{{port}}/secret",
    "behind-a-name-and-a-hash": f"http://example.org#@{INNER}:{{port}}/secret",
    "behind-a-backslash": f"http://{INNER}:{{port}}\\@example.org/secret",
    "with-a-dot-behind": f"http://{INNER}.:{{port}}/secret",
    "in-three-numbers": "http://127.81.1:{port}/secret",
    "in-two-numbers": "http://127.5308417:{port}/secret",
    "in-octal": "http://0177.0121.0.01:{port}/secret",
    "in-hex": "http://0x7f.0x51.0x0.0x1:{port}/secret",
    "in-circled-digits": "http://①②⑦.⑧①.⓪.①:{port}/secret",
    "in-wide-digits": "http://１２７.８１.０.１:{port}/secret",
    "with-wide-dots": "http://127。81。0。1:{port}/secret",
    "percent-encoded": "http://%31%32%37.81.0.1:{port}/secret",
    "with-tabs": "http://127.\t81.0.1:{port}/secret",
    "as-mapped-hex": "http://[::ffff:7f51:1]:{port}/secret",
    "as-compatible": "http://[::7f51:1]:{port}/secret",
    "as-nat64": "http://[64:ff9b::7f51:1]:{port}/secret",
    "as-6to4": "http://[2002:7f51:1::]:{port}/secret",
    "as-teredo": "http://[2001:0:0:0:0:0:80ae:fffe]:{port}/secret",
    "with-a-zone": "http://[fe80::1%25lo]:{port}/secret",
    "to-any-address": "http://0.0.0.0:{port}/secret",
    "to-any-address-in-ipv6": "http://[::]:{port}/secret",
    "to-loopback-in-ipv6": "http://[::1]:{port}/secret",
    "to-localhost": "http://localhost:{port}/secret",
    "to-localhost-with-a-dot": "http://LOCALHOST.:{port}/secret",
    "to-a-name-below-localhost": "http://a.localhost:{port}/secret",
}


def by_redirect(name: str, target: str) -> Case:
    return Case(f"redirect-inside-{name}", Kind.REDIRECT, NEVER, {BAD: to_port(target)}, Expect(lost=(BAD,)))


def saying_inside(body: bytes, *headers: tuple[str, str]) -> Answer:
    """`{port}` in body and headers is the server's own."""

    async def answer(question: Question, wire: Wire) -> None:
        port = str(question.port)
        named = [(name, value.replace("{port}", port)) for name, value in headers]
        await wire.answer(body.replace(b"{port}", port.encode()), HTML, *named)

    return answer


def named_in_robots(*targets: str) -> Answer:
    async def answer(question: Question, wire: Wire) -> None:
        lines = "".join(f"Sitemap: {target.replace('{port}', str(question.port))}\n" for target in targets)
        text = f"User-agent: *\nAllow: /\nSitemap: {question.origin}{SITEMAP}\n{lines}"
        await wire.answer(text.encode(), ("Content-Type", "text/plain"))

    return answer


FRAMES = (
    f'<iframe src="{TARGET}"></iframe><frame src="{TARGET}"><object data="{TARGET}"></object><embed src="{TARGET}">'
    f'<img src="{TARGET}"><link rel="prefetch" href="{TARGET}"><link rel="stylesheet" href="{TARGET}">'
    f'<link rel="alternate" type="application/rss+xml" href="{TARGET}"><link rel="hub" href="{TARGET}">'
    f'<form action="{TARGET}"></form><meta http-equiv="refresh" content="0;url={TARGET}">'
    f'<svg><a xlink:href="{TARGET}">x</a></svg><video poster="{TARGET}"><area href="{TARGET}"><base href="{TARGET}">'
)
HUBS = f'<link rel="hub" href="{TARGET}"/><link rel="self" href="{TARGET}"/><atom:link rel="next" href="{TARGET}"/>'
ATOM = f'<?xml version="1.0"?><feed xmlns="http://www.w3.org/2005/Atom" xmlns:atom="x">{HUBS}</feed>'
ENTITY = f'<?xml version="1.0"?><!DOCTYPE r SYSTEM "{TARGET}" [<!ENTITY e SYSTEM "{TARGET}">]>'
FEED_LINK = b'<link rel="alternate" type="application/atom+xml" href="/feed.xml">'


def with_feed(name: str, text: str) -> Case:
    front = saying_inside(FEED_LINK + page("Front", GOOD))
    return Case(name, Kind.SIGNAL, NEVER, {FRONT: front, FEED: told(text)}, Expect())


CASES = (
    *(by_redirect(name, target) for name, target in SPELLINGS.items()),
    Case(
        "frames-inside",
        Kind.LINK,
        NEVER,
        {BAD: saying_inside(FRAMES.encode() + page("Frames"))},
        Expect(asked=(BAD,)),
    ),
    Case(
        "headers-inside",
        Kind.LINK,
        NEVER,
        {
            BAD: saying_inside(
                page("Headers"),
                ("Link", f'<{TARGET}>; rel="next", <{TARGET}>; rel=hub, <{TARGET}>; rel=canonical'),
                ("Refresh", f"0; url={TARGET}"),
                ("Content-Location", TARGET),
                ("Alt-Svc", f'h2="{INNER}:{{port}}", http/1.1="{INNER}:{{port}}"; ma=9999'),
                ("SourceMap", TARGET),
            )
        },
        Expect(asked=(BAD,)),
    ),
    Case(
        "sitemaps-inside",
        Kind.SIGNAL,
        NEVER,
        {
            ROBOTS: named_in_robots(TARGET, f"http://2136014849:{{port}}{SITEMAP}", f"//{INNER}:{{port}}/x.xml"),
            SITEMAP: told(index(TARGET, f"http://[::ffff:{INNER}]:{{port}}/a.xml", "{origin}/list.xml")),
            "/list.xml": told(urlset(TARGET, "{origin}/good.html", "http://localhost:{port}/x")),
        },
        Expect(),
    ),
    Case(
        "sitemap-redirects-inside",
        Kind.SIGNAL,
        NEVER,
        {ROBOTS: named_in_robots(), SITEMAP: to_port(TARGET)},
        Expect(),
    ),
    with_feed("feed-inside", rss(TARGET, "http://0x7f510001:{port}/x")),
    with_feed("feed-hub-inside", ATOM),
    with_feed("feed-entity-inside", ENTITY + "<rss><channel><item><link>&e;</link></item></channel></rss>"),
)
