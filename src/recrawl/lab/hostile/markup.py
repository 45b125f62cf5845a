"""Pages that are too much for a parser."""

from collections.abc import Callable
from functools import lru_cache

from recrawl.lab.hostile.body import ALL, either, taken
from recrawl.lab.hostile.case import BAD, FRONT, GOOD, Answer, Case, Expect, Kind, page, saying
from recrawl.lab.hostile.wire import HTML, Question, Wire

GIVES_WHAT_IT_CAN = "reads what its limits allow, loses at most this page, stays quick and small"
TEXT = b"<p>" + b"A word or two about nothing in particular. " * 30 + b"</p>"
AFTER = b'<p><a href="/after.html">after</a>'
SIZE = 8_000_000


def heavy(make: Callable[[], bytes], *headers: tuple[str, str]) -> Answer:
    made = lru_cache(make)

    async def answer(question: Question, wire: Wire) -> None:
        await wire.answer(made(), *(headers or (HTML,)))

    return answer


def survive(name: str, make: Callable[[], bytes], *headers: tuple[str, str]) -> Case:
    return either(name, heavy(make, *headers), Kind.HTML, GIVES_WHAT_IT_CAN)


def million_links() -> bytes:
    return TEXT + b"".join(b'<a href="/l/%d">x</a>' % number for number in range(1_000_000))


async def a_page(question: Question, wire: Wire) -> None:
    await wire.answer(page(f"One of many {question.path}", text=f"Number {question.path} " * 20))


ATTRIBUTES = b"".join(b" a%d=b" % number for number in range(100_000))
SAME_ATTRIBUTE = b" a=b" * 200_000

