"""What really happened to a set of pages, as the race judges by it: one array of events, sorted by page and time.

A page exists from its A to its D; it counts while it exists. Its copy is stale from the first event after the last
visit on. Times are seconds from the start, which is a Monday, 00:00 UTC.
"""

from dataclasses import field

import numpy as np

from recrawl.model.belief import Bools, Floats, Ints
from recrawl.model.values import dataclass

MONDAY_AT = 1_704_067_200.0  # 2024-01-01: every history is laid on the same calendar, whole weeks away from its own
DAY_S = 86400.0
HOUR_S = 3600.0
APPEARED, CHANGED, GONE = 0, 1, 2
_NEVER = 1e18


@dataclass(frozen=True, slots=True)
class History:
    """`site`, `group`, `server` number the pages; `group_names` are `site|pattern`. `notice_*`: what sources said,
    sorted by time. `allowed_per_hour`: of each server; infinite where politeness binds nothing."""

    name: str
    days: int
    site_names: tuple[str, ...]
    group_names: tuple[str, ...]
    site: Ints
    group: Ints
    server: Ints
    here_at_start: Bools
    importance: Floats
    size_bytes: Floats
    event_page: Ints
    event_s: Floats
    event_kind: Ints
    allowed_per_hour: Floats
    notice_page: Ints = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    notice_s: Floats = field(default_factory=lambda: np.zeros(0))
    true_rate: Floats | None = None  # per day, where a world knows it

    @property
    def pages(self) -> int:
        return len(self.site)

    @property
    def end_s(self) -> float:
        return self.days * DAY_S


@dataclass(frozen=True, slots=True)
class Ledger:
    """A history made ready for questions: where each page's events begin, and how long it has existed at each."""

    history: History
    first: Ints
    last: Ints
    key: Floats
    lived_s: Floats
    alive: Bools
    span_s: float

    def after(self, page: Ints, at_s: Floats) -> Ints:
        """Number of the first event of the page later than `at_s`."""
        return np.searchsorted(self.key, page * self.span_s + at_s, side="right")

    def next_s(self, page: Ints, place: Ints) -> Floats:
        """When event `place` of the page happens; never, if it has no more."""
        inside = place < self.last[page]
        return np.where(inside, self.history.event_s[np.where(inside, place, 0)], _NEVER) if self.key.size else (
            np.full(page.shape, _NEVER)
        )  # fmt: skip

    def existed_s(self, page: Ints, at_s: Floats) -> Floats:
        """How long the page has existed by then."""
        place = self.after(page, at_s)
        had = place > self.first[page]
        if not self.key.size:
            return at_s * self.history.here_at_start[page]
        before = np.maximum(place - 1, 0)
        since = self.lived_s[before] + (at_s - self.history.event_s[before]) * self.alive[before]
        return np.where(had, since, at_s * self.history.here_at_start[page])

    def exists(self, page: Ints, place: Ints) -> Bools:
        """Whether the page is there just before its event number `place`."""
        had = place > self.first[page]
        if not self.key.size:
            return self.history.here_at_start[page]
        return np.where(had, self.alive[np.maximum(place - 1, 0)], self.history.here_at_start[page])


def ledger(history: History) -> Ledger:
    pages = np.arange(history.pages)
    span_s = history.end_s + 10 * DAY_S
    alive = history.event_kind != GONE
    return Ledger(
        history,
        np.searchsorted(history.event_page, pages, side="left"),
        np.searchsorted(history.event_page, pages, side="right"),
        history.event_page * span_s + history.event_s,
        _lived_s(history, alive),
        alive,
        span_s,
    )


def _lived_s(history: History, alive: Bools) -> Floats:
    """Time existed up to each event, page by page."""
    count = history.event_s.size
    if not count:
        return np.zeros(0)
    starts = np.ones(count, dtype=np.bool_)
    starts[1:] = history.event_page[1:] != history.event_page[:-1]
    before_s = np.where(starts, 0.0, np.concatenate([[0.0], history.event_s[:-1]]))
    was = np.where(starts, history.here_at_start[history.event_page], np.concatenate([[False], alive[:-1]]))
    running = np.cumsum((history.event_s - before_s) * was)
    offset = np.where(starts, running - (history.event_s - before_s) * was, 0.0)
    return np.asarray(running - np.maximum.accumulate(offset))


def rates_per_day(history: History) -> Floats:
    """Changes per day of existence, as only an oracle can know them beforehand."""
    if history.true_rate is not None:
        return history.true_rate
    book = ledger(history)
    pages = np.arange(history.pages)
    counted = np.bincount(history.event_page[history.event_kind != GONE], minlength=history.pages)
    changes = np.maximum(counted - ~history.here_at_start, 0)
    return np.asarray(changes / np.maximum(book.existed_s(pages, np.full(history.pages, history.end_s)) / DAY_S, 1.0))
