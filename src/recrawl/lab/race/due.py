"""`value` as it runs live: nobody looks at every page every hour, each page has a due time in a queue.

A due time is solved for after a visit and when a notice came. When prices have moved, those due within the day are
solved for again at once, the overdue among them (or a backlog would not hear of the price and drive it on), and all
others within hours, a part of them every hour. Of what is due the longest due comes first, or, where the budget does
not suffice, that whose wait costs most.
"""

from collections.abc import Mapping
from dataclasses import field

import numpy as np

from recrawl.lab.race.history import DAY_S, HOUR_S, MONDAY_AT
from recrawl.lab.race.racers import Value
from recrawl.model.belief import Bools, Floats, Ints, Sightings
from recrawl.model.values import dataclass
from recrawl.schedule.due import turn
from recrawl.schedule.knowledge import bursts
from recrawl.schedule.material import TURN_HOURS, is_material


@dataclass(slots=True)
class Due(Value):
    """`solved`: how many due times were worked out in all."""

    due_s: Floats = field(init=False)
    prices: Mapping[str, float] = field(default_factory=dict)
    left: int = 0  # hours of solving all again that are still to come
    solved: int = 0
    heard: set[int] = field(default_factory=set)

    def __post_init__(self) -> None:
        Value.__post_init__(self)
        self.due_s = np.full(self.history.pages, np.inf)

    def hear(self, pages: Ints) -> None:
        Value.hear(self, pages)
        self.heard.update(pages.tolist())

    def _learn(self, pages: Ints, seen: Sightings) -> None:
        Value._learn(self, pages, seen)
        self._solve(pages, float(seen.at[0]) - MONDAY_AT)

    def _solve(self, pages: Ints, at_s: float) -> None:
        if not pages.size:
            return
        states, luck = self.states[pages], np.full(len(pages), 0.5)
        gaps_s = self.policy.next_gap_s(
            states, self.history.importance[pages], MONDAY_AT + at_s, luck, self._around(pages)
        )
        self.due_s[pages] = states["seen_at"] - MONDAY_AT + gaps_s
        self.solved += len(pages)

    def choose(self, at_s: float, room: int, held: Bools, fill: float) -> Ints:
        self.advance(at_s, fill)
        self._solve(np.flatnonzero(held & self._unsettled(at_s)), at_s)
        due = np.flatnonzero(held & (self.due_s <= at_s))
        if due.size > room > 0:
            due = self._in_order(due, np.ones(due.size), room, at_s)
        else:
            due = due[np.argsort(self.due_s[due], kind="stable")]
        return self.politely(due, room, at_s)

    def _unsettled(self, at_s: float) -> Bools:
        """Pages whose due time may no longer be right."""
        again = np.zeros(self.history.pages, dtype=np.bool_)
        again[list(self.heard)] = True
        self.heard.clear()
        prices = {"": self.policy.knowledge.price} | bursts(self.policy.knowledge)
        prices |= {f"server {place}": price for place, price in enumerate(self.server_price.tolist()) if price}
        if any(is_material(self.prices.get(key, 0.0), price) for key, price in prices.items()):
            self.prices, self.left = prices, TURN_HOURS
            again |= self.due_s <= at_s + DAY_S
        if self.left:
            again[turn(np.arange(self.history.pages), int(at_s // HOUR_S))] = True
            self.left -= 1
        return again