CASES = (
    Case(
        "a-million-links",
        Kind.HTML,
        "reads so many and no more, and says so",
        {BAD: heavy(million_links), "/l/*": a_page},
        Expect(asked=(BAD,), requests=100),
    ),
    survive("one-line-of-50-megabytes", lambda: TEXT + b"x" * 50_000_000),
    survive("one-word-of-8-megabytes", lambda: TEXT + b"x" * SIZE),
    survive("nested-tags", lambda: TEXT + b"<div>" * 50_000),
    survive("nested-tags-of-8-megabytes", lambda: TEXT + b"<b>" * (SIZE // 3)),
    survive("nested-links", lambda: TEXT + b'<a href="/good.html">' * 100_000),
    survive("nested-tables", lambda: TEXT + b"<table>" * 100_000),
    survive("nested-lists", lambda: TEXT + b"<ul><li>" * 100_000),
    survive("nested-forms", lambda: TEXT + b"<form><input>" * 100_000),
    survive("nested-svg", lambda: TEXT + b"<svg><g>" * 100_000),
    survive("nested-templates", lambda: TEXT + b"<template>" * 100_000),
    survive("nested-frames", lambda: TEXT + b"<frameset><frame src=/good.html>" * 50_000),
    survive("formatting-storm", lambda: TEXT + b"<p>" + b"<b><i><u>" * 20_000 + b"</p><p>" * 20_000),
    survive("many-attributes", lambda: TEXT + b"<p" + ATTRIBUTES + b">text" + AFTER),
    survive("one-attribute-many-times", lambda: TEXT + b"<p" + SAME_ATTRIBUTE + b">text" + AFTER),
    survive("many-attributes-on-many-tags", lambda: TEXT + (b"<p" + ATTRIBUTES[:8000] + b">") * 500),
    survive("many-attributes-on-html", lambda: b"<html" + ATTRIBUTES + b"><html" + ATTRIBUTES + b">" + TEXT),
    survive("giant-attribute", lambda: TEXT + b'<a title="' + b"x" * SIZE + b'" href="/after.html">x</a>'),
    survive("giant-href", lambda: TEXT + b'<a href="/' + b"x/" * (SIZE // 2) + b'">x</a>' + AFTER),
    survive("giant-dotdot", lambda: TEXT + b'<a href="' + b"../" * (SIZE // 3) + b'">x</a>' + AFTER),
    survive("giant-title", lambda: b"<title>" + b"title " * 500_000 + b"</title>" + TEXT),
    survive("giant-tag-name", lambda: TEXT + b"<" + b"x" * SIZE + b">" + AFTER),
    survive("giant-class", lambda: TEXT + b'<div class="' + b"c " * 500_000 + b'">' + TEXT),
    survive("giant-base", lambda: b'<base href="http://' + b"x" * SIZE + b'/">' + TEXT + AFTER),
    survive("unclosed-comment", lambda: TEXT + b"<!--" + b" x" * (SIZE // 2)),
    survive("many-unclosed-comments", lambda: TEXT + b"<!--" * 200_000),
    survive("unclosed-script", lambda: TEXT + b"<script>" + b"var a = '<a href=/x>';" * 100_000),
    survive("unclosed-cdata", lambda: TEXT + b"<svg><![CDATA[" + b"x]]" * 500_000),
    survive("unclosed-title", lambda: b"<title>" + TEXT * 1000),
    survive("unclosed-textarea", lambda: TEXT + b"<textarea>" + b"</textare" * 200_000),
    survive("unclosed-quote", lambda: TEXT + b'<a href="/x' + b" y=z>" * 200_000),
    survive("only-less-than", lambda: TEXT + b"<" * 2_000_000),
    survive("only-ampersands", lambda: TEXT + b"&" * 2_000_000),
    survive("entity-storm", lambda: TEXT + b"&amp;&nbsp;&CounterClockwiseContourIntegral;&#x1F4A9;&#0;" * 100_000),
    survive("number-storm", lambda: TEXT + b"&#" + b"9" * 1_000_000 + b";"),
    survive("nul-bytes", lambda: TEXT + b"\x00" * 4_000_000 + AFTER),
    survive("control-characters", lambda: TEXT + bytes(range(1, 32)) * 100_000),
    survive("many-metas", lambda: b'<meta name="robots" content="all">' * 100_000 + TEXT),
    survive("many-bases", lambda: b'<base href="/x/">' * 100_000 + TEXT + AFTER),
    survive("many-links-in-head", lambda: b'<link rel="alternate" href="/good.html">' * 100_000 + TEXT),
    survive("giant-json-ld", lambda: b'<script type="application/ld+json">' + b"[" * 500_000 + b"</script>" + TEXT),
    survive("giant-srcset", lambda: TEXT + b'<img srcset="' + b"/i.png 1x," * 300_000 + b'">'),
    survive("giant-style", lambda: TEXT + b"<style>" + b"a{b:c}" * 1_000_000 + b"</style>"),
    survive("combining-marks", lambda: TEXT + "a\u0301".encode() * 1_000_000),
    survive("right-to-left-marks", lambda: TEXT + "\u202e\u2066x".encode() * 200_000),
    survive("binary-as-html", lambda: bytes(range(256)) * 8000),
    survive("png-as-html", lambda: b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 4000),
    survive("pdf-as-html", lambda: b"%PDF-1.7\n" + bytes(range(256)) * 4000),
    survive("zip-as-html", lambda: b"PK\x03\x04" + bytes(range(256)) * 4000),
    survive("html-as-png", lambda: TEXT, ("Content-Type", "image/png")),
    survive("html-as-text", lambda: TEXT + AFTER, ("Content-Type", "text/plain")),
    survive("no-content-type", lambda: TEXT + AFTER, ("X-No", "type")),
    survive("broken-content-type", lambda: TEXT + AFTER, ("Content-Type", ";;;/html;charset")),
    survive("two-content-types", lambda: TEXT + AFTER, ("Content-Type", "image/png"), HTML),
    survive("xml-bomb", lambda: _billion_laughs(), ("Content-Type", "application/xml")),
    survive("xhtml-with-entity-bomb", lambda: _billion_laughs(), ("Content-Type", "application/xhtml+xml")),
    survive("xml-external-entity", lambda: _external(), ("Content-Type", "text/xml")),
    survive(
        "broken-xhtml",
        lambda: b"<html xmlns='http://www.w3.org/1999/xhtml'><p>" + TEXT * 20 + b"<p",
        ("Content-Type", "application/xhtml+xml"),
    ),
    survive("deep-xml", lambda: b"<a>" * 200_000, ("Content-Type", "application/xml")),
    survive("deep-json", lambda: b"[" * 1_000_000, ("Content-Type", "application/json")),
    taken(
        "scripts-in-titles",
        saying(
            page(
                "<script>alert(1)</script><img src=x onerror=alert(2)>\"'>",
                text="It says <b onmouseover=alert(3)>x</b>. " * 30,
            )
        ),
        Kind.HTML,
        "keeps it, and shows it nowhere as markup",
    ),
    taken(
        "escape-codes-in-titles",
        saying(page("\x1b[2J\x1b]0;owned\x07 red \x1b[31m")),
        Kind.HTML,
        "keeps it, and sends no terminal code on",
    ),
    Case("empty-front-page", Kind.HTML, "keeps an empty page as it is", {FRONT: saying(b"")}, Expect(kept=())),
    Case(
        "frames-of-itself",
        Kind.HTML,
        "asks for each page once",
        {BAD: saying(page("Frames") + b'<iframe src="/bad.html"></iframe><iframe src="/bad.html#x"></iframe>')},
        Expect(kept=(FRONT, GOOD, BAD), requests=6),
    ),
    Case("plain-page", Kind.HTML, "keeps it", {BAD: saying(page("Plain"))}, ALL),
)


def _billion_laughs() -> bytes:
    lines = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    return f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "ha">{lines}]><x>&l11;</x>'.encode()


def _external() -> bytes:
    return b'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY f SYSTEM "file:///etc/passwd">]><x>&f;</x>'
