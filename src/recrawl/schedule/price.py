"""The price of a request: the Lagrange multiplier that holds the budget, found online.

A bucket fills at the budget's rate and every request takes one token out. While it is more than half full the price
falls, while it is less than half full it rises: slowly near the middle, so that the day's rhythm passes through it,
firmly towards the edges, so that nothing is lost and nothing runs dry.
"""

import math

import numpy as np

from recrawl.estimate.bayes import normalised, prepare, prospects
from recrawl.estimate.pooling import first_law
from recrawl.schedule.index import value_at

GENTLE, FIRM = 0.02, 0.8  # per hour: near half full, and towards the edges (third power)
LEAST, MOST = 1e-9, 1e6


def first_price(requests_per_page_day: float, harmonic: float) -> float:
    """Before anything is known: the value of a visit when all pages are visited alike."""
    laws = prepare(first_law()[None, :])
    group = np.zeros(1, dtype=np.int64)
    ahead = prospects(normalised(laws.law), group, laws)
    return float(value_at(ahead, np.array([1.0 / requests_per_page_day]), harmonic)[0])


def moved(price: float, fill: float, hours: float) -> float:
    """The price after some hours with the bucket `fill` full (0..1)."""
    short = 0.5 - min(max(fill, 0.0), 1.0)
    step = hours * (GENTLE * short + FIRM * short**3)
    return min(max(price * math.exp(min(max(step, -1.0), 1.0)), LEAST), MOST)
