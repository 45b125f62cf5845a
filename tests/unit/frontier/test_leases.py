"""Who claims, who gives back, and when a worker must stop asking."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.frontier.leases import (
    Lease,
    claims,
    given_back,
    is_over,
    look_every_s,
    next_look_s,
    shares,
    silent_s,
    surplus,
)
from recrawl.model.cluster import Report, Seat, Wish

WEIGHTS = st.lists(st.floats(0.1, 16.0), min_size=1, max_size=12)


class Town:
    """All partitions and workers of a cluster in memory; every round each worker decides for itself."""

    def __init__(self, partitions: int) -> None:
        self.owner: dict[int, str] = dict.fromkeys(range(partitions), "")
        self.weight: dict[str, float] = {}
        self.leaving: set[str] = set()
        self.moves = 0
        self.moved: dict[int, str] = {}  # by an operator

    def seats(self) -> list[Seat]:
        held = list(self.owner.values())
        wish = {True: Wish.LEAVE, False: Wish.WORK}
        return [
            Seat(name, weight, held.count(name), wish=wish[name in self.leaving])
            for name, weight in self.weight.items()
        ]

    def held(self, worker: str) -> list[int]:
        return [number for number, owner in self.owner.items() if owner == worker]

    def turn(self, worker: str) -> None:
        moved = {number: to for number, to in self.moved.items() if to in self.weight.keys() - self.leaving}
        count = surplus(worker, self.seats(), len(self.owner), moved)
        for number in given_back(worker, self.held(worker), moved, count, (), worker in self.leaving):
            self.owner[number] = ""
        free = [number for number in self.held("") if moved.get(number, worker) == worker]
        here = [number for number in free if number in moved]
        most = max(claims(worker, self.seats(), len(free), len(self.owner), moved), len(here))
        for number in [*here, *(number for number in free if number not in moved)][:most]:
            self.owner[number] = worker
            self.moves += 1

    def rounds(self, count: int = 3) -> None:
        for _ in range(count):
            for worker in sorted(self.weight):
                self.turn(worker)

    def die(self, worker: str) -> None:
        del self.weight[worker]
        self.leaving.discard(worker)
        self.owner = {number: "" if owner == worker else owner for number, owner in self.owner.items()}


@given(WEIGHTS, st.integers(1, 300))
def test_shares_follow_the_weights_and_are_together_all_partitions(weights: list[float], partitions: int) -> None:
    seats = [Seat(f"w{place}", weight) for place, weight in enumerate(weights)]
    found = shares(seats, partitions)
    assert sum(found.values()) == partitions
    for seat in seats:
        assert abs(found[seat.worker] - partitions * seat.weight / sum(weights)) < 1.0 + 1e-9


def test_a_worker_that_leaves_has_no_share() -> None:
    assert shares([Seat("a"), Seat("b", wish=Wish.LEAVE)], 8) == {"a": 8, "b": 0}
    assert shares([Seat("b", wish=Wish.LEAVE)], 8) == {"b": 0}


@given(WEIGHTS)
def test_a_few_rounds_give_every_worker_its_share_and_then_nothing_moves(weights: list[float]) -> None:
    town = Town(64)
    for place, weight in enumerate(weights):
        town.weight[f"w{place}"] = weight
        town.rounds()
    assert {seat.worker: seat.held for seat in town.seats()} == shares(town.seats(), 64)
    town.moves = 0
    town.rounds()
    assert town.moves == 0


@given(st.integers(1, 12))
def test_a_newcomer_gets_its_share_and_nothing_else_moves(workers: int) -> None:
    town = Town(128)
    town.weight = {f"w{place}": 1.0 for place in range(workers)}
    town.rounds()
    town.weight["x"], town.moves = 1.0, 0
    town.rounds()
    assert town.moves == len(town.held("x")) == 128 // (workers + 1)


@given(st.integers(0, 60), st.lists(st.sampled_from(["a", "b", "c"]), min_size=4, max_size=4))
def test_what_an_operator_moved_leaves_the_others_their_share_of_the_rest(to_a: int, others: list[str]) -> None:
    town = Town(64)
    town.weight = {"a": 1.0, "b": 1.0}
    town.rounds()
    town.moved = dict.fromkeys(range(to_a), "a") | dict(zip(range(60, 64), others, strict=True))
    town.rounds()
    town.weight["c"] = 1.0
    town.rounds(5)
    assert all(town.owner[number] == worker for number, worker in town.moved.items())
    pinned = {worker: list(town.moved.values()).count(worker) for worker in "abc"}
    loose = {worker: len(town.held(worker)) for worker in "abc" if len(town.held(worker)) > pinned[worker]}
    least = min(len(town.held(worker)) for worker in "abc")
    assert not loose or max(loose.values()) - least <= 1  # who has more than was moved there has no more than others
    town.moves = 0
    town.rounds()
    assert town.moves == 0


@given(st.integers(2, 12), st.booleans())
def test_only_the_partitions_of_one_who_goes_find_new_owners(workers: int, killed: bool) -> None:
    town = Town(128)
    town.weight = {f"w{place}": 1.0 for place in range(workers)}
    town.rounds()
    left_behind, town.moves = len(town.held("w0")), 0
    if killed:
        town.die("w0")
    else:
        town.leaving.add("w0")
    town.rounds()
    assert town.moves == left_behind
    assert not town.held("w0")
    assert not town.held("")


@given(st.lists(st.tuples(st.sampled_from(("join", "leave", "die", "turn")), st.integers(0, 5)), max_size=60))
def test_whatever_comes_and_goes_no_partition_is_left_alone_in_the_end(story: list[tuple[str, int]]) -> None:
    town = Town(32)
    town.weight["always"] = 1.0
    for word, place in story:
        name = f"w{place}"
        if word == "join":
            town.weight.setdefault(name, 1.0 + place)
        elif name in town.weight and word == "die":
            town.die(name)
        elif name in town.weight and word == "leave":
            town.leaving.add(name)
        elif name in town.weight:
            town.turn(name)
    town.rounds()
    assert not town.held("")
    assert all(not town.held(name) for name in town.leaving)


def test_what_is_given_back_is_idle_first_and_what_was_moved_here_last() -> None:
    held = [1, 2, 3, 4]
    assert given_back("a", held, {}, 2, busy={3, 4}, leaving=False) == [1, 2]
    assert given_back("a", held, {1: "a", 2: "a"}, 2, busy={3, 4}, leaving=False) == [3, 4]
    assert given_back("a", held, {1: "a"}, 4, busy=(), leaving=False) == [2, 3, 4]
    assert given_back("a", held, {1: "a"}, 0, busy=(), leaving=True) == held


def test_what_an_operator_moved_away_is_given_back_whatever_the_share() -> None:
    assert given_back("a", [1, 2, 3], {2: "b"}, 0, busy={2}, leaving=False) == [2]
    assert given_back("a", [1, 2, 3], {2: "b"}, 1, busy=(), leaving=False) == [2]
    assert given_back("a", [1, 2, 3], {2: "b"}, 2, busy=(), leaving=False) == [2, 3]


@given(st.floats(0.0, 1e9), st.floats(0.5, 600.0), st.floats(0.0, 2.0))
def test_a_lease_ends_for_its_holder_before_it_ends_for_the_store(at: float, lease_s: float, late: float) -> None:
    lease = Lease(at, lease_s)
    asked_at = at + late * lease_s
    if lease.runs(asked_at):
        assert asked_at < at + lease_s
    assert lease.renew_at < lease.ends_at
    assert lease.runs(at)
    assert not lease.runs(at + lease_s)


@pytest.mark.parametrize(
    ("changed", "over"),
    [
        ({}, True),
        ({"idle": False}, False),
        ({"commits": 6}, False),
        ({"checks": 1}, False),
    ],
)
def test_a_round_is_over_when_all_have_looked_twice_and_found_nothing(changed: dict[str, object], over: bool) -> None:
    before = [Seat("a", report=Report(True, 5, 0)), Seat("b", report=Report(True, 7, 0))]
    after = [Seat("a", report=Report(True, 5, 2)), Seat("b", report=Report(True, 7, 3))]
    after[0] = replace(after[0], report=replace(after[0].report, **changed))  # type: ignore[arg-type]
    assert is_over(before, after) is over
    assert not is_over(before, after[:1])
    assert not is_over(before, [*after, Seat("c", report=Report(True, 0, 9))])
    assert not is_over([], [])


@given(st.floats(0.5, 600.0), st.integers(1, 2000))
def test_the_more_workers_the_seldomer_each_one_looks_but_never_less_than_it_renews(lease_s: float, seats: int) -> None:
    assert 0 < look_every_s(lease_s, seats) <= lease_s / 3
    assert look_every_s(lease_s, seats) <= look_every_s(lease_s, seats + 1)


@given(st.floats(2.0, 600.0), st.integers(1, 5000), st.floats(0.0, 1.0), st.floats(0.0, 1.0, exclude_max=True))
def test_however_many_there_are_they_look_within_two_seconds_after_a_silent_workers_lease(
    lease_s: float, seats: int, passed: float, luck: float
) -> None:
    """A look at every moment of the dead one's lease, and what follows from it."""
    dead = Seat("dead", left_s=lease_s * (1 - passed), quiet_s=lease_s * passed)
    wait_s = next_look_s(lease_s, seats, silent_s([dead]), luck)
    assert 0 < wait_s <= look_every_s(lease_s, seats)
    late_s = wait_s - dead.left_s
    assert late_s <= 2.0 or not silent_s([dead])
    assert wait_s < dead.left_s or silent_s([dead])  # nobody sleeps through the end of a lease without having seen it


def test_while_all_renew_their_leases_nobody_looks_more_often_than_ever() -> None:
    lively = [Seat(f"w{number}", left_s=7.0, quiet_s=3.0) for number in range(100)]
    assert next_look_s(10.0, 100, silent_s(lively), 0.0) == look_every_s(10.0, 100)
