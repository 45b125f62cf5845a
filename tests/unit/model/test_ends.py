"""What two versions begin and end with is told once each, and never counted twice."""

from operator import is_

from hypothesis import given
from hypothesis import strategies as st

from recrawl.model.ends import ends

rows = st.lists(st.sampled_from("abc"), max_size=8)


@given(rows, rows)
def test_both_begin_and_end_with_what_is_counted_and_with_no_more(old: list[str], new: list[str]) -> None:
    head, tail = ends(old, new)
    assert head + tail <= min(len(old), len(new))
    assert old[:head] == new[:head]
    assert old[len(old) - tail :] == new[len(new) - tail :]
    before, after = old[head : len(old) - tail], new[head : len(new) - tail]
    assert not (before and after) or (before[0] != after[0] and before[-1] != after[-1])


@given(rows)
def test_equal_rows_begin_with_all_of_it(row: list[str]) -> None:
    assert ends(row, list(row)) == (len(row), 0)


def test_sameness_is_what_the_caller_says() -> None:
    assert ends([1, 2, 3], [1.0, 2, 3.0]) == (3, 0)
    assert ends([1, 2, 3], [1.0, 2, 3.0], is_) == (0, 0)
    assert ends((1, 2), (0, 1, 2), is_) == (0, 2)
