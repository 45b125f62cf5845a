"""What knowing when to come saved: visits that a daily crawl would have made, bytes that a 304 left unsent.

A crawl that visits every page daily makes one visit for every day between two of ours. Of visits closer together than
that nothing is saved, and it is counted against us.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, field

from recrawl.engine.finding.discover_memo import MOST_WORKERS
from recrawl.engine.settling.arrival import Arrival
from recrawl.engine.settling.confirmed import saved_at_once
from recrawl.model.site import Kind
from recrawl.model.swift import swift
from recrawl.model.values import dataclass
from recrawl.model.verdict import Change
from recrawl.model.visit import Evidence
from recrawl.ports import Store

DAY_S = 86_400.0
JUDGED = frozenset({Change.SAME, Change.CHANGED, Change.MOVED})


@swift
@dataclass(frozen=True, slots=True)
class Saved:
    """`daily_visits`: what a daily crawl would have needed for the time that our `revisits` covered."""

    revisits: int = 0
    daily_visits: float = 0.0
    spared_bytes: int = 0

    @property
    def avoided_visits(self) -> int:
        """Below 0 where pages change so fast that they are visited more than once a day."""
        return round(self.daily_visits - self.revisits)

    def plus(self, other: "Saved") -> "Saved":
        return Saved(
            self.revisits + other.revisits,
            self.daily_visits + other.daily_visits,
            self.spared_bytes + other.spared_bytes,
        )


@dataclass(slots=True)
class Savings:
    """One worker's book, kept in the store's memo with every commit."""

    store: Store
    worker: str = "0"
    _books: dict[str, Saved] = field(default_factory=dict)
    _stirred: set[str] = field(default_factory=set)

    def note(self, visits: Sequence[Arrival]) -> None:
        for site, saved in saved_by_site(visits).items():
            self._books[site] = self._book(site).plus(saved)
            self._stirred.add(site)

    def memos(self) -> dict[str, bytes]:
        """What changed since the last call."""
        stirred, self._stirred = self._stirred, set()
        return {saved_memo(site, self.worker): json.dumps(asdict(self._books[site])).encode() for site in stirred}

    def _book(self, site: str) -> Saved:
        if site not in self._books:
            self._books[site] = _read(self.store.memo(saved_memo(site, self.worker)))
        return self._books[site]


def saved_by_site(visits: Sequence[Arrival]) -> dict[str, Saved]:
    sums = saved_at_once(list(visits))
    if sums is not None:
        return {site: Saved(revisits, passed_s / DAY_S, spared) for site, (revisits, passed_s, spared) in sums.items()}
    by_site: dict[str, list[Arrival]] = {}
    for one in visits:
        if saves(one):
            by_site.setdefault(one.page.site, []).append(one)
    return {site: saved_by(made) for site, made in by_site.items()}


def saves(one: Arrival) -> bool:
    """Not a first visit, nor one that proved nothing."""
    page = one.page
    return page.checked_at is not None and one.verdict.change in JUDGED and page.kind is not Kind.SIGNAL


def saved_by(visits: Sequence[Arrival]) -> Saved:
    """By visits each of which `saves`."""
    passed_s = [one.reply.at - one.page.checked_at for one in visits if one.page.checked_at is not None]
    spared = [one.page.size_bytes for one in visits if one.reply.evidence is Evidence.NOT_MODIFIED]
    return Saved(len(visits), sum(one_s for one_s in passed_s if one_s > 0.0) / DAY_S, sum(spared))


def saved_in(store: Store, sites: Iterable[str]) -> Saved:
    """By all workers together."""
    total = Saved()
    for site in sites:
        for worker in range(MOST_WORKERS):
            total = total.plus(_read(store.memo(saved_memo(site, str(worker)))))
    return total


def _read(memo: bytes | None) -> Saved:
    return Saved(**json.loads(memo)) if memo else Saved()


def saved_memo(site: str, worker: str) -> str:
    return f"saved:{site}:{worker}"
