"""What two sequences have in common, in order, at a bounded cost.

Small middles get a true longest common subsequence, computed on whole rows of bits at once; large ones are first
cut at the items that occur once on both sides (their longest rising chain); what is still too large to look at
inside the budget counts as replaced. Whatever the input, the work stays near linear.
"""

from bisect import bisect_left
from collections import Counter
from collections.abc import Hashable, Iterator, Sequence

Match = tuple[int, int]

WHOLE_CELLS = 64_000_000  # one table of this many bits takes some ten milliseconds and 8 MB
ALL_CELLS = 256_000_000  # for all tables of one comparison together


def matches(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Match]:
    """Pairs of places with equal items, rising on both sides. Equal sequences match everywhere."""
    found: list[Match] = []
    budget = ALL_CELLS
    gaps = [(0, len(old), 0, len(new), False)]
    while gaps:
        old_from, old_to, new_from, new_to, cut = gaps.pop()
        while old_from < old_to and new_from < new_to and old[old_from] == new[new_from]:
            found.append((old_from, new_from))
            old_from, new_from = old_from + 1, new_from + 1
        while old_from < old_to and new_from < new_to and old[old_to - 1] == new[new_to - 1]:
            old_to, new_to = old_to - 1, new_to - 1
            found.append((old_to, new_to))
        cells = (old_to - old_from) * (new_to - new_from)
        if cells == 0:
            continue
        if cells <= min(WHOLE_CELLS, budget):
            budget -= cells
            common = longest_common(old[old_from:old_to], new[new_from:new_to])
            found.extend((old_from + row, new_from + column) for row, column in common)
        elif not cut:
            gaps.extend(_cut_at_unique(old, new, old_from, old_to, new_from, new_to))
    return sorted(found)


def longest_common(old: Sequence[Hashable], new: Sequence[Hashable]) -> list[Match]:
    """A longest common subsequence. One long integer a row: a zero bit marks where the length rises.
    The shorter side lies along the bits, so that rows stay short."""
    if len(new) > len(old):
        return [(row, column) for column, row in longest_common(new, old)]
    where: dict[Hashable, int] = {}
    for column, item in enumerate(new):
        where[item] = where.get(item, 0) | 1 << column
    full = (1 << len(new)) - 1
    row, rows = full, []
    for item in old:
        hits = row & where.get(item, 0)
        row = (row + hits | row - hits) & full
        rows.append(row)
    return _walk_back(old, new, rows)


def _walk_back(old: Sequence[Hashable], new: Sequence[Hashable], rows: list[int]) -> list[Match]:
    found: list[Match] = []
    at, column = len(old) - 1, len(new) - 1
    while at >= 0 and column >= 0:
        if rows[at] >> column & 1:  # this column adds nothing
            column -= 1
        elif at > 0 and not rows[at - 1] >> column & 1:  # the row above had it already
            at -= 1
        else:
            found.append((at, column))
            at, column = at - 1, column - 1
    return found[::-1]


def _cut_at_unique(
    old: Sequence[Hashable], new: Sequence[Hashable], old_from: int, old_to: int, new_from: int, new_to: int
) -> Iterator[tuple[int, int, int, int, bool]]:
    """The gaps between items that occur once on both sides; each anchor opens its gap, so that it is matched there."""
    in_old, in_new = Counter(old[old_from:old_to]), Counter(new[new_from:new_to])
    new_at = {new[at]: at for at in range(new_from, new_to) if in_new[new[at]] == 1}
    pairs = [(at, new_at[old[at]]) for at in range(old_from, old_to) if in_old[old[at]] == 1 and old[at] in new_at]
    old_start, new_start = old_from, new_from
    for old_at, new_place in _rising_chain(pairs):
        yield old_start, old_at, new_start, new_place, True
        old_start, new_start = old_at, new_place
    yield old_start, old_to, new_start, new_to, True


def _rising_chain(pairs: list[Match]) -> list[Match]:
    """The longest chain of pairs rising on the new side as well (patience sorting)."""
    tops: list[int] = []
    piles: list[int] = []
    before: list[int] = []
    for at, (_, column) in enumerate(pairs):
        pile = bisect_left(tops, column)
        before.append(piles[pile - 1] if pile else -1)
        tops[pile : pile + 1] = [column]
        piles[pile : pile + 1] = [at]
    chain = []
    at = piles[-1] if piles else -1
    while at >= 0:
        chain.append(pairs[at])
        at = before[at]
    return chain[::-1]
