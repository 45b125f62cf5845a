"""What may be spent: a ledger of the day that is never exceeded, and the bucket the price listens to.

A budget is requests a day, bytes a day, or both; for a site, or for all sites together. Days are UTC. A decision is
taken before the request: a visit is allowed only if every budget it falls under has room left. Of less than one request
a day so many days are one *span* that two requests are saved up in it: one alone would always go into robots.txt, which
is known for a day.
"""

import math
from collections.abc import Sequence

from recrawl.model.swift import replace
from recrawl.model.values import dataclass
from recrawl.schedule.settings import DAY_S, WEEK_S

BOTH = 2  # requests: robots.txt and a page
LONGEST_SPAN_DAYS = 1e9


@dataclass(frozen=True, slots=True)
class Budget:
    """`requests_per_day`, `bytes_per_day`: None where nothing limits. `site`: empty for all sites together. `turns`: so
    many take turns at it, a week each (robots.txt alone may take a day of it) or a span; `turn`: which of them this is.
    `common`: the workers of a cluster draw from it, so its spans begin on the same day for all; `drawn`: so many
    requests of it one of them may spend."""

    site: str = ""
    requests_per_day: float | None = None
    bytes_per_day: float | None = None
    turn: int = 0
    turns: int = 1
    common: bool = False
    drawn: int | None = None

    def covers(self, site: str) -> bool:
        return self.site in ("", site)


@dataclass(frozen=True, slots=True)
class Spent:
    """What a budget has spent in the span that begins on this day (number of days since 1970)."""

    day: int = -1
    requests: int = 0
    bytes: int = 0


def span_days(budget: Budget) -> int:
    """How many days are counted as one."""
    per_day = budget.requests_per_day
    return math.ceil(min(BOTH / per_day, LONGEST_SPAN_DAYS)) if per_day and per_day < 1.0 else 1


def so_far(budget: Budget, spent: Spent, now: float) -> Spent:
    """A new day starts with nothing spent, and a span with its first request, unless it is common; a clock set back
    gives nothing back."""
    day = int(now // DAY_S)
    if budget.common:
        last_day = last_of_span(budget, spent.day)
    else:
        last_day = spent.day + (span_days(budget) if spent.requests else 1) - 1
    return Spent(day) if day > last_day else spent


def last_of_span(budget: Budget, day: int) -> int:
    """The last day of the common span that this day lies in."""
    days = span_days(budget)
    return day - day % days + days - 1


def requests_of_span(budget: Budget, now: float) -> int | None:
    """How many requests this day, or span of days, may see; None: no limit."""
    if budget.requests_per_day is None:
        return None
    if budget.drawn is not None:
        return budget.drawn
    if _turn(budget, now) != budget.turn:
        return 0
    return int(budget.requests_per_day) or (BOTH if budget.requests_per_day > 0.0 else 0)


def _turn(budget: Budget, now: float) -> int:
    days = span_days(budget)
    return int(now // (WEEK_S if days == 1 else days * DAY_S)) % budget.turns


def requests_left(budget: Budget, spent: Spent, now: float) -> int | None:
    """How many more requests this day, or span of days, may see; None: no limit."""
    whole = requests_of_span(budget, now)
    return None if whole is None else max(0, whole - so_far(budget, spent, now).requests)


def bytes_of_span(budget: Budget) -> float | None:
    """How many bytes this day, or span of days, may see: those of its days are saved up like its requests."""
    if budget.bytes_per_day is None or budget.drawn is not None:
        return budget.bytes_per_day
    return budget.bytes_per_day * span_days(budget)


def bytes_left(budget: Budget, spent: Spent, now: float) -> float | None:
    whole = bytes_of_span(budget)
    return None if whole is None else max(0.0, whole - so_far(budget, spent, now).bytes)


def may_spend(budget: Budget, spent: Spent, now: float, expected_bytes: float = 0.0) -> bool:
    """Whether one more request fits. A page larger than what is left waits for the next day; a page larger than a
    whole day's bytes is let through when nothing else was fetched but robots.txt, or it would never be."""
    left, room = requests_left(budget, spent, now), bytes_left(budget, spent, now)
    if left is not None and left < 1:
        return False
    if room is None or 0 < room >= expected_bytes:
        return True
    today = so_far(budget, spent, now)
    return today.bytes == 0 or _is_early(budget, today, expected_bytes)


def _is_early(budget: Budget, today: Spent, expected_bytes: float) -> bool:
    """It fits into no day, and this one has seen robots.txt at most."""
    whole = bytes_of_span(budget) or 0.0
    return budget.drawn is None and expected_bytes > whole and today.requests <= 1 and today.bytes <= whole / 2.0


def begun(budget: Budget, spent: Spent, now: float) -> Spent:
    """One more request. It counts before it is sent: others that are about to be sent must know of it."""
    today = so_far(budget, spent, now)
    return replace(today, requests=today.requests + 1)


def not_sent(budget: Budget, spent: Spent, now: float) -> Spent:
    """One request that was counted did not leave."""
    today = so_far(budget, spent, now)
    return replace(today, requests=max(0, today.requests - 1))


def received(budget: Budget, spent: Spent, now: float, got_bytes: int) -> Spent:
    today = so_far(budget, spent, now)
    return replace(today, bytes=today.bytes + got_bytes)


def weighed(budget: Budget, spent: Spent, now: float, under_way: int, each_bytes: float) -> Spent:
    """With the bytes that the requests under way may bring."""
    if budget.bytes_per_day is None or not under_way:
        return spent
    today = so_far(budget, spent, now)
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
