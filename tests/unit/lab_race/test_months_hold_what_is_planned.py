"""The whole engine in simulated months: a target costs what the plan says, and a server that tells saves visits."""

from tests.unit.lab_race.months import aiming, plan, realised, world

from recrawl.config import Settings
from recrawl.lab.month import DAY_S, simulate
from recrawl.lab.world import START_AT


def test_a_target_is_reached_with_about_the_requests_that_the_plan_foretells() -> None:
    got, planned = aiming(1, 48.0, target=0.8)
    assert abs(got.freshness - 0.8) <= 0.02
    assert abs(planned.for_budget(got.per_day).freshness - got.freshness) <= 0.02
    assert abs(planned.for_target(0.8).requests_per_day / got.per_day - 1.0) <= 0.15


def test_changes_are_found_as_soon_as_was_asked_for_and_not_at_any_price() -> None:
    got, planned = aiming(2, 26.0, max_delay_s=DAY_S)
    assert 0.8 <= got.delay_s / DAY_S <= 1.1
    assert abs(planned.for_delay(1.0).requests_per_day / got.per_day - 1.0) <= 0.2


def test_where_a_sitemap_tells_of_changes_more_stays_fresh_than_any_plan_without_it_could_buy() -> None:
    month = simulate(world(4, sitemap=True), 4, 20.0)
    freshness, per_day = realised(month, START_AT + 8 * DAY_S)
    assert freshness >= 0.9
    assert freshness >= plan(month, Settings()).for_budget(2 * per_day).freshness
