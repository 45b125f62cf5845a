"""Policies of the literature that rank pages by an index of estimated rate and time since the visit.

proportional   λx                  visit as often as it changes, but taken to change every hundred days at least
cho            V(x) of `index`     Cho and Garcia-Molina 2000/2003: freshness-optimal for known rates
lambdacrawl    λx²/(1 + λx)        Kolobov et al. 2019: harmonic freshness; the marginal gain of ln(ρ/(λ + ρ))
likelihood     V(x) of `index`     the same with plain maximum likelihood, which gives up what never changed
staleness      (T − t)·s − p·g     S3; see `staleness`

A page is due when its index reaches the price. Before a budget has spoken that is the index of a mean page at the
wished rate; from then on the price follows the budget's bucket, as that of `value` does (`price`).
"""

import json
from collections.abc import Callable
from dataclasses import field, replace

import numpy as np

from recrawl.estimate import poisson, rates
from recrawl.model.belief import Floats, Sightings, States
from recrawl.model.values import dataclass
from recrawl.schedule.bounds import bounded
from recrawl.schedule.index import value_of_rate
from recrawl.schedule.price import Usual, moved
from recrawl.schedule.settings import DAY_S, Settings

Rate = Callable[[States], Floats]
Index = Callable[[Floats, Floats], Floats]
_HALVINGS = 50


def proportional_index(rate: Floats, days: Floats) -> Floats:
    return rate * days


def harmonic_index(rate: Floats, days: Floats) -> Floats:
    return rate * days**2 / (1.0 + rate * days)


@dataclass(frozen=True, slots=True)
class RankedPolicy:
    """`found`: the price that holds the budget, 0 while no bucket has spoken; `usual`: as it has been of late."""

    settings: Settings
    name: str
    rate_of: Rate
    index: Index
    found: float = 0.0
    usual: Usual = field(default_factory=Usual)

    @property
    def price(self) -> float:
        """The index at which a page is due."""
        wished_days = np.array([1.0 / self.settings.requests_per_page_day])
        return self.found or float(self.index(np.array([rates.FIRST_PER_DAY]), wished_days)[0])

    def priced(self, fill: float, hours: float) -> "RankedPolicy":
        found, usual = moved(self.price, self.usual, fill, hours)
        return replace(self, found=found, usual=usual)

    def memory(self) -> bytes:
        return json.dumps([self.found, self.usual.price, self.usual.hours]).encode()

    def remembering(self, memory: bytes) -> "RankedPolicy":
        found, price, hours = json.loads(memory)
        return replace(self, found=found, usual=Usual(price, hours))

    def observe(self, states: States, seen: Sightings) -> States:
        return poisson.fold(states, seen)

    def worth(self, states: States, importance: Floats, now: float) -> Floats:
        days = (now - states["seen_at"]) / DAY_S
        return np.asarray(importance * self.index(self.rate_of(states), days))

    def next_gap_s(self, states: States, importance: Floats, now: float, luck: Floats) -> Floats:
        rate = self.rate_of(states)
        price = self.price / np.maximum(importance, 1e-6)
        low, high = np.full(rate.shape, np.log(1e-4)), np.full(rate.shape, np.log(1e5))
        for _ in range(_HALVINGS):
            middle = 0.5 * (low + high)
            enough = self.index(rate, np.exp(middle)) >= price
            low, high = np.where(enough, low, middle), np.where(enough, middle, high)
        return bounded(np.where(high > np.log(9e4), np.inf, np.exp(high)) * DAY_S, luck, self.settings)


def proportional(settings: Settings) -> RankedPolicy:
    return RankedPolicy(settings, "proportional", rates.never_given_up, proportional_index)


def cho(settings: Settings) -> RankedPolicy:
    return RankedPolicy(settings, "cho", rates.bias_reduced, value_of_rate)


def lambdacrawl(settings: Settings) -> RankedPolicy:
    return RankedPolicy(settings, "lambdacrawl", rates.bias_reduced, harmonic_index)


def likelihood(settings: Settings) -> RankedPolicy:
    return RankedPolicy(settings, "likelihood", rates.plain, value_of_rate)
