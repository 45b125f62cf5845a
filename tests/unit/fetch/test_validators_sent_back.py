"""What a server gave to be compared goes back as it came, unless it could mean something else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.fetch.dates import render_http_date
from recrawl.fetch.endpoint import locate
from recrawl.fetch.request import (
    any_plain_head,
    condition_lines,
    header_lines,
    odd_condition_lines,
    odd_raw_request,
    standing_part,
)
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
def test_a_plain_head_is_what_python_makes_of_it_or_left_to_it(path: str, etag: str, date: str) -> None:
    standing = [b"Accept: */*"]
    ask = Ask(f"http://e.org/{path}", etag, date)
    asked = (ask.url, len("http://e.org"), etag, date, standing_part("e.org", standing))
    made, in_python = compiled.plain_head(*asked), any_plain_head(*asked)
    assert made in (None, in_python)
    if in_python is not None:
        located = locate(ask.url)
        assert located is not None
        assert in_python == odd_raw_request("e.org", located[1], header_lines(standing, ask), "GET")


@pytest.mark.compiled
def test_the_usual_head_is_plain_with_conditions_or_without() -> None:
    standing = standing_part("e.org", [b"Accept: */*"])
    without = b"GET /a?b HTTP/1.1\r\nHost: e.org\r\nAccept: */*\r\n"
    url, date = "http://e.org/a?b", "Mon, 01 Jan 2024 00:00:00 GMT"
    assert compiled.plain_head(url, 12, "", "", standing) == without + b"\r\n"
    assert compiled.plain_head(url, 12, '"1"', "", standing) == without + b'If-None-Match: "1"\r\n\r\n'
    both = compiled.plain_head(url, 12, '"1"', date, standing)
    assert both == without + f'If-None-Match: "1"\r\nIf-Modified-Since: {date}\r\n\r\n'.encode()
    for place in (-1, 0, 13, 99):
        assert compiled.plain_head(url, place, "", "", standing) is None
