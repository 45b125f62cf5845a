"""Hostile pages cost in proportion to their bytes: four times the page, not sixteen times the work."""

import time

import pytest

from recrawl.extract.document import read
from recrawl.extract.settings import ExtractSettings

URL = "https://example.org/"
GROWTH = 4
TOO_STEEP = 10  # linear grows by 4, quadratic by 16

PAGES = {
    "nested tags": lambda n: "<div>" * n + "x",
    "nested inline tags": lambda n: "<b>" * n + "x",
    "blocks below many inline tags": lambda n: "<span>" * n + "<p>y" * n,
    "nested links": lambda n: "<svg>" + "<a href=x>" * n + "x",
    "links behind markers": lambda n: "<a href=x><object>" * n,
    "nested templates": lambda n: "<template>" * n + "<a href=x>",
    "attributes": lambda n: "<a " + " ".join(f"a{number}=1" for number in range(n)) + " href=x>y</a>",
    "open comments": lambda n: "<!--" * n,
    "open tags": lambda n: "<" * n * 4,
    "late metas behind raw text": lambda n: "\xff" + "<script>" * n + "<meta charset=x>" * n,
    "late metas behind quotes": lambda n: "\xff<p title='" * n + "<meta charset=x>" * n,
    "dots": lambda n: "<a href='" + "../" * n * 4 + "x'>",
    "encoded dots": lambda n: "<a href='/" + "%2e" * n * 4 + "x'>",
    "labels": lambda n: "<a href='http://" + "a." * n * 4 + "x'>",
    "class words": lambda n: "<div class='" + "nav- " * n * 4 + "'>x",
    "style": lambda n: "<div style='" + "; " * n * 4 + "'>x",
    "refresh": lambda n: "<meta http-equiv=refresh content='0" + " " * n * 8 + "'>",
    "one line": lambda n: "x " * n * 20,
    "places": lambda n: "".join(f"<p class=c{'x' * (number % 7)}>y" for number in range(n)),
}


def cost(body: bytes) -> float:
    """CPU seconds of the quickest of three readings."""
    spent = []
    for _ in range(3):
        start = time.process_time()
        read(body, "text/html", URL)
        spent.append(time.process_time() - start)
    return min(spent)


@pytest.mark.parametrize("name", PAGES)
def test_the_work_grows_with_the_bytes(name: str) -> None:
    small, large = (PAGES[name](size).encode("latin-1") for size in (4_000, 4_000 * GROWTH))
    floor = 0.002  # below this the clock says nothing
    assert cost(large) <= TOO_STEEP * max(cost(small), floor)


@pytest.mark.parametrize("header", ["<a>;", "<a>, ", '"', ",", ";", '<a>; rel="', "<"])
def test_header_work_grows_with_the_bytes(header: str) -> None:
    def spent(times: int) -> float:
        start = time.process_time()
        read(b"x", "text/html", URL, headers=[("link", header * times)])
        return time.process_time() - start

    assert min(spent(16_000) for _ in range(3)) <= TOO_STEEP * max(min(spent(4_000) for _ in range(3)), 0.002)


def test_a_million_links_stop_at_the_limit() -> None:
    body = b"<a href=/x>y</a>" * 1_000_000
    page = read(body, "text/html", URL, ExtractSettings(link_limit=500, text_chars=500))
    assert len(page.links) == 500
    assert sum(len(block.text) for block in page.blocks) <= 500


def test_fifty_thousand_nested_tags_and_attributes_are_read() -> None:
    nested = read(b"<div>" * 50_000 + b"deep <a href=/x>y</a>", "text/html", URL)
    assert nested.text == "deep y"
    attributes = b" ".join(b"a%d=1" % number for number in range(50_000))
    assert read(b"<a " + attributes + b" href=/x>y</a>", "text/html", URL).links[0].url == "https://example.org/x"
