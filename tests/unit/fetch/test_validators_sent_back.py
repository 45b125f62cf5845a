"""What a server gave to be compared goes back as it came, unless it could mean something else."""

import pytest

from recrawl.fetch.dates import render_http_date
from recrawl.fetch.validators import is_safe_date, is_safe_etag


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
