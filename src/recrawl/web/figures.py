"""S1's three figures: revisit intervals, detection ratio against interval, needed gaps of the servers."""

import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from recrawl.model.batch import IntervalBand
from recrawl.model.page import Page
from recrawl.model.server import Server

SLOTS_S = (1.0, 10.0, 60.0, 600.0, 3600.0, 6 * 3600.0, 86_400.0, 7 * 86_400.0, 30 * 86_400.0)


@dataclass(frozen=True, slots=True)
class Ratio:
    """Pages with an interval in [from_s, to_s): distinct versions a visit, mean and deviation."""

    from_s: float
    to_s: float
    pages: int
    mean: float
    deviation: float


@dataclass(frozen=True, slots=True)
class Slot:
    """Servers whose schedule needs a request every [from_s, to_s) seconds; `overloaded` of them may not have it."""

    from_s: float
    to_s: float
    servers: int
    overloaded: int


@dataclass(frozen=True, slots=True)
class Figures:
    intervals: tuple[IntervalBand, ...]
    ratios: tuple[Ratio, ...]
    gaps: tuple[Slot, ...]


def detection_ratio(page: Page) -> float:
    """S1: distinct versions by visits; the first visit always brings one."""
    return (1 + page.changes) / page.visits if page.visits else 0.0


def ratios(pages: Iterable[Page]) -> tuple[Ratio, ...]:
    """In bands of a factor of two of the interval; pages visited once say nothing."""
    bands: dict[int, list[float]] = {}
    for page in pages:
        if page.visits > 1 and page.interval_s > 0:
            bands.setdefault(math.frexp(page.interval_s)[1], []).append(detection_ratio(page))
    return tuple(
        Ratio(2.0 ** (band - 1), 2.0**band, len(values), statistics.fmean(values), statistics.pstdev(values))
        for band, values in sorted(bands.items())
    )


def needed_gaps(servers: Sequence[Server]) -> tuple[Slot, ...]:
    edges = (0.0, *SLOTS_S, math.inf)
    slots = []
    for from_s, to_s in pairwise(edges):
        inside = [one for one in servers if one.load_per_s > 0 and from_s <= one.needed_gap_s < to_s]
        slots.append(Slot(from_s, to_s, len(inside), sum(one.overloaded for one in inside)))
    while slots and not slots[-1].servers:
        slots.pop()
    return tuple(slots)
