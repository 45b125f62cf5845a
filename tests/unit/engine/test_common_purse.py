"""Budgets that the workers of a cluster share: together they never spend more than the whole."""

import random
from collections.abc import Iterator, Sequence
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest

from recrawl.cluster.common_purse import CommonPurse
from recrawl.engine.scheduling.spending import Spending
from recrawl.engine.scheduling.spending_memo import together
from recrawl.schedule import budget as budgets
from recrawl.schedule.budget import Budget, Spent
from recrawl.schedule.settings import DAY_S
from recrawl.store.shared.leases import Leases, open_leases

NOON_AT = 20_000 * DAY_S + DAY_S / 2


@pytest.fixture
def leases(postgres_store: str) -> Iterator[Leases]:
    with closing(open_leases(postgres_store)) as found:
        yield found


class Spender:
    """A worker as its scheduler sees its budget."""

    def __init__(self, leases: Leases, whole: Budget) -> None:
        self.purse, self.whole, self.spent = CommonPurse(leases), replace(whole, common=True), Spent()

    def spends(self, now: float, octets: int = 0) -> bool:
        for draws in (False, True):
            if draws:
                self.purse.draw(self.whole, self.spent, octets, now)
            if budgets.all_allow(self.purse.allowed([self.whole], now), [self.spent], self.whole.site, now, octets):
                self.spent = budgets.received(self.whole, budgets.begun(self.whole, self.spent, now), now, octets)
                return True
        return False


def test_workers_together_spend_the_whole_and_no_request_more(leases: Leases) -> None:
    crew = [Spender(leases, Budget("", 250.0)) for _ in range(5)]
    dice = random.Random(1)
    done = sum(dice.choice(crew).spends(NOON_AT) for _ in range(2000))
    assert done == 250
    assert not any(worker.spends(NOON_AT + 60) for worker in crew)
    assert any(worker.spends(NOON_AT + DAY_S) for worker in crew)


@pytest.mark.parametrize("over", ["", "shop"])
def test_a_day_goes_on_when_the_store_of_a_folder_becomes_that_of_a_cluster(leases: Leases, over: str) -> None:
    alone = Spending([Budget("shop", 250.0), Budget("", 900.0)] if not over else [Budget("shop", 250.0)])
    assert all(alone.begin("shop", NOON_AT) for _ in range(200))
    spent = together([alone.memo(NOON_AT, closing=True)])
    crew = [Spender(leases, Budget(over, 250.0)) for _ in range(3)]
    for worker in crew:
        worker.purse = CommonPurse(leases, spent)
    assert sum(worker.spends(NOON_AT) for _ in range(100) for worker in crew) == 50
    assert sum(worker.spends(NOON_AT + DAY_S) for _ in range(100) for worker in crew) == 250


def test_of_less_than_one_a_day_workers_together_get_two_in_as_many_days_as_these_take(leases: Leases) -> None:
    crew = [Spender(leases, Budget("", 0.2)) for _ in range(3)]
    often = Spender(leases, Budget("shop", 5.0))  # draws every day, and the store forgets days long past
    done = list[int]()
    for day in range(60):
        assert often.spends(NOON_AT + day * DAY_S)
        done += [day for worker in crew for _ in range(3) if worker.spends(NOON_AT + day * DAY_S)]
    assert len(done) == 12 and all(done.count(day) == 2 for day in done)


FIRST_AT = 20_000 * DAY_S  # of a span of 10 days, and of 20


def test_a_worker_counts_the_same_span_as_the_purse_it_draws_from(leases: Leases) -> None:
    worker = Spender(leases, Budget("", 0.2))
    assert worker.spends(FIRST_AT + 5 * DAY_S)
    assert worker.spends(FIRST_AT + 10 * DAY_S)
    assert sum(worker.spends(FIRST_AT + day * DAY_S) for day in range(11, 20) for _ in range(3)) == 1


def test_what_was_drawn_of_a_long_span_and_not_spent_is_given_back_and_no_more(leases: Leases) -> None:
    first, second = (Spender(leases, Budget("", 0.2)) for _ in range(2))
    assert first.spends(FIRST_AT + 5 * DAY_S) and first.spends(FIRST_AT + 10 * DAY_S)
    first.purse.give_back([first.whole], [first.spent], FIRST_AT + 16 * DAY_S)
    assert sum(second.spends(FIRST_AT + 16 * DAY_S) for _ in range(5)) == 1


def test_a_long_span_makes_nobody_forget_what_was_drawn_today(leases: Leases) -> None:
    first, second = (Spender(leases, Budget("shop", 5.0)) for _ in range(2))
    assert sum(first.spends(FIRST_AT) for _ in range(9)) == 5
    assert Spender(leases, Budget("", 0.1)).spends(FIRST_AT)
    assert not second.spends(FIRST_AT)


def test_who_drew_from_a_long_span_and_who_did_not_share_the_days_of_a_raised_budget(leases: Leases) -> None:
    first, second = Spender(leases, Budget("", 0.1)), Spender(leases, Budget("", 5.0))
    assert first.spends(FIRST_AT)
    first.whole = second.whole
    crew = (first, second, first, second)
    for day in range(1, 4):
        assert sum(worker.spends(FIRST_AT + day * DAY_S) for worker in crew for _ in range(2)) == 5


