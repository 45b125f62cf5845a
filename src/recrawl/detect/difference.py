"""What really changed between two texts: bytes, share, places, and segments a person can read.

Blocks are matched first; only inside the blocks that changed are words compared (single characters where a
script writes no spaces; whole sentences where very much changed). Both steps are bounded (see `sequence.py`): a
hostile page costs no more than a long one.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from enum import StrEnum
from itertools import groupby

from recrawl.detect.digest import fold
from recrawl.detect.sequence import matches
from recrawl.detect.simhash import CJK
from recrawl.model.document import Block, Sides
from recrawl.model.ends import ends
from recrawl.model.late import late
from recrawl.model.swift import swift
from recrawl.model.values import dataclass

_TOKEN = late(rf"\s|[{CJK}]|[^\s{CJK}]+")
_STRETCH = late(r".{100,400}?[.!?。\n]|.{1,400}", re.DOTALL)
MOST_CHARS = 500_000  # of changed text that is compared by words; more of it by sentences or so


class SegmentKind(StrEnum):
    SAME = "same"
    REMOVED = "removed"
    ADDED = "added"


@swift
@dataclass(frozen=True, slots=True)
class Segment:
    kind: SegmentKind
    text: str


_STAYED = Segment(SegmentKind.SAME, ".")  # stands for blocks that both have, whatever they say


@dataclass(frozen=True, slots=True)
class Difference:
    """`changed_bytes`: removed and added text in UTF-8. `share`: of the text that is different, 0..1.
    The same and removed segments joined give the old text, the same and added ones the new."""

    segments: tuple[Segment, ...] = ()
    changed_bytes: int = 0
    share: float = 0.0
    places: frozenset[int] = frozenset()

    @property
    def empty(self) -> bool:
        return self.changed_bytes == 0


@swift
@dataclass(frozen=True, slots=True)
class Extent:
    """How much of a `Difference` there is."""

    changed_bytes: int
    share: float


NO_EXTENT = Extent(0, 0.0)


@swift
@dataclass(frozen=True, slots=True)
class Step:
    """Blocks `old_from..old_to` became `new_from..new_to`; `same` if they are equal."""

    same: bool
    old_from: int
    old_to: int
    new_from: int
    new_to: int


def differ(old: Sequence[Block], new: Sequence[Block], folded: bool = False) -> Difference:
    """Empty exactly when the folded texts are equal. `folded`: they are folded already, and none is empty."""
    old, new = (old, new) if folded else (_folded(old), _folded(new))
    steps = steps_between([block.text for block in old], [block.text for block in new])
    segments: list[Segment] = []
    places: set[int] = set()
    for step in steps:
        before, after = old[step.old_from : step.old_to], new[step.new_from : step.new_to]
        if step.same:
            segments.append(Segment(SegmentKind.SAME, _joined(after)))
        else:
            segments.extend(_word_segments(_joined(before), _joined(after)))
            places.update(block.place for block in (*before, *after))
    return _measured(tuple(_merged(segments)), frozenset(places))


def extent(old: Sequence[Block], new: Sequence[Block]) -> Extent:
    """What `differ` would measure of blocks that are folded and not empty, without putting together what stayed, which
    is nearly all of a page."""
    return _extent_of([block.text for block in old], [block.text for block in new])


def extent_beside(sides: Sides) -> Extent:
    """The same of two versions side by side: whatever they begin and end with counts by its size."""
    title, gone, come = fold(sides.document.title), sides.gone, sides.come
    stayed_bytes = _bytes(title) + bool(title) + sides.text_bytes - _bytes("".join(come)) + sides.head + sides.tail
    if not gone or not come:  # as most do
        some_bytes = _bytes("".join(gone or come)) + len(gone or come)
        return Extent(some_bytes, some_bytes / (stayed_bytes + some_bytes))
    before, behind = [_STAYED.text] * bool(title or sides.head), [_STAYED.text] * bool(sides.tail)
    stayed_bytes -= _lines_bytes(before + behind)
    return _extent_of([*before, *gone, *behind], [*before, *come, *behind], stayed_bytes)


def _extent_of(was: list[str], now: list[str], stayed_bytes: int = 0) -> Extent:
    """`stayed_bytes`: that stand in neither."""
    head, tail = ends(was, now)
    gone, come = was[head : len(was) - tail], now[head : len(now) - tail]
    stayed_bytes += _lines_bytes(now)
    if not gone or not come:  # no word to be compared
        removed, added = _lines_bytes(gone), _lines_bytes(come)
        return _extent({SegmentKind.SAME: stayed_bytes - added, SegmentKind.REMOVED: removed, SegmentKind.ADDED: added})
    segments: list[Segment] = []
    for step in steps_between(was, now):
        if step.same:
            segments.append(_STAYED)
            stayed_bytes -= len(_STAYED.text)
        else:
            after = now[step.new_from : step.new_to]
            segments.extend(_word_segments(_lines(was[step.old_from : step.old_to]), _lines(after)))
            stayed_bytes -= _lines_bytes(after)
    return _extent(_sizes(_merged(segments)), stayed_bytes)


def steps_between(old: Sequence[str], new: Sequence[str]) -> list[Step]:
    """Runs of equal and of changed blocks, in order, covering both sides whole."""
    head, tail = ends(old, new)
    old_end, new_end = len(old) - tail, len(new) - tail
    steps = [Step(True, 0, head, 0, head)] if head else []
    old_at = new_at = head
    between = [(head + row, head + column) for row, column in matches(old[head:old_end], new[head:new_end])]
    for old_match, new_match in [*between, (old_end, new_end)]:
        if old_at < old_match or new_at < new_match:
            steps.append(Step(False, old_at, old_match, new_at, new_match))
        if old_match < old_end:
            _append_same(steps, old_match, new_match)
        old_at, new_at = old_match + 1, new_match + 1
    return [*steps, Step(True, old_end, len(old), new_end, len(new))] if tail else steps


def unified(old: Sequence[Block], new: Sequence[Block], context: int = 3) -> list[str]:
    """Lines of a unified difference, one block a line; empty if nothing changed."""
    before, after = [block.text for block in _folded(old)], [block.text for block in _folded(new)]
    lines: list[str] = []
    for hunk in _hunks(steps_between(before, after), context):
        first, last = hunk[0], hunk[-1]
        lines.append(
            f"@@ -{_span(first.old_from, last.old_to)} +{_span(first.new_from, last.new_to)} @@",
        )
        for step in hunk:
            if step.same:
                lines.extend(f" {text}" for text in after[step.new_from : step.new_to])
            else:
                lines.extend(f"-{text}" for text in before[step.old_from : step.old_to])
                lines.extend(f"+{text}" for text in after[step.new_from : step.new_to])
    return lines


def _folded(blocks: Iterable[Block]) -> list[Block]:
    folded = (Block(block.place, fold(block.text)) for block in blocks)
    return [block for block in folded if block.text]


def _joined(blocks: Sequence[Block]) -> str:
    return _lines([block.text for block in blocks])


def _lines(texts: Sequence[str]) -> str:
    return "\n".join((*texts, "")) if texts else ""


def _lines_bytes(texts: Sequence[str]) -> int:
    return _bytes(_lines(texts))


def _bytes(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def _append_same(steps: list[Step], old_at: int, new_at: int) -> None:
    last = steps[-1] if steps else None
    if last is not None and last.same and last.old_to == old_at and last.new_to == new_at:
        steps[-1] = Step(True, last.old_from, old_at + 1, last.new_from, new_at + 1)
    else:
        steps.append(Step(True, old_at, old_at + 1, new_at, new_at + 1))


def _word_segments(before: str, after: str) -> Iterator[Segment]:
    if not before or not after:
        yield from (Segment(SegmentKind.REMOVED, before), Segment(SegmentKind.ADDED, after))
        return
    token = _TOKEN if len(before) + len(after) <= MOST_CHARS else _STRETCH
    old, new = token.findall(before), token.findall(after)
    for step in steps_between(old, new):
        if step.same:
            yield Segment(SegmentKind.SAME, "".join(new[step.new_from : step.new_to]))
        else:
            yield Segment(SegmentKind.REMOVED, "".join(old[step.old_from : step.old_to]))
            yield Segment(SegmentKind.ADDED, "".join(new[step.new_from : step.new_to]))


def _merged(segments: Sequence[Segment]) -> Iterator[Segment]:
    """Runs of one kind joined, and blanks between two changes counted to both: whole phrases read better."""
    widened: list[Segment] = []
    for at, segment in enumerate(segments):
        lonely = segment.kind is SegmentKind.SAME and not segment.text.strip()
        if lonely and 0 < at < len(segments) - 1 and segment.text != "\n":
            widened += [Segment(SegmentKind.REMOVED, segment.text), Segment(SegmentKind.ADDED, segment.text)]
        else:
            widened.append(segment)
    for same, run in groupby(widened, key=lambda segment: segment.kind is SegmentKind.SAME):
        yield from _joined_run(same, list(run))


def _joined_run(same: bool, run: list[Segment]) -> Iterator[Segment]:
    for kind in (SegmentKind.SAME,) if same else (SegmentKind.REMOVED, SegmentKind.ADDED):
        text = "".join(segment.text for segment in run if segment.kind is kind)
        if text:
            yield Segment(kind, text)


def _measured(segments: tuple[Segment, ...], places: frozenset[int]) -> Difference:
    found = _extent(_sizes(segments))
    return Difference(segments, found.changed_bytes, found.share, places)


def _sizes(segments: Iterable[Segment]) -> dict[SegmentKind, int]:
    size = dict.fromkeys(SegmentKind, 0)
    for segment in segments:
        size[segment.kind] += _bytes(segment.text)
    return size


def _extent(size: dict[SegmentKind, int], stayed_bytes: int = 0) -> Extent:
    """`stayed_bytes`: that stand in no segment."""
    removed, added = size[SegmentKind.REMOVED], size[SegmentKind.ADDED]
    whole = size[SegmentKind.SAME] + stayed_bytes + max(removed, added)
    return Extent(removed + added, max(removed, added) / whole if whole else 0.0)


def _hunks(steps: list[Step], context: int) -> Iterator[list[Step]]:
    hunk: list[Step] = []
    for at, step in enumerate(steps):
        if not step.same:
            hunk.append(step)
            continue
        length = step.new_to - step.new_from
        first, last = not hunk, at == len(steps) - 1
        if first and not last:
            hunk = [_tail(step, min(context, length))] if context else []
        elif not first and (last or length > 2 * context):
            yield [*hunk, _head(step, min(context, length))]
            hunk = [_tail(step, min(context, length))] if not last and context else []
        elif not first:
            hunk.append(step)
    if any(not step.same for step in hunk):
        yield hunk


def _head(step: Step, length: int) -> Step:
    return Step(True, step.old_from, step.old_from + length, step.new_from, step.new_from + length)


def _tail(step: Step, length: int) -> Step:
    return Step(True, step.old_to - length, step.old_to, step.new_to - length, step.new_to)


def _span(start: int, end: int) -> str:
    length = end - start
    return f"{start + 1 if length else start},{length}"
