"""The price as what the last request of the budget buys; and what did not move is not worked out anew."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recrawl.estimate.bayes import Laws, prepare, prepared_anew
from recrawl.estimate.pooling import first_law, settled
from recrawl.schedule.placement import tables
from recrawl.schedule.price import LEAST, MOST, PROVEN_HOURS, Usual, cleared, clears

prices = st.floats(1e-6, 1e4)
margins = st.floats(1e-6, 1e6)


@given(prices, margins, st.floats(0.0, 2000.0), st.floats(0.1, 24.0))
def test_the_price_moves_towards_what_the_last_request_buys_and_not_past_it(
    price: float, margin: float, watched: float, hours: float
) -> None:
    new, usual = cleared(price, Usual(price, watched), margin, hours)
    low, high = sorted((price, price * margin))
    assert max(low * (1 - 1e-9), LEAST) <= new <= min(high * (1 + 1e-9), MOST)
    assert usual == Usual(new, watched + hours)


def test_one_odd_hour_hardly_moves_a_price_that_was_watched_for_weeks() -> None:
    new, _ = cleared(1.0, Usual(1.0, 1000.0), 1e6, 1.0)
    assert new < 1.05


def test_a_price_far_off_is_right_within_two_days_of_the_start() -> None:
    height, usual = 100.0, Usual()
    for _ in range(48):
        height, usual = cleared(height, usual, 2.0 / height, 1.0)
    assert 1.9 < height < 2.3


def test_the_price_follows_the_bucket_where_pages_seen_often_have_or_may_yet_show_an_hour_of_their_own() -> None:
    young, old = Usual(1.0, 24.0), Usual(1.0, PROVEN_HOURS)
    assert clears(1 / 30, young, rhythmic=True) and clears(1 / 7, old, rhythmic=True)
    assert not clears(1 / 2, old, rhythmic=True) and not clears(1.0, young, rhythmic=False)
    assert clears(1 / 2, old, rhythmic=False) and clears(1.0, old, rhythmic=False)


def test_laws_prepared_anew_are_the_laws_prepared_from_nothing() -> None:
    dice = np.random.default_rng(1)
    before = dice.dirichlet(np.ones(12), 5)
    after = before.copy()
    after[[1, 3]] = dice.dirichlet(np.ones(12), 2)
    centre, slope = dice.normal(9.0, 1.0, 5), dice.normal(0.0, 0.3, 5)
    for law in (before, after):
        whole, partly = prepare(law, centre, slope), prepared_anew(prepare(before), law, centre, slope)
        for name in Laws.__dataclass_fields__:
            assert np.allclose(getattr(whole, name), getattr(partly, name))


def test_a_law_that_hardly_moved_stays_and_one_that_moved_follows() -> None:
    before = np.stack([first_law(), first_law()])
    after = before * np.array([[1.001], [1.0]])
    after[1] = np.roll(before[1], 3)
    kept = settled(before, after)
    assert (kept[0] == before[0]).all() and (kept[1] == after[1]).all()


def test_sites_with_one_rhythm_have_one_table_whatever_stands_between_them() -> None:
    busy = np.where(np.arange(24) < 3, 8.0, 1e-9) / 1.0
    busy = busy / busy.mean()
    together = tables(np.stack([np.ones(24), busy, np.ones(24)]))
    alone = tables(busy[None])
    first, busiest, last = together.profile
    assert first == last and len(together.fresh_days) == 2
    assert np.allclose(together.waited_days[busiest], alone.waited_days[0])
