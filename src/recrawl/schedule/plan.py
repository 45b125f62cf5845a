"""What a budget buys: expected freshness against requests a day, from the beliefs as they are.

At a price every page is visited each time its value reaches it; that gives a gap x, a rate 1/x and a mean freshness
∫₀ˣ S / x. Summed over pages this is one point of the curve; halving in the price finds the point of a budget or of a
freshness target.
"""

from collections.abc import Callable, Sequence

import numpy as np

from recrawl.estimate.bayes import Prospects, survival_and_area
from recrawl.model.belief import Floats
from recrawl.model.values import dataclass
from recrawl.schedule.index import days_until

_CHEAPEST, _DEAREST = 1e-6, 1e5
_HALVINGS = 24  # of 25 nats


@dataclass(frozen=True, slots=True)
class Point:
    price: float
    requests_per_day: float
    freshness: float
    delay_days: float = 0.0  # from a change to the visit that finds it, in the mean


@dataclass(frozen=True, slots=True)
class Plan:
    """A set of pages to plan for. `scale`: how many pages each row stands for, when they are a sample."""

    ahead: Prospects
    importance: Floats
    harmonic: float = 0.1
    ceiling_days: float = 400.0
    scale: float = 1.0

    def at_price(self, price: float) -> Point:
        wished = price / np.maximum(self.importance, 1e-6)
        return self.at_gaps(days_until(self.ahead, wished, self.harmonic, self.ceiling_days), price)

    def at_gaps(self, days: Floats, price: float = 0.0) -> Point:
        """What visits at these gaps bring, one a page."""
        survival, area = survival_and_area(self.ahead, days)
        fresh = float((self.importance * area / days).sum() / self.importance.sum())
        found = float((self.importance * (1.0 - survival) / days).sum())
        stale = float((self.importance * (1.0 - area / days)).sum())
        return Point(price, float((1.0 / days).sum()) * self.scale, fresh, stale / max(found, 1e-12))

    def for_budget(self, requests_per_day: float) -> Point:
        """The point that spends no more than this."""
        return self._found(lambda point: point.requests_per_day <= requests_per_day, dearest=True)

    def for_target(self, freshness: float) -> Point:
        """The cheapest point that reaches the target, or the best there is."""
        return self._found(lambda point: point.freshness >= freshness, dearest=False)

    def for_delay(self, delay_days: float) -> Point:
        """The cheapest point at which changes are found that soon in the mean, or the best there is."""
        return self._found(lambda point: point.delay_days <= delay_days, dearest=False)

    def _found(self, holds: Callable[[Point], bool], dearest: bool) -> Point:
        """Requests fall and freshness falls as the price rises; the edge of where `holds` is true."""
        low, high = np.log(_CHEAPEST), np.log(_DEAREST)
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            if holds(self.at_price(float(np.exp(middle)))) == dearest:
                high = middle
            else:
                low = middle
        return self.at_price(float(np.exp(high if dearest else low)))

    def curve(self, requests_per_day: Sequence[float]) -> list[Point]:
        return [self.for_budget(each) for each in requests_per_day]


STEPS = (-3, -2, -1, 0, 1, 2, 3)  # doublings


def around(requests_per_day: float) -> list[float]:
    """Budgets worth showing beside the present one: from an eighth to eight times."""
    return [requests_per_day * 2.0**step for step in STEPS]
