"""How a page changes: a temper says how the expected number of changes grows with time, and back again."""

import math
from bisect import bisect_right
from functools import cache
from typing import Protocol

from recrawl.lab.chance import fraction
from recrawl.model.values import dataclass

HOUR_S = 3600.0
DAY_S = 24 * HOUR_S
WEEK_S = 7 * DAY_S
MONDAY_AT = 4 * DAY_S  # the first Monday of the epoch


class Temper(Protocol):
    """Expected changes since the epoch as a rising function of time, and its inverse. `key`: the page's own chance."""

    def unfold(self, at: float, key: int) -> float: ...

    def fold(self, expected: float, key: int) -> float: ...


@dataclass(frozen=True, slots=True)
class Still:
    """Never changes."""

    def unfold(self, at: float, key: int) -> float:
        return 0.0

    def fold(self, expected: float, key: int) -> float:
        return math.inf


@dataclass(frozen=True, slots=True)
class Regular:
    """Changes once every period, at a phase of the page's own."""

    period_s: float

    def unfold(self, at: float, key: int) -> float:
        return (at - self._phase_s(key)) / self.period_s

    def fold(self, expected: float, key: int) -> float:
        return expected * self.period_s + self._phase_s(key)

    def _phase_s(self, key: int) -> float:
        return math.floor(fraction(key, 0) * self.period_s)


@dataclass(frozen=True, slots=True)
class Poisson:
    """Changes without memory, once in `mean_gap_s` on average."""

    mean_gap_s: float

    def unfold(self, at: float, key: int) -> float:
        return at / self.mean_gap_s

    def fold(self, expected: float, key: int) -> float:
        return expected * self.mean_gap_s


@dataclass(frozen=True, slots=True)
class Rhythm:
    """A Poisson page whose rate follows the week: 168 hourly weights from Monday 00:00 UTC."""

    mean_gap_s: float
    week: tuple[float, ...]

    def unfold(self, at: float, key: int) -> float:
        weeks, into_s = divmod(at - MONDAY_AT, WEEK_S)
        hour = min(int(into_s / HOUR_S), 167)
        sums = _running_sums(self.week)
        share = (sums[hour] + self.week[hour] * (into_s / HOUR_S - hour)) / sums[168]
        return (weeks + share) * WEEK_S / self.mean_gap_s

    def fold(self, expected: float, key: int) -> float:
        weeks, share = divmod(expected * self.mean_gap_s / WEEK_S, 1.0)
        sums = _running_sums(self.week)
        hour = min(bisect_right(sums, share * sums[168]) - 1, 167)
        into = (share * sums[168] - sums[hour]) / self.week[hour] if self.week[hour] else 0.0
        return MONDAY_AT + weeks * WEEK_S + (hour + into) * HOUR_S


@dataclass(frozen=True, slots=True)
class Bursty:
    """One burst in every `every_s`, at a moment of its own, of about `changes` changes; silence otherwise."""

    every_s: float
    lasts_s: float
    changes: float

    def unfold(self, at: float, key: int) -> float:
        cell = math.floor(at / self.every_s)
        into_s = at - cell * self.every_s - self._wait_s(cell, key)
        return (cell + min(max(into_s / self.lasts_s, 0.0), 1.0)) * self.changes

    def fold(self, expected: float, key: int) -> float:
        cell = math.floor(expected / self.changes)
        into = expected / self.changes - cell
        return cell * self.every_s + self._wait_s(cell, key) + into * self.lasts_s

    def _wait_s(self, cell: int, key: int) -> float:
        return fraction(key, 1, cell % (1 << 63)) * (self.every_s - self.lasts_s)


@cache
def _running_sums(week: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(math.fsum(week[:hour]) for hour in range(169))


def week_of(hours: range, days: range = range(7)) -> tuple[float, ...]:
    """A week in which only the given hours of the given days count; hours beyond 24 run into the next morning."""
    busy = {hour % 24 for hour in hours}
    return tuple(1.0 if hour % 24 in busy and hour // 24 in days else 0.0 for hour in range(168))


STILL = Still()
HOURLY = Regular(HOUR_S)
BY_DAY = week_of(range(8, 20))
BY_NIGHT = week_of(range(20, 32))
ON_WEEKDAYS = week_of(range(9, 18), range(5))
