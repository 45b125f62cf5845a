"""S0's learning: probes on a grid → changes per url, per week, by weekday and hour.

A probe is `at, url, got bytes, changed bytes, changed`. What one visit cannot know (when within its gap a change fell)
is put on the hour of the probe, as S0 does with its 20-minute grid.
"""

from collections.abc import Iterable
from dataclasses import field

import numpy as np

from recrawl.model.belief import Floats
from recrawl.model.values import dataclass

DAY_S = 86400.0
_EPOCH_WEEKDAY = 3  # 1970-01-01 was a Thursday


@dataclass(frozen=True, slots=True)
class Probe:
    at: float
    url: str
    got_bytes: int
    changed_bytes: int
    changed: bool


@dataclass(frozen=True, slots=True)
class Profile:
    """One url: changes and changed bytes by weekday (Monday first) and hour."""

    url: str
    weeks: float
    changes: Floats = field(default_factory=lambda: np.zeros((7, 24)))
    changed_bytes: Floats = field(default_factory=lambda: np.zeros((7, 24)))

    @property
    def total(self) -> float:
        return float(self.changes.sum())

    @property
    def per_week(self) -> float:
        return self.total / self.weeks if self.weeks > 0 else 0.0

    @property
    def by_day_share(self) -> float:
        """Share of the changes that fall between 09 and 18 h; a half where nothing changed."""
        return float(self.changes[:, 9:18].sum()) / self.total if self.total else 0.5


def weekday_and_hour(at: float, offset_s: float = 0.0) -> tuple[int, int]:
    local = at + offset_s
    return int(local // DAY_S + _EPOCH_WEEKDAY) % 7, int(local % DAY_S // 3600)


def profiles(probes: Iterable[Probe], weeks: float, offset_s: float = 0.0) -> list[Profile]:
    """The change table of S0.2 and S0.4, most changed url first."""
    changes: dict[str, Floats] = {}
    sizes: dict[str, Floats] = {}
    for probe in probes:
        count = changes.setdefault(probe.url, np.zeros((7, 24)))
        size = sizes.setdefault(probe.url, np.zeros((7, 24)))
        day, hour = weekday_and_hour(probe.at, offset_s)
        count[day, hour] += probe.changed
        size[day, hour] += abs(probe.changed_bytes) if probe.changed else 0
    found = [Profile(url, weeks, changes[url], sizes[url]) for url in changes]
    return sorted(found, key=lambda one: -one.total)
