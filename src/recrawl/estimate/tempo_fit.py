"""Fitting the clocks of `tempo`: expectation-maximisation over gaps of which only the verdict is known.

A gap that ended in "changed" holds E[N] = H/(1 − e^{−H}) changes, H its hazard; they fell into its hours in
proportion to each hour's hazard. Few steps from a flat start are the regulariser: the maximum itself is a comb.
"""

from dataclasses import dataclass, replace

import numpy as np

from recrawl.estimate.tempo import (
    ACTIVITY_HOURS,
    ACTIVITY_STEPS,
    CLOCKS,
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

_RHYTHM_ACTIVITY = 1.0  # prior strength of the activity while the rhythm is fitted
_QUIETEST = 0.02


@dataclass(frozen=True, slots=True)
class _Window:
    """Outcomes cut to columns `low`..`high` of the tempo."""

    low: int
    high: int
    sites: int
    site: Ints
    begin: Ints
    end: Ints
    rate: Floats
    hit: Ints  # which of them ended in "changed"

    def spread(self, amount: Floats, index: Ints) -> Floats:
        """Site × hour: each outcome's amount laid over every hour of its gap."""
        width = self.high - self.low + 1
        row = self.site[index] * width
        steps = np.bincount(row + self.begin[index], weights=amount, minlength=self.sites * width)
        steps -= np.bincount(row + self.end[index], weights=amount, minlength=self.sites * width)
        return np.asarray(np.cumsum(steps.reshape(self.sites, width), axis=1)[:, :-1])

    def expected(self) -> Floats:
        return self.spread(self.rate / 24.0, np.arange(self.site.size))

    def found(self, hazard: Floats, running: Floats) -> Floats:
        """Site × hour: changes that fell there, given the hazards so far."""
        hit = self.hit
        days = np.maximum(running[self.site[hit], self.end[hit]] - running[self.site[hit], self.begin[hit]], 1e-9)
        expected = self.rate[hit] * days
        return self.spread(expected / -np.expm1(-expected) / days / 24.0, hit) * hazard


def _window(tempo: Tempo, outcomes: Outcomes, hours: int) -> _Window:
    high = tempo.hour - tempo.origin
    low = max(0, high - hours)
    inside = taken(outcomes, np.flatnonzero((outcomes.end - tempo.origin > low) & (outcomes.end > outcomes.begin)))
    begin = np.maximum(inside.begin - tempo.origin, low) - low
    end = np.minimum(inside.end - tempo.origin, high) - low
    return _Window(
        low, high, tempo.rhythm.shape[0], inside.site, np.minimum(begin, end), end, inside.rate,
        np.flatnonzero(inside.changed & (end > begin)),
    )  # fmt: skip


def activity_refitted(tempo: Tempo) -> Tempo:
    """A few steps for the last weeks; called every few hours."""
    tempo = gathered(tempo)
    window = _window(tempo, tempo.outcomes, ACTIVITY_HOURS)
    if not window.site.size:
        return tempo
    expected = window.expected()
    for _ in range(ACTIVITY_STEPS):
        activity = tempo.activity.copy()
        hours = (tempo.origin + np.arange(window.low, window.high)) % 24
        profiles = profile(tempo)
        for clock, kind in enumerate(CLOCKS):
            if np.isinf(kind.strength):
                continue
            rhythm = profiles[clock][:, hours]
            hazard = rhythm * activity[clock, :, window.low : window.high]
            running = tempo.elapsed[clock, :, window.low : window.high + 1]
            found = window.found(hazard, running)
            day = (tempo.origin + np.arange(window.low, window.high)) // kind.hours
            activity[clock, :, window.low : window.high] = _ratio(found, expected * rhythm, kind.strength, day)
        tempo = with_elapsed(replace(tempo, activity=activity), window.low)
    return tempo


def _ratio(found: Floats, expected: Floats, strength: float, bins: Ints) -> Floats:
    """Found over expected in each bin, drawn to 1; every hour gets its bin's."""
    starts = np.flatnonzero(np.r_[True, bins[1:] != bins[:-1]])
    if starts.size == bins.size:
        return np.asarray((found + strength) / (expected + strength))
    level = np.add.reduceat(found, starts, axis=1) + strength
    level /= np.add.reduceat(expected, starts, axis=1) + strength
    return np.repeat(level, np.diff(np.r_[starts, bins.size]), axis=1)


def rhythm_refitted(tempo: Tempo) -> Tempo:
    """From flat, over the whole window, with an activity of its own; called once a day."""
    tempo = gathered(tempo)
    short = np.flatnonzero(tempo.outcomes.end - tempo.outcomes.begin <= LONGEST_GAP_HOURS)
    window = _window(tempo, taken(tempo.outcomes, short), tempo.activity.shape[2])
    if not window.hit.size:
        return tempo
    hours = (tempo.origin + np.arange(window.low, window.high)) % 24
    expected = window.expected()
    expected_by_hour = _by_hour(expected, hours)
    rhythm = np.ones((window.sites, 24))
    activity = np.ones_like(expected)
    running = np.zeros((window.sites, expected.shape[1] + 1))
    for _ in range(RHYTHM_STEPS):
        hazard = rhythm[:, hours] * activity
        np.cumsum(hazard / 24.0, axis=1, out=running[:, 1:])
        found = window.found(hazard, running)
        activity = (found + _RHYTHM_ACTIVITY) / (expected * rhythm[:, hours] + _RHYTHM_ACTIVITY)
        rhythm = _normal_rhythm(_by_hour(found, hours), expected_by_hour)
    return with_elapsed(replace(tempo, rhythm=rhythm), 0)


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
