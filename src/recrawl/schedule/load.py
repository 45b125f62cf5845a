"""S1's server load index L = Σ 1/T over a server's pages, kept up with only the old and new intervals of some."""

import math
from collections.abc import Iterable


def after(loads: dict[str, float], changes: Iterable[tuple[str, float, float]]) -> dict[str, float]:
    """Those of several servers when the intervals of some of their pages change: of each its server, the old interval
    and the new one. 0: the page was not, or is no longer, scheduled."""
    for server, was_s, is_s in changes:
        load = loads[server] - (1.0 / was_s if was_s > 0.0 else 0.0) + (1.0 / is_s if is_s > 0.0 else 0.0)
        loads[server] = load if load > 1e-15 else 0.0
    return loads


def needed_gap_s(load_per_s: float) -> float:
    """The widest access gap that still carries out the whole schedule."""
    return 1.0 / load_per_s if load_per_s > 0.0 else math.inf


def is_overloaded(load_per_s: float, polite_gap_s: float) -> bool:
    """The schedule wants more than politeness allows."""
    return needed_gap_s(load_per_s) < polite_gap_s


def stretch(load_per_s: float, polite_gap_s: float) -> float:
    """By how much the server's intervals must grow on average to fit; 1: it fits."""
    return max(1.0, load_per_s * polite_gap_s)
