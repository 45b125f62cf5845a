"""Budget against expected freshness: what the best use of every number of requests a day would keep fresh.

Each page is taken to change at its believed rate. For a price of a request every page gets the interval at which one
more visit is worth just that price; the price is moved to draw the curve. A page visited every x days that changes λ
times a day is fresh (1 − e^{−λx}) / λx of the time.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from recrawl.model.belief import Floats
from recrawl.model.server import Server
from recrawl.schedule.index import value_of_rate
from recrawl.schedule.load import stretch
from recrawl.web.freshness import DAY_S, is_kept, rates_per_s
from recrawl.web.sample import Sample

MOST_DAYS = 400.0
LEAST_DAYS = 1e-3
PRICES: Floats = np.logspace(2.5, -9.0, 120)
HALVINGS = 30
REACH = 3.0  # the curve goes this many times beyond what is spent


@dataclass(frozen=True, slots=True)
class Spot:
    """Requests a day, and the share of the copy that is fresh on average."""

    requests_per_day: float
    fresh: float


@dataclass(frozen=True, slots=True)
class Plan:
    """`here`: the intervals as they are chosen now, as far as politeness allows. `daily`: every page once a day."""

    pages: int
    here: Spot | None = None
    daily: Spot | None = None
    curve: tuple[Spot, ...] = ()

    def at(self, requests_per_day: float) -> float | None:
        """Expected freshness for a budget, between the points of the curve; None where there is no curve."""
        if not self.curve:
            return None
        requests = [spot.requests_per_day for spot in self.curve]
        return float(np.interp(requests_per_day, requests, [spot.fresh for spot in self.curve]))


def stretches(servers: Iterable[Server]) -> dict[str, float]:
    """By how much politeness stretches the intervals of overloaded servers; the others are not in it."""
    return {one.key: stretch(one.load_per_s, one.gap_s) for one in servers if one.overloaded}


def plan(sample: Sample, stretched: Mapping[str, float] = MappingProxyType({})) -> Plan:
    kept = [page for page in sample.pages if is_kept(page) and page.interval_s > 0]
    if not kept:
        return Plan(0)
    rate = rates_per_s(kept) * DAY_S
    interval_days = np.array([page.interval_s * stretched.get(page.server, 1.0) for page in kept]) / DAY_S
    here = spot(rate, interval_days, sample.scale)
    daily = spot(rate, np.ones(len(kept)), sample.scale)
    reach = REACH * max(here.requests_per_day, daily.requests_per_day)
    curve = [one for one in best(rate, sample.scale) if one.requests_per_day <= reach]
    return Plan(round(len(kept) * sample.scale), here, daily, tuple(curve))


def fresh_of_time(rate: Floats, days: Floats) -> Floats:
    """Time average of e^{−λu} over an interval."""
    hazard = np.maximum(rate * days, 1e-9)
    return np.asarray(-np.expm1(-hazard) / hazard)


def spot(rate: Floats, days: Floats, scale: float) -> Spot:
    return Spot(float(np.sum(1.0 / days)) * scale, float(np.mean(fresh_of_time(rate, days))))


def best(rate: Floats, scale: float) -> Sequence[Spot]:
    """From few requests to many."""
    days = intervals(rate[None, :], PRICES[:, None])
    return [spot(rate, row, scale) for row in days]


def intervals(rate: Floats, price: Floats) -> Floats:
    """The days x at which a visit is worth the price, V(x) = price; the ceiling where it never is. By halving in the
    logarithm, for every pair of price and rate at once."""
    shape = np.broadcast_shapes(rate.shape, price.shape)
    low, high = np.full(shape, np.log(LEAST_DAYS)), np.full(shape, np.log(MOST_DAYS))
    for _ in range(HALVINGS):
        middle = 0.5 * (low + high)
        enough = value_of_rate(rate, np.exp(middle)) >= price
        low, high = np.where(enough, low, middle), np.where(enough, middle, high)
    return np.asarray(np.exp(high))
