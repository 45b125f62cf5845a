"""The value of a visit now: the index every page is ranked by.

    S(u)    probability that nothing changed within u of the last visit
    V(x) =  ∫₀ˣ S − x·S(x)  +  ε·(x − ∫₀ˣ S)

The first part is the marginal freshness a visit buys (Cho–Garcia-Molina, Azar et al., Whittle), averaged over the
belief; the second (harmonic, after LambdaCrawl) keeps fast pages from being given up. V grows with x, so a due
time can be solved for: V(x) = price.
"""

from collections.abc import Callable

import numpy as np

from recrawl.estimate.bayes import RATES_PER_DAY, Prospects, normalised, prepare, prospects, survival_and_area
from recrawl.estimate.pooling import first_law
from recrawl.model.belief import Floats

_HALVINGS = 18  # of a bracket of 15 nats: four digits
_STEPS = 5  # of Newton: nearly all gaps to ten digits, the oddest belief to three
_SAME = 1e-9


def value(survival: Floats, area: Floats, days: Floats, harmonic: float) -> Floats:
    return np.asarray(area - days * survival + harmonic * (days - area))


def value_at(ahead: Prospects, days: Floats, harmonic: float) -> Floats:
    survival, area = survival_and_area(ahead, days)
    return value(survival, area, days, harmonic)


def first_price(requests_per_page_day: float, harmonic: float) -> float:
    """Before anything is known: the value of a visit when all pages are visited alike."""
    laws = prepare(first_law()[None, :])
    ahead = prospects(normalised(laws.law), np.zeros(1, dtype=np.int64), laws)
    return float(value_at(ahead, np.array([1.0 / requests_per_page_day]), harmonic)[0])


def days_until(ahead: Prospects, price: Floats, harmonic: float, most_days: float) -> Floats:
    """The x with V(x) = price; `most_days` where the price is never reached. Newton's steps on the logarithms, from
    where a page of one rate would be due (V(x) is about λx²/2); a step that leaves the bracket becomes a halving."""
    low, high = np.full(price.shape, np.log(1e-4)), np.full(price.shape, np.log(most_days))
    part, falling = ahead.share / ahead.decay, ahead.share * ahead.decay
    whole, wished = part.sum(axis=1), np.log(np.maximum(price, 1e-300))
    rate = np.maximum(-falling.sum(axis=1), 1e-9)
    at = np.minimum(np.maximum(0.5 * (wished + np.log(2.0 / (1.0 + harmonic) / rate)), low), high)
    for _ in range(_STEPS):
        days = np.exp(at)
        faded = np.exp(ahead.decay * days[:, None])
        survival, area = _dot(ahead.share, faded), _dot(part, faded) - whole
        found = np.maximum(value(survival, area, days, harmonic), 1e-300)
        enough = found >= price
        low, high = np.where(enough, low, at), np.where(enough, at, high)
        slope = days * (harmonic * (1.0 - survival) - days * _dot(falling, faded))
        step = at + (wished - np.log(found)) * found / np.maximum(slope, 1e-300)
        at = np.where((step > low - _SAME) & (step < high + _SAME), step, 0.5 * (low + high))
    reached = value_at(ahead, np.full(price.shape, most_days), harmonic) >= price
    return np.asarray(np.where(reached, np.minimum(np.exp(at), most_days), most_days))


def _dot(left: Floats, right: Floats) -> Floats:
    return np.asarray(np.einsum("nj,nj->n", left, right))


def first_days(worth: Callable[[Floats], Floats], price: Floats, most_days: float) -> Floats:
    """Where a value that grows with the days reaches the price, by halving in the logarithm."""
    low = np.full(price.shape, np.log(1e-4))
    high = np.full(price.shape, np.log(most_days))
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        enough = worth(np.exp(middle)) >= price
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.asarray(np.exp(high))


def value_told(belief: Floats, unchanged: Floats, days: Floats, harmonic: float) -> Floats:
    """V when notices speak: per rate (1 − p + p ln p)/λ with p the probability that nothing changed. What was heard
    makes the hazard −ln p / x instead of λ, so the copy was fresh for x·(1 − p)/(−ln p) of the x days."""
    sure = np.clip(unchanged, 1e-300, 1.0 - 1e-12)
    nats = -np.log(sure)
    gain = (1.0 - sure - sure * nats) / RATES_PER_DAY
    area = days[:, None] * (1.0 - sure) / nats
    return np.asarray((belief * (gain + harmonic * (days[:, None] - area))).sum(axis=1))


def value_of_rate(rate: Floats, days: Floats, harmonic: float = 0.0) -> Floats:
    """V for a page whose rate is taken as known; 0 for one that never changes."""
    known = np.maximum(rate, 1e-12)
    survival = np.exp(-known * days)
    return value(survival, -np.expm1(-known * days) / known, days, harmonic)
