"""Fitting the clocks of `tempo`: expectation-maximisation over gaps of which only the verdict is known.

A gap that ended in "changed" holds E[N] = H/(1 − e^{−H}) changes, H its hazard; they fell into its hours in
proportion to each hour's hazard. Few steps from a flat start are the regulariser: the maximum itself is a comb.
"""

from dataclasses import replace

import numpy as np

from recrawl.estimate import given
from recrawl.estimate.tempo import (
    ACTIVITY_HOURS,
    ACTIVITY_STEPS,
    LONGEST_GAP_HOURS,
    RHYTHM_STEPS,
    RHYTHM_STRENGTH,
    Outcomes,
    Tempo,
    gathered,
    profile,
    taken,
    with_elapsed,
)
from recrawl.model.belief import Floats, Ints
from recrawl.model.values import dataclass

_RHYTHM_ACTIVITY = 1.0  # prior strength of the activity while the rhythm is fitted
_QUIETEST = 0.02
RHYTHM_DAYS = 3  # each site's rhythm is fitted anew so often
NEWS = 4.0  # visits that found nothing, as good a reason to fit anew as one that found a change
_ACTIVE: Ints = np.array([number for number, clock in enumerate(given.CLOCKS) if np.isfinite(clock.strength)])


@dataclass(frozen=True, slots=True)
class _Window:
    """Outcomes cut to columns `low`..`high` of the tempo; `begin` and `end` count in cells of site × hour."""

    low: int
    high: int
    sites: int
    site: Ints
    begin: Ints
    end: Ints
    rate: Floats
    hit: Ints  # which of them ended in "changed"

    def expected(self) -> Floats:
        """Site × hour: changes expected there by the pages' own rates."""
        return np.asarray(self._spread(self.rate[None, :] / 24.0, self.begin, self.end)[0])

    def found(self, hazard: Floats) -> Floats:
        """Clock × site × hour: changes that fell there, given the hazards so far."""
        clocks, width = hazard.shape[0], self.high - self.low + 1
        running = np.zeros((clocks, self.sites, width))
        np.cumsum(hazard / 24.0, axis=2, out=running[:, :, 1:])
        flat = running.reshape(clocks, -1)
        begin, end = self.begin[self.hit], self.end[self.hit]
        days = np.maximum(flat[:, end] - flat[:, begin], 1e-9)
        expected = self.rate[self.hit] * days
        return self._spread(expected / -np.expm1(-expected) / days / 24.0, begin, end) * hazard

    def _spread(self, amount: Floats, begin: Ints, end: Ints) -> Floats:
        """Each outcome's amount laid over every hour of its gap."""
        clocks, cells = amount.shape[0], self.sites * (self.high - self.low + 1)
        first = (np.arange(clocks) * cells)[:, None]
        steps = np.bincount((first + begin).ravel(), weights=amount.ravel(), minlength=clocks * cells)
        steps -= np.bincount((first + end).ravel(), weights=amount.ravel(), minlength=clocks * cells)
        return np.asarray(np.cumsum(steps.reshape(clocks, self.sites, -1), axis=2)[:, :, :-1])


def _window(tempo: Tempo, outcomes: Outcomes, hours: int, sites: Ints) -> _Window:
    """Of the sites named, numbered in that order."""
    high = tempo.hour - tempo.origin
    low = max(0, high - hours)
    number = np.full(tempo.rhythm.shape[0], -1)
    number[sites] = np.arange(sites.size)
    lasted = (outcomes.end - tempo.origin > low) & (outcomes.end > outcomes.begin)
    inside = taken(outcomes, np.flatnonzero(lasted & (number[outcomes.site] >= 0)))
    site = number[inside.site]
    begin = np.maximum(inside.begin - tempo.origin, low) - low
    end = np.minimum(inside.end - tempo.origin, high) - low
    row = site * (high - low + 1)
    return _Window(
        low, high, sites.size, site, row + np.minimum(begin, end), row + end, inside.rate,
        np.flatnonzero(inside.changed & (end > begin)),
    )  # fmt: skip


