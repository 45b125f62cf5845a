"""Two versions side by side: the same line of text on the same row, what went and what came marked."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from recrawl.detect.difference import Difference, SegmentKind, differ
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
    """A line break in unchanged text ends the row on both sides, and so does one that ends a change on both."""
    before: list[Piece] = []
    after: list[Piece] = []
    changed = False
    for segment in found.segments:
        if segment.kind is not SegmentKind.SAME:
            changed = True
            (before if segment.kind is SegmentKind.REMOVED else after).append(Piece(segment.text, marked=True))
            continue
        if changed and _at_line_end(before) and _at_line_end(after):
            yield _row(before, after, changed)
            before, after, changed = [], [], False
        *whole, rest = segment.text.split("\n")
        for text in whole:
            yield _row([*before, Piece(text)], [*after, Piece(text)], changed)
            before, after, changed = [], [], False
        if rest:
            before.append(Piece(rest))
            after.append(Piece(rest))
    if before or after:
        yield _row(before, after, changed)


def _at_line_end(pieces: list[Piece]) -> bool:
    return not pieces or pieces[-1].text.endswith("\n")


def _row(before: list[Piece], after: list[Piece], changed: bool) -> Row:
    return Row(_trimmed(before), _trimmed(after), changed)


def _trimmed(pieces: list[Piece]) -> tuple[Piece, ...]:
    """Without the break that ends the row, and without empty pieces."""
    if pieces:
        pieces = [*pieces[:-1], Piece(pieces[-1].text.removesuffix("\n"), pieces[-1].marked)]
    return tuple(piece for piece in pieces if piece.text)


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
