"""Formatting left open does not multiply, and honest formatting is left alone."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recrawl.extract.document import read
from recrawl.extract.formatting import MOST_ELEMENTS, without_storms
from recrawl.extract.records_page import open_page
from recrawl.extract.turbo import parse

URL, HTML = "https://example.org/", "text/html; charset=utf-8"
NAMES = ("b", "big", "code", "em", "font", "i", "s", "small", "strike", "strong", "tt", "u")

STORMS = {
    "attributes of their own": "".join(f"<p><b a{n}=1>x" for n in range(4000)),
    "before a table": "".join(f"<i a{n}=1>" for n in range(3000)) + "<table><tr>x" * 4000,
    "three of each name": "".join(f"<{name}>" * 3 for name in NAMES) + "<p>x" * 40_000,
    "ends within attributes": "".join(f"<p><b a{n}='></b>'>x" for n in range(4000)),
    "ends within unquoted values": "".join(f'<p><b a{n}=" b=></b>">x' for n in range(4000)),
    "ends that a cell keeps out": "".join(f"<p><b a{n}=1><table><td></b></table>x" for n in range(2000)),
    "ends within comments": "".join(f"<p><b a{n}=1><!--</b>-->x" for n in range(4000)),
    "capital letters": "".join(f"<P><FONT A{n}=1>x" for n in range(4000)),
    "tags within tags": "".join(f"<p><<b>b a{n}=1>x" for n in range(4000)),
    "slashes": "".join(f"<p><tt/a{n}=1>x" for n in range(4000)),
}


@pytest.mark.parametrize("storm", STORMS)
def test_formatting_left_open_does_not_multiply(storm: str) -> None:
    source = without_storms(STORMS[storm])
    elements = sum(1 for _ in parse(source).elements((*NAMES, "p", "table", "tr", "td")))
    assert elements <= MOST_ELEMENTS


def test_a_storm_is_told_and_its_text_and_links_are_read() -> None:
    body = (STORMS["attributes of their own"] + "<p>at the end <a href=/x>a link</a>").encode()
    page = read(body, HTML, URL)
    assert "bold" in page.cut
    assert page.blocks[-1].text == "at the end a link"
    assert [link.url for link in page.links] == [f"{URL}x"]


def test_records_are_read_under_the_same_bounds() -> None:
    page = open_page(STORMS["attributes of their own"].encode() + b"<h1>title</h1>", HTML, URL)
    assert page is not None
    assert len(page.document.select("b")) == 0
    assert page.document.select("h1")[0].text == "title"


HONEST = {
    "bare": "<p>some <b>bold</b> and <em>emphasis</em></p>" * 3000,
    "classes": '<p><code class="literal"><span class="pre">x</span></code> <strong><a href="/a">y</a></strong></p>'
    * 2000,
    "nested": '<li><b>one <i>two <font color="red" size="2">three</font></i></b></li>' * 2000,
    "capitals": "<P>some <B>bold</B> and <I>italics<BR>here</I></P>" * 2000,
}


@pytest.mark.parametrize("page", HONEST)
def test_a_long_page_that_closes_what_it_opens_is_left_alone(page: str) -> None:
    assert without_storms(HONEST[page]) is HONEST[page]
    assert read(HONEST[page].encode(), HTML, URL).cut == ""


TAGS = ["p", "table", "td", "a", "span", "object", "script", "svg", "select", "title"]
ODD = ["x", "<br>", "<!--", "-->", '"', "'", "<b a=1>", '<i b="2">', "<u c='3'>", "<tt/d=4>"]
PIECES = st.sampled_from([f"<{end}{name}>" for name in (*TAGS, *NAMES) for end in ("", "/")] + ODD)


@settings(max_examples=25, deadline=None)
@given(st.lists(PIECES, min_size=1, max_size=8), st.lists(PIECES, min_size=1, max_size=6))
def test_no_mixture_of_tags_becomes_more_elements_than_its_bound(before: list[str], again: list[str]) -> None:
    source = "".join(before) * 60 + "".join(again) * 2500
    elements = sum(1 for _ in parse(without_storms(source))._document.descendants)
    assert elements <= MOST_ELEMENTS + 40 * source.count("<") + len(again) * 5000
