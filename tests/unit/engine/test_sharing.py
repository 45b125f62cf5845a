"""Partitions change hands within a crew: one owner each, seen by all."""

import os
import signal

from hypothesis import given
from hypothesis import strategies as st

from recrawl.engine.sharing import FEWEST, LOOK_S, LOOKS, Mates, Owners, spared
from recrawl.engine.tally import ENDED, IDLE, Board, Count


def test_what_is_given_away_has_a_new_owner_in_every_process() -> None:
    owners, board = Owners([{0, 2}, {1, 3}, set()]), Board(3)
    child = os.fork()
    if child == 0:
        Mates(owners, board, 0).give([2], 2)
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert [owners.of(worker) for worker in range(3)] == [{0}, {1, 3}, {2}]


def test_a_worker_hears_of_what_it_was_given_once() -> None:
    owners, board = Owners([{0, 1}, {2}]), Board(2)
    giver, taker = Mates(owners, board, 0), Mates(owners, board, 1)
    assert taker.owned() == {2}
    assert taker.owned_anew() == set()
    giver.give([1], 1)
    assert taker.owned_anew() == {1, 2}
    assert taker.owned_anew() == set()


def test_a_worker_that_stays_idle_is_seen_and_one_that_rests_for_a_moment_is_not() -> None:
    owners, board = Owners([{0}, {1}]), Board(2)
    mates = Mates(owners, board, 0)
    looks = [1.5 * LOOK_S * look for look in range(3 * LOOKS)]
    assert not any(mates.idle_one(at) for at in looks)
    board.rows[0].set(Count.IDLE, 1)
    assert not any(mates.idle_one(10 + at) for at in looks)  # itself
    board.rows[1].set(Count.IDLE, 1)
    seen = [mates.idle_one(20 + at) for at in looks]
    assert seen == [None] * (LOOKS - 1) + [1] * (len(looks) - LOOKS + 1)
    board.rows[1].set(Count.IDLE, 0)
    assert mates.idle_one(30) is None
    board.rows[1].set(Count.IDLE, IDLE)
    assert mates.idle_one(40) is None
    board.rows[1].set(Count.IDLE, ENDED)
    assert not any(mates.idle_one(50 + at) for at in looks)


def test_what_a_worker_gave_away_while_it_was_killed_is_found_when_it_is_started_again() -> None:
    owners, board = Owners([{0, 1, 2}, {3}]), Board(2)
    taker = Mates(owners, board, 1)
    assert taker.owned() == {3}
    child = os.fork()
    if child == 0:
        owners.look_again = lambda giver: os.kill(os.getpid(), signal.SIGKILL)  # type: ignore[method-assign]
        owners.give(0, [1, 2], 1)
    assert os.waitpid(child, 0)[1] == signal.SIGKILL
    assert Mates(owners, board, 0).owned() == {0}
    assert taker.owned_anew() == {1, 2, 3}


@given(st.dictionaries(st.integers(0, 300), st.integers(1, 500), max_size=12))
def test_about_half_of_the_work_is_given_away(waiting: dict[int, int]) -> None:
    part = spared(waiting)
    if len(waiting) < 2 or sum(waiting.values()) < FEWEST:
        assert not part
        return
    assert part < waiting.keys()
    given, kept = (sum(waiting[one] for one in some) for some in (part, waiting.keys() - part))
    assert 0 < given <= kept or given - kept <= max(waiting.values())
