from collections.abc import Hashable
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from recrawl.detect.difference import MOST_CHARS, SegmentKind, differ, extent, steps_between, unified
from recrawl.detect.digest import fold
from recrawl.detect.sequence import ALL_CELLS, longest_common, matches
from recrawl.model.document import Block

SAME, REMOVED, ADDED = SegmentKind.SAME, SegmentKind.REMOVED, SegmentKind.ADDED

texts = st.lists(st.text("ab é灯台 \n", max_size=12), max_size=12)
items = st.lists(st.sampled_from("abcde"), max_size=30)


def blocks(found: list[str], place: int = 1) -> list[Block]:
    return [Block(place, text) for text in found]


def folded(found: list[str]) -> list[str]:
    return [text for text in map(fold, found) if text]


@given(texts, texts)
def test_a_difference_is_empty_exactly_when_the_texts_are_equal(old: list[str], new: list[str]) -> None:
    difference = differ(blocks(old), blocks(new))
    assert difference.empty == (folded(old) == folded(new))
    assert difference.empty == (unified(blocks(old), blocks(new)) == [])


@given(texts, texts)
def test_both_texts_can_be_read_back_from_the_segments(old: list[str], new: list[str]) -> None:
    segments = differ(blocks(old), blocks(new)).segments
    before = "".join(segment.text for segment in segments if segment.kind is not ADDED)
    after = "".join(segment.text for segment in segments if segment.kind is not REMOVED)
    assert before == "".join(text + "\n" for text in folded(old))
    assert after == "".join(text + "\n" for text in folded(new))


@given(texts, texts, texts, texts)
def test_the_extent_is_that_of_the_difference(head: list[str], old: list[str], new: list[str], tail: list[str]) -> None:
    before, after = (blocks(folded([*head, *middle, *tail])) for middle in (old, new))
    found, whole = extent(before, after), differ(before, after, folded=True)
    assert (found.changed_bytes, found.share) == (whole.changed_bytes, whole.share)


@given(texts, texts)
def test_the_share_lies_within_bounds_and_the_bytes_within_both_texts(old: list[str], new: list[str]) -> None:
    difference = differ(blocks(old), blocks(new))
    whole = sum(len((text + "\n").encode()) for text in (*folded(old), *folded(new)))
    assert 0.0 <= difference.share <= 1.0
    assert (difference.share == 0.0) == difference.empty
    assert 0 <= difference.changed_bytes <= whole


@given(items, items)
def test_common_items_are_equal_rising_and_as_many_as_can_be(old: list[str], new: list[str]) -> None:
    found = longest_common(old, new)
    assert all(old[row] == new[column] for row, column in found)
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(found))
    assert len(found) == longest_length(old, new) == len(matches(old, new))


def longest_length(old: list[str], new: list[str]) -> int:
    row = [0] * (len(new) + 1)
    for item in old:
        above, row = row, [0]
        for column, other in enumerate(new):
            row.append(above[column] + 1 if item == other else max(above[column + 1], row[column]))
    return row[-1]


@given(st.lists(st.text("ab", max_size=2), max_size=20), st.lists(st.text("ab", max_size=2), max_size=20))
def test_the_steps_cover_both_sides_without_a_gap(old: list[str], new: list[str]) -> None:
    old_at = new_at = 0
    for step in steps_between(old, new):
        assert (step.old_from, step.new_from) == (old_at, new_at)
        assert not step.same or old[step.old_from : step.old_to] == new[step.new_from : step.new_to]
        old_at, new_at = step.old_to, step.new_to
    assert (old_at, new_at) == (len(old), len(new))


def test_one_changed_word_costs_its_own_bytes_old_and_new() -> None:
    difference = differ(blocks(["The keeper sleeps.", "Fog."]), blocks(["The keeper wakes.", "Fog."]))
    assert [(segment.kind, segment.text) for segment in difference.segments] == [
        (SAME, "The keeper "),
        (REMOVED, "sleeps."),
        (ADDED, "wakes."),
        (SAME, "\nFog.\n"),
    ]
    assert difference.changed_bytes == len("sleeps.") + len("wakes.")


