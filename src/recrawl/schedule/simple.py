"""The baselines S0 names: every page alike, and the interval that halves after a change and grows by a fifth else."""

import numpy as np

from recrawl.estimate import poisson
from recrawl.model.belief import Floats, Sightings, States
from recrawl.model.values import dataclass
from recrawl.schedule.bounds import bounded
from recrawl.schedule.settings import Settings


@dataclass(frozen=True, slots=True)
class StaticPolicy:
    settings: Settings
    name: str = "static"

    def observe(self, states: States, seen: Sightings) -> States:
        return poisson.fold(states, seen)

    def next_gap_s(self, states: States, importance: Floats, now: float, luck: Floats) -> Floats:
        return bounded(np.full(len(states), self.settings.every_s), luck, self.settings)


@dataclass(frozen=True, slots=True)
class MultiplicativePolicy:
    """The own four bytes hold the interval in seconds, for the one kept in `gap_s` may have been scaled to a budget."""

    settings: Settings
    name: str = "multiplicative"

    def observe(self, states: States, seen: Sightings) -> States:
        after = poisson.fold(states, seen)
        old_s = np.where(states["memory"] > 0, states["memory"], self.settings.every_s)
        factor = np.where(seen.changed, self.settings.faster, self.settings.slower)
        counts = after["gaps"] > states["gaps"]
        bounded_s = np.clip(old_s * factor, self.settings.least_s, self.settings.most_s)
        after["memory"] = np.where(counts, bounded_s, old_s).astype(np.uint32)
        return after

    def next_gap_s(self, states: States, importance: Floats, now: float, luck: Floats) -> Floats:
        known_s = np.where(states["memory"] > 0, states["memory"], self.settings.every_s)
        return bounded(known_s.astype(np.float64), luck, self.settings)