@pytest.mark.parametrize(("per_day", "servers"), [(0.2, 1), (1.0, 1), (2.0, 1), (5.0, 2), (400.0, 200)])
def test_robots_txt_is_asked_for_only_if_the_common_purse_pays_for_a_page_after_it(
    leases: Leases, per_day: float, servers: int
) -> None:
    crew = [Spending([Budget("", per_day)], common=CommonPurse(leases)) for _ in range(2)]
    promised = [crew[number % 2].promise(f"s{number}", "town", NOON_AT) for number in range(250)]
    assert sum(promised) == servers
    assert not any(worker.promise(f"late{place}", "town", NOON_AT + 60) for place, worker in enumerate(crew))
    asked = [crew[number % 2].begin("town", NOON_AT) for number, one in enumerate(promised) if one for _ in range(2)]
    assert sum(map(bool, asked)) == min(2 * servers, int(per_day) or 2)


class Walker:
    """A worker as its lanes see its budget: each page has one try, and robots.txt of its server comes before it."""

    def __init__(self, leases: Leases, budgets: Sequence[Budget], servers: Sequence[str]) -> None:
        self.spending = Spending(budgets, common=CommonPurse(leases))
        self.pages = [server for _ in range(20) for server in servers]
        self.read: set[str] = set()

    def steps(self) -> Iterator[bool]:
        """Whether a request was made; others have their turn between any two looks at the purse."""
        for server in self.pages:
            unread = "" if server in self.read else server
            room = self.spending.has_room("town", NOON_AT, 0.0, unread)
            yield False
            if room and (not unread or self.spending.promise(server, "town", NOON_AT)):
                yield False
                if self.spending.begin("town", NOON_AT):
                    self.spending.keep_promise(server)
                    self.read.add(server)
                    yield True


@pytest.mark.parametrize("per_day", [1.0, 2.0, 3.0, 4.0, 5.0, 7.0, 9.0])
@pytest.mark.parametrize("workers", [2, 3])
def test_a_small_budget_is_spent_whole_whoever_looks_into_the_purse_first(
    leases: Leases, per_day: float, workers: int
) -> None:
    dice = random.Random(per_day * workers)
    limits = [Budget("", per_day), Budget("town", per_day + 1.0)]
    crew = [Walker(leases, limits, [f"s{number}-{place}" for place in range(2)]).steps() for number in range(workers)]
    done = 0
    while crew:
        walker = dice.choice(crew)
        step = next(walker, None)
        done += bool(step)
        crew = [one for one in crew if step is not None or one is not walker]
    assert done == int(per_day)


def test_bytes_are_drawn_as_needed_and_a_page_that_does_not_fit_waits(leases: Leases) -> None:
    crew = [Spender(leases, Budget("", None, 1_000_000.0)) for _ in range(3)]
    dice = random.Random(2)
    done = sum(dice.choice(crew).spends(NOON_AT, 30_000) for _ in range(300))
    assert 30 <= done <= 33
    assert sum(worker.spent.bytes for worker in crew) <= 1_000_000


def test_what_a_worker_that_leaves_had_not_spent_is_there_for_others(leases: Leases) -> None:
    first, second = (Spender(leases, Budget("shop", 400.0)) for _ in range(2))
    assert first.spends(NOON_AT)
    first.purse.give_back([first.whole], [first.spent], NOON_AT)
    assert sum(second.spends(NOON_AT) for _ in range(500)) == 399


def test_what_a_worker_that_died_had_drawn_counts_as_spent(leases: Leases) -> None:
    first, second = (Spender(leases, Budget("shop", 400.0)) for _ in range(2))
    assert first.spends(NOON_AT)
    assert sum(second.spends(NOON_AT) for _ in range(500)) == 396  # a hundredth is lost


def test_a_new_day_begins_with_nothing_drawn(leases: Leases) -> None:
    worker = Spender(leases, Budget("", 10.0))
    for day in range(3):
        assert sum(worker.spends(NOON_AT + day * DAY_S) for _ in range(30)) == 10


def test_who_finds_too_few_requests_for_robots_txt_and_a_page_leaves_the_bytes_to_others(leases: Leases) -> None:
    limits = [Budget("", 3.0, 1_000_000.0)]
    asking, looking = (Spending(limits, common=CommonPurse(leases)) for _ in range(2))
    assert asking.promise("s", "town", NOON_AT)
    assert not any(looking.has_room("town", NOON_AT, 1000.0, f"late{number}") for number in range(200))
    assert asking.begin("town", NOON_AT)
    asking.end("town", NOON_AT, 100)
    assert asking.has_room("town", NOON_AT, 500_000.0)


def test_what_was_set_aside_yesterday_and_not_called_for_keeps_nobody_out_today(leases: Leases) -> None:
    worker = Spending([Budget("", 2.0)], common=CommonPurse(leases))
    assert worker.promise("s", "town", NOON_AT) and worker.begin("town", NOON_AT)
    worker.keep_promise("s")
    assert not worker.has_room("town", NOON_AT, 0.0, "other")
    assert worker.has_room("town", NOON_AT + DAY_S, 0.0, "other")


def test_a_large_purse_is_left_alone_where_a_small_one_over_the_same_pages_is_empty(
    leases: Leases, monkeypatch: pytest.MonkeyPatch
) -> None:
    worker = Spending([Budget("", 1000.0), Budget("town", 2.0)], common=CommonPurse(leases))
    assert worker.promise("s", "town", NOON_AT)
    drawn = list[str]()
    draw = leases.draw

    def watched(budget: str, *rest: Any) -> tuple[int, int]:
        drawn.append(budget)
        return draw(budget, *rest)

    monkeypatch.setattr(leases, "draw", watched)
    assert not any(worker.has_room("town", NOON_AT, 0.0, f"late{number}") for number in range(50))
    assert len(drawn) <= 2
