"""Counted before it is sent, written before too many are uncounted, taken for spent after a kill."""

import pytest

from recrawl.engine.scheduling.spending import Purse, Spending, budgets_of, spent_memo, uncounted
from recrawl.engine.scheduling.spending_memo import shared_out
from recrawl.engine.scheduling.spending_together import counted, received, share_out, spent_today
from recrawl.model.batch import Batch
from recrawl.model.site import Site
from recrawl.schedule.budget import Budget, Spent, requests_of_span
from recrawl.schedule.portion import Portion
from recrawl.store.memory import MemoryStore

DAY_S = 86_400.0
NOW = 20_000 * DAY_S + 3600.0


def spend(spending: Spending, requests: int, now: float = NOW) -> None:
    for _ in range(requests):
        spending.begin("town", now)
        spending.end("town", now, 100)


def test_nothing_may_be_sent_before_the_day_is_written_down_nor_when_a_kill_would_lose_too_much() -> None:
    budgets = [Budget(requests_per_day=200.0)]
    spending = Spending(budgets)
    assert spending.must_be_written(NOW)
    spending.kept(spending.memo(NOW))
    assert not spending.must_be_written(NOW)
    spend(spending, uncounted(budgets) - 1)
    assert not spending.must_be_written(NOW)
    spend(spending, 1)
    assert spending.must_be_written(NOW)
    spending.kept(spending.memo(NOW))
    assert not spending.must_be_written(NOW)
    assert spending.must_be_written(NOW + DAY_S)


def test_after_a_kill_as_much_as_may_have_been_sent_is_taken_for_spent() -> None:
    budgets = [Budget(requests_per_day=200.0)]
    spending = Spending(budgets)
    spend(spending, 30)
    [after_a_kill] = Spending(budgets, spending.memo(NOW)).spent
    assert after_a_kill == Spent(20_000, 30 + uncounted(budgets), 3000 + 100 * uncounted(budgets))
    [after_a_clean_end] = Spending(budgets, spending.memo(NOW, closing=True)).spent
    assert after_a_clean_end == Spent(20_000, 30, 3000)


def test_a_small_budget_loses_little_of_its_day_to_a_kill() -> None:
    assert [uncounted([Budget(requests_per_day=each)]) for each in (10.0, 400.0, 1e6)] == [4, 20, 64]
    assert uncounted([Budget(requests_per_day=400.0), Budget("town", 100.0)]) == 5


def test_a_request_under_way_leaves_no_room_for_another_beyond_the_budget() -> None:
    budgets = [Budget(requests_per_day=2.0)]
    spending = Spending(budgets)
    spending.begin("town", NOW)
    assert spending.has_room("town", NOW)
    spending.begin("town", NOW)
    assert not spending.has_room("town", NOW)
    assert spending.has_room("town", NOW + DAY_S)


def test_what_was_spent_stays_spent_when_the_wishes_change() -> None:
    spending = Spending([Budget("town", 10.0)])
    spend(spending, 3)
    spending.know([Budget("", 50.0), Budget("town", 20.0)])
    assert [one.requests for one in spending.spent] == [0, 3]


def test_a_crew_of_another_size_inherits_the_day() -> None:
    budgets = [Budget(requests_per_day=40.0)]
    one, other = Spending(budgets), Spending(budgets)
    spend(one, 7)
    spend(other, 4)
    memos = [one.memo(NOW, closing=True), other.memo(NOW, closing=True)]
    assert shared_out(memos, 2) == memos
    assert shared_out([], 1) == []
    single, gone = shared_out(memos, 1)
    assert (Spending(budgets, single).spent, gone) == ([Spent(20_000, 11, 1100)], b"")
    assert [Spending(budgets, part).spent[0].requests for part in shared_out([single], 3)] == [4, 4, 3]


