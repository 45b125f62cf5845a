"""Dates are read as their writers meant them; what is relative or has two readings is no date."""

import time
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.extract.values_date import MONTHS, day_or_moment

DAYS = [
    "2026-11-15",
    "2026.11.15",
    "2026. 11. 15.",
    "2026/11/15",
    "20261115",
    "15.11.2026",
    "15-11-2026",
    "15/11/2026",
    "11/15/2026",
    "2026年11月15日",
    "2026年 11月 15日(日)",
    "2026년 11월 15일",
    "令和8年11月15日",
    "Nov 15, 2026",
    "Nov. 15 2026",
    "November 15th, 2026",
    "Sunday, November 15, 2026",
    "15 November 2026",
    "15-Nov-2026",
    "15th of November 2026",
    "15. November 2026",
    "15 novembre 2026",
    "15 de noviembre de 2026",
    "15 listopada 2026",
    "15 ноября 2026 г.",
    "Posted on 15 November 2026 by Ada",
    "Updated 3 days ago (Nov 15, 2026)",
]


@pytest.mark.parametrize("text", DAYS)
def test_a_day_is_read(text: str) -> None:
    assert day_or_moment(text) == "2026-11-15"


MOMENTS = [
    ("2026-11-15T10:30:00+09:00", "2026-11-15T10:30:00+09:00"),
    ("2026-11-15T10:30:00.123Z", "2026-11-15T10:30:00Z"),
    ("2026-11-15 10:30:00 +0900", "2026-11-15T10:30:00+09:00"),
    ("Sun, 15 Nov 2026 10:30:00 GMT", "2026-11-15T10:30:00Z"),
    ("2026.11.15 14:05", "2026-11-15T14:05"),
    ("2026.11.15(일) 10:20", "2026-11-15T10:20"),
    ("2026년 11월 15일 오후 3:30", "2026-11-15T15:30"),
    ("2026年11月15日 午後3時30分", "2026-11-15T15:30"),
    ("2026年11月15日（金）09:05", "2026-11-15T09:05"),
    ("Nov 15, 2026 at 3:05 PM", "2026-11-15T15:05"),
    ("Nov 15, 2026, 12:05 a.m.", "2026-11-15T00:05"),
    ("15.11.2026 um 09:00", "2026-11-15T09:00"),
    ("2026-11-15 99:99", "2026-11-15"),
]


@pytest.mark.parametrize(("text", "moment"), MOMENTS)
def test_a_time_of_day_is_kept_with_its_zone(text: str, moment: str) -> None:
    assert day_or_moment(text) == moment


@pytest.mark.parametrize(
    "text",
    [
        "",
        "3 days ago",
        "yesterday",
        "vor 3 Tagen",
        "어제",
        "3시간 전",
        "昨日",
        "Nov 15",
        "2026-11",
        "November 2026",
        "10:30",
        "03/04/2026",
        "26.11.15",
        "2026-13-45",
        "31.02.2026",
        "v1.2.2026.3",
        "1234567890",
        "Mayor 5 2026",
        "Dismay 5, 2026",
    ],
)
def test_what_is_relative_incomplete_ambiguous_or_impossible_is_no_date(text: str) -> None:
    assert day_or_moment(text) is None


@pytest.mark.parametrize(
    ("text", "locale", "day"),
    [
        ("03/04/2026", "en", "2026-03-04"),
        ("03/04/2026", "en-US", "2026-03-04"),
        ("03/04/2026", "en-GB", "2026-04-03"),
        ("03/04/2026", "fr", "2026-04-03"),
        ("26.11.15", "ko", "2026-11-15"),
        ("15.11.26", "de", "2026-11-15"),
        ("12/25/26", "en-US", "2026-12-25"),
        ("15.11.75", "de", "1975-11-15"),
    ],
)
def test_a_locale_decides_what_the_text_leaves_open(text: str, locale: str, day: str) -> None:
    assert day_or_moment(text, locale) == day


def test_a_day_that_is_its_own_month_needs_no_locale() -> None:
    assert day_or_moment("04/04/2026") == "2026-04-04"


FORMS = ("{0:%Y-%m-%d}", "{0.year}.{0.month}.{0.day}", "{0.day}.{0.month}.{0.year}", "{0.year}年{0.month}月{0.day}日")


@given(st.dates(date(1000, 1, 1)), st.sampled_from(FORMS))
def test_every_day_is_read_from_every_clear_form(day: date, form: str) -> None:
    assert day_or_moment(form.format(day)) == f"{day.year:04}-{day.month:02}-{day.day:02}"


def test_every_name_of_a_month_is_known_in_its_place() -> None:
    for name, month in MONTHS.items():
        assert day_or_moment(f"15 {name.title()} 2026") == f"2026-{month:02}-15", name


@given(st.text(max_size=60))
def test_no_text_makes_it_fail(text: str) -> None:
    day_or_moment(text)
    day_or_moment(text, "ko")


@pytest.mark.parametrize("text", ["1." * 100_000, "2026" * 50_000, "Nov " * 50_000, "2026-11-" * 20_000])
def test_no_text_keeps_it_busy(text: str) -> None:
    started = time.process_time()
    day_or_moment(text)
    assert time.process_time() - started < 1.0
