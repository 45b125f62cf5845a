"""Large pages change more often than small ones, where that is so."""

import numpy as np
import pytest

from recrawl.estimate import bayes, pooling, sizes
from recrawl.model.belief import Floats, Ints, States, unknown

PAGES = 400
DAY_S = 86400.0


def _learnt(rate: Floats, size_bytes: Floats, gaps: int = 12, gap_days: float = 20.0) -> tuple[sizes.Leaning, States]:
    """Pages of one group visited some times; the slope takes a step after every round, as it does every day."""
    dice = np.random.default_rng(3)
    states, group = unknown(PAGES), np.zeros(PAGES, dtype=np.int64)
    states["size_bytes"] = size_bytes
    leaning = sizes.centred(sizes.none(1), group, size_bytes)
    laws = bayes.prepare(pooling.first_law()[None, :], leaning.centre, leaning.slope)
    for turn in range(gaps):
        changed = dice.random(PAGES) < -np.expm1(-rate * gap_days)
        pages = bayes.in_modes(bayes.weights(states, group, laws), group, laws)
        after, _ = bayes.updated(pages, np.full(PAGES, gap_days), changed, np.full(PAGES, np.nan), laws)
        salt = dice.integers(0, 2**63, PAGES).astype(np.uint64)
        states["weights"] = bayes.encoded(after, bayes.own_law(states["size_bytes"], group, laws), salt)
        laws, leaning = _stepped(states, group, laws, leaning)
        assert np.isfinite(leaning.slope).all(), turn
    return leaning, states


def _stepped(states: States, group: Ints, laws: bayes.Laws, leaning: sizes.Leaning) -> tuple[bayes.Laws, sizes.Leaning]:
    belief = bayes.weights(states, group, laws)
    law = bayes.normalised(bayes.own_law(states["size_bytes"], group, laws))
    z = sizes.relative(states["size_bytes"], leaning.centre[group])
    leaning = sizes.learnt(leaning, group, z, law, belief, bayes.LOG_RATES)
    pooled = pooling.pooled(pooling.summed(laws.law, group, law, belief), np.zeros(1, dtype=np.int64), 1)
    return bayes.prepare(pooled, leaning.centre, leaning.slope), leaning


def _sizes() -> Floats:
    return np.asarray(np.exp(np.random.default_rng(4).normal(9.0, 1.2, PAGES)))


def test_where_large_pages_change_more_often_the_law_learns_to_lean() -> None:
    size_bytes = _sizes()
    leaning, states = _learnt(0.02 * size_bytes / np.exp(9.0), size_bytes)
    assert 0.1 < leaning.slope[0] < 1.0
    group = np.zeros(2, dtype=np.int64)
    laws = bayes.prepare(pooling.first_law()[None, :], leaning.centre, leaning.slope)
    fresh = unknown(2)
    fresh["size_bytes"] = [np.exp(7.5), np.exp(10.5)]
    small, large = bayes.weights(fresh, group, laws) @ bayes.RATES_PER_DAY
    assert large > 3.0 * small
    assert states["weights"].any()


def test_where_small_pages_change_more_often_it_leans_the_other_way() -> None:
    size_bytes = _sizes()
    leaning, _ = _learnt(0.02 * np.exp(9.0) / size_bytes, size_bytes)
    assert leaning.slope[0] < -0.1


def test_where_sizes_mean_nothing_the_law_hardly_leans() -> None:
    leaning, _ = _learnt(0.02 * np.exp(np.random.default_rng(5).normal(0.0, 1.2, PAGES)), _sizes())
    assert abs(leaning.slope[0]) < 0.08


def test_of_a_page_whose_size_is_not_known_the_law_is_its_groups() -> None:
    laws = bayes.prepare(pooling.first_law()[None, :], np.array([9.0]), np.array([0.4]))
    assert bayes.weights(unknown(1), np.zeros(1, dtype=np.int64), laws) == pytest.approx(laws.law)


def test_a_page_of_mean_size_has_the_law_of_its_group_and_an_endless_one_no_more_than_a_large_one() -> None:
    laws = bayes.prepare(pooling.first_law()[None, :], np.array([9.0]), np.array([0.4]))
    group = np.zeros(3, dtype=np.int64)
    law = bayes.normalised(bayes.own_law(np.exp(np.array([9.0, 12.0, 30.0])), group, laws))
    assert law[0] == pytest.approx(laws.law[0])
    assert law[1] == pytest.approx(law[2])


def test_what_the_sizes_explain_is_not_said_of_the_group_again() -> None:
    """Beliefs that are exactly the tilted laws say that the group's law is right, however much these differ."""
    laws = bayes.prepare(pooling.first_law()[None, :], np.array([9.0]), np.array([0.4]))
    group = np.zeros(PAGES, dtype=np.int64)
    law = bayes.normalised(bayes.own_law(_sizes(), group, laws))
    sums = pooling.summed(laws.law, group, law, law)
    assert sums.sum() == pytest.approx(PAGES)
    assert sums[0] / PAGES == pytest.approx(laws.law[0])


def test_a_new_site_leans_as_the_others_do() -> None:
    grown = sizes.with_sites(sizes.Leaning(np.array([9.0, 8.0]), np.array([0.2, 0.4])), 3)
    assert grown.slope.tolist() == pytest.approx([0.2, 0.4, 0.3])
    assert grown.centre[2] == pytest.approx(8.5)
    assert sizes.with_sites(grown, 3) is grown


def test_a_site_without_pages_keeps_its_mean_and_is_drawn_to_the_slope_of_the_others() -> None:
    before = sizes.Leaning(np.array([9.0, 7.0]), np.array([0.3, 0.0]))
    known = sizes.centred(before, np.zeros(2, dtype=np.int64), np.exp(np.array([8.0, 10.0])))
    assert known.centre.tolist() == pytest.approx([9.0, 7.0])
    law = np.tile(pooling.first_law(), (50, 1))
    z = np.linspace(-2.0, 2.0, 50)
    after = sizes.learnt(known, np.zeros(50, dtype=np.int64), z, law, law, bayes.LOG_RATES)
    assert 0.0 < after.slope[1] < 0.3
    assert sizes.settled(before, sizes.Leaning(before.centre, before.slope + 0.005)) is before
    assert sizes.settled(before, after) is after


def test_a_page_alone_in_its_group_has_the_law_of_its_site() -> None:
    """What it says of itself is in its own belief already: it would be counted twice."""
    sums = np.zeros((3, 12))
    sums[0, 10] = 1.0  # alone, and fast
    sums[1, 2] = 60.0
    law = pooling.pooled(sums, np.zeros(3, dtype=np.int64), 1)
    assert law[0] == pytest.approx(law[2], abs=1e-6)
    assert law[1, 2] > law[0, 2]
