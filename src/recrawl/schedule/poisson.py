"""S1 whole: revisit a page as often as it is estimated to change."""

import numpy as np

from recrawl.estimate import poisson
from recrawl.model.belief import Floats, Sightings, States
from recrawl.model.values import dataclass
from recrawl.schedule.bounds import bounded, first_gap_s
from recrawl.schedule.settings import Settings


@dataclass(frozen=True, slots=True)
class PoissonPolicy:
    settings: Settings
    name: str = "poisson"

    def observe(self, states: States, seen: Sightings) -> States:
        return poisson.fold(states, seen)

    def next_gap_s(self, states: States, importance: Floats, now: float, luck: Floats) -> Floats:
        """Singular cases stretch or shrink the gap chosen last, for the sums do not know a scale."""
        first_s = first_gap_s(luck, self.settings)
        previous_s = np.where(states["gap_s"] > 0.0, states["gap_s"], first_s)
        estimate_s = poisson.change_interval_s(states)
        gap_s = np.where(poisson.never_changed(states), previous_s * self.settings.grow, estimate_s)
        gap_s = np.where(poisson.always_changed(states), previous_s * self.settings.shrink, gap_s)
        return bounded(np.where(states["gaps"] == 0, first_s, gap_s), luck, self.settings)