def activity_refitted(tempo: Tempo) -> Tempo:
    """A few steps for the last weeks of the sites of which there is news, all their clocks at once; called every few
    hours. News is a change, some visits without one, or a day gone by."""
    tempo = gathered(tempo)
    sites = _with_news(tempo)
    window = _window(tempo, tempo.outcomes, ACTIVITY_HOURS, sites)
    if not window.site.size:
        return tempo
    inside = slice(window.low, window.high)
    hours = tempo.origin + np.arange(window.low, window.high)
    cells = np.ix_(_ACTIVE, sites)
    rhythm = profile(tempo)[cells][:, :, hours % 24]
    expected = window.expected() * rhythm
    level = tempo.activity[:, :, inside][cells]
    for _ in range(ACTIVITY_STEPS):
        found = window.found(rhythm * level)
        for place, clock in enumerate(_ACTIVE):
            kind = given.CLOCKS[clock]
            level[place] = _ratio(found[place], expected[place], kind.strength, hours // kind.hours)
    activity, fitted = tempo.activity.copy(), tempo.fitted.copy()
    activity[:, :, inside][cells] = level
    fitted[sites] = tempo.hour
    return with_elapsed(replace(tempo, activity=activity, fitted=fitted), window.low, sites)


def _with_news(tempo: Tempo) -> Ints:
    seen = tempo.outcomes
    new = np.flatnonzero(seen.end >= tempo.fitted[seen.site])
    weight = np.where(seen.changed[new], NEWS, 1.0)
    news = np.bincount(seen.site[new], weights=weight, minlength=tempo.fitted.size)
    return np.flatnonzero((news >= NEWS) | (tempo.hour - tempo.fitted >= 24))


def _ratio(found: Floats, expected: Floats, strength: float, bins: Ints) -> Floats:
    """Found over expected in each bin, drawn to 1; every hour gets its bin's."""
    starts = np.flatnonzero(np.concatenate([[True], bins[1:] != bins[:-1]]))
    if starts.size == bins.size:
        return np.asarray((found + strength) / (expected + strength))
    level = np.add.reduceat(found, starts, axis=1) + strength
    level /= np.add.reduceat(expected, starts, axis=1) + strength
    return np.repeat(level, np.diff(np.append(starts, bins.size)), axis=1)


def whose_turn(tempo: Tempo) -> Ints:
    """The sites whose rhythm is fitted anew today."""
    return np.arange((tempo.hour // 24) % RHYTHM_DAYS, len(tempo.rhythm), RHYTHM_DAYS)


def rhythm_refitted(tempo: Tempo, sites: Ints) -> Tempo:
    """From flat, over the whole window, with an activity of its own."""
    tempo = gathered(tempo)
    short = np.flatnonzero(tempo.outcomes.end - tempo.outcomes.begin <= LONGEST_GAP_HOURS)
    window = _window(tempo, taken(tempo.outcomes, short), given.COLUMNS, sites)
    if not window.hit.size:
        return tempo
    hours = (tempo.origin + np.arange(window.low, window.high)) % 24
    expected = window.expected()
    expected_by_hour = _by_hour(expected, hours)
    rhythm = np.ones((sites.size, 24))
    activity = np.ones_like(expected)
    for _ in range(RHYTHM_STEPS):
        found = window.found((rhythm[:, hours] * activity)[None])[0]
        activity = (found + _RHYTHM_ACTIVITY) / (expected * rhythm[:, hours] + _RHYTHM_ACTIVITY)
        rhythm = _normal_rhythm(_by_hour(found, hours), expected_by_hour)
    every = tempo.rhythm.copy()
    every[sites] = rhythm
    return with_elapsed(replace(tempo, rhythm=every), 0, sites)


def _by_hour(amount: Floats, hours: Ints) -> Floats:
    place = (np.arange(amount.shape[0])[:, None] * 24 + hours).ravel()
    sums = np.bincount(place, weights=amount.ravel(), minlength=amount.shape[0] * 24)
    return np.asarray(sums, dtype=np.float64).reshape(-1, 24)


def _normal_rhythm(found: Floats, expected: Floats) -> Floats:
    """Found over expected with mean 1, drawn to flat where little is known."""
    level = (found.sum(axis=1) + 0.5) / (expected.sum(axis=1) + 0.5)
    rhythm = (found + RHYTHM_STRENGTH) / (expected * level[:, None] + RHYTHM_STRENGTH)
    rhythm = np.maximum(rhythm / rhythm.mean(axis=1, keepdims=True), _QUIETEST)
    return np.asarray(rhythm / rhythm.mean(axis=1, keepdims=True))
