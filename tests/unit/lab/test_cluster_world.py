"""Leases of many workers in virtual time: what must hold, and that the simulation would see it broken."""

import pytest

from recrawl.lab.cluster_world import Outcome, Story, simulated

STORY = Story(workers=40, partitions=640, lease_s=6.0).scaled()


@pytest.fixture(scope="module", params=[1, 2])
def outcome(request: pytest.FixtureRequest) -> Outcome:
    return simulated(Story(workers=40, partitions=640, lease_s=6.0, seed=request.param).scaled())


def test_no_two_workers_can_ask_one_server_at_any_moment(outcome: Outcome) -> None:
    assert outcome.two_at_once == 0


def test_the_partitions_of_the_dead_and_of_the_stopped_are_owned_again_within_a_lease_and_two_seconds(
    outcome: Outcome,
) -> None:
    assert outcome.recovered_s.keys() == {"start", "kill", "stop"}
    assert max(outcome.recovered_s.values()) <= STORY.lease_s + 2.0
    assert outcome.orphaned_s <= STORY.lease_s + 2.0


def test_only_the_stopped_lose_their_leases_not_those_whose_store_was_away_for_a_moment(outcome: Outcome) -> None:
    assert outcome.lost_leases == round(STORY.stopped * STORY.workers)


def test_shares_are_even_in_the_end(outcome: Outcome) -> None:
    assert outcome.most_held - outcome.least_held <= 1


def test_the_same_seed_gives_the_same_story_and_another_one_another() -> None:
    story = Story(workers=8, partitions=64, lasts_s=40.0)
    assert simulated(story) == simulated(story)
    assert simulated(story) != simulated(Story(workers=8, partitions=64, lasts_s=40.0, seed=2))


def test_clocks_that_run_too_differently_are_found_out() -> None:
    wild = Story(workers=40, partitions=640, drift=0.4, stopped=0.0, killed=0.0, away_at=30.0, away_s=12.0)
    assert simulated(wild).two_at_once > 0


def test_a_store_that_is_away_for_longer_than_a_lease_costs_all_leases_and_all_come_back() -> None:
    outage = Story(workers=10, partitions=40, killed=0.0, stopped=0.0, joined=0.0, away_at=20.0, away_s=15.0)
    found = simulated(outage)
    assert found.lost_leases == 10
    assert found.two_at_once == 0
    assert (found.least_held, found.most_held) == (4, 4)
