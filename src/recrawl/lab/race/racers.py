"""The policies at the track: the same objects that pace live pages, asked every hour.

A policy that names gaps but knows no budget is scaled: the pages with the largest share of their gap behind them go
first, which is one common factor on all gaps, found anew every hour. A policy that ranks pages is asked for its
ranking. `value` is asked what visits are worth and moves its own price.
"""

from collections.abc import Callable
from dataclasses import field
from typing import Protocol, runtime_checkable

import numpy as np

from recrawl.estimate.bayes import Prospects
from recrawl.estimate.given import SOURCES
from recrawl.lab.race.history import DAY_S, HOUR_S, MONDAY_AT, History, rates_per_day
from recrawl.lab.race.track import politely
from recrawl.model.belief import Bools, Context, Floats, Ints, Sightings, States, unknown
from recrawl.model.values import dataclass
from recrawl.ports import Policy
from recrawl.schedule.group_names import YOUTH_S, group_name
from recrawl.schedule.index import value_of_rate
from recrawl.schedule.knowledge import group_numbers
from recrawl.schedule.price import SAVED, clears
from recrawl.schedule.ranked import harmonic_index, proportional_index
from recrawl.schedule.relief import relieved_hourly
from recrawl.schedule.value import ValuePolicy

Rank = Callable[[Floats, Floats], Floats]
_NONE: Ints = np.zeros(0, dtype=np.int64)
_ANYTHING = 1e-9


@runtime_checkable
class Ranking(Policy, Protocol):
    def worth(self, states: States, importance: Floats, now: float) -> Floats: ...


def seen_by(history: History, pages: Ints, at_s: float, changed: Bools, first: bool) -> Sightings:
    return Sightings(
        at=np.full(len(pages), MONDAY_AT + at_s),
        changed=changed,
        first=np.full(len(pages), first),
        changed_ago_s=np.full(len(pages), np.nan),
        size_bytes=history.size_bytes[pages],
        response_s=np.full(len(pages), 0.2),
    )


def most(urgency: Floats, pages: Ints, room: int) -> Ints:
    """The `room` most urgent of the pages, in order."""
    if room <= 0:
        return np.zeros(0, dtype=np.int64)
    if room < len(pages):
        best = np.argpartition(-urgency, room - 1)[:room]
        pages, urgency = pages[best], urgency[best]
    return np.asarray(pages[np.argsort(-urgency, kind="stable")])