def test_what_the_last_of_a_crew_spent_is_known_though_a_kill_came_before_the_others_wrote_anything() -> None:
    budgets, store = [Budget(requests_per_day=40.0)], MemoryStore()
    share_out(store, 3)
    third = Spending(budgets, store.memo(spent_memo("2")))
    spend(third, 7)
    store.save(Batch(memos=((spent_memo("2"), third.memo(NOW)),)))
    assert [one.requests for one in spent_today(store, budgets, NOW)] == [7]
    share_out(store, 1)
    [alone] = Spending(budgets, store.memo(spent_memo("0"))).spent
    assert alone.requests == 7 + uncounted(budgets)


def test_while_nothing_is_known_of_the_sizes_one_request_goes_alone() -> None:
    spending = Spending([Budget(bytes_per_day=100_000.0)])
    assert spending.begin("town", NOW)
    assert spending.begin("town", NOW) is None
    spending.end("town", NOW, 10_000)
    assert [spending.begin("town", NOW) for _ in range(9)] == [True] * 9
    assert spending.begin("town", NOW) is None
    for _ in range(9):
        spending.end("town", NOW, 10_000)
    assert spending.begin("town", NOW) is False


def test_one_answer_of_unusual_size_does_not_keep_the_others_from_the_days_bytes() -> None:
    budgets = [Budget(bytes_per_day=100_000.0)]
    spending = Spending(budgets)
    spending.begin("town", NOW)
    spending.end("town", NOW, 500_000)
    assert not spending.has_room("town", NOW)
    tomorrow = NOW + DAY_S
    spending.begin("town", tomorrow)
    spending.end("town", tomorrow, 10)
    assert spending.has_room("town", tomorrow)
    assert spending.begin("town", tomorrow)


def test_what_is_left_over_of_a_budget_that_a_crew_shares_goes_to_the_first_of_them() -> None:
    purse = Purse(requests_per_day=5.0)
    shares = [budgets_of(purse, [Site("town", (), requests_per_day=7.5)], Portion(number, 2)) for number in range(2)]
    assert [[one.requests_per_day for one in share] for share in shares] == [[3.0, 4.5], [2.0, 3.0]]


def test_a_budget_whose_site_got_another_name_stays_spent_and_takes_nothing_from_its_neighbour() -> None:
    before = [Budget("harbour", 20.0), Budget("town", 20.0)]
    spending = Spending(before)
    spend(spending, 9)
    memo = spending.memo(NOW, closing=True)
    renamed = [Budget("harbour", 20.0), Budget("city", 20.0)]
    assert [one.requests for one in Spending(renamed, memo).spent] == [0, 9]
    assert [one.requests for one in Spending(list(reversed(renamed)), memo).spent] == [9, 0]
    assert [one.requests for one in Spending([*before, Budget("new", 20.0)], memo).spent] == [0, 9, 0]
    assert [one.requests for one in Spending([Budget("", 50.0), *before], memo).spent] == [9, 0, 9]
    spending.know(renamed)
    assert [one.requests for one in spending.spent] == [0, 9]


HARBOUR, TOWN = Budget("harbour", 20.0), Budget("town", 20.0)


def again(spending: Spending, *wanted: Budget, now: float = NOW) -> Spending:
    """The next run, with other site files."""
    return Spending(wanted, spending.memo(now, closing=True))


def test_a_site_that_is_taken_away_and_put_back_on_the_same_day_has_spent_what_it_had() -> None:
    running = Spending([HARBOUR, TOWN])
    spend(running, 9)
    stopped = again(running, HARBOUR)
    running.know([HARBOUR])
    running.begin("town", NOW)  # was on its way
    for spending, requests in ((running, 10), (stopped, 9)):
        assert [one.requests for one in again(again(spending, HARBOUR), HARBOUR, TOWN).spent] == [0, requests]
        assert again(again(spending, HARBOUR), HARBOUR, TOWN, now=NOW + DAY_S).begin("town", NOW + DAY_S)
        spending.know([HARBOUR, TOWN])
        assert [one.requests for one in spending.spent] == [0, requests]


