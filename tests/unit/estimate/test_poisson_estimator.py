"""S1's closed form and the exact maximum likelihood."""

import numpy as np
import pytest

from recrawl.estimate import poisson
from recrawl.model.belief import Sightings, States, unknown

DAY = 86400.0


def _walk(changed: list[bool], gaps: list[float]) -> States:
    state = unknown(1)
    at = 1e9
    for number, (outcome, gap) in enumerate(zip([False, *changed], [0.0, *gaps], strict=True)):
        at += gap
        state = poisson.fold(
            state,
            Sightings(
                np.array([at]), np.array([outcome]), np.array([number == 0]), np.array([np.nan]), np.array([10.0]),
                np.array([0.5]),
            ),
        )  # fmt: skip
    return state


def test_the_sums_are_those_of_the_paper() -> None:
    state = _walk([True, False, True], [2 * DAY, 3 * DAY, 5 * DAY])
    assert state["watched_s"][0] == 10 * DAY
    assert state["quiet_s"][0] == 3 * DAY
    assert state["shortest_s"][0] == 2 * DAY
    assert (state["gaps"][0], state["changes"][0]) == (3, 2)


def test_the_closed_form_is_that_of_the_paper() -> None:
    state = _walk([True, False, True], [2 * DAY, 3 * DAY, 5 * DAY])
    typical = np.sqrt(2 * 3.5) * DAY
    assert poisson.change_interval_s(state)[0] == pytest.approx(typical / np.log(10 / 3))


def test_the_singular_cases_have_no_estimate() -> None:
    assert np.isnan(poisson.change_interval_s(_walk([False], [DAY]))[0])
    assert np.isnan(poisson.change_interval_s(_walk([True], [DAY]))[0])


def test_a_first_visit_is_no_evidence() -> None:
    state = _walk([], [])
    assert state["gaps"][0] == 0 and state["watched_s"][0] == 0.0 and state["seen_at"][0] == 1e9


def test_after_a_clock_that_ran_ahead_a_page_learns_from_its_next_but_one_visit_on() -> None:
    state = _walk([False, False, True], [400 * DAY, -399 * DAY, 2 * DAY])
    assert (state["gaps"][0], state["changes"][0]) == (2, 1)
    assert (state["watched_s"][0], state["quiet_s"][0], state["seen_at"][0]) == (402 * DAY, 400 * DAY, 1e9 + 3 * DAY)


def test_exact_likelihood_agrees_with_the_formula_for_equal_gaps() -> None:
    assert poisson.exact_rate([1.0, 1.0, 1.0], 1.0) == pytest.approx(np.log(4.0))
    assert poisson.exact_rate([], 3.0) == 0.0
    assert poisson.exact_rate([1.0], 0.0) == float("inf")


@pytest.mark.parametrize("rate", [0.1, 0.5, 1.5])
def test_closed_form_and_exact_likelihood_on_simulated_pages_stay_together(rate: float) -> None:
    dice = np.random.default_rng(4)
    closed, exact = [], []
    for _ in range(200):
        gaps = dice.uniform(0.3, 2.0, 60)
        changed = dice.random(60) < -np.expm1(-rate * gaps)
        if changed.all() or not changed.any():
            continue
        state = _walk(list(changed), list(gaps * DAY))
        closed.append(DAY / poisson.change_interval_s(state)[0])
        exact.append(poisson.exact_rate(list(gaps[changed]), float(gaps[~changed].sum())))
    assert np.median(exact) == pytest.approx(rate, rel=0.15)
    assert np.std(np.log(exact)) < 0.5
    # the closed form takes the geometric mean of the shortest and the mean gap, so it is biased to faster
    assert 1.0 < np.median(closed) / np.median(exact) < 2.5
