"""The belief over rates: exact where it can be checked, and lossless enough in one byte a rate."""

import numpy as np
import pytest

from recrawl.estimate import bayes, pooling
from recrawl.model.belief import RATES, unknown

LAWS = bayes.prepare(pooling.first_law()[None, :])
GROUP = np.zeros(1, dtype=np.int64)


def _dense(days: float) -> np.ndarray:
    """e^{(Q − Λ)x} by scaling and squaring."""
    law = LAWS.law[0]
    generator = bayes.SWITCH_PER_DAY * (np.tile(law, (RATES, 1)) - np.eye(RATES)) - np.diag(bayes.RATES_PER_DAY)
    small = generator * days / 2.0**24
    power = np.eye(RATES) + small + small @ small / 2.0
    for _ in range(24):
        power = power @ power
    return power


@pytest.mark.parametrize("days", [0.01, 1.0, 30.0, 300.0])
def test_the_eigenvectors_give_the_matrix_exponential(days: float) -> None:
    belief = bayes.normalised(np.random.default_rng(1).random((1, RATES)))
    same = bayes.unchanged_part(bayes.in_modes(belief, GROUP, LAWS), np.array([days]), LAWS)
    assert same[0] == pytest.approx(belief[0] @ _dense(days), rel=1e-4, abs=1e-12)


@pytest.mark.parametrize("days", [0.5, 20.0, 200.0])
def test_survival_and_its_area_agree_with_the_belief_and_with_each_other(days: float) -> None:
    belief = bayes.normalised(np.random.default_rng(2).random((1, RATES)))
    ahead = bayes.prospects(belief, GROUP, LAWS)
    survival, area = bayes.survival_and_area(ahead, np.array([days]))
    assert survival[0] == pytest.approx(
        bayes.unchanged_part(bayes.in_modes(belief, GROUP, LAWS), np.array([days]), LAWS).sum()
    )
    grid = np.linspace(0.0, days, 20001)
    exact = np.trapezoid([(ahead.share[0] * np.exp(ahead.decay[0] * x)).sum() for x in grid[::20]], grid[::20])
    assert area[0] == pytest.approx(exact, rel=1e-3)


def test_same_and_changed_together_are_everything() -> None:
    belief = bayes.normalised(np.random.default_rng(3).random((1, RATES)))
    days = np.array([3.0])
    nan = np.array([np.nan])
    quiet, survival = bayes.updated(bayes.in_modes(belief, GROUP, LAWS), days, np.array([False]), nan, LAWS)
    moved, _ = bayes.updated(bayes.in_modes(belief, GROUP, LAWS), days, np.array([True]), nan, LAWS)
    mixed = quiet * survival[:, None] + moved * (1.0 - survival[:, None])
    assert mixed == pytest.approx(bayes.drifted(belief, days, LAWS.law), rel=1e-6)


def test_an_honest_last_modified_sharpens_the_belief() -> None:
    belief = LAWS.law.copy()
    days, changed = np.array([30.0]), np.array([True])
    recent, _ = bayes.updated(bayes.in_modes(belief, GROUP, LAWS), days, changed, np.array([0.01]), LAWS)
    old, _ = bayes.updated(bayes.in_modes(belief, GROUP, LAWS), days, changed, np.array([29.0]), LAWS)
    assert recent[0] @ bayes.RATES_PER_DAY > 5 * (old[0] @ bayes.RATES_PER_DAY)


def test_a_blank_state_is_the_groups_law() -> None:
    assert bayes.weights(unknown(1), GROUP, LAWS) == pytest.approx(LAWS.law)


def test_a_byte_a_rate_keeps_the_belief() -> None:
    dice = np.random.default_rng(5)
    belief = bayes.normalised(dice.random((300, RATES)) ** 4 + 1e-6)
    states = unknown(300)
    group = np.zeros(300, dtype=np.int64)
    states["weights"] = bayes.encoded(belief, LAWS.law[group], dice.integers(0, 2**63, 300).astype(np.uint64))
    assert np.abs(bayes.weights(states, group, LAWS) - belief).max() < 0.03


def test_many_small_pieces_of_evidence_are_not_rounded_away() -> None:
    """A page seen unchanged every hour for 60 days: each visit says next to nothing, all together a lot."""
    pages = 64
    states, group = unknown(pages), np.zeros(pages, dtype=np.int64)
    exact = LAWS.law.copy()
    for hour in range(1440):
        belief = bayes.weights(states, group, LAWS)
        days, nan = np.full(pages, 1 / 24), np.full(pages, np.nan)
        belief, _ = bayes.updated(bayes.in_modes(belief, group, LAWS), days, np.zeros(pages, bool), nan, LAWS)
        salt = np.arange(pages, dtype=np.uint64) * np.uint64(7919) + np.uint64(hour * 104729)
        states["weights"] = bayes.encoded(belief, LAWS.law[group], salt)
        exact, _ = bayes.updated(bayes.in_modes(exact, GROUP, LAWS), days[:1], np.zeros(1, bool), nan[:1], LAWS)
    rates = bayes.weights(states, group, LAWS) @ bayes.RATES_PER_DAY
    assert np.median(rates) == pytest.approx((exact @ bayes.RATES_PER_DAY)[0], rel=0.35)


def test_a_group_learns_the_rate_of_its_pages_and_a_new_group_follows_its_site() -> None:
    fast = np.zeros((2, RATES))
    fast[0, 9] = 100.0
    law = pooling.pooled(fast, np.array([0, 0]), 1)
    assert law[0].argmax() == 9 and law[0, 9] > 0.85
    assert law[1].argmax() == 9


def test_the_interval_of_a_rate_contains_its_mass() -> None:
    belief = np.zeros((1, RATES))
    belief[0, 3:6] = [0.2, 0.6, 0.2]
    _, low, high = bayes.rate_interval(belief)
    assert (low[0], high[0]) == (bayes.RATES_PER_DAY[3], bayes.RATES_PER_DAY[5])
