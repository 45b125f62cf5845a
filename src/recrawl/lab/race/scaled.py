"""A schedule that reckons with spans of time of its own, under one factor on all its intervals.

Nutch compares its interval with the time since the last change and aims part of the way back to that change. Stretch
only the gaps and the two no longer share a measure; so the whole schedule lives in a time of its own that runs slower
or faster than ours by one constant factor, which is sought beforehand, on a part of the pages, so that as many requests
are spent as the others may.
"""

from dataclasses import replace

import numpy as np

from recrawl.lab.race.history import MONDAY_AT, History
from recrawl.lab.race.racers import Scaled, most
from recrawl.lab.race.track import race
from recrawl.model.belief import Bools, Ints, Sightings
from recrawl.model.values import dataclass
from recrawl.ports import Policy

SOUGHT_ON = 300  # pages
_SLOWEST, _FASTEST = 100.0, 0.001
_HALVINGS = 9
_HOURLY = 24.0  # visits a page and day: no bound


@dataclass(slots=True)
class OwnTime(Scaled):
    """`factor`: seconds of ours to one of the schedule's. `spends`: a token that would run over is used"""

    factor: float = 1.0
    spends: bool = True

    def _learn(self, pages: Ints, seen: Sightings) -> None:
        Scaled._learn(self, pages, replace(seen, at=MONDAY_AT + (seen.at - MONDAY_AT) / self.factor))

    def choose(self, at_s: float, room: int, held: Bools, fill: float) -> Ints:
        """What is due; and where the bucket would run over, what is due next."""
        pages = np.flatnonzero(held)
        passed = MONDAY_AT + at_s / self.factor - self.states["seen_at"][pages]
        behind = passed / self.states["gap_s"][pages]
        due = int((behind >= 1.0).sum())
        spare = max(1, room // 24) if self.spends and fill >= 1.0 else 0
        return most(behind, pages, min(max(due, spare), room))


def factor_for(history: History, policy: Policy, budget: float, seed: int) -> float:
    """The factor with which the schedule, left alone, asks for as much as the budget allows."""
    some = part_of(history, SOUGHT_ON)
    low, high = np.log(_FASTEST), np.log(_SLOWEST)
    for _ in range(_HALVINGS):
        middle = 0.5 * (low + high)
        runner = OwnTime(some, policy, np.random.default_rng(seed), factor=float(np.exp(middle)), spends=False)
        asked = race(some, runner, _HOURLY).tally.requests / some.pages / some.days
        low, high = (middle, high) if asked > budget else (low, middle)
    return float(np.exp(0.5 * (low + high)))


def part_of(history: History, pages: int) -> History:
    """Every so manieth page with its events, at most so many in all."""
    kept = np.arange(0, history.pages, max(1, -(-history.pages // pages)))
    number = np.full(history.pages, -1)
    number[kept] = np.arange(kept.size)
    events, notices = number[history.event_page] >= 0, number[history.notice_page] >= 0
    by_page = {
        name: getattr(history, name)[kept]
        for name in ("site", "group", "server", "here_at_start", "importance", "size_bytes")
    }
    return replace(
        history,
        **by_page,
        event_page=number[history.event_page[events]],
        event_s=history.event_s[events],
        event_kind=history.event_kind[events],
        notice_page=number[history.notice_page[notices]],
        notice_s=history.notice_s[notices],
        true_rate=None if history.true_rate is None else history.true_rate[kept],
    )
