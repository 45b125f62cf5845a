"""What a document costs is bounded before it is parsed, and said."""

import tracemalloc

import pytest

from recrawl.extract.bounds import bounded
from recrawl.extract.document import glance, parse, read
from recrawl.extract.settings import ExtractSettings

URL = "https://example.org/"
HTML = "text/html; charset=utf-8"


def test_a_document_is_read_up_to_its_last_tag_that_counts_and_says_so() -> None:
    body = b"".join(b"<a href=/%d>x</a>" % number for number in range(1000))
    page = read(body, HTML, URL, ExtractSettings(tags=100))
    assert [link.url for link in page.links] == [f"{URL}{number}" for number in range(50)]
    assert "extract.tags" in page.cut


def test_a_document_is_read_up_to_so_many_bytes_and_says_so() -> None:
    body = b"<p>" + b"word " * 1000 + b"<a href=/late>late</a>"
    page = read(body, HTML, URL, ExtractSettings(source_bytes=600))
    assert page.links == ()
    assert page.text.startswith("word word")
    assert "extract.source_bytes" in page.cut


def test_a_document_within_its_limits_is_read_whole_and_says_nothing() -> None:
    body = b"<p>" + b"word " * 1000 + b"<a href=/late>late</a>"
    assert read(body, HTML, URL).cut == ""
    assert len(read(body, HTML, URL).links) == 1


def test_floods_of_nul_are_taken_out() -> None:
    page = read(b"<p>before" + b"\0" * 5000 + b"after<a href=/x>x</a>", HTML, URL)
    assert "beforeafter" in page.blocks[0].text
    assert [link.url for link in page.links] == [f"{URL}x"]


def test_a_link_longer_than_any_address_is_none() -> None:
    body = b'<a href="/' + b"x" * 20_000 + b'">long</a><a href="/short">short</a>'
    assert [link.url for link in read(body, HTML, URL).links] == [f"{URL}short"]


def test_frames_and_metas_count_among_the_links_when_a_page_is_only_glanced_at() -> None:
    body = b"".join(b"<iframe src=/%d></iframe>" % number for number in range(500))
    seen = glance(parse(body, HTML, URL, ExtractSettings(link_limit=100)))
    assert 100 <= len(seen.links) <= 101


def test_a_second_root_with_very_many_attributes_does_not_hold_up_the_parser() -> None:
    """Each would be compared with each: two minutes for a hundred thousand."""
    attributes = b"".join(b" a%d=b" % number for number in range(100_000))
    root = b"<HTML lang=de" + attributes + b">"
    page = read(root + b"<title>t</title>" + root + b"<p>text<a href=/x>x</a>", HTML, URL)
    assert (page.title, page.language) == ("t", "de")
    assert [link.url for link in page.links] == [f"{URL}x"]


@pytest.mark.parametrize("tag", ["<", "<b>", "<HtMl x>"])
def test_a_flood_of_tags_takes_little_memory_before_it_is_cut(tag: str) -> None:
    settings = ExtractSettings()
    source = tag * (settings.source_bytes // len(tag))
    tracemalloc.start()
    try:
        found = bounded(source, len(source), settings)
        _, peak_bytes = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert "extract.tags" in found.cut
    assert peak_bytes < 3 * settings.source_bytes


@pytest.mark.parametrize("ignore", [(), ("nav",)])  # by the compiled part, and by a walk over the tree
@pytest.mark.parametrize("link", [b"<a href=/one>a</a><a href=/two>b</a>", b"<a href=/much-too-long>a</a>"])
def test_a_limit_that_bites_is_told_beside_another_version_too(link: bytes, ignore: tuple[str, ...]) -> None:
    settings = ExtractSettings(link_limit=3, href_chars=10)
    body = b"<nav>x</nav><p>words</p><a href=/zero>z</a>" + link
    alone = parse(body, HTML, URL, settings, ignore=ignore)
    other = parse(b"<p>more</p>" + body.replace(b"<a href=/two>b</a>", b""), HTML, URL, settings, ignore=ignore)
    beside = parse(b"<p>less</p>" + body, HTML, URL, settings, ignore=ignore, beside=other)
    assert beside.links == alone.links
    assert beside.cuts(with_text=False) == alone.cuts(with_text=False) != ""
