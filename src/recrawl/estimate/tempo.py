"""Operational time: how fast a site's clock runs, hour by hour.

A page's hazard is its own rate, times the hour's share of the site's day (rhythm, S0 modernised), times how busy
the site was just then (activity: a release, a re-design). Both are fitted from outcomes that only say "between then
and now" by expectation-maximisation; with running sums over the hours one step costs a pass over the outcomes.

    ρ       rhythm      24 intensities with mean 1: when in the day the site changes
    a       activity    one factor an hour of the recent past, prior mean 1
    ∫ρa     elapsed     operational days, the time that beliefs are updated with

Neither is trusted before it has proved itself: several clocks run side by side (`given.CLOCKS`: how much rhythm and
activity), each predicts every outcome before it is learnt from, and a site goes by the mean of all clocks, each with
the weight that its predictions of the last thousand visits or so have earned it; at first nearly all of it is the plain
clock's. The rhythm of the hour is learnt alone; what distinguishes weekdays is left to the activity, for a weekday's
profile learnt from censored outcomes bites its own tail.
"""

from collections.abc import Sequence

import numpy as np

from recrawl.estimate import given
from recrawl.model.belief import Bools, Floats, Ints
from recrawl.model.swift import replace
from recrawl.model.values import dataclass

RHYTHM_STEPS = 20
ACTIVITY_STEPS = 2
ACTIVITY_HOURS = 60 * 24
LONGEST_GAP_HOURS = 120  # a longer gap says nothing about the hour of the day
RHYTHM_STRENGTH = 1.0  # expected changes
_EVERY_CLOCK: Ints = np.arange(len(given.CLOCKS))[:, None]
RHYTHM_SHARE: Floats = np.array([clock.rhythm for clock in given.CLOCKS])
_USES_RHYTHM: Bools = RHYTHM_SHARE > 0.0
_DOUBT: Floats = np.array([clock.doubt for clock in given.CLOCKS])


@dataclass(frozen=True, slots=True)
class Outcomes:
    """Visits that ended a gap: site, first and last hour, verdict, and the page's rate as it was believed."""

    site: Ints
    begin: Ints
    end: Ints
    changed: Bools
    rate: Floats


@dataclass(frozen=True, slots=True)
class Tempo:
    """`origin`: the hour (since 1970) of the first column; `hour`: now; arrays by clock, site, hour, as far as they are
    laid out: what hundreds of young sites will need in twelve weeks is not held from their first day. `proof`: log
    likelihood of each clock's predictions; `weight`: what it was worth when the site's clocks were last laid out."""

    origin: int
    hour: int
    rhythm: Floats
    activity: Floats
    elapsed: Floats
    proof: Floats
    weight: Floats
    mean: Floats  # site × hour: the clocks' weighted mean, by which a site goes
    outcomes: Outcomes
    fitted: Ints  # hour of each site's last activity fit
    laid: int = 0  # columns of `elapsed` that are laid out
    fresh: tuple[Outcomes, ...] = ()

    @property
    def rhythmic(self) -> Bools:
        """Sites whose rhythm is as good as certain."""
        return np.asarray(self.weight[_USES_RHYTHM].sum(axis=0) >= given.RHYTHM_SURE)

    @property
    def rhythm_share(self) -> Floats:
        """How much of its rhythm each site goes by."""
        return np.asarray(RHYTHM_SHARE @ self.weight)


def nothing_seen() -> Outcomes:
    none = np.zeros(0, dtype=np.int64)
    return Outcomes(none, none, none, np.zeros(0, dtype=np.bool_), np.zeros(0))


def started(sites: int, hour: int) -> Tempo:
    flat, nothing = np.ones((len(given.CLOCKS), sites, 0)), np.zeros((len(given.CLOCKS), sites, 1))
    proof = np.zeros((len(given.CLOCKS), sites))
    tempo = Tempo(
        hour, hour, np.ones((sites, 24)), flat, nothing, proof, _earned(proof), np.zeros((sites, 1)), nothing_seen(),
        np.full(sites, hour, dtype=np.int64),
    )  # fmt: skip
    return with_elapsed(tempo, 0)