def test_what_a_site_that_went_has_spent_is_forgotten_with_its_day_or_its_span() -> None:
    for per_day, days in ((20.0, 1), (0.5, 4)):
        spending = Spending([HARBOUR, Budget("town", per_day)])
        spend(spending, 2)
        spending.know([HARBOUR])
        assert b"town" in spending.memo(NOW + (days - 1) * DAY_S)
        assert b"town" not in spending.memo(NOW + days * DAY_S)


def test_a_crew_of_another_size_knows_of_sites_that_went() -> None:
    crew = [Spending([HARBOUR, TOWN]) for _ in range(2)]
    for worker in crew:
        spend(worker, 3)
    crew[1].know([HARBOUR])
    [alone, _] = shared_out([worker.memo(NOW, closing=True) for worker in crew], 1)
    assert [one.requests for one in again(Spending([HARBOUR], alone), TOWN).spent] == [6]


def test_who_is_no_worker_counts_too_and_a_crew_that_follows_knows_of_it() -> None:
    store, wanted = MemoryStore(), [Budget("town", 5.0)]
    parts = [budgets_of(Purse(), [Site("town", (), requests_per_day=5.0)], Portion(number, 2)) for number in range(2)]
    for number, part in enumerate(parts):
        worker = Spending(part)
        spend(worker, 1)
        store.save(Batch(memos=((spent_memo(str(number)), worker.memo(NOW, closing=True)),)))
    assert [counted(store, wanted, "town", NOW) for _ in range(4)] == [True, True, True, False]
    received(store, wanted, "town", NOW, 300)
    assert spent_today(store, wanted, NOW) == [Spent(20_000, 5, 500)]
    share_out(store, 2)
    crew = [Spending(part, store.memo(spent_memo(str(number)))) for number, part in enumerate(parts)]
    assert [worker.begin("town", NOW) for worker in crew] == [False, False]
    assert counted(store, wanted, "town", NOW + DAY_S)


def test_what_was_set_aside_for_a_page_that_never_came_is_there_again_the_next_day() -> None:
    spending = Spending([Budget(requests_per_day=4.0)])
    for server in ("a", "b"):
        assert spending.promise(server, "town", NOW)
        assert spending.begin("town", NOW)
        spending.keep_promise(server)
    assert not spending.promise("c", "town", NOW)
    assert [spending.promise(server, "town", NOW + DAY_S) for server in ("c", "d", "e")] == [True, True, False]


@pytest.mark.parametrize(("whole", "crew"), [(1.0, 4), (3.0, 4), (2.5, 3), (0.5, 2), (4.0, 4), (9.0, 4)])
def test_of_a_budget_smaller_than_the_crew_everybody_has_a_turn_and_no_day_sees_more(whole: float, crew: int) -> None:
    site = Site("town", (), requests_per_day=whole)
    shares = [budgets_of(Purse(), [site], Portion(number, crew)) for number in range(crew)]
    days = [[requests_of_span(share[0], NOW + day * DAY_S) or 0 for share in shares] for day in range(35)]
    assert max(map(sum, days)) == (int(whole) or 2)
    assert all(sum(turns) for turns in zip(*days, strict=True))
    alone = Spending([Budget("town", 24.0)])
    spend(alone, int(whole) or 2)
    crewed = shared_out([alone.memo(NOW, closing=True)], crew)
    workers = [Spending(share, part) for share, part in zip(shares, crewed, strict=True)]
    assert not any(worker.begin("town", NOW) for worker in workers)


def test_what_was_not_sent_is_there_again_but_never_from_another_day() -> None:
    spending = Spending([Budget(requests_per_day=2.0)])
    spend(spending, 2)
    spending.take_back("town", NOW, NOW)
    assert spending.has_room("town", NOW)
    tomorrow = NOW + DAY_S
    spend(spending, 2, tomorrow)
    spending.take_back("town", NOW, tomorrow)
    assert not spending.has_room("town", tomorrow)
