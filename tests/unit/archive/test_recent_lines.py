"""The index lines of the open file: many of them, in little room, each found where it lies."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.archive.recent import YOUNG, Recent, found, joined, plain_found, plain_joined


@given(st.lists(st.integers(-(1 << 63), (1 << 63) - 1), min_size=1, max_size=40), st.integers(0, 3))
def test_every_line_is_found_under_its_key_in_order_of_writing(keys: list[int], rounds: int) -> None:
    recent, written = Recent(), dict[int, list[tuple[int, int]]]()
    fill = YOUNG // 2 * rounds  # some lines settle, some stay young
    for place, key in enumerate([*keys, *(number * 7919 for number in range(fill)), *keys]):
        recent.add(key, (place * 100, 90))
        written.setdefault(key, []).append((place * 100, 90))
    for key in (*keys, 7919, 2, -1):
        assert recent.find(key) == written.get(key, [])
    recent.clear()
    assert recent.find(keys[0]) == []


@pytest.mark.compiled
@given(st.lists(st.lists(st.tuples(st.integers(-9, 9), st.integers(0, 9), st.integers(0, 9)), max_size=20), max_size=4))
def test_lines_are_joined_and_found_alike_by_the_compiled_part(heaps: list[list[tuple[int, int, int]]]) -> None:
    settled = b""
    for young in map(sorted, heaps):
        if young:
            assert joined(settled, young) == plain_joined(settled, young)
            settled = joined(settled, young)
    for key in range(-10, 11):
        assert found(settled, key) == plain_found(settled, key)
