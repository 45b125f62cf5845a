"""24 simulated months with faults, spread over 300 seeds: all laws hold. `make soak SEEDS=1000` tells more of them."""

import pytest

from tests.laws.story import DAYS_A_MONTH, LONG_DAYS, MONTHS, SEEDS, SHORT_DAYS, story
from tests.laws.told import outcome_of

CHUNK = 20


@pytest.mark.parametrize("first", range(0, SEEDS, CHUNK))
def test_all_laws_hold_whatever_goes_wrong(first: int) -> None:
    for seed in range(first, first + CHUNK):
        outcome = outcome_of(seed)
        assert not outcome.broken, f"again: {outcome.replay}\n" + "\n".join(outcome.broken[:10])


def test_the_stories_together_last_two_years_and_everything_goes_wrong_in_them() -> None:
    stories = [story(seed) for seed in range(SEEDS)]
    assert sum(one.days for one in stories) == pytest.approx(MONTHS * DAYS_A_MONTH)
    assert {round(one.days, 6) for one in stories} == {LONG_DAYS, round(SHORT_DAYS, 6)}
    lives = [life for one in stories for life in one.lives]
    faults = {(rule.kind, rule.path) for one in stories for rule in one.faults.rules}
    assert len(faults) == 16
    assert {life.death for life in lives} >= {"kill", "torn archive", "before commit", "after commit", "disk full"}
    assert any(jump > 3600 for life in lives for jump in life.jumps_s)
    assert any(jump < -3600 for life in lives for jump in life.jumps_s)
    assert sum(one.on_disk for one in stories) >= 20
    assert sum(one.workers > 1 for one in stories) >= 50
    assert sum(one.requests_per_day is not None for one in stories) >= 50


def test_the_same_seed_tells_the_same_story() -> None:
    assert story(17) == story(17)
    assert story(17) != story(18)
    assert outcome_of(17) == outcome_of(17)
