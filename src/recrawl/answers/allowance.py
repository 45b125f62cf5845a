"""What was spent today of the budgets, for people."""

from collections.abc import Sequence
from contextlib import closing
from importlib import import_module

from recrawl.answers.reading import Reading
from recrawl.engine.scheduling.spending import Purse, budgets_of
from recrawl.engine.scheduling.spending_together import spent_today
from recrawl.model.swift import replace
from recrawl.model.values import dataclass
from recrawl.schedule.budget import Budget, Spent, last_of_span, span_days
from recrawl.schedule.settings import DAY_S

LEASES = "recrawl.store.shared.leases"  # SQLAlchemy comes with it: see folder/opening.py


@dataclass(frozen=True, slots=True)
class Allowance:
    """`site`: empty for all sites together. None where nothing limits. `days`: so many are counted as one
    where there is less than a request a day."""

    site: str
    requests: int
    requests_per_day: float | None
    bytes: int
    bytes_per_day: float | None
    days: int = 1


def ledgers(found: Reading, now: float) -> list[tuple[Budget, Spent]]:
    """In the order of the settings, then of the site files."""
    wish, cluster = found.settings.schedule, found.settings.state.store
    wanted = budgets_of(Purse(wish.requests_per_day, wish.bytes_per_day), found.folder.sites())
    wanted = [replace(one, common=bool(cluster)) for one in wanted]
    spent = spent_today(found.store, wanted, now)
    if cluster and wanted:
        spent = _and_drawn(cluster, wanted, spent, int(now // DAY_S))
    return list(zip(wanted, spent, strict=True))


def _and_drawn(cluster: str, wanted: Sequence[Budget], alone: Sequence[Spent], today: int) -> list[Spent]:
    """With what the workers of a cluster took out of its purse; a little of that they may have in hand still."""
    with closing(import_module(LEASES).open_leases(cluster, readonly=True)) as leases:
        drawn = [leases.drawn(one.site, last_of_span(one, today)) for one in wanted]
    return [
        Spent(today, before.requests + requests, before.bytes + octets)
        for before, (requests, octets) in zip(alone, drawn, strict=True)
    ]


def allowances(found: Reading, now: float) -> list[Allowance]:
    return [
        Allowance(one.site, spent.requests, one.requests_per_day, spent.bytes, one.bytes_per_day, span_days(one))
        for one, spent in ledgers(found, now)
    ]
