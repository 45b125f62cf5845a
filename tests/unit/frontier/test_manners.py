"""How gently a server is treated."""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.frontier.manners import (
    NOT_TAKEN,
    TROUBLE,
    Manners,
    after_reply,
    free_again_at,
    gap_s,
    page_wait_s,
    trouble,
)
from recrawl.model.failure import Failure
from recrawl.model.server import Server
from recrawl.model.visit import Ask, Evidence, Reply, Times

MANNERS = Manners()
SERVER = Server("a.example")


def reply(evidence: Evidence, failure: Failure | None = None, took_s: float = 0.1) -> Reply:
    return Reply(Ask("http://a.example/"), 0.0, evidence, failure=failure, times=Times(first_byte_s=took_s))


def test_the_gap_of_a_foreign_server_cannot_be_set_below_the_default() -> None:
    assert gap_s(SERVER, MANNERS, 0.0, owned=False) == MANNERS.gap_s
    assert gap_s(SERVER, MANNERS, 5.0, owned=False) == 5.0


def test_an_owned_server_has_no_gap_unless_it_is_set_or_asks_for_one() -> None:
    assert gap_s(SERVER, MANNERS, None, owned=True) == 0.0
    assert gap_s(SERVER, MANNERS, 0.2, owned=True) == 0.2
    assert gap_s(replace(SERVER, crawl_delay_s=3.0), MANNERS, 0.2, owned=True) == 3.0


def test_a_slow_foreign_server_is_asked_less_often() -> None:
    assert gap_s(replace(SERVER, response_s=4.0), MANNERS, None, owned=False) == 4.0 * MANNERS.response_factor


def test_a_server_that_cannot_be_reached_rests_ever_longer_but_never_more_than_a_day() -> None:
    server, rests = SERVER, []
    for _ in range(20):
        server = after_reply(server, reply(Evidence.FAILED, Failure.CONNECT), 1.0, 0.0, None, MANNERS)
        rests.append(server.free_at)
    assert rests == sorted(rests)
    assert rests[0] == 60.0
    assert rests[-1] == 86_400.0


def test_retry_after_is_kept_and_an_absurd_one_is_cut_to_a_day() -> None:
    busy = reply(Evidence.BUSY)
    assert after_reply(SERVER, busy, 1.0, 10.0, 30.0, MANNERS).free_at == 40.0
    assert after_reply(SERVER, busy, 1.0, 0.0, 1e9, MANNERS).free_at == 86_400.0
    assert after_reply(SERVER, busy, 5.0, 0.0, 0.0, MANNERS).free_at == 5.0


def test_one_good_answer_ends_the_rest() -> None:
    failing = replace(SERVER, failures=7, failing_since=1.0)
    well = after_reply(failing, reply(Evidence.NOT_MODIFIED), 1.0, 100.0, None, MANNERS)
    assert (well.failures, well.failing_since, well.free_at) == (0, None, 101.0)


def test_a_shelf_of_files_too_large_for_us_is_no_reason_to_leave_the_server_alone() -> None:
    server = SERVER
    for failure in sorted(NOT_TAKEN) * 3:
        server = after_reply(server, reply(Evidence.FAILED, failure), 1.0, 100.0, None, MANNERS)
        assert (server.failures, server.failing_since, server.free_at) == (0, None, 101.0)
    troubled = after_reply(server, reply(Evidence.FAILED, Failure.CONNECT), 1.0, 100.0, None, MANNERS)
    assert after_reply(troubled, reply(Evidence.FAILED, Failure.BOMB), 1.0, 200.0, None, MANNERS).failures == 1


def test_a_page_that_fails_alone_does_not_stop_its_server_until_a_streak_shows_more() -> None:
    server = SERVER
    for turn in range(1, 8):
        server = after_reply(server, reply(Evidence.FAILED, Failure.RESET), 1.0, 0.0, None, MANNERS)
        assert (server.free_at > 1.0) == (turn >= 5)


@pytest.mark.parametrize("failure", list(Failure))
def test_every_failure_has_its_place_in_the_table(failure: Failure) -> None:
    assert failure in TROUBLE
    assert trouble(reply(Evidence.FAILED, failure)) is TROUBLE[failure]


@given(st.sampled_from(list(Failure)), st.integers(1, 40))
def test_waits_grow_with_every_failure_and_stay_within_a_month(failure: Failure, failures: int) -> None:
    met = TROUBLE[failure]
    assert 0 <= page_wait_s(met, failures) <= page_wait_s(met, failures + 1) <= 30 * 86_400.0


def test_a_rest_that_no_trouble_explains_was_written_by_a_wrong_clock_and_is_cut_to_the_gap() -> None:
    two_days_ahead = replace(SERVER, free_at=1000.0 + 2 * 86_400)
    assert free_again_at(two_days_ahead, 2.0, 1000.0, MANNERS) == 1002.0
    resting = replace(SERVER, failures=1, free_at=1500.0)
    assert free_again_at(resting, 2.0, 1000.0, MANNERS) == 1500.0
    assert free_again_at(replace(SERVER, free_at=900.0), 2.0, 1000.0, MANNERS) == 1002.0  # asked just now, perhaps
    absurd = replace(resting, free_at=1e12)
    assert free_again_at(absurd, 2.0, 1000.0, MANNERS) == 1000.0 + MANNERS.longest_retry_after_s
