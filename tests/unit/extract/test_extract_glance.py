"""Looking at a page without reading it: what the glance says is what reading would have said."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.bench.site import SHAPES, Site

from recrawl.extract.document import glance, parse, read
from recrawl.extract.settings import ExtractSettings

URL = "http://example.com/dir/page.html"
LONG = "A sentence that is long enough to be taken for content by itself, whatever stands around it. "
PIECES = (
    "<main>", "</main>", "<article>", "</article>", "<nav>", "</nav>", "<div class=sidebar>", "</div>", "<div hidden>",
    "<div role=main>", "<aside>", "</aside>", f"<p>{LONG}</p>", f"<p>{LONG * 3}</p>", f"<p><a href=x>{LONG}</a></p>",
    "<p>short</p>", "<h1>Not found</h1>", "<ul><li>one<li>two</ul>", "<footer>", "<noscript>", "</noscript>", "\ufffd",
    "&#xfffd;", "<a href=y>", "</a>", f"<p><script>{LONG * 9}</script></p>", f"<p style='display: none'>{LONG * 9}</p>",
    f"<p>{LONG}<span hidden>{LONG * 9}</span></p>", f"<p>{LONG}<table><tr><td>one</table>", "<svg><p>", "<template>",
    f"<div>{LONG}</div>", f"<table><tr><td>{LONG}<i>{LONG}</i>", f"<li>{LONG}<a href=x>l</a>",
    f"<div>{LONG}<p>{LONG}</div>", f"<p>{LONG}<a href=x>{LONG}</a></p>", f"<blockquote class=nav>{LONG}",
    "<tr><td>one</td><td>two</td></tr>" * 30,
)  # fmt: skip
HREFS = (
    "/a",
    "/a#top",
    "b",
    "../c",
    "//other.example/d",
    "http://example.com/a",
    "mailto:x",
    "",
    " /a ",
    "/ä?q=ö",
    "?p=2",
)


@given(st.lists(st.sampled_from(PIECES), max_size=25).map("".join), st.sampled_from((100, 400, 1200)))
def test_a_page_said_to_have_a_main_text_has_it(page: str, letters: int) -> None:
    body = page.encode()
    if parse(body, "text/html; charset=utf-8", URL).is_plainly_a_page(letters):
        document = read(body, "text/html; charset=utf-8", URL)
        assert sum(len(block.text) for block in document.main) > letters
        assert "\ufffd" not in document.text


def test_a_usual_article_is_plainly_a_page() -> None:
    body = f"<title>t</title><nav><a href=/>Home</a></nav><main>{f'<p>{LONG}</p>' * 20}</main>".encode()
    assert parse(body, "text/html", URL).is_plainly_a_page(1200)
    assert not parse(body, "text/html", URL, ignore=("main",)).is_plainly_a_page(1200)
    assert not parse(body, "text/plain", URL).is_plainly_a_page(1200)


def test_a_table_of_short_cells_and_a_page_without_paragraphs_are_plainly_pages_too() -> None:
    table = "<table>" + "<tr><td>a name</td><td>12.50</td><td>a few words more</td></tr>" * 60 + "</table>"
    for text in (table, f"<div>{LONG}</div>" * 20, f"<ul>{f'<li>{LONG}</li>' * 20}</ul>"):
        body = f"<title>t</title><div class=nav><a href=/>Home</a></div>{text}".encode()
        assert parse(body, "text/html", URL).is_plainly_a_page(1200)
        assert not parse(body, "text/html", URL).is_plainly_a_page(100_000)
    cut = parse(f"<p>{table}".encode(), "text/html", URL, ExtractSettings(node_limit=400))
    assert not cut.is_plainly_a_page(100)  # a limit that bites is told by reading


@given(st.lists(st.tuples(st.sampled_from(HREFS), st.sampled_from(("", "nofollow", "next"))), max_size=12))
def test_links_of_a_glance_are_those_not_met_before(links: list[tuple[str, str]]) -> None:
    anchors = "".join(f'<a href="{href}" rel="{rel}">t</a>' for href, rel in links)
    page = f"<link rel=next href=/next>{anchors}<iframe src=/frame></iframe>".encode()
    everything = read(page, "text/html; charset=utf-8", URL).links
    first = glance(parse(page, "text/html; charset=utf-8", URL)).links
    pairs = [(link.url, link.nofollow) for link in first]
    assert list(dict.fromkeys(pairs)) == list(dict.fromkeys((link.url, link.nofollow) for link in everything))
    met = {link.url for link in everything if not link.nofollow}
    again = glance(parse(page, "text/html; charset=utf-8", URL), met).links
    assert {link.url for link in again} <= {link.url for link in everything}
    nofollow = [link.url for link in everything if link.nofollow]
    assert [link.url for link in again if link.nofollow] == nofollow


def test_a_link_met_before_is_passed_over_however_it_is_written() -> None:
    page = b"<a href=/a>rooted</a><a href=http://example.com/a>whole</a><a href=/new>new</a>"
    met = {"http://example.com/a"}
    assert [link.url for link in glance(parse(page, "text/html", URL), met).links] == ["http://example.com/new"]


def test_links_in_drawings_and_none_in_templates_are_seen_at_a_glance() -> None:
    drawn, hidden = b"<svg><a xlink:href=/two>2</a></svg>", b"<template><a href=/three>3</a></template>"
    page = b"<a href=/one>1</a>" + drawn + hidden + b"<area href=/four>"
    for met in (set[str](), {"http://example.com/one", "http://example.com/four"}):
        seen = {link.url for link in glance(parse(page, "text/html", URL), met).links}
        assert seen == {link.url for link in read(page, "text/html", URL).links if link.url not in met}


@pytest.mark.compiled
def test_a_short_page_is_known_for_one_without_its_tree() -> None:
    site = Site(400, ("127.0.0.1:1234",), shape=SHAPES["notes"])
    looked_closer = 0
    for number in range(0, 400, 5):
        parsed = parse(site.body(number, 0), "text/html; charset=utf-8", URL, met=frozenset())
        for letters in (400, 1_200, 2_500):
            by_tree = replace(parsed, spelt=None)
            looked_closer += not parsed.shows_a_page(letters)
            assert parsed.is_plainly_a_page(letters) == by_tree.is_plainly_a_page(letters)
        assert "_planted" not in vars(parsed)
    assert looked_closer
