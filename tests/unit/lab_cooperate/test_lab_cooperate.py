"""S4's open question, answered small: what is saved if the server tells?"""

import pytest

from recrawl.lab.race.cooperate import WAYS, Outcome, agent_cost, compare
from recrawl.lab.race.worlds import Size, lognormal


@pytest.fixture(scope="module")
def outcomes() -> dict[str, Outcome]:
    chosen = [way for way in WAYS if way.name in ("polling alone", "agent and polling", "lying sitemap and polling")]
    return {one.way: one for one in compare(lognormal(1, Size(120, 84)), 0.3, 1, ways=chosen)}


def test_a_reliable_agent_brings_requests_down_to_the_changes_and_keeps_the_copy_fresh(
    outcomes: dict[str, Outcome],
) -> None:
    told, alone = outcomes["agent and polling"], outcomes["polling alone"]
    assert told.requests_per_day < 1.1 * told.changes_per_day
    assert told.freshness > 0.99
    assert alone.freshness < 0.95
    assert told.delay_hours < 1.0 < alone.delay_hours


def test_a_lying_sitemap_costs_no_freshness(outcomes: dict[str, Outcome]) -> None:
    assert outcomes["lying sitemap and polling"].freshness >= outcomes["polling alone"].freshness - 0.01


def test_watching_a_quiet_tree_costs_little() -> None:
    cost = agent_cost(2000)
    assert cost.documents == 2000
    assert cost.cpu_s_per_100_000 < 20.0
