"""Nutch's adaptive schedule with its shipped constants (a baseline).

Its maximum of 365 days is effectively 90, for the generator forces older pages; 90 is used here.

    I   interval      M   when the last change was detected      Δ = t − M
"""

import numpy as np

from recrawl.estimate import poisson
from recrawl.model.belief import Bools, Floats, Sightings, States
from recrawl.model.values import dataclass
from recrawl.schedule.bounds import bounded
from recrawl.schedule.settings import DAY_S, Settings

FIRST_S = 30 * DAY_S
GROW, SHRINK = 0.4, 0.2
LEAST_S, MOST_S = 60.0, 90 * DAY_S
SYNC_RATE = 0.3


def stepped(interval_s: Floats, since_change_s: Floats, modified: Bools) -> tuple[Floats, Floats]:
    """The interval after a revisit and the seconds to the next; `since_change_s` is Δ as it was before it."""
    interval_s = np.where(modified, interval_s * (1.0 - SHRINK), interval_s * (1.0 + GROW))
    since_s = np.where(modified, 0.0, since_change_s)
    interval_s = np.maximum(interval_s, since_s)
    offset_s = np.where(SYNC_RATE * since_s > MOST_S, 0.0, SYNC_RATE * since_s)
    interval_s = np.clip(interval_s, LEAST_S, MOST_S)
    return interval_s, np.maximum(interval_s - offset_s, LEAST_S)


@dataclass(frozen=True, slots=True)
class NutchPolicy:
    """The interval lives in the own four bytes (seconds); the last detected change in the belief's weights, which
    Nutch has no use for (epoch seconds)."""

    settings: Settings
    name: str = "nutch"

    def observe(self, states: States, seen: Sightings) -> States:
        after = poisson.fold(states, seen)
        interval_s = np.where(states["memory"] > 0, states["memory"], FIRST_S)
        counts = after["gaps"] > states["gaps"]
        detected_at = np.where(_detected_at(states) > 0, _detected_at(states), seen.at)
        new_s, _ = stepped(interval_s, seen.at - detected_at, seen.changed)
        after["memory"] = np.where(counts, new_s, interval_s).astype(np.uint32)
        _set_detected_at(after, np.where(counts & seen.changed, seen.at, detected_at))
        return after

    def next_gap_s(self, states: States, importance: Floats, now: float, luck: Floats) -> Floats:
        interval_s = np.where(states["memory"] > 0, states["memory"], FIRST_S).astype(np.float64)
        since_s = np.where(_detected_at(states) > 0, states["seen_at"] - _detected_at(states), 0.0)
        offset_s = np.where(SYNC_RATE * since_s > MOST_S, 0.0, SYNC_RATE * since_s)
        return bounded(np.maximum(interval_s - offset_s, LEAST_S), luck, self.settings)


def _detected_at(states: States) -> Floats:
    return np.ascontiguousarray(states["weights"][:, :8]).view(np.float64)[:, 0]


def _set_detected_at(states: States, at: Floats) -> None:
    states["weights"][:, :8] = np.ascontiguousarray(at, dtype=np.float64).view(np.uint8).reshape(-1, 8)
