"""The luck of a page's own: hashes of its state. So nobody has to keep what was drawn, and whoever asks again hears the
same."""

import numpy as np

from recrawl.estimate.bayes import salted
from recrawl.model.belief import Bools, Floats, States
from recrawl.schedule.numbers import EXPLORED, STAGGERED


def explores(states: States) -> Bools:
    """A fixed share of gaps ends without regard to the rhythm."""
    salt = salted(states["watched_s"], states["seen_at"]) * np.uint64(0x9E3779B97F4A7C15)
    return np.asarray((salt >> np.uint64(40)).astype(np.float64) < EXPLORED * float(1 << 24))


def staggered(states: States) -> Floats:
    """A factor on the price of the first revisit. Pages found together of which nothing else is known would all be due
    at once, site by site and ever again, and nobody would look at a site in between. Once apart they stay apart, and
    every later gap is the best one."""
    factor = np.ones(len(states))
    fresh = np.flatnonzero(states["gaps"] == 0)
    if fresh.size:
        salt = salted(states["watched_s"][fresh], states["seen_at"][fresh])
        salt = (salt ^ states["size_bytes"][fresh].astype(np.uint64)) * np.uint64(0xBF58476D1CE4E5B9)
        salt = (salt ^ (salt >> np.uint64(29))) * np.uint64(0x94D049BB133111EB)
        share = (salt >> np.uint64(40)).astype(np.float64) / float(1 << 24)
        factor[fresh] = np.exp(STAGGERED * (2.0 * share - 1.0))
    return factor