@dataclass(slots=True)
class Scaled:
    """Gaps under one common factor."""

    history: History
    policy: Policy
    dice: np.random.Generator
    slots: tuple[int, ...] = ()  # hours of the day at which visits are made; empty: any
    states: States = field(init=False)

    def __post_init__(self) -> None:
        self.states = unknown(self.history.pages)

    def hold(self, pages: Ints, at_s: float) -> None:
        self._learn(pages, seen_by(self.history, pages, at_s, np.zeros(len(pages), dtype=np.bool_), True))

    def see(self, pages: Ints, at_s: float, changed: Bools) -> None:
        self._learn(pages, seen_by(self.history, pages, at_s, changed, False))

    def hear(self, pages: Ints) -> None:
        """These policies know no notices."""

    def _learn(self, pages: Ints, seen: Sightings) -> None:
        states = self.policy.observe(self.states[pages], seen)
        luck = self.dice.random(len(pages))
        states["gap_s"] = self.policy.next_gap_s(states, self.history.importance[pages], float(seen.at[0]), luck)
        self.states[pages] = states

    def choose(self, at_s: float, room: int, held: Bools, fill: float) -> Ints:
        pages = np.flatnonzero(held)
        if self.slots and int(at_s // 3600) % 24 not in self.slots:
            return np.zeros(0, dtype=np.int64)
        passed = MONDAY_AT + at_s - self.states["seen_at"][pages]
        return most(passed / self.states["gap_s"][pages], pages, room)


@dataclass(slots=True)
class Ranked:
    """The first in the policy's own order."""

    history: History
    policy: Ranking
    states: States = field(init=False)

    def __post_init__(self) -> None:
        self.states = unknown(self.history.pages)

    def hold(self, pages: Ints, at_s: float) -> None:
        never = np.zeros(len(pages), dtype=np.bool_)
        self.states[pages] = self.policy.observe(self.states[pages], seen_by(self.history, pages, at_s, never, True))

    def see(self, pages: Ints, at_s: float, changed: Bools) -> None:
        self.states[pages] = self.policy.observe(self.states[pages], seen_by(self.history, pages, at_s, changed, False))

    def hear(self, pages: Ints) -> None:
        """These policies know no notices."""

    def choose(self, at_s: float, room: int, held: Bools, fill: float) -> Ints:
        pages = np.flatnonzero(held)
        urgency = self.policy.worth(self.states[pages], self.history.importance[pages], MONDAY_AT + at_s)
        return most(urgency, pages, room)


@dataclass(slots=True)
class Oracle:
    """Knows every page's true rate from the start, and nothing else."""

    history: History
    index: Rank
    rate: Floats = field(init=False)
    seen_s: Floats = field(init=False)

    def __post_init__(self) -> None:
        self.rate = rates_per_day(self.history)
        self.seen_s = np.zeros(self.history.pages)

    def hold(self, pages: Ints, at_s: float) -> None:
        self.seen_s[pages] = at_s

    def see(self, pages: Ints, at_s: float, changed: Bools) -> None:
        self.seen_s[pages] = at_s

    def hear(self, pages: Ints) -> None:
        """Knows the rates, hears nothing."""

    def choose(self, at_s: float, room: int, held: Bools, fill: float) -> Ints:
        pages = np.flatnonzero(held)
        days = (at_s - self.seen_s[pages]) / DAY_S
        return most(self.history.importance[pages] * self.index(self.rate[pages], days), pages, room)


ORACLES: dict[str, Rank] = {
    "oracle-cho": value_of_rate,
    "oracle-lambdacrawl": harmonic_index,
    "oracle-proportional": proportional_index,
}


@dataclass(slots=True)
class Value:
    """Our own: everything worth its price is visited while there is room. What pages are expected to do is kept
    between hours and worked out anew only for the visited, or for all when the laws were learnt anew."""

    history: History
    policy: ValuePolicy
    states: States = field(init=False)
    group: Ints = field(init=False)
    old_group: Ints = field(init=False)
    new_group: Ints = field(init=False)
    found_s: Floats = field(init=False)
    notices: Ints = field(init=False)
    ahead: Prospects = field(init=False)
    server_price: Floats = field(init=False)
    relieved: bool = True  # an overloaded server gets a price; else whatever comes too late is dropped for a day
    dropped_until_s: Floats = field(init=False)
    clearing: bool = True  # the price may be what the hour's last request buys; else it follows the bucket
    settled_s: float = 0.0

    def __post_init__(self) -> None:
        self.states = unknown(self.history.pages)
        names = self.history.group_names
        new_names = [group_name(name.partition("|")[0], "", new=True) for name in names]
        self.policy = self.policy.with_groups([*names, *new_names])
        self.old_group = group_numbers(self.policy.knowledge, names)[self.history.group]
        self.new_group = group_numbers(self.policy.knowledge, new_names)[self.history.group]
        self.group = self.old_group.copy()
        self.found_s = np.zeros(self.history.pages)
        self.notices = np.zeros((self.history.pages, SOURCES), dtype=np.int64)
        self.server_price = np.zeros(self.history.allowed_per_hour.size)
        self.dropped_until_s = np.zeros(self.history.pages)
        self.ahead = self.policy.prospects(self.states, self._around(np.arange(self.history.pages)))

    def _around(self, pages: Ints) -> Context:
        return Context(self.group[pages], self.server_price[self.history.server[pages]], self.notices[pages])

    def hold(self, pages: Ints, at_s: float) -> None:
        if at_s > 0.0:
            self.group[pages], self.found_s[pages] = self.new_group[pages], at_s
        self._learn(pages, seen_by(self.history, pages, at_s, np.zeros(len(pages), dtype=np.bool_), True))

    def see(self, pages: Ints, at_s: float, changed: Bools) -> None:
        self._learn(pages, seen_by(self.history, pages, at_s, changed, False))

    def hear(self, pages: Ints) -> None:
        np.add.at(self.notices[:, 0], pages, 1)

    def _learn(self, pages: Ints, seen: Sightings) -> None:
        around = self._around(pages)
        before = self.states[pages]
        self.states[pages], self.policy = self.policy.folded(before, seen, around)
        self.notices[pages] = 0
        part = self.policy.prospects(self.states[pages], around)
        self.ahead.share[pages], self.ahead.decay[pages] = part.share, part.decay

    def advance(self, at_s: float, fill: float | None) -> None:
        """What an hour brings whoever is chosen: laws, tempo and, where a bucket speaks, the price."""
        laws = self.policy.laws
        if self.policy.is_pooling_due(MONDAY_AT + at_s):
            grown = at_s - self.found_s >= YOUTH_S
            self.group[grown] = self.old_group[grown]
            self.policy = self.policy.repooled(self.states, self._around(np.arange(self.history.pages)))
        self.policy = self.policy.at(MONDAY_AT + at_s)
        if fill is not None:
            self.policy = self.policy.priced(fill, (at_s - self.settled_s) / HOUR_S)
            self.settled_s = at_s
        if self.policy.laws is not laws:
            self.ahead = self.policy.prospects(self.states, self._around(np.arange(self.history.pages)))

    def choose(self, at_s: float, room: int, held: Bools, fill: float) -> Ints:
        pages = np.flatnonzero(held)
        clearing = self._clears(pages)
        self.advance(at_s, None if clearing else fill)
        worth = self.policy.worth(
            self.ahead.rows(pages), self.states[pages], self.history.importance[pages], MONDAY_AT + at_s,
            self._around(pages),
        )  # fmt: skip
        worth[self.dropped_until_s[pages] > at_s] = 0.0
        worth = self._cleared(worth, at_s) if clearing else worth
        enough = worth >= (_ANYTHING if self._pays_for(pages.size) else 1.0)
        bound = bool(np.isfinite(self.history.allowed_per_hour).any())  # a server may refuse some of what is due
        wanted = self._in_order(pages[enough], worth[enough], pages.size if bound else room, at_s)
        spare = self._spare(room, fill, clearing)
        more = most(worth[~enough], pages[~enough], spare if bound else spare - wanted.size)
        return self.politely(wanted, room, at_s, more, spare)

    def _pays_for(self, pages: int) -> bool:
        """Whether an hour's budget buys a visit of every page there is: then nothing is scarce, whatever the price."""
        return pages <= self.history.pages * self.policy.settings.requests_per_page_day / 24.0

    def _clears(self, pages: Ints) -> bool:
        knowledge = self.policy.knowledge
        rhythmic = knowledge.tempo.rhythmic[knowledge.group_site[self.group[pages]]]
        per_page_day = self.policy.settings.requests_per_page_day
        return self.clearing and clears(per_page_day, knowledge.usual, bool(rhythmic.any()))

    def _spare(self, room: int, fill: float, clearing: bool) -> int:
        """Requests to be made whatever they buy: what is not worth saving, or a token that would run over."""
        if clearing:
            return int(room * (1.0 - SAVED / fill)) if fill > SAVED else 0
        return max(1, room // 24) if fill >= 1.0 else 0

    def _cleared(self, worth: Floats, at_s: float) -> Floats:
        """The price moves towards what the last request of this hour's budget buys; worth in units of the new one."""
        hours, before = (at_s - self.settled_s) / HOUR_S, self.policy.knowledge.price
        paid = round(self.history.pages * self.policy.settings.requests_per_page_day * hours / 24.0)
        last = min(max(paid, 1), worth.size) - 1
        margin = float(-np.partition(-worth, last)[last]) if worth.size else 0.0
        if 0.0 < margin < np.inf:
            self.policy = self.policy.cleared(margin, hours)
        self.settled_s = at_s
        return np.asarray(worth * (before / self.policy.knowledge.price))

    def politely(self, due: Ints, room: int, at_s: float, more: Ints = _NONE, spare: int = 0) -> Ints:
        """As many as the servers and the budget allow, then `more` up to `spare` in all; the servers' own prices follow
        from what is due."""
        if np.isinf(self.history.allowed_per_hour).all():
            return np.concatenate([due, more])[:room]
        if not self.relieved:
            due = due[np.argsort(self.states["seen_at"][due], kind="stable")]
        polite = politely(np.concatenate([due, more]), self.history, int(at_s // HOUR_S))
        self._relieve(due, polite, at_s)
        return polite[: min(max(int(np.isin(polite, due).sum()), spare), room)]

    def _in_order(self, due: Ints, worth: Floats, room: int, at_s: float) -> Ints:
        if due.size <= room or room <= 0:
            return most(worth, due, room)
        cost = self.policy.delay_cost(
            self.ahead.rows(due), self.states[due], self.history.importance[due], MONDAY_AT + at_s, self._around(due)
        )
        return most(cost, due, room)

    def _relieve(self, wanted: Ints, polite: Ints, at_s: float) -> None:
        """The backlog of a server raises its price; without one it falls again."""
        refused = wanted[~np.isin(wanted, polite)]
        if not self.relieved:
            self.dropped_until_s[refused] = at_s + DAY_S
            return
        backlog = np.bincount(self.history.server[refused], minlength=self.server_price.size)
        self.server_price = relieved_hourly(self.policy.knowledge.price, self.server_price, backlog > 0)
