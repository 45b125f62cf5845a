"""What may be spent: a ledger of the day that is never exceeded, and the bucket the price listens to.

A budget is requests a day, bytes a day, or both; for a site, or for all sites together. Days are UTC. A decision is
taken before the request: a visit is allowed only if every budget it falls under has room left.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from recrawl.schedule.settings import DAY_S, WEEK_S


@dataclass(frozen=True, slots=True)
class Budget:
    """`requests_per_day`, `bytes_per_day`: None where nothing limits. `site`: empty for all sites together. `turns`: so
    many take turns at it, a week each (robots.txt alone may take a day of it); `turn`: which of them this is."""

    site: str = ""
    requests_per_day: float | None = None
    bytes_per_day: float | None = None
    turn: int = 0
    turns: int = 1

    def covers(self, site: str) -> bool:
        return self.site in ("", site)


@dataclass(frozen=True, slots=True)
class Spent:
    """What a budget has spent on its day (number of days since 1970)."""

    day: int = -1
    requests: int = 0
    bytes: int = 0


def on_day(spent: Spent, now: float) -> Spent:
    """A new day starts with nothing spent; a clock set back gives nothing back."""
    day = int(now // DAY_S)
    return Spent(day) if day > spent.day else spent


def requests_of_day(budget: Budget, now: float) -> int | None:
    """How many requests this day may see; None: no limit. A day's budget below one is saved up over days by spending
    one request when the day number allows it."""
    if budget.requests_per_day is None:
        return None
    day = int(now // DAY_S)
    if int(now // WEEK_S) % budget.turns != budget.turn:
        return 0
    whole = int((day + 1) * budget.requests_per_day) - int(day * budget.requests_per_day)
    return min(whole, int(budget.requests_per_day) or whole)


def requests_left(budget: Budget, spent: Spent, now: float) -> int | None:
    """How many more requests this day may see; None: no limit."""
    whole = requests_of_day(budget, now)
    return None if whole is None else max(0, whole - on_day(spent, now).requests)


def bytes_left(budget: Budget, spent: Spent, now: float) -> float | None:
    if budget.bytes_per_day is None:
        return None
    return max(0.0, budget.bytes_per_day - on_day(spent, now).bytes)


def may_spend(budget: Budget, spent: Spent, now: float, expected_bytes: float = 0.0) -> bool:
    """Whether one more request fits. A page larger than what is left waits for the next day; a page larger than a
    whole day's bytes is let through when nothing else was fetched, or it would never be."""
    left, room = requests_left(budget, spent, now), bytes_left(budget, spent, now)
    if left is not None and left < 1:
        return False
    return room is None or on_day(spent, now).bytes == 0 or 0 < room >= expected_bytes


def begun(spent: Spent, now: float) -> Spent:
    """One more request. It counts before it is sent: others that are about to be sent must know of it."""
    today = on_day(spent, now)
    return replace(today, requests=today.requests + 1)


def received(spent: Spent, now: float, got_bytes: int) -> Spent:
    today = on_day(spent, now)
    return replace(today, bytes=today.bytes + got_bytes)


def weighed(budget: Budget, spent: Spent, now: float, under_way: int, each_bytes: float) -> Spent:
    """With the bytes that the requests under way may bring."""
    if budget.bytes_per_day is None or not under_way:
        return spent
    today = on_day(spent, now)
    return replace(today, bytes=today.bytes + int(under_way * each_bytes))


def all_allow(
    budgets: Sequence[Budget], ledgers: Sequence[Spent], site: str, now: float, expected_bytes: float = 0.0
) -> bool:
    """Every budget over this site has room."""
    return all(
        may_spend(budget, spent, now, expected_bytes)
        for budget, spent in zip(budgets, ledgers, strict=True)
        if budget.covers(site)
    )


def next_day_at(now: float) -> float:
    """When a spent budget opens again."""
    return (now // DAY_S + 1) * DAY_S


MOST_OWED_DAYS = 7.0


@dataclass(frozen=True, slots=True)
class Bucket:
    """Filled at the budget's rate, emptied by requests, holds one day's worth; the price listens to `fill`."""

    per_day: float
    tokens: float
    at: float

    @property
    def fill(self) -> float:
        return min(max(self.tokens / max(self.per_day, 1e-9), 0.0), 1.0)


def started(per_day: float, now: float) -> Bucket:
    return Bucket(per_day, per_day / 2.0, now)


def flowed(bucket: Bucket, now: float, requests: int = 0) -> Bucket:
    """Time passes and requests are made; may go below zero for what was not asked beforehand, by a week's worth at
    most: a price that was far too low at first would else be driven up for weeks to pay for its first days."""
    gained = max(now - bucket.at, 0.0) / DAY_S * bucket.per_day
    tokens = max(min(bucket.tokens + gained, bucket.per_day) - requests, -MOST_OWED_DAYS * bucket.per_day)
    return replace(bucket, tokens=tokens, at=max(now, bucket.at))
