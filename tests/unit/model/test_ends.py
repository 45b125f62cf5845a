"""What two versions begin and end with is told once each, and never counted twice."""

from collections import deque
from operator import eq, is_
from weakref import ref

from hypothesis import given
from hypothesis import strategies as st

from recrawl.model.ends import ends, ends_of_any

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


@given(st.lists(st.integers(0, 2), max_size=8), st.lists(st.integers(0, 2), max_size=3), st.integers(0, 8))
def test_lists_and_tuples_end_as_any_sequence_does(old: list[int], between: list[int], at: int) -> None:
    new = [*old[:at], *between, *old[at:]]
    for same in (eq, is_):
        assert ends(old, tuple(new), same) == ends_of_any(old, new, same) == ends(deque(old), deque(new), same)


class Leaving:
    """Empties a list when it is compared, and leaves the answer to the other."""

    def __init__(self, from_list: list[object]) -> None:
        self._list = from_list

    def __eq__(self, other: object) -> bool:
        self._list.clear()
        return NotImplemented

    def __hash__(self) -> int:
        return 0


def test_items_that_leave_their_list_while_they_are_compared_are_there_to_the_end_of_it() -> None:
    left: list[object] = []
    left.append(Leaving(left))
    gone = ref(left[0])

    class Asking:
        def __eq__(self, other: object) -> bool:
            return gone() is not None

        def __hash__(self) -> int:
            return 0

    assert ends(left, [Asking()])[0] == 1
