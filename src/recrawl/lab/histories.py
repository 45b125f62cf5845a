"""When a page changed: histories as pure functions of a key, counted to any moment without walking there.

A `Stream` is a Poisson path in its temper's unfolded time, found by halving: each half of an interval gets its
binomial share of the interval's changes, so the number of changes up to a moment costs a logarithm and needs no
memory. Moments of change are whole seconds, so a Last-Modified date can name them exactly.
"""

import math
from bisect import bisect_right
from typing import Protocol

from recrawl.lab.chance import bits, fraction, half_of, normal
from recrawl.lab.tempers import Regular, Still, Temper
from recrawl.model.values import dataclass

_STRETCH = 4096  # expected changes in one independent stretch of a path
_FEW = 6  # so few changes are placed directly


@dataclass(frozen=True, slots=True)
class Span:
    """The quiet time around a moment: how many changes came before, the last of them and the next one.
    `since_at` None: nothing has changed yet. `until_at` infinite: nothing will."""

    count: int
    since_at: float | None
    until_at: float


class History(Protocol):
    """The moments at which something changed. Whole seconds, in order; two changes may share a second."""

    def span(self, at: float) -> Span: ...

    def between(self, from_at: float, to_at: float) -> list[float]:
        """Moments after `from_at`, up to and with `to_at`."""
        ...


class Numbered(History, Protocol):
    """A history whose changes can be looked up by their number, from 1; infinite where there is none."""

    def moment(self, number: int) -> float: ...


@dataclass(frozen=True, slots=True)
class Fixed:
    """Moments known in advance."""

    moments: tuple[float, ...] = ()

    def span(self, at: float) -> Span:
        count = bisect_right(self.moments, at)
        return Span(count, self.moments[count - 1] if count else None, self.moment(count + 1))

    def between(self, from_at: float, to_at: float) -> list[float]:
        return list(self.moments[bisect_right(self.moments, from_at) : bisect_right(self.moments, to_at)])

    def moment(self, number: int) -> float:
        return self.moments[number - 1] if number <= len(self.moments) else math.inf


@dataclass(frozen=True, slots=True)
class Beats:
    """A regular page: one change every whole step of its temper, after the origin."""

    temper: Regular
    key: int
    origin_at: float

    def span(self, at: float) -> Span:
        first = self._beat(self.origin_at)
        beat = max(first, self._beat(at))
        return Span(beat - first, self._moment(beat) if beat > first else None, self._moment(beat + 1))

    def between(self, from_at: float, to_at: float) -> list[float]:
        first = self._beat(max(from_at, self.origin_at)) + 1
        return [self._moment(beat) for beat in range(first, self._beat(to_at) + 1)]

    def moment(self, number: int) -> float:
        return self._moment(self._beat(self.origin_at) + number)

    def _moment(self, beat: int) -> float:
        return float(math.ceil(self.temper.fold(beat, self.key)))

    def _beat(self, at: float) -> int:
        beat = math.floor(self.temper.unfold(math.floor(at), self.key))
        return beat + 1 if self._moment(beat + 1) <= at else beat


@dataclass(frozen=True, slots=True)
class Stream:
    """A page that changes by chance: the Poisson path of its key under its temper, from its origin on."""

    temper: Temper
    key: int
    origin_at: float

    def span(self, at: float) -> Span:
        """Exact against `moment`, whatever the rounding of `fold` and `unfold`."""
        at = max(at, self.origin_at)
        count = _count(self.key, self.temper.unfold(math.floor(at), self.key) - self._base())
        while count and self.moment(count) > at:
            count -= 1
        while (until_at := self.moment(count + 1)) <= at:
            count += 1
        return Span(count, self.moment(count) if count else None, until_at)

    def between(self, from_at: float, to_at: float) -> list[float]:
        return [self.moment(number) for number in range(self.span(from_at).count + 1, self.span(to_at).count + 1)]

    def moment(self, number: int) -> float:
        moment = self.temper.fold(self._base() + _place(self.key, number), self.key)
        return float(max(math.ceil(moment), math.floor(self.origin_at) + 1))

    def _base(self) -> float:
        return self.temper.unfold(self.origin_at, self.key)


@dataclass(frozen=True, slots=True)
class Shifted:
    """The same moments, later."""

    history: History
    by_s: float

    def span(self, at: float) -> Span:
        span = self.history.span(at - self.by_s)
        since_at = None if span.since_at is None else span.since_at + self.by_s
        return Span(span.count, since_at, span.until_at + self.by_s)

    def between(self, from_at: float, to_at: float) -> list[float]:
        return [at + self.by_s for at in self.history.between(from_at - self.by_s, to_at - self.by_s)]


@dataclass(frozen=True, slots=True)
class Together:
    """All moments of several histories."""

    parts: tuple[History, ...]

    def span(self, at: float) -> Span:
        spans = [part.span(at) for part in self.parts]
        since_at = max((span.since_at for span in spans if span.since_at is not None), default=None)
        return Span(sum(span.count for span in spans), since_at, min(span.until_at for span in spans))

    def between(self, from_at: float, to_at: float) -> list[float]:
        return sorted(moment for part in self.parts for moment in part.between(from_at, to_at))


def history_of(temper: Temper, key: int, origin_at: float) -> Numbered:
    if isinstance(temper, Still):
        return Fixed()
    if isinstance(temper, Regular):
        return Beats(temper, key, origin_at)
    return Stream(temper, key, origin_at)


def _in_stretch(key: int, stretch: int) -> int:
    """How many changes a stretch holds: Poisson, by its normal limit."""
    return max(0, round(normal(_STRETCH, math.sqrt(_STRETCH), key, stretch)))


def _few_places(key: int, node: int, count: int, low: float, width: float) -> list[float]:
    return sorted(low + width * fraction(key, node, index + 1) for index in range(count))


def _count(key: int, expected: float) -> int:
    """Changes of the path up to a place in unfolded time."""
    if expected <= 0:
        return 0
    stretch = int(expected // _STRETCH)
    before = sum(_in_stretch(key, earlier) for earlier in range(stretch))
    inner_key, place = bits(key, stretch, 1), expected / _STRETCH - stretch
    count, node, low, width = _in_stretch(key, stretch), 1, 0.0, 1.0
    while count > _FEW:
        left, width = half_of(count, inner_key, node), width / 2
        if place < low + width:
            count, node = left, 2 * node
        else:
            before, count, low, node = before + left, count - left, low + width, 2 * node + 1
    return before + bisect_right(_few_places(inner_key, node, count, low, width), place)


def _place(key: int, number: int) -> float:
    """Where change `number` (from 1) lies in unfolded time."""
    stretch = 0
    while number > (count := _in_stretch(key, stretch)):
        number, stretch = number - count, stretch + 1
    inner_key = bits(key, stretch, 1)
    node, low, width = 1, 0.0, 1.0
    while count > _FEW:
        left, width = half_of(count, inner_key, node), width / 2
        if number <= left:
            count, node = left, 2 * node
        else:
            number, count, low, node = number - left, count - left, low + width, 2 * node + 1
    return (stretch + _few_places(inner_key, node, count, low, width)[number - 1]) * _STRETCH
