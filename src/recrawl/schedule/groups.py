"""S0's groups: pages of one class share one cycle.

16 classes   G14…G1: the nearest whole number of changes a week (14: twice a day);
             2G1 for [0.25, 0.5) a week: every two weeks; 4G1 below 0.25: every four weeks
 6 classes   4G1, 2G1, G1, G3 (G2…G4), G7 (G5…G10), G14 (G11 and up)
any          the number of classes is a setting: cycles of the nearest class in the logarithm
"""

import numpy as np

from recrawl.estimate import poisson
from recrawl.model.belief import Floats, Ints, Sightings, States
from recrawl.model.values import dataclass
from recrawl.schedule.bounds import bounded
from recrawl.schedule.settings import WEEK_S, Settings

# visits a week of each class, rarest first
SIXTEEN: Floats = np.array([0.25, 0.5, *(float(n) for n in range(1, 15))])
SIX: Floats = np.array([0.25, 0.5, 1.0, 3.0, 7.0, 14.0])
_SIX_FROM: Floats = np.array([0.25, 0.5, 1.5, 4.5, 10.5])  # first weekly rate of the second class and on
RELEARN_S = 4 * WEEK_S
_LEARN_FROM_GAPS = 2


def class_of(per_week: Floats, classes: int = 16) -> Ints:
    """The class of each rate, an index into `cycles(classes)`."""
    rate = np.asarray(per_week, dtype=np.float64)
    if classes == 6:
        return np.searchsorted(_SIX_FROM, rate, side="right").astype(np.int64)
    if classes == 16:
        whole = np.clip(np.floor(rate + 0.5), 1, 14).astype(np.int64) + 1
        return np.where(rate < 0.25, 0, np.where(rate < 0.5, 1, whole))
    distance = np.abs(np.log(np.maximum(rate, 1e-9))[..., None] - np.log(cycles(classes)))
    return np.asarray(distance.argmin(axis=-1), dtype=np.int64)


def cycles(classes: int = 16) -> Floats:
    """Visits a week of each class, rarest first."""
    if classes == 16:
        return SIXTEEN
    return SIX if classes == 6 else np.geomspace(0.25, 14.0, max(classes, 2))


def class_name(number: int, classes: int = 16) -> str:
    per_week = float(cycles(classes)[number])
    return {0.25: "4G1", 0.5: "2G1"}.get(per_week, f"G{per_week:.3g}")


def load(pages_per_class: Floats, classes: int = 6) -> float:
    """S0.8: requests a day over all pages. For 240 twice a day, 144 daily, 216 three a week, 480 weekly, 60 and 60:
    791.6 of 1200, 66.0 %, so 34.0 % are saved (the paper adds 644 and claims 46.2 %)."""
    count = np.asarray(pages_per_class, dtype=np.float64)
    return float((count * cycles(classes)).sum() / 7.0 / count.sum())


@dataclass(frozen=True, slots=True)
class GroupsPolicy:
    """Groups from a page's own visits; the learning grid of S0.1 would be a budget of its own. The class is kept in
    the own four bytes (class + 1, and the week it was learnt in) and learnt anew every four weeks."""

    settings: Settings
    name: str = "groups"

    def observe(self, states: States, seen: Sightings) -> States:
        after = poisson.fold(states, seen)
        week = (seen.at // RELEARN_S).astype(np.int64)
        kept, learnt = states["memory"].astype(np.int64) & 0xFF, states["memory"].astype(np.int64) >> 8
        young = after["gaps"] <= 4 * _LEARN_FROM_GAPS
        again = (kept == 0) | young | (week > learnt)
        known = after["gaps"] >= _LEARN_FROM_GAPS
        per_week = after["changes"] / np.maximum(after["watched_s"] / WEEK_S, 1e-9)
        number = np.where(known, class_of(per_week, self.settings.classes) + 1, 0)
        memory = np.where(again, (week << 8) | number, states["memory"].astype(np.int64))
        after["memory"] = memory.astype(np.uint32)
        return after

    def next_gap_s(self, states: States, importance: Floats, now: float, luck: Floats) -> Floats:
        number = (states["memory"] & 0xFF).astype(np.int64)
        per_week = cycles(self.settings.classes)[np.maximum(number - 1, 0)]
        weekly = np.where(number == 0, self.settings.every_s, WEEK_S / per_week)
        return bounded(weekly, luck, self.settings)