def with_sites(tempo: Tempo, sites: int) -> Tempo:
    """Room for more sites, each starting with a flat clock."""
    more = sites - tempo.rhythm.shape[0]
    if more <= 0:
        return tempo
    blank = with_elapsed(replace(started(more, tempo.origin), hour=tempo.hour), 0)
    return replace(
        tempo,
        rhythm=np.concatenate([tempo.rhythm, blank.rhythm]),
        activity=np.concatenate([tempo.activity, np.ones((len(given.CLOCKS), more, tempo.activity.shape[2]))], axis=1),
        elapsed=np.concatenate([tempo.elapsed, blank.elapsed[:, :, : tempo.laid + 1]], axis=1),
        proof=np.concatenate([tempo.proof, blank.proof], axis=1),
        weight=np.concatenate([tempo.weight, blank.weight], axis=1),
        mean=np.concatenate([tempo.mean, blank.mean[:, : tempo.laid + 1]]),
        fitted=np.concatenate([tempo.fitted, np.full(more, tempo.hour, dtype=np.int64)]),
    )


def reaching(activity: Floats, columns: int) -> Floats:
    """The activity of so many hours at least; of those not laid out yet it is 1."""
    clocks, sites, laid = activity.shape
    return activity if laid >= columns else np.concatenate([activity, np.ones((clocks, sites, columns - laid))], axis=2)


def profile(tempo: Tempo) -> Floats:
    """ρ as each clock uses it: clock × site × hour of the day."""
    return np.asarray(1.0 + RHYTHM_SHARE[:, None, None] * (tempo.rhythm[None] - 1.0))


def mean_profile(tempo: Tempo) -> Floats:
    """ρ as each site goes by it, flat where it is not certain enough to place visits by: site × hour of the day."""
    share = np.where(tempo.rhythmic, tempo.rhythm_share, 0.0)
    return np.asarray(1.0 + share[:, None] * (tempo.rhythm - 1.0))


def with_elapsed(tempo: Tempo, first: int, sites: Ints | None = None) -> Tempo:
    """Running operational days, anew from column `first` to some days ahead; hours to come have activity 1. `sites`:
    those whose clocks have moved, all unless told."""
    last = min(tempo.hour - tempo.origin + given.AHEAD, given.COLUMNS)
    if last != tempo.laid:
        sites, first = None, min(first, tempo.laid)
    rows = slice(None) if sites is None else sites
    hours = (tempo.origin + np.arange(first, last)) % 24
    activity = reaching(tempo.activity, last)
    speed = profile(tempo)[:, rows][:, :, hours] * activity[:, rows, first:last] / 24.0
    known = min(tempo.laid, last) + 1
    elapsed = np.zeros((*tempo.proof.shape, last + 1))
    elapsed[:, :, :known] = tempo.elapsed[:, :, :known]
    start = elapsed[:, rows, first]
    elapsed[:, rows, first + 1 : last + 1] = start[:, :, None] + np.cumsum(speed, axis=2)
    return _averaged(replace(tempo, activity=activity, elapsed=elapsed, laid=last), rows)


def _averaged(tempo: Tempo, rows: slice | Ints) -> Tempo:
    """The mean clock of these sites, by what each of their clocks has proved so far."""
    weight = tempo.weight.copy()
    weight[:, rows] = _earned(tempo.proof[:, rows])
    known = tempo.mean.shape[1] == tempo.laid + 1
    mean = tempo.mean.copy() if known else np.zeros((len(tempo.rhythm), tempo.laid + 1))
    mean[rows] = np.einsum("cs,csh->sh", weight[:, rows], tempo.elapsed[:, rows])
    return replace(tempo, weight=weight, mean=mean)


def _earned(proof: Floats) -> Floats:
    """The weights of the clocks after such predictions."""
    nats = proof - _DOUBT[:, None]
    likely = np.exp(nats - nats.max(axis=0))
    return np.asarray(likely / likely.sum(axis=0))


def at_hour(tempo: Tempo, hour: int) -> Tempo:
    """Time goes on; when the columns run out the oldest weeks are let go."""
    if hour <= tempo.hour:
        return tempo
    if hour - tempo.origin < given.COLUMNS - 48:
        moved = replace(tempo, hour=hour)
        return moved if hour - tempo.origin < tempo.laid - 24 else with_elapsed(moved, tempo.laid)
    origin = hour - given.HOURS_KEPT + 48
    activity = tempo.activity[:, :, origin - tempo.origin :]
    return with_elapsed(replace(tempo, origin=origin, hour=hour, activity=activity, laid=0), 0)


def operational_days(tempo: Tempo, site: Ints, begin: Floats, end: Floats) -> Floats:
    """∫ρa between two moments (hours since 1970, fractions allowed); before the window the clock ran evenly."""
    return _reading(tempo, tempo.mean, site, end) - _reading(tempo, tempo.mean, site, begin)


