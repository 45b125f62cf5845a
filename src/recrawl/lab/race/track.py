"""The race itself: hour by hour, the same budget and the same start for every policy.

At the start a copy of every page is at hand. A budget of visits per page and day, times all pages of the history,
flows into a bucket that holds one day's worth; a visit takes one token. A page that appears is found at once and its
first visit is paid from the bucket; a page that is gone costs requests until a visit finds out. A server is asked no
more often than it allows.
"""

from collections.abc import Callable
from dataclasses import field
from typing import Protocol

import numpy as np

from recrawl.lab.race.history import APPEARED, DAY_S, HOUR_S, History, Ledger, ledger
from recrawl.model.belief import Bools, Floats, Ints
from recrawl.model.values import dataclass

COLD_DAYS = 56.0


class Racer(Protocol):
    """A policy at the track. `choose` names at most `room` pages, the most urgent first."""

    def hold(self, pages: Ints, at_s: float) -> None: ...

    def choose(self, at_s: float, room: int, held: Bools, fill: float) -> Ints: ...

    def see(self, pages: Ints, at_s: float, changed: Bools) -> None: ...

    def hear(self, pages: Ints) -> None: ...


@dataclass(slots=True)
class Tally:
    """Sums over the race so far, by page where it matters."""

    stale_s: Floats
    cold_stale_s: float = 0.0
    age_s2: float = 0.0
    delay_s: float = 0.0
    found: int = 0
    wasted: int = 0
    missed: int = 0
    requests: int = 0
    longest_s: float = 0.0
    over_polite: int = 0


@dataclass(slots=True)
class Track:
    """The world's side: what is held, when it was seen, what happens next."""

    book: Ledger
    budget: float
    cold_days: float = COLD_DAYS
    seen_s: Floats = field(init=False)
    place: Ints = field(init=False)
    next_s: Floats = field(init=False)
    held: Bools = field(init=False)
    tally: Tally = field(init=False)

    def __post_init__(self) -> None:
        pages = self.book.history.pages
        self.seen_s = np.zeros(pages)
        self.place = self.book.first.copy()
        self.next_s = self.book.next_s(np.arange(pages), self.place)
        self.held = self.book.history.here_at_start.copy()
        self.tally = Tally(np.zeros(pages))

    def appear(self, pages: Ints, at_s: float) -> Ints:
        """Pages that came up since the last hour, are still there and not held: found and visited."""
        candidates = np.unique(pages[~self.held[pages]])
        place = self.book.after(candidates, np.full(candidates.shape, at_s))
        there = self.book.exists(candidates, place)
        new = candidates[there]
        self.held[new] = True
        self._look(new, place[there], at_s)
        self.tally.requests += len(new)
        return new

    def visit(self, pages: Ints, at_s: float) -> Bools:
        """What the visits find; a page found gone is let go."""
        changed = self.next_s[pages] <= at_s
        self._count(pages, changed, at_s)
        place = self.book.after(pages, np.full(pages.shape, at_s))
        self.tally.missed += int(np.maximum(place - self.place[pages] - 1, 0).sum())
        self.tally.requests += len(pages)
        self.tally.wasted += int((~changed).sum())
        self.tally.longest_s = max(self.tally.longest_s, float((at_s - self.seen_s[pages]).max(initial=0.0)))
        self._look(pages, place, at_s)
        self.held[pages[~self.book.exists(pages, place)]] = False
        return changed

    def finish(self, at_s: float) -> None:
        left = np.flatnonzero(self.held)
        self._count(left, self.next_s[left] <= at_s, at_s, detected=False)
        if left.size:
            self.tally.longest_s = max(self.tally.longest_s, float((at_s - self.seen_s[left]).max()))

    def _look(self, pages: Ints, place: Ints, at_s: float) -> None:
        self.place[pages] = place
        self.next_s[pages] = self.book.next_s(pages, place)
        self.seen_s[pages] = at_s

    def _count(self, pages: Ints, changed: Bools, at_s: float, detected: bool = True) -> None:
        stale = pages[changed]
        since = self.next_s[stale]
        end, cold = np.full(stale.shape, at_s), np.full(stale.shape, self.cold_days * DAY_S)
        began = self.book.existed_s(stale, since)
        lasted = self.book.existed_s(stale, end) - began
        self.tally.stale_s[stale] += lasted
        cold_end = self.book.existed_s(stale, np.minimum(end, np.maximum(cold, since)))
        self.tally.cold_stale_s += float((cold_end - began).sum())
        self.tally.age_s2 += float((lasted**2).sum()) / 2.0
        if detected:
            self.tally.delay_s += float((at_s - since).sum())
            self.tally.found += len(stale)


