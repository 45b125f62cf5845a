"""The part of a text that shows why it was found. Hits are offsets, so the text stays text wherever it is shown."""

from collections.abc import Iterable, Sequence

from recrawl.index.words import LONGEST, Span, is_paired, placed, spans_within
from recrawl.model.search import Term
from recrawl.model.values import dataclass

WIDTH = 200  # characters
MOST_MARKS = 16  # of a term that are looked for
GAP = 16  # characters between two words of a phrase that are looked over
LEAD = 0.3  # of the width may stand before the first hit
CUT = "…"


@dataclass(frozen=True, slots=True)
class Snippet:
    """`marks`: (start, end) of each hit in `text`, in order, never overlapping."""

    text: str
    marks: tuple[tuple[int, int], ...] = ()

    def pieces(self) -> list[tuple[str, bool]]:
        """The text in order, each piece with whether it is a hit."""
        found, at = list[tuple[str, bool]](), 0
        for start, end in self.marks:
            found += [(self.text[at:start], False), (self.text[start:end], True)]
            at = end
        return [piece for piece in (*found, (self.text[at:], False)) if piece[0]]


def snippet(text: str, terms: Sequence[Term], width: int = WIDTH) -> Snippet:
    """The stretch with the most different terms in it, the earliest of equals; the beginning where there is no hit."""
    hits = _hits(text, terms)
    start = _best_start(hits, width, len(text))
    end = min(len(text), start + width)
    start, end = _at_spaces(text, start, end)
    before, after = CUT if start > 0 else "", CUT if end < len(text) else ""
    body = text[start:end]
    shown = before + "".join(" " if letter in "\n\r\t" else letter for letter in body) + after
    shift = len(before) - start
    inside = [(first + shift, last + shift) for first, last, _ in hits if first >= start and last <= end]
    return Snippet(shown, tuple(_merged(inside)))


def marked(text: str, terms: Sequence[Term]) -> Snippet:
    """A short text, a title, whole and with its hits."""
    return Snippet(text, tuple(_merged((first, last) for first, last, _ in _hits(text, terms))))


def _hits(text: str, terms: Sequence[Term]) -> list[tuple[int, int, int]]:
    """(start, end, number of the term), by place. Only stretches around what looks like a hit are cut into words."""
    folded, places = placed(text)
    hits = set[tuple[int, int, int]]()
    for start, end in _stretches(folded, terms):
        found = list(spans_within(folded, places, start, end))
        for number, term in enumerate(terms):
            first, is_open = term.words[0], term.open and len(term.words) == 1
            begin = [
                place
                for place, span in enumerate(found)
                if span.word == first or (is_open and span.word.startswith(first))
            ]
            marks = (_mark(term, found, place) for place in begin)
            hits.update((*mark, number) for mark in marks if mark is not None)
    return sorted(hits)


def _stretches(folded: str, terms: Sequence[Term]) -> list[tuple[int, int]]:
    """From a space or so before every place where a term may begin, to as far as it may reach."""
    around: list[tuple[int, int]] = []
    for term in terms:
        reach = sum(map(len, term.words)) + GAP * (len(term.words) - 1)
        at = folded.find(term.words[0])
        for _ in range(MOST_MARKS):
            if at < 0:
                break
            around.append((_left(folded, at), _right(folded, min(len(folded), at + reach))))
            at = folded.find(term.words[0], at + 1)
    return _merged(around)


def _left(folded: str, at: int) -> int:
    """Where the run of letters around a place begins; in a script without spaces that does not matter."""
    least = max(0, at - LONGEST)
    while at > least and not folded[at - 1].isspace():
        at -= 1
    return at


def _right(folded: str, at: int) -> int:
    most = min(len(folded), at + LONGEST)
    while at < most and not folded[at].isspace():
        at += 1
    return at


def _mark(term: Term, found: Sequence[Span], place: int) -> tuple[int, int] | None:
    run = found[place : place + len(term.words)]
    if len(run) < len(term.words):
        return None
    last_word, last = term.words[-1], run[-1]
    if any(span.word != word for span, word in zip(run[:-1], term.words[:-1], strict=True)):
        return None
    if not (last.word.startswith(last_word) if term.open else last.word == last_word):
        return None
    # of a pair that only begins with the character asked for, that character alone is the hit
    end = last.start + 1 if term.open and is_paired(last_word) and last.word != last_word else last.end
    return run[0].start, end


def _best_start(hits: Sequence[tuple[int, int, int]], width: int, length: int) -> int:
    best, best_worth = 0, (0, 0)
    for place, (start, _, _) in enumerate(hits):
        inside = [hit for hit in hits[place : place + 20] if hit[1] <= start + width * (1 - LEAD)]
        worth = (len({number for _, _, number in inside}), len(inside))
        if worth > best_worth:
            best, best_worth = start, worth
    return max(0, min(best - int(width * LEAD), length - width)) if hits else 0


def _at_spaces(text: str, start: int, end: int) -> tuple[int, int]:
    """Not in the middle of a word, where a space is near."""
    if start > 0:
        space = text.find(" ", start, start + 20)
        start = space + 1 if space >= 0 else start
    if end < len(text):
        space = text.rfind(" ", max(start, end - 20), end)
        end = space if space > start else end
    return start, end


def _merged(marks: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    merged: list[tuple[int, int]] = []
    for start, end in sorted(marks):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], end))
        elif end > start:
            merged.append((start, end))
    return merged