def days_by_clock(tempo: Tempo, site: Ints, begin: Floats, end: Floats) -> Floats:
    """`operational_days` by every clock: clock × page."""
    place = _EVERY_CLOCK * len(tempo.rhythm) + site
    return _reading(tempo, tempo.elapsed, place, end) - _reading(tempo, tempo.elapsed, place, begin)


def _reading(tempo: Tempo, elapsed: Floats, row: Ints, hour: Floats) -> Floats:
    """`row`: of the table, one a page or one a clock and page."""
    column = hour - tempo.origin
    inside = np.minimum(np.maximum(column, 0.0), tempo.laid)
    whole = np.minimum(inside.astype(np.int64), tempo.laid - 1)
    place = row * elapsed.shape[-1] + whole
    low, high = elapsed.take(place), elapsed.take(place + 1)
    return np.asarray(low + (high - low) * (inside - whole) + (column - inside) / 24.0)


def moment_after(tempo: Tempo, site: Ints, begin: Floats, days: Floats, now: float) -> Floats:
    """The hour (since 1970, not before now) at which so many operational days have passed since `begin`."""
    here = np.full(begin.shape, now)
    left = np.maximum(days - operational_days(tempo, site, begin, here), 0.0)
    whole = np.floor(left)
    speed, row = _speed_ahead(tempo, site, now)
    passed = np.cumsum(speed, axis=1)
    step = np.minimum((passed[row] < (left - whole)[:, None]).sum(axis=1), 24)
    before = passed[row, step] - speed[row, step]
    part = np.clip((left - whole - before) / np.maximum(speed[row, step], 1e-12), 0.0, 1.0)
    first = 1.0 - (now - np.floor(now))
    hours_on = np.where(step == 0, part * first, first + step - 1.0 + part)
    return np.asarray(now + 24.0 * whole + hours_on)


def _speed_ahead(tempo: Tempo, site: Ints, now: float) -> tuple[Floats, Ints]:
    """Operational days an hour for the next 25, the first of which has partly passed, one row a site that is asked
    for, and each page's row of them."""
    hours = (int(np.floor(now)) + np.arange(25)) % 24
    sites, row = np.unique(site, return_inverse=True)
    share = RHYTHM_SHARE @ tempo.weight[:, sites]
    speed = (1.0 + share[:, None] * (tempo.rhythm[sites] - 1.0))[:, hours] / 24.0
    speed[:, 0] *= 1.0 - (now - np.floor(now))
    return speed, row.ravel()


def judged(tempo: Tempo, site: Ints, changed: Bools, survival: Floats) -> Tempo:
    """Every clock is held to what it predicted; `survival`: clock × visit."""
    sites = tempo.rhythm.shape[0]
    sure = np.clip(survival, 1e-6, 1.0 - 1e-6)
    score = np.log(np.where(changed, 1.0 - sure, sure))
    kept = given.CLOCK_FORGETS ** np.bincount(site, minlength=sites)
    gained = np.stack([np.bincount(site, weights=row, minlength=sites) for row in score])
    return replace(tempo, proof=tempo.proof * kept + gained)


def noted(tempo: Tempo, more: Outcomes) -> Tempo:
    """Outcomes wait in small heaps. Many of them become one, and that goes onto the large one, which has an end, as
    soon as it is not small beside it: so neither the memory nor the work of a batch grows with the hour."""
    if not more.site.size:
        return tempo
    fresh = (*tempo.fresh, more)
    if len(fresh) < given.FRESH_HEAPS:
        return replace(tempo, fresh=fresh)
    heap = _joined(fresh)
    after = replace(tempo, fresh=(heap,))
    return gathered(after) if heap.site.size * given.LARGE_BESIDE >= tempo.outcomes.site.size else after


def gathered(tempo: Tempo) -> Tempo:
    """The outcomes kept: those within the window, the newest of each site."""
    every = _joined((tempo.outcomes, *tempo.fresh))
    recent = every.end > tempo.origin
    limit = given.OUTCOMES_PER_SITE * tempo.rhythm.shape[0]
    kept = np.flatnonzero(recent)[-limit:]
    return replace(tempo, outcomes=taken(every, kept), fresh=())


def _joined(heaps: Sequence[Outcomes]) -> Outcomes:
    return Outcomes(
        *(np.concatenate([getattr(heap, name) for heap in heaps]) for name in Outcomes.__dataclass_fields__)
    )


def taken(outcomes: Outcomes, index: Ints) -> Outcomes:
    return Outcomes(*(getattr(outcomes, name)[index] for name in Outcomes.__dataclass_fields__))
