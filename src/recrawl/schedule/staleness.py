"""S3: in each period download the m pages with the largest (T − t)·s − p·g.

    N servers, m threads, T + 1 periods      s   staleness in periods: 0 after a download, then one more each
    p   page size      g   mean response time of its server

One server or many, one thread or many: the same rule. Erratum: for equal sizes and response times the paper writes
"smallest s"; by its own formula it is the largest.
"""

import numpy as np

from recrawl.estimate import poisson
from recrawl.model.belief import Floats, Ints, Sightings, States
from recrawl.model.values import dataclass
from recrawl.schedule.bounds import bounded
from recrawl.schedule.settings import HOUR_S, Settings


def priority(periods_left: float, staleness: Floats, size: Floats, response: Floats) -> Floats:
    return np.asarray(periods_left * staleness - size * response)


def chosen(
    periods_left: float, staleness: Floats, size: Floats, response: Floats, threads: int, server: Ints | None = None
) -> Ints:
    """The pages of this period, most urgent first; with servers given, at most one page of each at a time."""
    order = np.argsort(-priority(periods_left, staleness, size, response), kind="stable")
    if server is None:
        return np.asarray(order[:threads])
    _, first = np.unique(server[order], return_index=True)
    return np.asarray(order[np.sort(first)][:threads])


@dataclass(frozen=True, slots=True)
class StalenessPolicy:
    """`horizon_s` stands for T − t where a crawl has no end; a period is an hour."""

    settings: Settings
    horizon_s: float = 365 * 24 * HOUR_S
    name: str = "staleness"

    def observe(self, states: States, seen: Sightings) -> States:
        return poisson.fold(states, seen)

    def worth(self, states: States, importance: Floats, now: float) -> Floats:
        staleness = (now - states["seen_at"]) / HOUR_S
        size = states["size_bytes"] / self.settings.mean_size_bytes
        return priority(self.horizon_s / HOUR_S, staleness, size, states["response_s"])

    def next_gap_s(self, states: States, importance: Floats, now: float, luck: Floats) -> Floats:
        """Left alone, the rule visits all pages in turn; a costly page falls behind by p·g/(T − t) periods."""
        size = states["size_bytes"] / self.settings.mean_size_bytes
        behind_s = size * states["response_s"] / (self.horizon_s / HOUR_S) * HOUR_S
        return bounded(self.settings.every_s + behind_s, luck, self.settings)
