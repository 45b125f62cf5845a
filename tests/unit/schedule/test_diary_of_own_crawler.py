"""The scheduling core without the rest of recrawl."""

import itertools

import pytest

from recrawl.model.failure import FormatError, UsageError
from recrawl.schedule import POLICIES, Diary, Look, policy

DAY_S = 86_400.0
START_AT = 1_700_000_000.0


def kept_for(diary: Diary, days: int, lively: str, quiet: str) -> dict[str, int]:
    """Look every hour at what is due; one page changes daily, the other never."""
    visits = dict.fromkeys((lively, quiet), 0)
    seen_day: dict[str, int] = {}
    for hour in range(days * 24):
        now = START_AT + hour * 3600.0
        for name in diary.due(now, (lively, quiet)):
            day = int((now - START_AT) // DAY_S)
            diary.saw([Look(name, now, changed=name == lively and day > seen_day.get(name, 0))])
            seen_day[name] = day
            visits[name] += 1
    return visits


@pytest.mark.parametrize("name", ["value", "poisson", "multiplicative", "stormcrawler", "cho"])
def test_a_page_that_changes_daily_is_visited_more_than_one_that_never_does(name: str) -> None:
    visits = kept_for(Diary(policy(name), requests_per_day=2.0, now=START_AT), 120, "lively", "quiet")
    assert visits["lively"] > 2 * visits["quiet"] >= 2


def test_names_never_seen_come_first_and_then_the_longest_overdue() -> None:
    diary = Diary(policy("static"), 10.0, START_AT)
    diary.saw([Look("late", START_AT), Look("later", START_AT - 5.0)])
    assert diary.due(START_AT) == []
    assert diary.due(START_AT + 400 * DAY_S, ["new", "new", "late"]) == ["new", "later", "late"]
    assert len(diary) == 2 and diary.due_at("new") is None
    diary.forget("late")
    assert len(diary) == 1


@pytest.mark.parametrize("name", sorted(POLICIES))
def test_a_diary_read_back_goes_on_as_if_it_had_never_been_away(name: str) -> None:
    one = Diary(policy(name), 5.0, START_AT)
    for step, page in itertools.product(range(6), ("a", "b")):
        one.saw([Look(page, START_AT + step * DAY_S, changed=step % 2 == 0, group="site|x")])
    other = Diary.from_bytes(one.to_bytes(), policy(name))
    for diary in (one, other):
        diary.saw([Look("a", START_AT + 9 * DAY_S, changed=True), Look("c", START_AT + 9 * DAY_S)])
    assert [one.due_at(page) for page in "abc"] == pytest.approx([other.due_at(page) for page in "abc"])


def test_what_is_no_diary_is_refused_in_words() -> None:
    with pytest.raises(FormatError, match="not a diary"):
        Diary.from_bytes(b"{}", policy("value"))
    kept = Diary(policy("poisson"), 1.0, START_AT).to_bytes()
    with pytest.raises(UsageError, match="of policy 'poisson'"):
        Diary.from_bytes(kept, policy("value"))
    with pytest.raises(UsageError, match="above 0"):
        Diary(policy("value"), 0.0, START_AT)
    with pytest.raises(UsageError, match="each page once"):
        Diary(policy("value"), 1.0, START_AT).saw([Look("a", START_AT), Look("a", START_AT + 1)])
