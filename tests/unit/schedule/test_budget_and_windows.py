"""A day's budget is never exceeded; quiet hours are never broken."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.model.failure import FormatError
from recrawl.schedule.budget import (
    BOTH,
    Budget,
    Spent,
    all_allow,
    begun,
    bytes_left,
    flowed,
    may_spend,
    next_day_at,
    received,
    requests_left,
    started,
    weighed,
)
from recrawl.schedule.windows import both, is_open, minute_of_week, moved_into, opens_at, parse

DAY = 86400.0
MONDAY = 1_704_067_200.0  # 2024-01-01 00:00 UTC


@given(
    st.floats(0.05, 40.0),
    st.lists(st.floats(0.0, 3 * DAY), min_size=1, max_size=120),
)
def test_no_day_ever_sees_more_requests_than_its_budget(per_day: float, moments: list[float]) -> None:
    budget, spent = Budget(requests_per_day=per_day), Spent()
    made: dict[int, int] = {}
    for moment in sorted(moments):
        now = MONDAY + moment
        if may_spend(budget, spent, now):
            spent = asked(budget, spent, now, 1000)
            made[int(now // DAY)] = made.get(int(now // DAY), 0) + 1
    assert all(count <= (per_day if per_day >= 1.0 else BOTH) for count in made.values())


def asked(budget: Budget, spent: Spent, now: float, got_bytes: int) -> Spent:
    return received(budget, begun(budget, spent, now), now, got_bytes)


@given(st.floats(0.01, 0.999), st.lists(st.floats(0.0, 400 * DAY), min_size=1, max_size=200))
def test_below_one_a_day_two_are_saved_up_and_no_span_sees_more(per_day: float, moments: list[float]) -> None:
    budget, spent = Budget(requests_per_day=per_day), Spent()
    spans: list[tuple[int, int]] = []  # first day, requests
    for moment in sorted(moments):
        if may_spend(budget, spent, MONDAY + moment):
            spent = asked(budget, spent, MONDAY + moment, 1000)
            day = int(moment // DAY)
            same = bool(spans) and (day - spans[-1][0]) * per_day < BOTH * 0.999
            spans = [*spans[:-1], (spans[-1][0], spans[-1][1] + 1)] if same else [*spans, (day, 1)]
    assert all(requests <= BOTH for _, requests in spans)


def test_a_budget_below_one_a_day_is_there_again_whenever_somebody_looks() -> None:
    budget, spent, made = Budget(requests_per_day=1.0 / 7.0), Spent(), Counter[int]()
    for day in range(3, 120, 7):  # somebody who comes once a week
        while may_spend(budget, spent, MONDAY + day * DAY):
            spent = asked(budget, spent, MONDAY + day * DAY, 1000)
            made[day] += 1
    assert made == dict.fromkeys(range(3, 120, 14), BOTH)


def test_bytes_hold_too_and_a_huge_page_is_not_shut_out_for_ever() -> None:
    budget = Budget(bytes_per_day=1000)
    spent = asked(budget, Spent(), MONDAY, 900)
    assert bytes_left(budget, spent, MONDAY) == 100
    assert not may_spend(budget, spent, MONDAY, expected_bytes=200)
    assert may_spend(budget, spent, MONDAY + DAY, expected_bytes=5000)
    after_robots = asked(budget, Spent(), MONDAY, 300)
    assert may_spend(budget, after_robots, MONDAY, expected_bytes=5000)
    assert not may_spend(budget, after_robots, MONDAY, expected_bytes=900)  # it fits into another day
    assert not may_spend(budget, asked(budget, after_robots, MONDAY, 5000), MONDAY, expected_bytes=5000)


def test_bytes_beside_less_than_one_request_a_day_are_saved_up_for_as_many_days() -> None:
    budget = Budget(requests_per_day=0.5, bytes_per_day=1000)
    spent = asked(budget, Spent(), MONDAY, 1500)
    assert bytes_left(budget, spent, MONDAY) == bytes_left(budget, spent, MONDAY + 3 * DAY) == 2500
    assert bytes_left(budget, spent, MONDAY + 4 * DAY) == 4000


def test_every_budget_over_a_site_must_have_room() -> None:
    budgets = [Budget(requests_per_day=10), Budget("a", requests_per_day=1)]
    ledgers = [Spent(), asked(budgets[1], Spent(), MONDAY, 0)]
    assert not all_allow(budgets, ledgers, "a", MONDAY)
    assert all_allow(budgets, ledgers, "b", MONDAY)
    assert next_day_at(MONDAY + 5) == MONDAY + DAY


def test_a_clock_set_back_gives_nothing_back() -> None:
    budget = Budget(requests_per_day=1)
    spent = asked(budget, Spent(), MONDAY + DAY, 0)
    assert requests_left(budget, spent, MONDAY) == 0


def test_the_bucket_holds_one_day() -> None:
    bucket = flowed(started(24.0, MONDAY), MONDAY + 10 * DAY)
    assert bucket.fill == 1.0
    assert flowed(bucket, MONDAY + 10 * DAY, requests=12).fill == 0.5


@pytest.mark.parametrize(
    ("text", "open_hours", "closed_hours"),
    [
        ("not on Mondays 9–12", [8.9, 12, 24 + 10], [9, 11.99]),
        ("only at night", [22, 23.5, 24 + 5.9, 0], [6, 12, 21.9]),
        ("only on mon-fri 8:30-17", [8.5, 4 * 24 + 16], [8, 17, 5 * 24 + 10]),
        ("not on saturdays, sundays", [0, 4 * 24 + 23], [5 * 24, 6 * 24 + 23]),
        ("only 22-6", [23, 24 + 3, 3], [6, 20]),
        ("not on fri-mon", [24, 3 * 24 + 23], [0, 4 * 24, 6 * 24]),
    ],
)
def test_windows_mean_what_people_mean(text: str, open_hours: list[float], closed_hours: list[float]) -> None:
    window = parse(text)
    assert all(is_open([window], MONDAY + hour * 3600) for hour in open_hours)
    assert not any(is_open([window], MONDAY + hour * 3600) for hour in closed_hours)


@pytest.mark.parametrize(
    "text", ["", "mondays 9-12", "not on blursday", "only 9-9", "only 25-26", "not", "only 9:75-12"]
)
def test_a_window_that_says_nothing_clear_is_refused(text: str) -> None:
    with pytest.raises(FormatError):
        parse(text)


@given(
    st.floats(0, 14 * DAY), st.sampled_from(["not on Mondays 9-12", "only at night", "only on sat", "not daily 1-2"])
)
def test_a_due_time_moves_only_forward_and_only_into_the_window(ahead: float, text: str) -> None:
    windows = [parse(text), parse("not on sundays 0-4")]
    due = MONDAY + ahead
    moved = moved_into(windows, due)
    assert moved >= due and moved - due <= 7 * DAY
    assert is_open(windows, moved + 1e-2)


def test_rules_that_leave_nothing_say_so() -> None:
    windows = [parse("only on mondays"), parse("not on mondays")]
    assert opens_at(windows, MONDAY) is None
    assert moved_into(windows, MONDAY) == MONDAY


def test_the_offset_shifts_the_week() -> None:
    assert minute_of_week(MONDAY, 3600.0) == 60.0
    assert minute_of_week(MONDAY - 60) == 7 * 1440 - 1


def test_requests_under_way_weigh_as_much_as_each_may_bring() -> None:
    budget, spent = Budget(bytes_per_day=1000), Spent(3, requests=4, bytes=300)
    assert weighed(budget, spent, 3 * DAY, 2, 100).bytes == 500
    assert (
        weighed(budget, spent, 3 * DAY, 0, 100) == weighed(Budget(requests_per_day=9), spent, 3 * DAY, 1, 100) == spent
    )
    assert weighed(budget, spent, 4 * DAY, 2, 100).bytes == 200


def test_when_the_bytes_are_spent_even_a_page_of_unknown_size_waits() -> None:
    budget = Budget(bytes_per_day=1000)
    assert may_spend(budget, Spent(3, 1, 999), 3 * DAY)
    assert not may_spend(budget, Spent(3, 1, 1000), 3 * DAY)
    assert not may_spend(budget, Spent(3, 1, 1200), 3 * DAY)
    assert may_spend(budget, Spent(3, 1, 1200), 4 * DAY)


@given(
    st.lists(st.sampled_from(["only 22-6", "only 5-12", "not monday", "only weekends", "not 9:30-10"]), max_size=3),
    st.lists(st.sampled_from(["only 9-12", "not 0-5", "only mon-wed", "not on sundays 8-20"]), max_size=3),
    st.floats(0.0, 7 * DAY, exclude_max=True),
)
def test_neither_of_two_places_opens_what_the_other_closes(first: list[str], second: list[str], ahead: float) -> None:
    here, there = [parse(text) for text in first], [parse(text) for text in second]
    now = MONDAY + ahead
    assert is_open(both(here, there), now) == (is_open(here, now) and is_open(there, now))
