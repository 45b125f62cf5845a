"""The search index in plain dicts: the twin for tests, with the same order of answers."""

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from recrawl.model.search import Entry, Extent, Filter, Found, Hit, Part, Question, Shelf, Sieve, Step, Term
from recrawl.model.values import dataclass

Key = tuple[int, float]
K1, B = 1.2, 0.75  # BM25 as FTS5 has it
RAREST = 1e-6  # a word in more than half of the documents still counts a little


@dataclass(frozen=True, slots=True)
class _Document:
    number: int
    entry: Entry
    words: dict[Part, list[str]]

    @property
    def length(self) -> int:
        return sum(map(len, self.words.values()))


class MemorySearch:
    def __init__(self, cut: Callable[[str], str], weights: Mapping[Part, float], history: bool = False) -> None:
        self._cut, self._weights, self._history = cut, weights, history
        self._documents: dict[Key, _Document] = {}
        self._cursor = self._number = 0

    def close(self) -> None:
        """Nothing to let go of."""

    def cursor(self) -> int:
        return self._cursor

    def apply(self, step: Step) -> bool:
        if step.after != self._cursor:
            return False
        for page in step.removed:
            self._forget(page)
        for entry in step.put:
            self._put(entry)
        for page, at in step.closed:
            self._close(page, at)
        self._cursor = step.cursor
        return True

    def _forget(self, page: int) -> None:
        for key in [key for key in self._documents if key[0] == page]:
            del self._documents[key]

    def _close(self, page: int, at: float) -> None:
        for key, one in list(self._documents.items()):
            until_at = one.entry.until_at
            if key[0] == page and key[1] < at and (until_at is None or until_at > at):
                self._documents[key] = replace(one, entry=replace(one.entry, until_at=at))

    def _put(self, entry: Entry) -> None:
        if not self._history:
            self._forget(entry.page)
        elif entry.until_at is None:
            later = [at for page, at in self._documents if page == entry.page and at > entry.at]
            entry = replace(entry, until_at=min(later, default=None))
        self._documents.pop((entry.page, entry.at), None)
        self._number += 1
        words = {part: self._cut(entry.part(part)).split() for part in Part}
        self._documents[entry.page, entry.at] = _Document(self._number, entry, words)

    def find(self, question: Question, limit: int = 20, offset: int = 0) -> Found:
        found = [one for one in self._documents.values() if _fits(one, question)]
        scores = self._scores(found, question)
        order = sorted(found, key=lambda one: (-scores[one.number], *_newest_first(one, question)))
        chosen = order[max(offset, 0) :][: max(limit, 0)]
        return Found(tuple(Hit(one.entry, scores[one.number]) for one in chosen), len(found))

    def _scores(self, found: Sequence[_Document], question: Question) -> dict[int, float]:
        everything = list(self._documents.values())
        mean = sum(one.length for one in everything) / max(1, len(everything)) or 1.0
        scores = dict.fromkeys((one.number for one in found), 0.0)
        for term in question.terms:
            holders = sum(1 for one in everything if _count(one, term))
            rarity = max(RAREST, math.log((len(everything) - holders + 0.5) / (holders + 0.5)))
            for one in found:
                weight = sum(self._weights[part] * times for part, times in _count(one, term).items())
                scores[one.number] += rarity * weight * (K1 + 1) / (weight + K1 * (1 - B + B * one.length / mean))
        return scores

    def shelves(self) -> list[Shelf]:
        counts = Counter((one.entry.site, one.entry.category) for one in self._documents.values())
        return [Shelf(*shelf, documents) for shelf, documents in sorted(counts.items())]

    def extent(self) -> Extent:
        texts = sum(len(one.entry.part(part).encode()) for one in self._documents.values() for part in Part)
        return Extent(len(self._documents), texts)


def _fits(one: _Document, question: Question) -> bool:
    entry = one.entry
    return (
        all(any(_count(one, term) for term in group) for group in question.groups)
        and not any(_count(one, term) for term in question.without)
        and _sieved(entry, question.sieves)
        and (question.since_at is None or entry.changed_at >= question.since_at)
        and (question.before_at is None or entry.changed_at < question.before_at)
        and (question.as_of_at is None or _current(entry, question.as_of_at))
    )


def _newest_first(one: _Document, question: Question) -> tuple[float, int]:
    """What was put last is the newest; where nothing is weighed, the moment of its change decides first."""
    return (0.0 if question.groups else -one.entry.changed_at), -one.number


def _current(entry: Entry, at: float) -> bool:
    return entry.at <= at and (entry.until_at is None or entry.until_at > at)


def _sieved(entry: Entry, sieves: Sequence[Sieve]) -> bool:
    liked: dict[Filter, bool] = {}
    for sieve in sieves:
        fits = _FILTERS[sieve.filter](entry, sieve.value)
        if sieve.unlike and fits:
            return False
        if not sieve.unlike:
            liked[sieve.filter] = liked.get(sieve.filter, False) or fits
    return all(liked.values())


_FILTERS: dict[Filter, Callable[[Entry, str], bool]] = {
    Filter.SITE: lambda entry, value: entry.site == value,
    Filter.KIND: lambda entry, value: entry.kind.value == value,
    Filter.CATEGORY: lambda entry, value: entry.category == value or entry.category.startswith(value + "/"),
    Filter.LANGUAGE: lambda entry, value: entry.language == value or entry.language.startswith(value + "-"),
    Filter.URL: lambda entry, value: value.lower() in entry.url.lower(),
}


def _count(one: _Document, term: Term) -> Counter[Part]:
    """How often the term stands in each part."""
    counts: Counter[Part] = Counter()
    for part in (term.part,) if term.part else Part:
        words, length = one.words[part], len(term.words)
        times = sum(_is_at(words, place, term) for place in range(len(words) - length + 1))
        if times:
            counts[part] = times
    return counts


def _is_at(words: Sequence[str], place: int, term: Term) -> bool:
    run = words[place : place + len(term.words)]
    last = run[-1].startswith(term.words[-1]) if term.open else run[-1] == term.words[-1]
    return last and tuple(run[:-1]) == term.words[:-1]
