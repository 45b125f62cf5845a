"""Tempers bring about the changes they promise: so many, so spread, in those hours."""

from itertools import pairwise
from statistics import fmean, pvariance

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recrawl.lab.chance import half_of, key_of
from recrawl.lab.histories import History, Stream, history_of
from recrawl.lab.tempers import (
    BY_DAY,
    BY_NIGHT,
    DAY_S,
    HOUR_S,
    HOURLY,
    MONDAY_AT,
    ON_WEEKDAYS,
    STILL,
    WEEK_S,
    Bursty,
    Poisson,
    Rhythm,
    Temper,
)

ORIGIN_AT = 1_767_225_600.0
TEMPERS: tuple[Temper, ...] = (
    Poisson(7 * HOUR_S),
    Poisson(45.0),
    Rhythm(5 * HOUR_S, BY_DAY),
    Rhythm(5 * HOUR_S, ON_WEEKDAYS),
    Bursty(WEEK_S, 6 * HOUR_S, 9.0),
    HOURLY,
    STILL,
)


def histories(temper: Temper, count: int) -> list[History]:
    return [history_of(temper, key_of("page", number), ORIGIN_AT) for number in range(count)]


def hours_of(temper: Temper) -> set[tuple[int, int]]:
    """(day of the week, hour) of the changes of a year."""
    history = history_of(temper, 99, ORIGIN_AT)
    moments = history.between(ORIGIN_AT, ORIGIN_AT + 365 * DAY_S)
    return {(int((at - 1 - MONDAY_AT) % WEEK_S // DAY_S), int((at - 1) % DAY_S // HOUR_S)) for at in moments}


@pytest.mark.parametrize("mean_gap_s", [60.0, HOUR_S, 3 * DAY_S])
def test_a_poisson_page_changes_as_often_and_as_irregularly_as_it_should(mean_gap_s: float) -> None:
    counts = [history.span(ORIGIN_AT + 40 * mean_gap_s).count for history in histories(Poisson(mean_gap_s), 2000)]
    assert fmean(counts) == pytest.approx(40, rel=0.02)
    assert pvariance(counts) == pytest.approx(40, rel=0.12)


def test_the_gaps_of_a_poisson_page_have_no_memory() -> None:
    moments = history_of(Poisson(DAY_S), 5, ORIGIN_AT).between(ORIGIN_AT, ORIGIN_AT + 4000 * DAY_S)
    gaps = [after - before for before, after in pairwise(moments)]
    longer = [gap for gap in gaps if gap > DAY_S]
    assert fmean(gaps) == pytest.approx(DAY_S, rel=0.06)
    assert len(longer) / len(gaps) == pytest.approx(0.3679, abs=0.03)
    assert fmean(longer) == pytest.approx(2 * DAY_S, rel=0.08)


def test_rhythms_keep_to_their_hours_and_use_them_all() -> None:
    every_day = range(7)
    assert hours_of(Rhythm(HOUR_S, BY_DAY)) == {(day, hour) for day in every_day for hour in range(8, 20)}
    night = {*range(20, 24), *range(8)}
    assert hours_of(Rhythm(HOUR_S, BY_NIGHT)) == {(day, hour) for day in every_day for hour in night}
    assert hours_of(Rhythm(HOUR_S, ON_WEEKDAYS)) == {(day, hour) for day in range(5) for hour in range(9, 18)}


def test_a_rhythm_keeps_its_mean_gap_over_the_week() -> None:
    counts = [history.span(ORIGIN_AT + 4 * WEEK_S).count for history in histories(Rhythm(12 * HOUR_S, BY_DAY), 500)]
    assert fmean(counts) == pytest.approx(56, rel=0.03)


def test_a_bursty_page_is_silent_but_for_one_burst_in_every_stretch() -> None:
    moments = history_of(Bursty(WEEK_S, 6 * HOUR_S, 20.0), 4, ORIGIN_AT).between(ORIGIN_AT, ORIGIN_AT + 50 * WEEK_S)
    weeks: dict[int, list[float]] = {}
    for at in moments:
        weeks.setdefault(int((at - 1) // WEEK_S), []).append(at)
    assert len(weeks) >= 50
    assert all(week[-1] - week[0] <= 6 * HOUR_S for week in weeks.values())
    assert len(moments) == pytest.approx(1000, rel=0.1)


def test_an_hourly_page_changes_once_an_hour_at_a_minute_of_its_own() -> None:
    minutes = set()
    for history in histories(HOURLY, 50):
        moments = history.between(ORIGIN_AT, ORIGIN_AT + DAY_S)
        assert len(moments) == 24
        assert {after - before for before, after in pairwise(moments)} == {HOUR_S}
        minutes.add(moments[0] % HOUR_S)
    assert len(minutes) > 30


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(TEMPERS), st.integers(0, 2**64 - 1), st.floats(-DAY_S, 20 * DAY_S), st.floats(0, 2 * DAY_S))
def test_a_span_is_bounded_by_the_changes_around_it(temper: Temper, key: int, wait_s: float, more_s: float) -> None:
    history = history_of(temper, key, ORIGIN_AT)
    at = ORIGIN_AT + wait_s
    span = history.span(at)
    assert span.until_at > at
    assert (span.since_at is None) is (span.count == 0)
    if span.since_at is not None:
        assert ORIGIN_AT < span.since_at <= at
        assert history.span(span.since_at).count == span.count
        assert history.span(span.since_at - 1).count < span.count
        assert history.moment(span.count) == span.since_at
    later = history.span(at + more_s)
    assert later.count - span.count == len(history.between(at, at + more_s))
    assert (later.count > span.count) is (span.until_at <= at + more_s)


def test_the_far_future_is_as_near_as_tomorrow() -> None:
    stream = Stream(Poisson(HOUR_S), 3, ORIGIN_AT)
    century = stream.span(ORIGIN_AT + 100 * 365 * DAY_S)
    assert century.count == pytest.approx(100 * 365 * 24, rel=0.01)
    assert stream.moment(century.count) == century.since_at


@pytest.mark.parametrize("count", [1, 7, 64, 65, 400])
def test_a_half_is_binomial(count: int) -> None:
    halves = [half_of(count, 12, place) for place in range(4000)]
    assert fmean(halves) == pytest.approx(count / 2, rel=0.03)
    assert pvariance(halves) == pytest.approx(count / 4, rel=0.1)
    assert all(0 <= half <= count for half in halves)
