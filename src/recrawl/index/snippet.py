"""The part of a text that shows why it was found. Hits are offsets, so the text stays text wherever it is shown."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import islice

from recrawl.index.words import Span, is_paired, spans
from recrawl.model.search import Term

WIDTH = 200  # characters
MOST_WORDS = 20_000  # of a text that are looked at
MOST_MARKS = 200
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
    """(start, end, number of the term), by place."""
    found = list(islice(spans(text), MOST_WORDS))
    by_word: dict[str, list[int]] = {}
    for place, span in enumerate(found):
        by_word.setdefault(span.word, []).append(place)
    hits = []
    for number, term in enumerate(terms):
        for place in islice(_starts(term, by_word), MOST_MARKS):
            if (mark := _mark(term, found, place)) is not None:
                hits.append((*mark, number))
    return sorted(hits)


def _starts(term: Term, by_word: dict[str, list[int]]) -> Iterable[int]:
    first = term.words[0]
    if len(term.words) > 1 or not term.open:
        return by_word.get(first, ())
    return sorted(place for word, places in by_word.items() if word.startswith(first) for place in places)


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