def race(
    history: History,
    racer: Racer,
    budget: float,
    step: Callable[[float], None] | None = None,
    cold_days: float = COLD_DAYS,
) -> Track:
    """Run a whole history; `step` hears how much of it is done, once a day."""
    book = ledger(history)
    track = Track(book, budget, cold_days)
    per_hour = history.pages * budget / 24.0
    most = max(per_hour * 24.0, 2.0)
    tokens = most / 2.0
    births = _births(history)
    heard = 0
    hours = history.days * 24
    if track.held.any():
        racer.hold(np.flatnonzero(track.held), 0.0)
    for hour in range(1, hours):
        at_s = hour * HOUR_S
        tokens = min(tokens + per_hour, most)
        new = track.appear(births[hour], at_s) if hour in births else np.zeros(0, dtype=np.int64)
        if new.size:
            racer.hold(new, at_s)
            tokens -= len(new)
        until = int(np.searchsorted(history.notice_s, at_s, side="right"))
        if until > heard:
            racer.hear(history.notice_page[heard:until])
            heard = until
        chosen = racer.choose(at_s, max(int(tokens), 0), track.held, tokens / most)
        chosen = politely(chosen[: max(int(tokens), 0)], history, hour)
        if chosen.size:
            track.tally.over_polite += _too_many(chosen, history)
            racer.see(chosen, at_s, track.visit(chosen, at_s))
            tokens -= len(chosen)
        if step and hour % 24 == 0:
            step(hour / hours)
    track.finish(history.end_s)
    return track


def politely(chosen: Ints, history: History, hour: int) -> Ints:
    """At most what each server allows in this hour, the first named first."""
    allowed = history.allowed_per_hour
    if np.isinf(allowed).all() or not chosen.size:
        return chosen
    bound = np.where(np.isinf(allowed), 0.0, allowed)
    whole = np.where(np.isinf(allowed), np.inf, np.floor(bound * (hour + 1)) - np.floor(bound * hour))
    server = history.server[chosen]
    order = np.argsort(server, kind="stable")
    rank = np.empty(len(chosen), dtype=np.int64)
    starts = np.flatnonzero(np.r_[True, server[order][1:] != server[order][:-1]])
    rank[order] = np.arange(len(chosen)) - np.repeat(starts, np.diff(np.r_[starts, len(chosen)]))
    return np.asarray(chosen[rank < whole[server]])


def _too_many(chosen: Ints, history: History) -> int:
    """Requests of one hour beyond what their servers allow: the referee's own count."""
    asked = np.bincount(history.server[chosen], minlength=history.allowed_per_hour.size)
    return int(np.maximum(asked - np.ceil(history.allowed_per_hour), 0.0).sum())


def _births(history: History) -> dict[int, Ints]:
    """Hour → pages that appeared in the hour before it."""
    appeared = np.flatnonzero(history.event_kind == APPEARED)
    hour = np.ceil(history.event_s[appeared] / HOUR_S).astype(np.int64)
    found: dict[int, list[int]] = {}
    for place, when in zip(history.event_page[appeared], hour, strict=True):
        found.setdefault(int(when), []).append(int(place))
    return {when: np.array(pages, dtype=np.int64) for when, pages in found.items()}
