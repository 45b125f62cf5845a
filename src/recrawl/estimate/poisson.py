"""S1's estimator: the change interval from four running sums, and the exact maximum likelihood to judge it by.

T       watched_s    sum of all gaps                 U      quiet_s     sum of gaps that ended in "same"
m       changes      gaps that ended in "changed"    min t_c shortest_s  shortest of these
t̄_c                  geometric mean of min t_c and (T − U)/m
1/λ                  t̄_c / ln(T/U), for 0 < U < T
"""

from collections.abc import Sequence

import numpy as np

from recrawl.model.belief import Bools, Floats, Sightings, States

_STEPS = 80  # halvings of a bracket in log λ: far below a float's last digit


def fold(states: States, seen: Sightings) -> States:
    """One more gap into the sums; a first visit only starts the clock, and so does one before the last: that was made
    by a clock that ran ahead and has been set right since."""
    after = states.copy()
    counts = ~seen.first & (states["seen_at"] > 0.0) & (seen.at > states["seen_at"])
    gap_s = np.where(counts, seen.at - states["seen_at"], 0.0)
    changed = counts & seen.changed
    after["watched_s"] += gap_s
    after["quiet_s"] += np.where(changed, 0.0, gap_s)
    after["gaps"] += counts
    after["changes"] += changed
    shorter = changed & ((states["shortest_s"] == 0.0) | (gap_s < states["shortest_s"]))
    after["shortest_s"] = np.where(shorter, gap_s, states["shortest_s"])
    after["size_bytes"] = np.where(seen.size_bytes >= 0.0, seen.size_bytes, states["size_bytes"])
    after["response_s"] = smoothed(states["response_s"], seen.response_s)
    after["seen_at"] = seen.at
    return after


def smoothed(old_s: Floats, new_s: Floats) -> Floats:
    """Response time: the last five or so visits, NaN or negative: not measured."""
    measured = np.nan_to_num(new_s, nan=-1.0)
    mixed = np.where(old_s > 0.0, 0.8 * old_s + 0.2 * measured, measured)
    return np.where(measured >= 0.0, mixed, old_s)


def never_changed(states: States) -> Bools:
    """Singular case U = T."""
    return np.asarray(states["changes"] == 0)


def always_changed(states: States) -> Bools:
    """Singular case U = 0."""
    return np.asarray((states["changes"] > 0) & (states["quiet_s"] <= 0.0))


def change_interval_s(states: States) -> Floats:
    """1/λ by the closed form; NaN in both singular cases, where the sums say nothing about the scale."""
    regular = ~never_changed(states) & ~always_changed(states)
    changed_s = np.where(regular, states["watched_s"] - states["quiet_s"], 1.0)
    mean_s = changed_s / np.maximum(states["changes"], 1)
    typical_s = np.sqrt(np.where(regular, states["shortest_s"], 1.0) * mean_s)
    ratio = np.where(regular, states["watched_s"] / np.where(regular, states["quiet_s"], 1.0), np.e)
    return np.where(regular, typical_s / np.log(ratio), np.nan)


def exact_rate(changed_gaps: Sequence[float], quiet: float) -> float:
    """The λ that solves Σ t/(e^{λt} − 1) = U: 0 when nothing changed, infinite when everything did."""
    gaps = np.asarray(changed_gaps, dtype=np.float64)
    if gaps.size == 0:
        return 0.0
    if quiet <= 0.0:
        return float("inf")
    low, high = np.log(1e-12 / gaps.max()), np.log(700.0 / gaps.min())
    for _ in range(_STEPS):
        middle = 0.5 * (low + high)
        excess = float(np.sum(gaps / np.expm1(np.minimum(np.exp(middle) * gaps, 700.0)))) - quiet
        low, high = (middle, high) if excess > 0.0 else (low, middle)
    return float(np.exp(0.5 * (low + high)))
