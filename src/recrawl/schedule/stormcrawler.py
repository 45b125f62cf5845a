"""StormCrawler's adaptive scheduler with its shipped constants (a baseline): whole minutes."""

import numpy as np

from recrawl.estimate import poisson
from recrawl.model.belief import Bools, Floats, Ints, Sightings, States
from recrawl.model.values import dataclass
from recrawl.schedule.bounds import bounded
from recrawl.schedule.settings import Settings

FIRST_MINUTES, LEAST_MINUTES, MOST_MINUTES = 1440, 60, 20160


def stepped(minutes: Ints, changed: Bools) -> Ints:
    """Halfway to the least after a change, half as long again after none."""
    shorter = (0.5 * minutes + 0.5 * LEAST_MINUTES).astype(np.int64)
    longer = np.minimum((1.5 * minutes).astype(np.int64), MOST_MINUTES)
    return np.where(changed, shorter, longer)


@dataclass(frozen=True, slots=True)
class StormCrawlerPolicy:
    settings: Settings
    name: str = "stormcrawler"

    def observe(self, states: States, seen: Sightings) -> States:
        after = poisson.fold(states, seen)
        minutes = _minutes(states)
        counts = after["gaps"] > states["gaps"]
        after["memory"] = np.where(counts, stepped(minutes, seen.changed), minutes).astype(np.uint32)
        return after

    def next_gap_s(self, states: States, importance: Floats, now: float, luck: Floats) -> Floats:
        return bounded(60.0 * _minutes(states).astype(np.float64), luck, self.settings)


def _minutes(states: States) -> Ints:
    return np.where(states["memory"] > 0, states["memory"], FIRST_MINUTES).astype(np.int64)
