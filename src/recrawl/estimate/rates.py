"""Change rates per day from S1's sums: the estimators that the literature's policies are fed with."""

import numpy as np

from recrawl.model.belief import Floats, States

DAY_S = 86400.0
FIRST_PER_DAY = 1.0 / 30.0  # of a page visited once
FASTEST_PER_DAY = 24.0
SLOWEST_PER_DAY = 1.0 / 1500.0
LEAST_VISITED_PER_DAY = 1.0 / 100.0


def bias_reduced(states: States) -> Floats:
    """Cho and Garcia-Molina: −ln((n − m + ½)/(n + ½)) over the mean gap; finite and positive after one gap."""
    gaps, changes = states["gaps"].astype(np.float64), states["changes"].astype(np.float64)
    mean_days = states["watched_s"] / DAY_S / np.maximum(gaps, 1.0)
    rate = -np.log((gaps - changes + 0.5) / (gaps + 0.5)) / np.maximum(mean_days, 1e-9)
    least = 0.5 / np.maximum(states["watched_s"] / DAY_S, 1e-9) / 2.0  # nothing seen yet: half a change, half believed
    known = np.maximum(rate, np.where(changes > 0, 0.0, least))
    return np.asarray(np.where(gaps > 0, np.minimum(known, FASTEST_PER_DAY), FIRST_PER_DAY))


def never_given_up(states: States) -> Floats:
    """Not below one change in a hundred days: who visits in proportion to the rate would see the rest no more."""
    return np.maximum(bias_reduced(states), LEAST_VISITED_PER_DAY)


def plain(states: States) -> Floats:
    """Maximum likelihood as if all gaps were the mean gap; the slowest rate for a page never seen to change, for which
    it is 0, or nobody would ever look again."""
    gaps, changes = states["gaps"].astype(np.float64), states["changes"].astype(np.float64)
    mean_days = states["watched_s"] / DAY_S / np.maximum(gaps, 1.0)
    quiet_share = np.maximum(gaps - changes, 1e-3) / np.maximum(gaps, 1.0)
    rate = -np.log(quiet_share) / np.maximum(mean_days, 1e-9)
    return np.asarray(np.where(gaps > 0, np.clip(rate, SLOWEST_PER_DAY, FASTEST_PER_DAY), FIRST_PER_DAY))
