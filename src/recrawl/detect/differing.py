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
from recrawl.model.document import Block, Row
from recrawl.model.ends import ends

FEW_PLACES = 3  # so few are looked for one by one

Pair = tuple[Piece, Piece]


def differing(old: Sequence[Block], new: Sequence[Block]) -> tuple[Found, ...]:
    places = _places_between(old, new)
    before, after = _by_place(old, places), _by_place(new, places)
    order = dict.fromkeys((*before, *after))
    return differing_in([_row(place, before.get(place, []), after.get(place, [])) for place in order])


def differing_in(rows: Iterable[Row]) -> tuple[Found, ...]:
    """The same of what stands at each place."""
    found: list[Found] = []
    for row in rows:
        if row.gone or row.come:
            found.extend(_in_row(row) if len(row.gone) == len(row.come) else _grown(row))
    return tuple(found)


def _row(place: int, was: list[str], now: list[str]) -> Row:
    head, tail = ends(was, now)
    return Row(place, head, was[head : len(was) - tail], now[head : len(now) - tail], now)


def _places_between(old: Sequence[Block], new: Sequence[Block]) -> set[int]:
    """Where anything stands but the blocks that both begin and end with: all other places say the same."""
    head, tail = ends(old, new, is_)
    return {block.place for block in (*old[head : len(old) - tail], *new[head : len(new) - tail])}


def _by_place(blocks: Iterable[Block], places: Set[int]) -> dict[int, list[str]]:
    there = [block for block in blocks if block.place in places]
    if len(places) <= FEW_PLACES:
        order = dict.fromkeys([block.place for block in there])
        return {place: [block.text for block in there if block.place == place] for place in order}
    grouped: defaultdict[int, list[str]] = defaultdict(list)
    for block in there:
        grouped[block.place].append(block.text)
    return grouped


def _grown(row: Row) -> list[Found]:
    """Blocks came or went. What both begin and end with says the same whatever it is."""
    key, stayed, gone, come = place_key(row.place), len(row.now) - len(row.come), row.gone, row.come
    alike = len(matches(_skeletons(row.place, gone), _skeletons(row.place, come))) if gone and come else 0
    most = stayed + max(len(gone), len(come))
    return [Found(key, key, mostly_same=(stayed + alike) * 4 >= most * 3)]


def _in_row(row: Row) -> list[Found]:
    """As many blocks as there were, side by side."""
    key, total = place_key(row.place), len(row.now)
    pairs = {
        at: (_piece(row, one, at), _piece(row, other, at))
        for at, (one, other) in enumerate(zip(row.gone, row.come, strict=True), row.head)
        if one != other
    }
    other_words = [at for at, (one, other) in pairs.items() if one.cut.skeleton != other.cut.skeleton]
    if not other_words:
        return list(_fields(row, pairs, ()))
    before, after = _sides(pairs)
    if _reordered(before, after) or (len(pairs) == total and not set(before) & set(after)):
        return [Found(key, key)]
    moved, first, last = len(other_words), other_words[0] - row.head, other_words[-1] + 1 - row.head
    was, now = _skeletons(row.place, row.gone[first:last]), _skeletons(row.place, row.come[first:last])
    common = total - (last - first) + len(matches(was, now))
    if moved > total - common:
        return [Found(key, key, mostly_same=common * 4 >= total * 3)]
    slots = [Found(pairs[at][1].slot, key) for at in other_words]
    return [*slots, *_fields(row, pairs, other_words)]


def _piece(row: Row, text: str, at: int) -> Piece:
    return piece_of(Block(row.place, text), at, len(row.now))


def _fields(row: Row, pairs: dict[int, Pair], besides: Sequence[int]) -> Iterator[Found]:
    """Values that differ in words that do not, skeleton by skeleton, each weighed against its like in the whole row."""
    changed: dict[int, Pair | None] = {**pairs, **dict.fromkeys(besides)}
    for skeleton, alike in _grouped(row, changed).items():
        first = alike[0][1]
        for hole, key in enumerate(first.fields):
            before = [one.cut.values[hole] for one, _ in alike]
            after = [other.cut.values[hole] for _, other in alike]
            if before != after:
                yield Found(key, first.place, after[0], skeleton, _mostly_same(before, after))


def _grouped(row: Row, changed: dict[int, Pair | None]) -> dict[str, list[Pair]]:
    """The changed pairs, and those that say the same in the words of one of them; in the order of the row."""
    skeletons = {pair[1].cut.skeleton for pair in changed.values() if pair}
    begins = tuple({skeleton.partition(HOLE)[0] for skeleton in skeletons})
    ends = tuple({skeleton.rpartition(HOLE)[2] for skeleton in skeletons})
    grouped: dict[str, list[Pair]] = {}
    for at, text in enumerate(row.now) if skeletons else ():
        pair = changed.get(at)
        if at not in changed and text.startswith(begins) and text.endswith(ends):
            same = _piece(row, text, at)
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


def _skeletons(place: int, texts: Sequence[str]) -> list[str]:
    return [piece_of(Block(place, text), 0, 0).cut.skeleton for text in texts]
