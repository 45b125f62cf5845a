"""Every gap is finite, positive and within the ceiling: nothing starves, nothing spins."""

import numpy as np

from recrawl.model.belief import Floats
from recrawl.schedule.settings import Settings


def bounded(gap_s: Floats, luck: Floats, settings: Settings) -> Floats:
    """Within the floor and the ceiling; what lies above the ceiling is spread below it (S1.1)."""
    spread_s = settings.spread_from_s + luck * (settings.ceiling_s - settings.spread_from_s)
    known = np.nan_to_num(gap_s, nan=np.inf, posinf=np.inf)
    return np.where(known > settings.ceiling_s, spread_s, np.maximum(known, settings.floor_s))


def first_gap_s(luck: Floats, settings: Settings) -> Floats:
    """S1: uniform in a range, so that pages found together do not come back together."""
    return settings.first_from_s + luck * (settings.first_to_s - settings.first_from_s)
