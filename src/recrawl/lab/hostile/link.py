"""Addresses that nobody should ask for, and some that look like it."""

from recrawl.lab.hostile.case import BAD, FRONT, GOOD, Case, Expect, Kind, page, raw, saying
from recrawl.lab.hostile.redirect import INNER
from recrawl.lab.hostile.wire import HTML, Question, Wire

PLAIN = saying(page("Reached"))

WEIRD = (
    "javascript:alert(1)", "JaVaScRiPt:void(0)", "java\tscript:alert(1)", "mailto:a@example.org", "tel:+123",
    "data:text/html,<a href=/evil>", "file:///etc/passwd", "ftp://127.0.0.1/", "about:blank", "blob:x", "chrome://x",
    "view-source:http://x/", "http:", "http://", "http:///", "https://", "//", "///", "http://:80/", "http://@/",
    "http://[::1", "http://[]/", "http://[::1]:99999/", "http://256.256.256.256/", "http://1.2.3.4.5.6/",
    "http://127.0.0.1:0/", "http://127.0.0.1:99999/", "http://127.0.0.1:-1/", "http://127.0.0.1:80a/",
    "http://user:password@127.0.0.1/", "http://a b/", "http://a%00b/", "http://a\\b/", "http://\u202eevil/",
    "http://xn--/", "http://xn--a/", "http://-a-.example/", "http://" + "a" * 300 + ".example/", "http://" + "a." * 200,
    "http://%zz/", "http://%41%42/", "%", "%%", "%zz", "?", "??", "?#", "#", "#x#y", ":", "::", "/\\evil", "\\\\evil",
    "x" * 20_000, "/" + "a/" * 500, "?" + "&" * 500, "?" + "=&" * 500, "http://\u0130.example/", "http://\uff41.example/",
    "http://127.1/", "http://0/", "http://0x7f.1/", "http://017700000001/", "\x00", "/\x00/x", "\u2028", "\ud7ff",
)  # fmt: skip

FINE = (
    " /reach/spaces ", "/reach/tab\there", "/reach/new\nline", "/reach/ü", "/reach/日本", "/reach/a b",
    "/reach/%2e%2e/x", "/reach/'quote'", "/reach/{braces}", "/reach/|pipe|", "/reach/^caret^", "/reach/100%",
    "/reach/a;b=c", "/reach/*", "/reach/?q=a b&c=ü",
    "/reach/?a[]=1&a[]=2", "\\reach\\backslash", "/reach/\u200bzero", "/reach/😀",
)  # fmt: skip


def quoted(links: tuple[str, ...]) -> bytes:
    anchors = (f'<a href="{link.replace("&", "&amp;").replace(chr(34), "&quot;")}">x</a>' for link in links)
    return page("Links").replace(b"</body>", "".join(anchors).encode("utf-8", "surrogatepass") + b"</body>")


def forms(question: Question) -> bytes:
    return page("Forms").replace(
        b"</body>",
        b'<form action="/delete" method="post"><button></form><form action="/logout"><input name=q></form></body>',
    )


async def inner_links(question: Question, wire: Wire) -> None:
    inner = f"{INNER}:{question.port}"
    links = (
        f"http://{inner}/secret",
        f"//{inner}/x",
        f"http://[::ffff:{INNER}]:{question.port}/",
        "http://2130706433/",
    )
    await wire.answer(quoted(links))


async def secure_link(question: Question, wire: Wire) -> None:
    """https: on a port that speaks plain HTTP."""
    await wire.answer(page("Front page", GOOD, f"https://{question.host}:{question.port}/secure"))


async def form_page(question: Question, wire: Wire) -> None:
    await wire.answer(forms(question))


async def header_links(question: Question, wire: Wire) -> None:
    value = '<javascript:alert(1)>; rel="next", <>; rel=next, <http://[>; rel=next, </reach/next>; rel=next, ,,;;='
    await wire.answer(page("Link header"), HTML, ("Link", value))


CASES = (
    Case(
        "https-on-a-plain-port",
        Kind.CONNECTION,
        "gives up on the handshake",
        {FRONT: secure_link},
        Expect(kept=(FRONT,)),
    ),
    Case(
        "tls-alert-on-a-plain-port",
        Kind.CONNECTION,
        "takes it for no answer",
        {BAD: raw(b"\x15\x03\x01\x00\x02\x02\x46")},
        Expect(lost=(BAD,), says={BAD: "_"}),
    ),
    Case(
        "weird-addresses",
        Kind.LINK,
        "drops what is no page, and goes on",
        {BAD: saying(quoted(WEIRD))},
        Expect(kept=(FRONT, GOOD, BAD), requests=40, never=("/evil",)),
    ),
    Case(
        "odd-but-fine-addresses",
        Kind.LINK,
        "asks for each as a browser would",
        {BAD: saying(quoted(FINE)), "/reach*": PLAIN},
        Expect(kept=(FRONT, GOOD, BAD), requests=40),
    ),
    Case("links-inside", Kind.LINK, "never asks an inner address", {BAD: inner_links}, Expect(kept=(FRONT, GOOD, BAD))),
    Case(
        "forms",
        Kind.LINK,
        "presses no button",
        {BAD: form_page},
        Expect(kept=(FRONT, GOOD, BAD), never=("/delete*", "/logout*")),
    ),
    Case(
        "odd-link-header",
        Kind.LINK,
        "reads what can be read",
        {BAD: header_links, "/reach*": PLAIN},
        Expect(kept=(FRONT, GOOD, BAD)),
    ),
    Case(
        "base-elsewhere",
        Kind.LINK,
        "does not follow links to another host",
        {BAD: saying(b'<base href="http://example.invalid/">' + page("Base", "x", "y"))},
        Expect(kept=(FRONT, GOOD, BAD)),
    ),
    Case(
        "base-javascript",
        Kind.LINK,
        "ignores such a base",
        {BAD: saying(b'<base href="javascript:x">' + page("Base", "good.html"))},
        Expect(kept=(FRONT, GOOD, BAD)),
    ),
    Case(
        "canonical-elsewhere",
        Kind.LINK,
        "keeps the page where it was found",
        {BAD: saying(b'<link rel=canonical href="http://example.invalid/x">' + page("Canonical"))},
        Expect(kept=(FRONT, GOOD, BAD)),
    ),
    Case(
        "canonical-home",
        Kind.LINK,
        "keeps the page where it was found",
        {BAD: saying(b'<link rel=canonical href="/">' + page("Canonical home"))},
        Expect(kept=(FRONT, GOOD, BAD)),
    ),
    Case(
        "dot-segments",
        Kind.LINK,
        "asks for no more than one spelling",
        {BAD: saying(page("Dots", "/d/../d/x", "/d/./x", "/d/%2e/x", "/d//x", "/d/x#a", "/d/x#b")), "/d/*": PLAIN},
        Expect(kept=(FRONT, GOOD, BAD), requests=8),
    ),
)
