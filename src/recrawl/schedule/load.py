"""S1's server load index L = Σ 1/T over a server's pages, kept up with only one page's old and new interval."""

import math


def after(load_per_s: float, old_interval_s: float | None, new_interval_s: float | None) -> float:
    """The load when one page's interval changes. None or 0: the page was not, or is no longer, scheduled."""
    old = 1.0 / old_interval_s if old_interval_s and old_interval_s > 0.0 else 0.0
    new = 1.0 / new_interval_s if new_interval_s and new_interval_s > 0.0 else 0.0
    load = load_per_s - old + new
    return load if load > 1e-15 else 0.0


def needed_gap_s(load_per_s: float) -> float:
    """The widest access gap that still carries out the whole schedule."""
    return 1.0 / load_per_s if load_per_s > 0.0 else math.inf


def is_overloaded(load_per_s: float, polite_gap_s: float) -> bool:
    """The schedule wants more than politeness allows."""
    return needed_gap_s(load_per_s) < polite_gap_s


def stretch(load_per_s: float, polite_gap_s: float) -> float:
    """By how much the server's intervals must grow on average to fit; 1: it fits."""
    return max(1.0, load_per_s * polite_gap_s)
