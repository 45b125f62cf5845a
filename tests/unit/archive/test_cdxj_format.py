"""CDXJ lines and their keys."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.formats.cdxj import PLAIN, CdxLine, parse, render, thorough_parse, thorough_urlkey, urlkey
from recrawl.model.failure import FormatError

WORDS = st.text(st.characters(min_codepoint=33, blacklist_categories=("Cs",)), min_size=1)
TEXTS = st.text(st.characters(blacklist_categories=("Cs",)))
LINES = st.builds(
    CdxLine,
    urlkey=st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1),
    timestamp=st.from_regex("[0-9]{14}", fullmatch=True),
    url=TEXTS,
    mime=TEXTS,
    status=TEXTS,
    digest=TEXTS,
    length=st.integers(0, 1 << 40),
    offset=st.integers(0, 1 << 40),
    filename=WORDS,
    more=st.just(()) | st.tuples(st.tuples(st.just("sha256"), WORDS)),
)


@given(LINES)
def test_what_was_rendered_is_parsed_back(line: CdxLine) -> None:
    text = render(line)
    assert "\n" not in text
    assert text.isascii()
    assert parse(text) == line


@given(
    st.tuples(
        st.sampled_from(["com,a)/", "com,a)/b?c=d", 'com,a)/"']),
        st.sampled_from(["http://a.com/", 'http://a.com/"', "http://a.com/\\", "http://a.com/é", "http://a.com/, "]),
        st.sampled_from(["text/html", "warc/revisit", 'a"b', ""]),
        st.sampled_from(["200", "", "99999"]),
        st.sampled_from(["A" * 32, "", "abc"]),
        st.sampled_from(["f-0.warc.gz", 'f", "x": "y']),
        st.sampled_from([(), (("sha256", "0" * 64),), (("sha256", '"'),), (("url", "http://b.com/"),), (('x"', "y"),)]),
    )
)
def test_the_short_way_of_a_line_reads_and_writes_what_the_long_one_does(parts: tuple[Any, ...]) -> None:
    key, url, mime, status, digest, filename, more = parts
    line = CdxLine(key, "20260101000000", url, mime, status, digest, 10, 20, filename, more)
    text = render(line)
    assert json.loads(text.split(" ", 2)[2]) == {
        name: value
        for name, value in {
            **{"url": url, "mime": mime, "status": status, "digest": digest, "length": "10", "offset": "20"},
            "filename": filename,
            **dict(more),
        }.items()
        if value
    }
    assert parse(text) == thorough_parse(text)


def test_a_line_looks_as_pywb_writes_it() -> None:
    line = CdxLine(
        "com,example)/a", "20240101000000", "http://example.com/a", "text/html", "200", "OK7G", 339, 12, "a.warc.gz"
    )
    assert render(line) == (
        'com,example)/a 20240101000000 {"url": "http://example.com/a", "mime": "text/html", "status": "200", '
        '"digest": "OK7G", "length": "339", "offset": "12", "filename": "a.warc.gz"}'
    )


def test_numbers_of_other_tools_and_fields_of_their_own_are_read() -> None:
    line = parse('com,a)/ 20240101000000 {"offset": 7, "length": 9, "filename": "f", "languages": "kor"}\n')
    assert (line.offset, line.length, line.field("languages"), line.field("none")) == (7, 9, "kor", "")


@pytest.mark.parametrize(
    ("text", "column"),
    [
        ("", 1),
        ("com,a)/", 7),
        ("com,a)/ 20240101000000", 22),
        ("com,a)/ yesterday {}", 9),
        ("com,a)/ 20240101000000 {", 25),
        ("com,a)/ 20240101000000 []", 24),
        ('com,a)/ 20240101000000 {"filename": "f"}', 24),
        ('com,a)/ 20240101000000 {"offset": "x", "filename": "f"}', 24),
        ('com,a)/ 20240101000000 {"offset": null, "filename": "f"}', 24),
        ("com,a)/ 20240101000000 " + "[" * 100_000, 24),
    ],
)
def test_what_cannot_be_read_is_an_error_with_its_place(text: str, column: int) -> None:
    with pytest.raises(FormatError) as wrong:
        parse(text, 3, "index.cdxj")
    assert (wrong.value.line, wrong.value.column, wrong.value.source) == (3, column, "index.cdxj")


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://example.com/", "com,example)/"),
        ("https://www.Example.com:443/A/B?b=2&a=1", "com,example)/a/b?a=1&b=2"),
        ("http://www2.example.com:8080", "com,example:8080)/"),
        ("http://example.com/a/../b//./c/", "com,example)/b/c"),
        ("http://example.com/%7Euser/%E3%81%82", "com,example)/~user/%e3%81%82"),
        ("http://example.com/a%2520b", "com,example)/a%20b"),
        ("http://example.com/?", "com,example)/"),
        ("http://example.com/a?b&b=&a=2", "com,example)/a?a=2&b&b="),
        ("http://user:secret@example.com/", "com,example)/"),
        ("http://example.com/a#part", "com,example)/a"),
        ("http://127.0.0.1:8800/x", "1,0,0,127:8800)/x"),
        ("http://127.1/", "1,0,0,127)/"),
        ("http://[::1]:80/", "::1)/"),
        ("http://한국.kr/", "kr,xn--3e0b707e)/"),
        ("http://example.com/p?x=1&jsessionid=" + "a" * 32 + "&y=2", "com,example)/p?x=1&y=2"),
        ("urn:some:id", "urn:some:id"),
        ("", "-"),
    ],
)
def test_the_key_of_an_address(url: str, key: str) -> None:
    assert urlkey(url) == key


@given(st.text())
def test_any_address_has_a_key_without_white_space(url: str) -> None:
    assert urlkey(url).split() == [urlkey(url)]


@given(st.from_regex(PLAIN.pattern, fullmatch=True))
def test_the_short_way_to_a_key_leads_to_the_same_key(url: str) -> None:
    assert urlkey(url) == thorough_urlkey(url)
