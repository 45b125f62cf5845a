"""Two versions side by side: the same line of text on the same row, what went and what came marked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recrawl.detect.difference import Difference, Segment, SegmentKind, differ
from recrawl.model.document import Block

CONTEXT = 2  # unchanged lines shown around a change


@dataclass(frozen=True, slots=True)
class Piece:
    text: str
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Row:
    """`skipped` > 0: so many unchanged lines are left out here."""

    before: tuple[Piece, ...] = ()
    after: tuple[Piece, ...] = ()
    changed: bool = False
    skipped: int = 0


@dataclass(frozen=True, slots=True)
class Sides:
    rows: tuple[Row, ...]
    share: float
    changed_bytes: int


def side_by_side(old: Sequence[Block], new: Sequence[Block], context: int = CONTEXT) -> Sides:
    found = differ(old, new)
    return Sides(tuple(_folded(list(_rows(found)), context)), found.share, found.changed_bytes)


def _rows(found: Difference) -> Iterator[Row]:
    """A line break in unchanged text ends the row on both sides; one within a change stays inside its row."""
    before: list[Piece] = []
    after: list[Piece] = []
    changed = False
    for segment in found.segments:
        if segment.kind is SegmentKind.SAME:
            *whole, rest = segment.text.split("\n")
            for text in whole:
                yield Row(_pieces(before, text), _pieces(after, text), changed)
                before, after, changed = [], [], False
            if rest:
                before.append(Piece(rest))
                after.append(Piece(rest))
        else:
            changed = True
            (before if segment.kind is SegmentKind.REMOVED else after).append(_marked(segment))
    if before or after:
        yield Row(tuple(before), tuple(after), changed)


def _pieces(pieces: list[Piece], text: str) -> tuple[Piece, ...]:
    return (*pieces, Piece(text)) if text else tuple(pieces)


def _marked(segment: Segment) -> Piece:
    return Piece(segment.text.rstrip("\n"), marked=True)


def _folded(rows: list[Row], context: int) -> Iterator[Row]:
    """Long stretches without a change become one row that says how many lines it stands for."""
    near = [False] * len(rows)
    for at, row in enumerate(rows):
        if row.changed:
            for close in range(max(0, at - context), min(len(rows), at + context + 1)):
                near[close] = True
    skipped = 0
    for row, shown in zip(rows, near, strict=True):
        if not shown:
            skipped += 1
            continue
        if skipped:
            yield Row(skipped=skipped)
            skipped = 0
        yield row
    if skipped:
        yield Row(skipped=skipped)
