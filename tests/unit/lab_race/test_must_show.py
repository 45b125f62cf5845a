"""What the scheduler must show, on small worlds: relief, notices, cold start, plan. More seeds: `make shown`."""

import pytest
from tests.unit.lab_race.showing import (
    BUDGET,
    informed_and_oracles,
    liars_cost,
    planned_and_realised,
    relieved,
    soon_and_ever,
    stale_of,
    value_racer,
)

from recrawl.lab.race.history import DAY_S
from recrawl.lab.race.race import one
from recrawl.lab.race.racers import ORACLES, Value
from recrawl.lab.race.track import Track, race
from recrawl.lab.race.worlds import Size, lognormal
from recrawl.schedule.settings import Settings


@pytest.fixture(scope="module")
def plain() -> tuple[Value, Track]:
    history = lognormal(0, Size(300, 56))
    runner = value_racer(history)
    return runner, race(history, runner, BUDGET)


def test_value_beats_the_policies_that_do_not_know_the_rates_and_not_the_one_that_does(
    plain: tuple[Value, Track],
) -> None:
    history = lognormal(0, Size(300, 56))
    ours = stale_of(plain[1])
    for name in ("static", "lambdacrawl", "proportional", "stormcrawler", "nutch", "poisson"):
        assert ours < one(history, name, BUDGET, 0).stale


def test_the_plan_predicts_the_realised_freshness_within_two_points(plain: tuple[Value, Track]) -> None:
    planned, realised = planned_and_realised(*plain)
    assert abs(planned - realised) < 0.02


def test_a_lying_source_costs_at_most_one_percent_after_two_weeks() -> None:
    costs = [liars_cost(seed, Size(160, 35)) for seed in (1, 2, 3, 4)]
    assert sum(liar for liar, _ in costs) <= 1.01 * sum(silent for _, silent in costs)


@pytest.mark.parametrize("oracle", sorted(ORACLES))
def test_a_perfect_source_brings_us_below_every_oracle_without_one(
    oracle: str, informed: tuple[float, dict[str, float]]
) -> None:
    assert informed[0] < informed[1][oracle]


@pytest.fixture(scope="module")
def informed() -> tuple[float, dict[str, float]]:
    return informed_and_oracles(0, Size(200, 42))


def test_due_times_solved_for_as_in_a_crawl_keep_as_much_fresh_as_looking_at_every_page_every_hour(
    plain: tuple[Value, Track],
) -> None:
    solved = one(lognormal(0, Size(300, 56)), "value-due", BUDGET, 0)
    assert solved.stale <= 1.03 * stale_of(plain[1])


def test_relief_keeps_more_fresh_than_dropping_what_is_late_and_is_never_impolite() -> None:
    found = relieved(0, Size(300, 56))
    assert found.stale < found.naive
    assert found.over_polite == 0 and found.asked_most <= found.allowed
    assert found.asked <= found.allowed_in_all + 1
    assert found.prices[0] > 0.0 and not any(found.prices[1:])
    assert found.calm_visits > found.calm_visits_alone  # what the one server may not use goes to the others


def test_no_page_waits_beyond_the_ceiling() -> None:
    history = lognormal(0, Size(150, 40))
    settings = Settings(ceiling_s=15 * DAY_S, spread_from_s=12 * DAY_S)
    track = race(history, value_racer(history, settings), BUDGET)
    assert track.tally.longest_s <= 16 * DAY_S  # pages that reach it together share the day's budget


def test_new_pages_of_a_known_pattern_are_soon_as_fresh_as_ever() -> None:
    soon, ever = soon_and_ever(1, Size(500, 84))
    assert soon <= 1.1 * ever
