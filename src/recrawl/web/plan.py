"""Budget against expected freshness: the scheduler's own curve, and where the crawl stands beside it."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from recrawl.estimate.bayes import Prospects, survival_and_area
from recrawl.model.belief import Floats
from recrawl.model.server import Server
from recrawl.schedule.load import stretch
from recrawl.schedule.plan import Plan as Scheduled
from recrawl.schedule.settings import Settings
from recrawl.web.freshness import DAY_S, kept_rows
from recrawl.web.sample import Sample

PRICES: Floats = np.logspace(2.5, -6.0, 45)
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


def plan(
    sample: Sample, stretched: Mapping[str, float] = MappingProxyType({}), settings: Settings | None = None
) -> Plan:
    wish = settings or Settings()
    rows = [row for row in kept_rows(sample.pages) if sample.pages[row].interval_s > 0]
    if not rows:
        return Plan(0)
    kept, ahead = [sample.pages[row] for row in rows], sample.ahead.rows(np.array(rows))
    days = np.array([page.interval_s * stretched.get(page.server, 1.0) for page in kept]) / DAY_S
    here = spot(ahead, days, sample.scale)
    daily = spot(ahead, np.ones(len(kept)), sample.scale)
    importance = np.array([page.importance for page in kept])
    scheduled = Scheduled(ahead, importance, wish.harmonic, wish.ceiling_s / DAY_S, sample.scale)
    reach = REACH * max(here.requests_per_day, daily.requests_per_day)
    curve = [one for one in best(scheduled) if one.requests_per_day <= reach]
    return Plan(round(len(kept) * sample.scale), here, daily, tuple(curve))


def spot(ahead: Prospects, days: Floats, scale: float) -> Spot:
    """What visiting every page after so many days gives: ∫₀ˣ S / x on average."""
    _, area = survival_and_area(ahead, days)
    return Spot(float(np.sum(1.0 / days)) * scale, float(np.mean(area / days)))


def best(scheduled: Scheduled) -> list[Spot]:
    """The scheduler's curve, from few requests to many."""
    points = [scheduled.at_price(float(price)) for price in PRICES]
    return [Spot(point.requests_per_day, point.freshness) for point in points]
