"""Freshness from beliefs, over time, and what a budget would buy."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.web.conftest import NOW, belief, page_at

from recrawl.answers.outlook import by_rate, joined, rate_now, rates_per_day
from recrawl.model.page import Page, Status
from recrawl.model.server import Server
from recrawl.model.visit import Evidence, Visit, Why
from recrawl.schedule.plan import Plan as Scheduled
from recrawl.web.freshness import DAY_S, fresh_over_time, fresh_share
from recrawl.web.plan import best, plan, spot, stretches
from recrawl.web.sample import Sample

HALF_A_DAY = belief(10 * DAY_S, 5 * DAY_S, 10, 5, DAY_S)  # unchanged after a day with probability 1/2


def live(name: str, packed: bytes = HALF_A_DAY, ago_s: float = 0.0, interval_s: float = DAY_S) -> Page:
    url = f"http://fresh.example/{name}"
    return page_at(url, status=Status.LIVE, belief=packed, checked_at=NOW - ago_s, interval_s=interval_s)


def seen(page: Page, *visits: tuple[float, str]) -> tuple[Visit, ...]:
    return tuple(Visit(page.id, at, Why.DUE, 200, Evidence.DOCUMENT, change) for at, change in visits)


def sample_of(*pages: Page, known: int = 0, visits: tuple[tuple[Visit, ...], ...] = ()) -> Sample:
    return Sample(pages, visits or ((),) * len(pages), known or len(pages), by_rate(rates_per_day(pages)))


def share(*pages: Page) -> float | None:
    return fresh_share(pages, by_rate(rates_per_day(pages)), NOW)


def test_the_rate_is_s1s_where_s1_has_one() -> None:
    assert rates_per_day([live("a")])[0] == pytest.approx(math.log(2), rel=1e-6)


def test_singular_cases_have_finite_rates_in_the_right_order() -> None:
    never, always = belief(30 * DAY_S, 30 * DAY_S, 30, 0), belief(30 * DAY_S, 0, 30, 30, DAY_S)
    once = live("once", belief(0, 0, 0, 0), interval_s=2 * DAY_S)
    rates = rates_per_day([live("never", never), once, live("always", always)])
    assert rates[0] == pytest.approx(0.5 / 30) and rates[1] == pytest.approx(0.5)
    assert rates[2] > 1 and np.all(np.isfinite(rates))


def test_what_is_expected_of_two_sites_comes_back_in_the_order_of_their_pages() -> None:
    parts = {"a": by_rate(np.array([1.0, 3.0])), "b": by_rate(np.array([2.0]))}
    assert list(rate_now(joined(parts, {"a": [0, 2], "b": [1]}, 3))) == pytest.approx([1.0, 2.0, 3.0])


def test_freshness_falls_with_the_age_of_the_copy() -> None:
    assert share(live("a")) == pytest.approx(1.0)
    assert share(live("a", ago_s=DAY_S)) == pytest.approx(0.5)
    assert share(live("a"), live("b", ago_s=DAY_S)) == pytest.approx(0.75)


def test_pages_without_a_copy_do_not_count() -> None:
    gone = page_at("http://fresh.example/gone", status=Status.GONE, checked_at=NOW)
    assert share(gone) is None and share() is None
    assert share(gone, live("a", ago_s=DAY_S)) == pytest.approx(0.5)


def test_earlier_freshness_follows_the_visits_and_failed_ones_prove_nothing() -> None:
    page = live("a")
    visits = seen(page, (NOW - DAY_S, "same"), (NOW - 2 * DAY_S, "unknown"), (NOW - 3 * DAY_S, "new"))
    moments = [NOW - 4 * DAY_S, NOW - 3 * DAY_S, NOW - 2 * DAY_S, NOW - DAY_S, NOW]
    found = fresh_over_time(sample_of(page, visits=(visits,)), moments)
    assert found == [None, *(pytest.approx(share) for share in (1.0, 0.5, 1.0, 0.5))]


RATES = st.lists(st.floats(1e-3, 50.0), min_size=1, max_size=20).map(np.array)


def scheduled(rates: np.ndarray) -> Scheduled:
    return Scheduled(by_rate(rates), np.ones(len(rates)), harmonic=0.0)


@settings(max_examples=30, deadline=None)
@given(RATES)
def test_more_requests_never_make_the_copy_staler(rates: np.ndarray) -> None:
    curve = best(scheduled(rates))
    assert all(a.requests_per_day <= b.requests_per_day + 1e-9 for a, b in pairwise(curve))
    assert all(a.fresh <= b.fresh + 1e-9 for a, b in pairwise(curve))


@settings(max_examples=30, deadline=None)
@given(RATES, st.floats(0.05, 20.0))
def test_no_equal_share_for_all_beats_the_curve(rates: np.ndarray, days: float) -> None:
    even = spot(by_rate(rates), np.full(len(rates), days), 1.0)
    enough = [one.fresh for one in best(scheduled(rates)) if one.requests_per_day >= even.requests_per_day]
    assert enough and min(enough) >= even.fresh - 1e-3


def test_the_plan_says_where_the_crawl_stands_and_what_a_daily_crawl_would_give() -> None:
    pages = [live(str(number), interval_s=DAY_S / 2) for number in range(4)]
    found = plan(sample_of(*pages, known=8))
    assert found.pages == 8 and found.here is not None and found.daily is not None
    assert found.here.requests_per_day == pytest.approx(16) and found.daily.requests_per_day == pytest.approx(8)
    assert found.here.fresh > found.daily.fresh
    reached = found.at(16)
    assert reached is not None and reached == pytest.approx(found.here.fresh, abs=0.02)  # equal pages, equal shares


def test_politeness_stretches_where_the_crawl_stands() -> None:
    page = live("a")
    server = Server(page.server, gap_s=100, load_per_s=0.04, overloaded=True)
    found = plan(sample_of(page), stretches([server]))
    assert found.here is not None and found.here.requests_per_day == pytest.approx(0.25)


def test_without_visited_pages_there_is_no_plan() -> None:
    found = plan(Sample())
    assert (found.here, found.curve, found.at(10)) == (None, (), None)