def test_words_that_changed_side_by_side_read_as_one_phrase() -> None:
    segments = differ(blocks(["we saw a red ship"]), blocks(["we saw two grey boats"])).segments
    assert [segment.text for segment in segments if segment.kind is REMOVED] == ["a red ship"]
    assert [segment.text for segment in segments if segment.kind is ADDED] == ["two grey boats"]


def test_changed_bytes_are_counted_in_utf_8_and_by_character_where_there_are_no_spaces() -> None:
    assert differ(blocks(["灯台守は夜"]), blocks(["灯台守は朝"])).changed_bytes == 6


def test_a_wholly_new_text_has_a_share_of_one_and_a_doubled_one_of_a_half() -> None:
    assert differ(blocks(["one two"]), blocks(["three four"])).share > 0.85
    assert 0.45 < differ(blocks(["one two three"]), blocks(["one two three", "six five four"])).share < 0.55
    assert differ([], blocks(["something"])).share == 1.0


def test_the_changed_places_are_those_of_the_changed_blocks() -> None:
    old = [Block(1, "head"), Block(2, "body"), Block(3, "foot")]
    new = [Block(1, "head"), Block(2, "torso"), Block(3, "foot")]
    assert differ(old, new).places == {2}


def test_the_unified_form_shows_three_blocks_around_each_change() -> None:
    old = [str(number) for number in range(20)]
    new = [*old[:10], "ten", *old[11:]]
    assert unified(blocks(old), blocks(new)) == [
        "@@ -8,7 +8,7 @@",
        " 7",
        " 8",
        " 9",
        "-10",
        "+ten",
        " 11",
        " 12",
        " 13",
    ]


def test_changes_far_apart_stand_in_hunks_of_their_own() -> None:
    old = [f"line {number}" for number in range(40)]
    new = ["first", *old[:20], "middle", *old[20:]]
    hunks = [line for line in unified(blocks(old), blocks(new)) if line.startswith("@@")]
    assert hunks == ["@@ -1,3 +1,4 @@", "@@ -18,6 +19,7 @@"]


class Counting:
    """An item that counts how often it is compared or hashed."""

    asked = 0

    def __init__(self, name: Hashable) -> None:
        self.name = name

    def __eq__(self, other: object) -> bool:
        Counting.asked += 1
        return isinstance(other, Counting) and self.name == other.name

    def __hash__(self) -> int:
        Counting.asked += 1
        return hash(self.name)


def work(old: list[Hashable], new: list[Hashable]) -> int:
    Counting.asked = 0
    matches([Counting(name) for name in old], [Counting(name) for name in new])
    return Counting.asked


def test_hostile_sequences_cost_little_more_than_their_length() -> None:
    size = 20_000
    assert size * size > ALL_CELLS
    pairs: list[tuple[list[Hashable], list[Hashable]]] = [
        (["a", "b"] * (size // 2), ["b", "a"] * (size // 2)),
        (list(range(size)), list(range(size))[::-1]),
        ([number // 2 for number in range(size)], [number // 2 for number in range(size)][::-1]),
        (["x"] * size, ["y"] * size),
        (list(range(size)), [number * 7919 % size for number in range(size)]),
    ]
    for old, new in pairs:
        assert work(old, new) < 40 * size


def test_a_small_change_in_a_huge_list_is_found_small() -> None:
    old = [f"row {number % 5000} of {number}" for number in range(30_000)]
    new = [*old[:9000], "inserted here", *old[9000:20_000], *old[20_001:]]
    difference = differ(blocks(old), blocks(new))
    assert difference.changed_bytes == len("inserted here\n") + len(old[20_000] + "\n")


def test_a_small_change_in_a_giant_block_is_found_small_and_nothing_of_it_is_lost() -> None:
    words = " ".join(f"word{number}." if number % 9 == 0 else f"word{number}" for number in range(40_000))
    old, new = words, words.replace("word20000 ", "another ").replace("word30000.", "")
    assert len(old) + len(new) > MOST_CHARS
    difference = differ(blocks([old]), blocks([new]))
    assert 0.0 < difference.share < 0.01
    for text, other in ((old, ADDED), (new, REMOVED)):
        assert (
            "".join(segment.text for segment in difference.segments if segment.kind is not other) == fold(text) + "\n"
        )
