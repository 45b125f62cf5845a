"""HTTP dates and Retry-After."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.fetch.dates import parse_http_date, render_http_date
from recrawl.fetch.retry_after import LONGEST_S, retry_after_s

NOW = 1_750_000_000.0  # June 2025
THE_MOMENT = 784_111_777.0  # RFC 9110's example

GOOD = [
    "Sun, 06 Nov 1994 08:49:37 GMT",
    "Sunday, 06-Nov-94 08:49:37 GMT",
    "Sun Nov  6 08:49:37 1994",
    "SUN, 06 NOV 1994 08:49:37 gmt",
    " Sun, 06 Nov 1994 08:49:37 GMT ",
    "Mon, 06 Nov 1994 08:49:37 GMT",  # the wrong day of the week is ignored
]

BAD = [
    "",
    "0",
    "-1",
    "now",
    "Sun, 06 Nov 1994 08:49:37 UTC",
    "Sun, 06 Nov 1994 08:49:37 +0000",
    "Sun, 06 Nov 1994 08:49:37",
    "Sun, 06 Nov 94 08:49:37 GMT",
    "Sun 06 Nov 1994 08:49:37 GMT",
    "Sun, 06  Nov  1994 08:49:37 GMT",
    "Sun, 06-Nov-1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 08.49.37 GMT",
    "Sun, 6 Nov 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 8:49:37 GMT",
    "Sun, 31 Feb 1994 08:49:37 GMT",
    "Sun, 06 Nov 1994 24:00:00 GMT",
    "Sun, 06 Nov 1994 08:61:37 GMT",
    "Sun, 06 Nov 1994 08:49:37 GMT; more",
    "Sun, ٠٦ Nov 1994 08:49:37 GMT",
    "1994-11-06T08:49:37Z",
    "784111777",
]


@pytest.mark.parametrize("text", GOOD)
def test_all_three_forms_mean_the_same_moment(text: str) -> None:
    assert parse_http_date(text, NOW) == THE_MOMENT


@pytest.mark.parametrize("text", BAD)
def test_anything_else_is_no_date(text: str) -> None:
    assert parse_http_date(text, NOW) is None


def test_a_two_digit_year_never_lies_more_than_fifty_years_ahead() -> None:
    def year(text: str) -> str:
        return render_http_date(parse_http_date(f"Sunday, 06-Nov-{text} 08:49:37 GMT", NOW) or 0.0)[12:16]

    assert [year(text) for text in ("00", "25", "75", "76", "99")] == ["2000", "2025", "2075", "1976", "1999"]


def test_a_leap_second_is_read_as_the_second_before_it() -> None:
    assert parse_http_date("Sat, 31 Dec 2016 23:59:60 GMT", NOW) == 1483228799.0


@given(st.integers(0, 253_402_300_799))
def test_a_rendered_date_reads_back(at: int) -> None:
    assert parse_http_date(render_http_date(float(at)), NOW) == at


@given(st.text(max_size=60))
def test_no_text_breaks_the_date_reader(text: str) -> None:
    at = parse_http_date(text, NOW)
    assert at is None or isinstance(at, float)


@pytest.mark.parametrize(
    ("value", "seconds"),
    [
        ("120", 120.0),
        (" 120 ", 120.0),
        ("0", 0.0),
        ("007", 7.0),
        (render_http_date(NOW + 90), 90.0),
        (render_http_date(NOW - 90), 0.0),
        ("99999999999999999999999", LONGEST_S),
        ("9" * 5000, LONGEST_S),
        (render_http_date(NOW + 10 * 365 * 86400), LONGEST_S),
        ("", None),
        ("-5", None),
        ("1.5", None),
        ("+5", None),
        ("soon", None),
        ("٣", None),
        ("120, 240", None),
    ],
)
def test_retry_after_is_seconds_or_a_date_within_reason(value: str, seconds: float | None) -> None:
    assert retry_after_s(value, NOW) == seconds
