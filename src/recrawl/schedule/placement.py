"""When in the day: visit after the changes have happened (S0.4), as one step of policy improvement.

With a rhythm the moment matters. Let T(t) be the expected time a copy made at t stays fresh, S the probability that
the present copy is, x the time since the last visit. Waiting Δ brings ∫S over Δ, changes T(t) into T(t + Δ) and
costs the average rate g·Δ; the price at which waiting is no better than visiting now is

    area(x) − (x/Δ)·( S·A(t, Δ) + (T(t + Δ) − T(t))·(1 − S) ),      A(t, Δ) = ∫ e^{−λ(R(t+u) − R(t))} du over Δ

The least of these over Δ = 1…40 h, over the value without rhythm, is the factor on a page's value: small just
before the site's busy hour, about 1 after it. Tables hold T and A for every site, hour of the day and rate.
"""

import numpy as np

from recrawl.model.belief import Floats, Ints
from recrawl.model.values import dataclass

WAITS_HOURS: Ints = np.array([1, 2, 3, 4, 6, 8, 10, 12, 16, 20, 24, 32, 40])
TABLE_RATES: Floats = np.geomspace(1.0 / 1500.0, 24.0, 25)
MOST = 4.0
_LOG_FIRST = float(np.log(TABLE_RATES[0]))
_LOG_STEP = float(np.log(TABLE_RATES[1]) - np.log(TABLE_RATES[0]))


@dataclass(frozen=True, slots=True)
class Placement:
    """`fresh_days`: T, profile × hour (64, wrapped) × rate. `waited_days`: A, profile × hour × wait × rate. `profile`:
    of each site. A table is 75 KB, and sites without a rhythm share one."""

    fresh_days: Floats
    waited_days: Floats
    profile: Ints


def tables(profile: Floats) -> Placement:
    """From each site's 24 intensities with mean 1."""
    different, which = np.unique(profile, axis=0, return_inverse=True)
    return Placement(*_tables(different), which.ravel())


def _tables(profile: Floats) -> tuple[Floats, Floats]:
    sites = profile.shape[0]
    speed = profile[:, :, None] * TABLE_RATES / 24.0
    kept = np.exp(-speed)
    hour_days = np.where(speed > 1e-9, -np.expm1(-speed) / np.maximum(speed, 1e-12), 1.0) / 24.0
    day, kept_day = np.zeros((sites, TABLE_RATES.size)), np.ones((sites, TABLE_RATES.size))
    for hour in range(23, -1, -1):
        day, kept_day = hour_days[:, hour] + kept[:, hour] * day, kept_day * kept[:, hour]
    fresh = np.zeros((sites, 25, TABLE_RATES.size))
    fresh[:, 24] = day / (1.0 - kept_day)
    for hour in range(23, -1, -1):
        fresh[:, hour] = hour_days[:, hour] + kept[:, hour] * fresh[:, hour + 1]
    wrapped = np.concatenate([fresh[:, :24], fresh[:, :24], fresh[:, :17]], axis=1)
    return wrapped, _waited(profile, hour_days)


def _waited(profile: Floats, hour_days: Floats) -> Floats:
    hours = np.arange(24)
    waited = np.zeros((profile.shape[0], 24, WAITS_HOURS.size, TABLE_RATES.size))
    passed = np.zeros((profile.shape[0], 24))
    total = np.zeros((profile.shape[0], 24, TABLE_RATES.size))
    place = 0
    for wait in range(int(WAITS_HOURS[-1])):
        total = total + np.exp(-passed[:, :, None] * TABLE_RATES) * hour_days[:, (hours + wait) % 24]
        passed = passed + profile[:, (hours + wait) % 24] / 24.0
        if wait + 1 == WAITS_HOURS[place]:
            waited[:, :, place] = total
            place += 1
    return waited


def _looked_up(table: Placement, site: Ints, hour: Ints, rate: Floats) -> tuple[Floats, Floats]:
    """A and T(t + Δ) − T(t) for each page and wait, between the two nearest rates of the tables."""
    place = np.clip((np.log(np.clip(rate, TABLE_RATES[0], TABLE_RATES[-1])) - _LOG_FIRST) / _LOG_STEP, 0.0, 23.999)
    low = place.astype(np.int64)
    part = (place - low)[:, None]
    later = hour[:, None] + WAITS_HOURS
    row, column = table.profile[site][:, None], low[:, None]
    waits = np.arange(WAITS_HOURS.size)
    a = table.waited_days[row, hour[:, None], waits, column] * (1 - part)
    a = a + table.waited_days[row, hour[:, None], waits, column + 1] * part
    gain = (table.fresh_days[row, later, column] - table.fresh_days[row, hour[:, None], column]) * (1 - part)
    gain = gain + (table.fresh_days[row, later, column + 1] - table.fresh_days[row, hour[:, None], column + 1]) * part
    return a, gain


def believed_rate(survival: Floats, days: Floats) -> Floats:
    return np.asarray(-np.log(np.clip(survival, 1e-12, 1.0 - 1e-12)) / np.maximum(days, 1e-9))


def best_hour(table: Placement, site: Ints, rate: Floats) -> Ints:
    """The hour of the day at which a copy made stays fresh longest."""
    place = np.rint((np.log(np.clip(rate, TABLE_RATES[0], TABLE_RATES[-1])) - _LOG_FIRST) / _LOG_STEP).astype(np.int64)
    return np.asarray(table.fresh_days[table.profile[site], :24, place].argmax(axis=1))


def factor(table: Placement, site: Ints, hour: Ints, survival: Floats, area: Floats, days: Floats) -> Floats:
    """What the moment makes of a page's value, between 0 and `MOST`."""
    a, gain = _looked_up(table, site, hour, believed_rate(survival, days))
    now = survival[:, None]
    index = area[:, None] - (days[:, None] * 24.0 / WAITS_HOURS) * (now * a + gain * (1.0 - now))
    return np.asarray(np.clip(index.min(axis=1) / np.maximum(area - days * survival, 1e-12), 0.0, MOST))
