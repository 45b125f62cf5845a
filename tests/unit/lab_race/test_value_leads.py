"""The order of the race on small worlds: `value` and the policies that do not know the rates."""

from collections.abc import Callable

from recrawl.lab.race.history import History
from recrawl.lab.race.race import one
from recrawl.lab.race.worlds import Size, bursty, pareto

OTHERS = ("static", "groups", "cho", "lambdacrawl")
SMALL = Size(300, 70)


def test_where_changes_come_in_bursts_value_keeps_more_fresh_than_any_policy_that_has_to_learn_the_rates() -> None:
    ours, best = ours_and_best(bursty)
    assert ours < 0.97 * best


def test_where_there_is_nothing_to_find_but_rates_value_is_level_with_the_best() -> None:
    ours, best = ours_and_best(pareto)
    assert ours < 1.02 * best


def ours_and_best(world: Callable[[int, Size], History]) -> tuple[float, float]:
    history = world(0, SMALL)
    ours, *others = (one(history, name, 1 / 7, 0).stale for name in ("value", *OTHERS))
    return ours, min(others)
