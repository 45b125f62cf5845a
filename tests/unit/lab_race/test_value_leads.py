"""The order of the race on small worlds: `value` before every policy that does not know the rates."""

from collections.abc import Callable

import pytest

from recrawl.lab.race.history import History
from recrawl.lab.race.race import one
from recrawl.lab.race.worlds import Size, bursty, pareto

OTHERS = ("static", "groups", "cho", "lambdacrawl")
SMALL = Size(300, 70)


@pytest.mark.parametrize("world", [bursty, pareto])
def test_value_keeps_more_fresh_than_any_policy_that_has_to_learn_the_rates(
    world: Callable[[int, Size], History],
) -> None:
    history = world(0, SMALL)
    ours = one(history, "value", 1 / 7, 0).stale
    assert ours < min(one(history, name, 1 / 7, 0).stale for name in OTHERS)
