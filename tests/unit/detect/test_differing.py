"""What differs is found without looking at what does not: the same parts as by looking at everything."""

from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from hypothesis import given
from hypothesis import strategies as st

from recrawl.detect.content import LINKS
from recrawl.detect.differing import differing
from recrawl.detect.parts import Found, Piece, pieces, place_key
from recrawl.detect.sequence import matches
from recrawl.model.document import Block

TEXTS = ("a", "b", "c", "x 1", "x 2", "x 3", "y 12:00 at 5", "y 12:01 at 5", "y 12:01 at 6", "1", "2", "z 7 z", "z 8 z")
blocks = st.builds(Block, st.sampled_from((1, 1, 2, LINKS)), st.sampled_from(TEXTS))
versions = st.lists(blocks, max_size=9)
edits = st.lists(st.tuples(st.sampled_from(("put", "drop", "say")), st.integers(0, 9), blocks), max_size=4)


def edited(old: list[Block], steps: Sequence[tuple[str, int, Block]]) -> list[Block]:
    new = list(old)
    for step, at, block in steps:
        new[at : at + (step != "put")] = [] if step == "drop" else [block]
    return new


def plainly_differing(old: Sequence[Block], new: Sequence[Block]) -> Iterator[Found]:
    """By naming every part of both versions."""
    for place in dict.fromkeys(block.place for block in (*old, *new)):
        was, now = (pieces([block for block in side if block.place == place]) for side in (old, new))
        if [piece.block.text for piece in was] != [piece.block.text for piece in now]:
            yield from plainly_in_place(place_key(place), was, now)


def plainly_in_place(place: int, old: Sequence[Piece], new: Sequence[Piece]) -> Iterator[Found]:
    before, after = ([piece.cut.skeleton for piece in side] for side in (old, new))
    common = len(matches(before, after))
    if (before != after and Counter(before) == Counter(after)) or not set(before) & set(after):
        yield Found(place, place)
    elif len(old) != len(new) or sum(map(str.__ne__, before, after)) > len(new) - common:
        yield Found(place, place, mostly_same=common * 4 >= max(len(old), len(new)) * 3)
    else:
        pairs = list(zip(old, new, strict=True))
        yield from (Found(now.slot, place) for was, now in pairs if was.cut.skeleton != now.cut.skeleton)
        yield from plain_fields([pair for pair in pairs if pair[0].cut.skeleton == pair[1].cut.skeleton])


def plain_fields(pairs: Sequence[tuple[Piece, Piece]]) -> Iterator[Found]:
    grouped = defaultdict(list)
    for was, now in pairs:
        grouped[now.cut.skeleton].append((was, now))
    for skeleton, alike in grouped.items():
        for hole, key in enumerate(alike[0][1].fields):
            before, after = ([pair[side].cut.values[hole] for pair in alike] for side in (0, 1))
            if before != after:
                same = len(matches(before, after)) * 4 >= len(after) * 3
                yield Found(key, alike[0][1].place, after[0], skeleton, same)


@given(versions, edits)
def test_a_page_retouched_differs_in_the_parts_that_looking_at_all_of_it_names(
    old: list[Block], steps: list[tuple[str, int, Block]]
) -> None:
    new = edited(old, steps)
    assert differing(old, new) == tuple(plainly_differing(old, new))


@given(versions, versions)
def test_so_does_a_page_written_anew(old: list[Block], new: list[Block]) -> None:
    assert differing(old, new) == tuple(plainly_differing(old, new))


def test_a_value_is_weighed_against_its_like_in_the_row_though_they_stayed() -> None:
    row = [f"seat {number}" for number in range(20)]
    old, new = ([Block(1, text) for text in (*row, last)] for last in ("seat 98", "seat 99"))
    (found,) = differing(old, new)
    assert found.mostly_same
    assert (found.value, found.skeleton) == ("0", "seat \x00")
