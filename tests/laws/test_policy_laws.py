"""The laws of the `Policy` port, for every policy there is."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from recrawl.model.belief import STATE_BYTES, Sightings, States, state_type, unknown
from recrawl.ports import LearningPolicy, Policy
from recrawl.schedule import POLICIES, policy
from recrawl.schedule.settings import Settings

NAMES = sorted(POLICIES)
START = 1_700_000_000.0
DAY = 86400.0
LATE = START + 1300 * DAY  # the same moment for every cut of a batch


def _seen(at: np.ndarray, changed: np.ndarray, first: bool) -> Sightings:
    count = len(at)
    return Sightings(
        at, changed, np.full(count, first), np.full(count, np.nan), np.full(count, 1000.0), np.full(count, 0.2)
    )


def _walked(chosen: Policy, gaps: np.ndarray, changed: np.ndarray) -> States:
    """One page a row, one visit a column; the chosen gap is kept as the port asks."""
    pages = gaps.shape[0]
    at = np.full(pages, START)
    states = chosen.observe(unknown(pages), _seen(at, np.zeros(pages, bool), True))
    for step in range(gaps.shape[1]):
        states["gap_s"] = chosen.next_gap_s(states, np.ones(pages), LATE, np.full(pages, 0.5))
        at = at + gaps[:, step]
        states = chosen.observe(states, _seen(at, changed[:, step], False))
    return states


GAPS = hnp.arrays(np.float64, (5, 6), elements=st.floats(60.0, 200 * DAY))
CHANGED = hnp.arrays(np.bool_, (5, 6))


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=15, deadline=None)
@given(GAPS, CHANGED, st.floats(0.0, 0.999), st.floats(0.01, 100.0))
def test_gaps_are_finite_positive_and_within_the_ceiling(
    name: str, gaps: np.ndarray, changed: np.ndarray, luck: float, importance: float
) -> None:
    chosen = policy(name)
    states = _walked(chosen, gaps, changed)
    now = float(states["seen_at"].max())
    found = chosen.next_gap_s(states, np.full(5, importance), now, np.full(5, luck))
    assert np.isfinite(found).all()
    assert (found >= Settings().floor_s).all()
    assert (found <= Settings().ceiling_s).all()


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=10, deadline=None)
@given(GAPS, CHANGED, st.permutations(range(5)), st.integers(0, 5))
def test_the_order_and_the_cut_of_batches_do_not_matter(
    name: str, gaps: np.ndarray, changed: np.ndarray, order: list[int], cut: int
) -> None:
    chosen = policy(name)
    whole = _walked(chosen, gaps, changed)
    parts = np.concatenate(
        [
            _walked(chosen, gaps[order[:cut]], changed[order[:cut]]),
            _walked(chosen, gaps[order[cut:]], changed[order[cut:]]),
        ]
    )
    assert parts.tobytes() == whole[order].tobytes()


@pytest.mark.parametrize("name", NAMES)
def test_equal_arguments_give_equal_answers_and_nothing_is_changed_in_place(name: str) -> None:
    chosen = policy(name)
    states = _walked(chosen, np.full((3, 4), DAY), np.tile([True, False, False, True], (3, 1)))
    kept = states.tobytes()
    seen = _seen(states["seen_at"] + DAY, np.array([True, False, True]), False)
    once, twice = chosen.observe(states, seen), chosen.observe(states, seen)
    luck = np.array([0.1, 0.5, 0.9])
    now = float(seen.at[0])
    assert once.tobytes() == twice.tobytes()
    assert states.tobytes() == kept
    assert (chosen.next_gap_s(once, np.ones(3), now, luck) == chosen.next_gap_s(twice, np.ones(3), now, luck)).all()


@pytest.mark.parametrize("name", NAMES)
def test_a_first_visit_changes_no_belief(name: str) -> None:
    chosen = policy(name)
    seen = chosen.observe(unknown(2), _seen(np.full(2, START), np.array([True, False]), True))
    assert (seen["gaps"] == 0).all() and (seen["changes"] == 0).all() and (seen["watched_s"] == 0).all()
    gaps = chosen.next_gap_s(seen, np.ones(2), START, np.full(2, 0.3))
    assert gaps[0] == gaps[1]


@pytest.mark.parametrize("name", NAMES)
def test_the_state_does_not_grow(name: str) -> None:
    chosen = policy(name)
    states = _walked(chosen, np.full((2, 40), DAY), np.zeros((2, 40), bool))
    assert states.dtype == state_type() and STATE_BYTES <= 64


@pytest.mark.parametrize("name", ["multiplicative", "poisson", "nutch", "stormcrawler", "cho", "lambdacrawl", "value"])
def test_a_page_that_changes_is_visited_sooner_than_one_that_does_not(name: str) -> None:
    chosen = policy(name)
    gaps = np.full((2, 12), 3 * DAY)
    changed = np.zeros((2, 12), bool)
    changed[0, ::2] = True
    states = _walked(chosen, gaps, changed)
    found = chosen.next_gap_s(states, np.ones(2), float(states["seen_at"].max()), np.full(2, 0.5))
    assert found[0] < found[1]


def test_the_default_is_a_learning_policy() -> None:
    assert isinstance(policy("value"), LearningPolicy)


def test_an_important_page_is_never_visited_later() -> None:
    chosen = policy("value")
    states = _walked(chosen, np.full((1, 5), 4 * DAY), np.array([[True, False, False, True, False]]))
    states = np.repeat(states, 4)
    found = chosen.next_gap_s(states, np.array([0.1, 1.0, 10.0, 100.0]), float(states["seen_at"][0]), np.full(4, 0.5))
    assert (np.diff(found) <= 0).all()
