"""Freshness, age and validators as RFC 9111 and RFC 9110 have them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.fetch.caching import (
    Validators,
    age_s,
    cache_control,
    fresh_for_s,
    freshness_lifetime_s,
    is_strong_date,
    is_weak,
    same_tag,
    validators_of,
)
from recrawl.fetch.dates import render_http_date

NOW = 1_750_000_000.0


def date(after_s: float) -> str:
    return render_http_date(NOW + after_s)


@pytest.mark.parametrize(
    ("value", "lifetime_s"),
    [
        ("max-age=3600", 3600.0),
        ("MaX-aGe=3600", 3600.0),
        ("public, max-age=3600", 3600.0),
        ("foobar, max-age=3600", 3600.0),
        ("max-age=3600, foobar", 3600.0),
        ("max-age=003600", 3600.0),
        ('max-age="3600"', 3600.0),
        ('max-age="36\\00"', 3600.0),
        ("max-age=0", 0.0),
        ("max-age=-3600", 0.0),
        ("max-age=3600.0", 0.0),
        ("max-age='3600'", 0.0),
        ("max-age =3600", 0.0),
        ("max-age= 3600", 0.0),
        ("max-age=a3600", 0.0),
        ("max-age=3600a", 0.0),
        ("max-age", 0.0),
        ("max-age=", 0.0),
        ("max-age=٣٦", 0.0),
        ('extension="max-age=3600", max-age=1', 1.0),
        ('max-age=1, extension="max-age=3600"', 1.0),
        ('extension="a, max-age=3600", max-age=1', 1.0),
        ("max-age=1800, max-age=1", 1800.0),
        ("max-age=2147483648", 2147483648.0),
        ("max-age=99999999999", 2147483648.0),
        ("max-age=" + "9" * 5000, 2147483648.0),
        ("max-age=" + "0" * 5000 + "60", 60.0),
        ("no-cache", 0.0),
        ("no-cache, max-age=3600", 0.0),
        ("max-age=3600, no-store", 0.0),
        ("s-maxage=3600, max-age=1", 1.0),
        ("s-maxage=3600", None),
        ("", None),
        ("public", None),
        (",,max-age=60,,", 60.0),
    ],
)
def test_cache_control_gives_the_lifetime(value: str, lifetime_s: float | None) -> None:
    assert freshness_lifetime_s([("Cache-Control", value)], NOW) == lifetime_s


def test_the_first_of_two_lines_wins() -> None:
    headers = [("cache-control", "max-age=1800"), ("cache-control", "max-age=1")]
    assert freshness_lifetime_s(headers, NOW) == 1800.0


@pytest.mark.parametrize(
    ("headers", "lifetime_s"),
    [
        ([("expires", date(60)), ("date", date(0))], 60.0),
        ([("expires", date(60))], 60.0),
        ([("expires", date(60)), ("date", "foo")], 60.0),
        ([("expires", date(-60)), ("date", date(0))], 0.0),
        ([("expires", date(300)), ("date", date(400))], 0.0),
        ([("expires", "0"), ("date", date(0))], 0.0),
        ([("expires", "Thu, 18 Aug 2050 02:01:18 UTC")], 0.0),
        ([("expires", "Thu 18 Aug 2050 02:01:18 GMT")], 0.0),
        ([("expires", "")], 0.0),
        ([("expires", date(60)), ("expires", date(600)), ("date", date(0))], 60.0),
        ([("cache-control", "max-age=5"), ("expires", date(600)), ("date", date(0))], 5.0),
        ([("cache-control", "max-age=0"), ("expires", date(600)), ("date", date(0))], 0.0),
        ([("cache-control", "public"), ("expires", date(600)), ("date", date(0))], 600.0),
        ([("pragma", "no-cache")], 0.0),
        ([("pragma", "no-cache"), ("cache-control", "public")], None),
        ([], None),
    ],
)
def test_expires_counts_where_max_age_is_silent(headers: list[tuple[str, str]], lifetime_s: float | None) -> None:
    assert freshness_lifetime_s(headers, NOW) == lifetime_s


def test_silence_is_a_tenth_of_the_age_when_guessing_is_wanted() -> None:
    headers = [("last-modified", date(-3600)), ("date", date(0))]
    assert freshness_lifetime_s(headers, NOW) is None
    assert freshness_lifetime_s(headers, NOW, heuristic=True) == 360.0
    assert freshness_lifetime_s([("last-modified", "0")], NOW, heuristic=True) is None


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ([("age", "30")], 30.0),
        ([("age", "30"), ("date", date(-50))], 50.0),
        ([("age", "70"), ("date", date(-50))], 70.0),
        ([("age", "abc")], 0.0),
        ([("age", "-7200")], 0.0),
        ([("age", "7200.0")], 0.0),
        ([("age", "7200,0")], 7200.0),
        ([("age", "0, 7200")], 0.0),
        ([("age", "7200"), ("age", "0")], 7200.0),
        ([("age", "9" * 5000)], 2147483648.0),
        ([("date", date(+500))], 0.0),
        ([], 0.0),
    ],
)
def test_age_is_what_the_caches_or_the_clocks_say(headers: list[tuple[str, str]], seconds: float) -> None:
    assert age_s(headers, NOW) == seconds


def test_what_is_left_is_lifetime_less_age() -> None:
    headers = [("cache-control", "max-age=100"), ("age", "30"), ("date", date(0))]
    assert fresh_for_s(headers, NOW) == 70.0
    assert fresh_for_s([*headers, ("age", "1")], NOW) == 70.0
    assert fresh_for_s([("cache-control", "max-age=10"), ("age", "30")], NOW) == 0.0
    assert fresh_for_s([], NOW) == 0.0


@pytest.mark.parametrize(
    "etag",
    ['"abc"', 'W/"abc"', '""', '"a,b"', '"\xfc"', "abc", 'w/"abc"', 'W"abc"', 'W\\"abc"', '"abc', "0"],
)
def test_a_tag_is_sent_back_as_it_came(etag: str) -> None:
    assert validators_of([("etag", etag)]) == Validators(etag=etag)


@pytest.mark.parametrize("etag", ["", "*", " * ", "a, b", "a,*", '"a\nb"', '"a\x00"', '"a\x7f', "x" * 2000, '"\u20ac"'])
def test_a_tag_that_could_mean_something_else_is_not_sent(etag: str) -> None:
    assert not validators_of([("etag", etag)])


def test_fields_that_contradict_themselves_are_no_validators() -> None:
    assert not validators_of([("etag", '"a"'), ("etag", '"b"')])
    assert validators_of([("etag", '"a"'), ("ETag", '"a"')]).etag == '"a"'
    assert not validators_of([("last-modified", date(0)), ("last-modified", date(1))])


def test_a_modification_date_is_sent_back_as_it_came() -> None:
    for text in (date(-5), "Sunday, 06-Nov-94 08:49:37 GMT", "2020-01-01 00:00:00"):
        assert validators_of([("Last-Modified", text)]) == Validators(last_modified=text)
    for text in ("", "yesterday", "x" * 80 + "1", "Sun\t1", "1\r\n2"):
        assert not validators_of([("Last-Modified", text)])


def test_weakness_is_seen_and_overlooked_in_comparison() -> None:
    assert is_weak('W/"a"') and not is_weak('"a"') and not is_weak('w/"a"')
    assert same_tag('W/"a"', '"a"') and not same_tag('"a"', '"b"')


def test_a_modification_date_is_strong_a_minute_later() -> None:
    assert is_strong_date([("last-modified", date(-60)), ("date", date(0))], NOW)
    assert not is_strong_date([("last-modified", date(-59)), ("date", date(0))], NOW)
    assert not is_strong_date([("date", date(0))], NOW)


@given(st.lists(st.text(alphabet='max-age=, "\\0159;\t', max_size=40), max_size=3))
def test_no_cache_control_breaks_the_reader(values: list[str]) -> None:
    headers = [("cache-control", value) for value in values]
    assert all(name == name.lower() for name in cache_control(headers))
    lifetime_s = freshness_lifetime_s(headers, NOW)
    assert lifetime_s is None or lifetime_s >= 0.0
