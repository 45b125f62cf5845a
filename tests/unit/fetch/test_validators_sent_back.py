"""What a server gave to be compared goes back as it came, unless it could mean something else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.fetch.dates import render_http_date
from recrawl.fetch.endpoint import locate
from recrawl.fetch.request import any_plain_request, condition_lines, header_lines, odd_condition_lines
from recrawl.fetch.validators import is_safe_date, is_safe_etag
from recrawl.model.visit import Ask
from recrawl.native import compiled


@pytest.mark.parametrize(
    "etag",
    ['"abc"', 'W/"abc"', '""', '"a,b"', '"\xfc"', "abc", 'w/"abc"', 'W"abc"', 'W\\"abc"', '"abc', "0"],
)
def test_a_tag_is_sent_back_as_it_came(etag: str) -> None:
    assert is_safe_etag(etag)


@pytest.mark.parametrize("etag", ["", "*", " * ", "a, b", "a,*", '"a\nb"', '"a\x00"', '"a\x7f', "x" * 2000, '"\u20ac"'])
def test_a_tag_that_could_mean_something_else_is_not_sent(etag: str) -> None:
    assert not is_safe_etag(etag)


@pytest.mark.parametrize("text", [render_http_date(1.75e9), "Sunday, 06-Nov-94 08:49:37 GMT", "2020-01-01 00:00:00"])
def test_a_modification_date_is_sent_back_as_it_came(text: str) -> None:
    assert is_safe_date(text)


@pytest.mark.parametrize("text", ["", "yesterday", "x" * 80 + "1", "Sun\t1", "1\r\n2"])
def test_what_is_no_date_is_not_sent(text: str) -> None:
    assert not is_safe_date(text)


texts = st.text(st.sampled_from('W/"a*, 9\x7f\x80é\n'), max_size=8) | st.sampled_from(
    ("x" * 65 + "9", '"' + "a" * 1023 + '"')
)


@pytest.mark.compiled
@given(texts | texts.map('"{}"'.format), texts)
def test_conditions_are_written_alike_or_left_to_python(etag: str, date: str) -> None:
    ask = Ask("http://e.org/", etag, date)
    assert compiled.condition_lines(etag, date) in (None, odd_condition_lines(ask))
    assert condition_lines(ask) == odd_condition_lines(ask)


@pytest.mark.compiled
def test_usual_conditions_are_written() -> None:
    assert compiled.condition_lines('W/"a"', "Mon, 01 Jan 2024 00:00:00 GMT") == [
        b'If-None-Match: W/"a"',
        b"If-Modified-Since: Mon, 01 Jan 2024 00:00:00 GMT",
    ]
    assert compiled.condition_lines("", "") == []


@pytest.mark.compiled
@given(st.text(st.sampled_from('/a?b#\\ %"~[]\x7f\u00e9'), max_size=8), texts.map('"{}"'.format), texts)
def test_a_plain_request_is_what_python_makes_of_it_or_left_to_it(path: str, etag: str, date: str) -> None:
    standing = [b"Accept: */*"]
    ask = Ask(f"http://e.org/{path}", etag, date)
    asked = (ask.url, len("http://e.org"), etag, date, standing)
    made, in_python = compiled.plain_request(*asked), any_plain_request(*asked)
    assert made in (None, in_python)
    if in_python is not None:
        located = locate(ask.url)
        assert located is not None
        assert in_python == (located[1], header_lines(standing, ask))


@pytest.mark.compiled
def test_the_usual_request_is_plain_and_one_without_conditions_has_the_standing_lines() -> None:
    standing = [b"Accept: */*"]
    assert compiled.plain_request("http://e.org/a?b", 12, '"1"', "", standing) == (
        "/a?b",
        [b"Accept: */*", b'If-None-Match: "1"'],
    )
    target, lines = compiled.plain_request("http://e.org/", 12, "", "", standing)
    assert (target, lines is standing, len(standing)) == ("/", True, 1)
    for place in (-1, 0, 13, 99):
        assert compiled.plain_request("http://e.org/", place, "", "", standing) is None
