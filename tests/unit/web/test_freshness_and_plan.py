"""Freshness from beliefs, over time, and what a budget would buy."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.web.conftest import NOW, belief, page_at

from recrawl.model.page import Page, Status
from recrawl.model.server import Server
from recrawl.model.visit import Evidence, Visit, Why
from recrawl.web.freshness import DAY_S, fresh_over_time, fresh_share, rates_per_s
from recrawl.web.plan import best, fresh_of_time, intervals, plan, spot, stretches
from recrawl.web.sample import Sample


def live(name: str, packed: bytes, ago_s: float = 0.0, interval_s: float = DAY_S) -> Page:
    url = f"http://fresh.example/{name}"
    return page_at(url, status=Status.LIVE, belief=packed, checked_at=NOW - ago_s, interval_s=interval_s)


def seen(page: Page, *visits: tuple[float, str]) -> tuple[Visit, ...]:
    return tuple(Visit(page.id, at, Why.DUE, 200, Evidence.DOCUMENT, change) for at, change in visits)


def test_the_rate_is_s1s_where_s1_has_one() -> None:
    packed = belief(10 * DAY_S, 5 * DAY_S, 10, 5, DAY_S)
    assert rates_per_s([live("a", packed)])[0] == pytest.approx(math.log(2) / DAY_S, rel=1e-6)


def test_singular_cases_have_finite_rates_in_the_right_order() -> None:
    never = belief(30 * DAY_S, 30 * DAY_S, 30, 0)
    always = belief(30 * DAY_S, 0, 30, 30, DAY_S)
    once = belief(0, 0, 0, 0)
    rates = (
        rates_per_s([live("never", never), live("once", once, interval_s=2 * DAY_S), live("always", always)]) * DAY_S
    )
    assert rates[0] == pytest.approx(0.5 / 30) and rates[1] == pytest.approx(0.5)
    assert rates[2] > 1 and np.all(np.isfinite(rates))


def test_freshness_falls_with_the_age_of_the_copy() -> None:
    packed = belief(10 * DAY_S, 5 * DAY_S, 10, 5, DAY_S)
    assert fresh_share([live("a", packed)], NOW) == pytest.approx(1.0)
    assert fresh_share([live("a", packed, DAY_S)], NOW) == pytest.approx(0.5)
    assert fresh_share([live("a", packed), live("b", packed, DAY_S)], NOW) == pytest.approx(0.75)


def test_pages_without_a_copy_do_not_count() -> None:
    gone = page_at("http://fresh.example/gone", status=Status.GONE, checked_at=NOW)
    assert fresh_share([gone], NOW) is None and fresh_share([], NOW) is None


def test_earlier_freshness_follows_the_visits_and_failed_ones_prove_nothing() -> None:
    page = live("a", belief(10 * DAY_S, 5 * DAY_S, 10, 5, DAY_S))
    visits = seen(page, (NOW - DAY_S, "same"), (NOW - 2 * DAY_S, "unknown"), (NOW - 3 * DAY_S, "new"))
    sample = Sample((page,), (visits,), 1)
    moments = [NOW - 4 * DAY_S, NOW - 3 * DAY_S, NOW - 2 * DAY_S, NOW - DAY_S, NOW]
    assert fresh_over_time(sample, moments) == [None, *(pytest.approx(share) for share in (1.0, 0.5, 1.0, 0.5))]


RATES = st.lists(st.floats(1e-4, 50.0), min_size=1, max_size=20).map(np.array)


@settings(max_examples=40, deadline=None)
@given(RATES)
def test_more_requests_never_make_the_copy_staler(rates: np.ndarray) -> None:
    curve = best(rates, 1.0)
    requests, fresh = [one.requests_per_day for one in curve], [one.fresh for one in curve]
    assert all(a <= b + 1e-9 for a, b in pairwise(requests))
    assert all(a <= b + 1e-9 for a, b in pairwise(fresh))


@settings(max_examples=40, deadline=None)
@given(RATES, st.floats(0.05, 20.0))
def test_no_equal_share_for_all_beats_the_curve(rates: np.ndarray, days: float) -> None:
    even = spot(rates, np.full(len(rates), days), 1.0)
    curve = best(rates, 1.0)
    enough = [one.fresh for one in curve if one.requests_per_day >= even.requests_per_day]
    assert enough and min(enough) >= even.fresh - 1e-3


def test_a_page_that_never_changes_is_left_alone_at_any_price() -> None:
    assert intervals(np.array([1e-9]), np.array([0.1]))[0] == pytest.approx(400.0)
    assert fresh_of_time(np.array([0.0]), np.array([400.0]))[0] == pytest.approx(1.0)


def test_the_plan_says_where_the_crawl_stands_and_what_a_daily_crawl_would_give() -> None:
    pages = tuple(live(str(n), belief(10 * DAY_S, 5 * DAY_S, 10, 5, DAY_S), interval_s=DAY_S / 2) for n in range(4))
    found = plan(Sample(pages, ((),) * 4, 8))
    assert found.pages == 8 and found.here is not None and found.daily is not None
    assert found.here.requests_per_day == pytest.approx(16) and found.daily.requests_per_day == pytest.approx(8)
    assert found.here.fresh > found.daily.fresh
    reached = found.at(16)
    assert reached is not None and reached >= found.here.fresh - 0.01


def test_politeness_stretches_where_the_crawl_stands() -> None:
    page = live("a", belief(10 * DAY_S, 5 * DAY_S, 10, 5, DAY_S))
    server = Server(page.server, gap_s=100, load_per_s=0.04, overloaded=True)
    found = plan(Sample((page,), ((),), 1), stretches([server]))
    assert found.here is not None and found.here.requests_per_day == pytest.approx(0.25)


def test_without_visited_pages_there_is_no_plan() -> None:
    found = plan(Sample())
    assert (found.here, found.curve, found.at(10)) == (None, (), None)
