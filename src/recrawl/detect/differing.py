"""Which parts of a page differ between two versions of it.

Most of a page stays as it is. A block that says the same at the same place of its row needs no name and no cutting,
except where it is one of those whose values a change is weighed against.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence, Set
from operator import is_

from recrawl.detect.parts import Found, Piece, piece_of, place_key
from recrawl.detect.sequence import matches
from recrawl.detect.shapes import HOLE
from recrawl.model.document import Block
from recrawl.model.ends import ends

FEW_PLACES = 3  # so few are looked for one by one

Pair = tuple[Piece, Piece]


def differing(old: Sequence[Block], new: Sequence[Block]) -> tuple[Found, ...]:
    places = _places_between(old, new)
    before, after = _by_place(old, places), _by_place(new, places)
    found: list[Found] = []
    for place in dict.fromkeys((*before, *after)):
        was, now = before.get(place, []), after.get(place, [])
        if [block.text for block in was] != [block.text for block in now]:
            found.extend(_in_rows(place_key(place), was, now) if len(was) == len(now) else _grown(place, was, now))
    return tuple(found)


def _places_between(old: Sequence[Block], new: Sequence[Block]) -> set[int]:
    """Where anything stands but the blocks that both begin and end with: all other places say the same."""
    head, tail = ends(old, new, is_)
    return {block.place for block in (*old[head : len(old) - tail], *new[head : len(new) - tail])}


def _by_place(blocks: Iterable[Block], places: Set[int]) -> dict[int, list[Block]]:
    there = [block for block in blocks if block.place in places]
    if len(places) <= FEW_PLACES:
        order = dict.fromkeys([block.place for block in there])
        return {place: [block for block in there if block.place == place] for place in order}
    grouped: defaultdict[int, list[Block]] = defaultdict(list)
    for block in there:
        grouped[block.place].append(block)
    return grouped


def _grown(place: int, was: Sequence[Block], now: Sequence[Block]) -> list[Found]:
    """Blocks came or went. What both begin and end with says the same whatever it is."""
    key, (head, tail) = place_key(place), ends([block.text for block in was], [block.text for block in now])
    gone, come = was[head : len(was) - tail], now[head : len(now) - tail]
    alike = len(matches(_skeletons(gone), _skeletons(come))) if gone and come else 0
    same = head + tail + alike
    return [Found(key, key, mostly_same=same * 4 >= max(len(was), len(now)) * 3)]


def _in_rows(place: int, was: Sequence[Block], now: Sequence[Block]) -> list[Found]:
    """As many blocks as there were, side by side."""
    total = len(now)
    pairs = {
        at: (piece_of(one, at, total), piece_of(other, at, total))
        for at, (one, other) in enumerate(zip(was, now, strict=True))
        if one.text != other.text
    }
    other_words = [at for at, (one, other) in pairs.items() if one.cut.skeleton != other.cut.skeleton]
    if not other_words:
        return list(_fields(pairs, (), now))
    before, after = _sides(pairs)
    if _reordered(before, after) or (len(pairs) == total and not set(before) & set(after)):
        return [Found(place, place)]
    moved, first, last = len(other_words), other_words[0], other_words[-1] + 1
    common = total - (last - first) + len(matches(_skeletons(was[first:last]), _skeletons(now[first:last])))
    if moved > total - common:
        return [Found(place, place, mostly_same=common * 4 >= total * 3)]
    slots = [Found(pairs[at][1].slot, place) for at in other_words]
    return [*slots, *_fields(pairs, other_words, now)]


def _fields(pairs: dict[int, Pair], besides: Sequence[int], now: Sequence[Block]) -> Iterator[Found]:
    """Values that differ in words that do not, skeleton by skeleton, each weighed against its like in the whole row."""
    changed: dict[int, Pair | None] = {**pairs, **dict.fromkeys(besides)}
    for skeleton, alike in _grouped(changed, now).items():
        first = alike[0][1]
        for hole, key in enumerate(first.fields):
            before = [one.cut.values[hole] for one, _ in alike]
            after = [other.cut.values[hole] for _, other in alike]
            if before != after:
                yield Found(key, first.place, after[0], skeleton, _mostly_same(before, after))


def _grouped(changed: dict[int, Pair | None], now: Sequence[Block]) -> dict[str, list[Pair]]:
    """The changed pairs, and those that say the same in the words of one of them; in the order of the row."""
    skeletons = {pair[1].cut.skeleton for pair in changed.values() if pair}
    begins = tuple({skeleton.partition(HOLE)[0] for skeleton in skeletons})
    ends = tuple({skeleton.rpartition(HOLE)[2] for skeleton in skeletons})
    grouped: dict[str, list[Pair]] = {}
    for at, block in enumerate(now) if skeletons else ():
        pair = changed.get(at)
        if at not in changed and block.text.startswith(begins) and block.text.endswith(ends):
            same = piece_of(block, at, len(now))
            pair = (same, same) if same.cut.skeleton in skeletons else None
        if pair is not None:
            grouped.setdefault(pair[1].cut.skeleton, []).append(pair)
    return grouped


def _sides(pairs: dict[int, Pair]) -> tuple[list[str], list[str]]:
    return [one.cut.skeleton for one, _ in pairs.values()], [other.cut.skeleton for _, other in pairs.values()]


def _mostly_same(old: list[str], new: list[str]) -> bool:
    return len(matches(old, new)) * 4 >= max(len(old), len(new)) * 3


def _reordered(old: list[str], new: list[str]) -> bool:
    return old != new and Counter(old) == Counter(new)


def _skeletons(blocks: Sequence[Block]) -> list[str]:
    return [piece_of(block, 0, 0).cut.skeleton for block in blocks]
