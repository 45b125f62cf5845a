"""S1's load index kept up by single pages, and the price that relieves an overloaded server."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.schedule.load import after, is_overloaded, needed_gap_s, stretch
from recrawl.schedule.price import Usual, moved
from recrawl.schedule.relief import relief, relieved_hourly, server_price

INTERVALS = st.lists(st.tuples(st.integers(0, 5), st.floats(60.0, 1e7)), max_size=40)


@given(INTERVALS)
def test_the_load_kept_up_page_by_page_is_the_sum_over_all_pages(moves: list[tuple[int, float]]) -> None:
    loads, interval = {"a.example": 0.0, "b.example": 1.0}, dict[int, float]()
    for page, new in moves:
        loads = after(loads, [("a.example", interval.get(page, 0.0), new)])
        interval[page] = new
    load = sum(1.0 / gap for gap in interval.values())
    assert loads == {"a.example": pytest.approx(load, rel=1e-9, abs=1e-15), "b.example": 1.0}


def test_a_page_that_leaves_takes_its_load_along() -> None:
    assert after({"a.example": 0.0}, [("a.example", 0.0, 100.0), ("a.example", 100.0, 0.0)]) == {"a.example": 0.0}
    assert needed_gap_s(0.0) == float("inf")


def test_a_server_is_overloaded_when_its_schedule_needs_a_smaller_gap_than_politeness_allows() -> None:
    loads = after({"a.example": 0.0}, [("a.example", 0.0, 10.0)] * 2)
    load = loads["a.example"]  # two pages every ten seconds: one access every five
    assert needed_gap_s(load) == 5.0
    assert is_overloaded(load, 6.0) and not is_overloaded(load, 5.0)
    assert stretch(load, 10.0) == 2.0 and stretch(load, 1.0) == 1.0


def test_the_price_of_a_server_rises_until_its_load_fits_and_falls_back_to_nothing() -> None:
    common, own = 1.0, 0.0
    wanted = 4.0  # times what is allowed, at the common price
    for _ in range(60):
        load = wanted / np.sqrt(common + own)
        own = server_price(common, own, load, polite_gap_s=1.0)
    assert wanted / np.sqrt(common + own) <= 1.0 + 1e-9
    for _ in range(200):
        own = server_price(common, own, 0.01, polite_gap_s=1.0)
    assert own == 0.0


def test_relief_says_what_share_is_thinned() -> None:
    told = relief(load_without_price_per_s=0.5, polite_gap_s=4.0, own_price=2.0)
    assert told.overloaded and told.thinned_share == pytest.approx(0.5)


def test_the_hourly_price_follows_the_backlog() -> None:
    up = relieved_hourly(1.0, np.array([0.0, 0.5]), np.array([True, False]))
    assert up[0] > 0.0 and up[1] < 0.5


@given(st.floats(1e-6, 1e3), st.floats(0.0, 1.0), st.floats(0.0, 1.0))
def test_a_fuller_bucket_never_makes_visits_dearer(price: float, one: float, two: float) -> None:
    assert moved(price, Usual(), max(one, two), 1.0)[0] <= moved(price, Usual(), min(one, two), 1.0)[0]


def test_a_burst_does_not_carry_the_price_away_but_a_lasting_shortage_does() -> None:
    def after(days: int) -> float:
        height, usual = 1.0, Usual(1.0, 24.0 * 60)
        for _ in range(24 * days):
            height, usual = moved(height, usual, 0.0, 1.0)
        return height

    assert after(2) < 3.0
    assert after(60) > 50.0
