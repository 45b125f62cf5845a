"""The index lines of the open file: many of them, in little room, each found where it lies."""

from hypothesis import given
from hypothesis import strategies as st

from recrawl.archive.recent import YOUNG, Recent


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
