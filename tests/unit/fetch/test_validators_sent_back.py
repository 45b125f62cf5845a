"""What a server gave to be compared goes back as it came, unless it could mean something else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.fetch.dates import render_http_date
from recrawl.fetch.request import condition_lines, odd_condition_lines
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
