"""What was spent today of the budgets, for people."""

from recrawl.answers.reading import Reading
from recrawl.engine.scheduling.spending import Purse, budgets_of
from recrawl.engine.scheduling.spending_together import spent_today
from recrawl.model.values import dataclass
from recrawl.schedule.budget import Budget, Spent, span_days


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
    """In the order of the settings, then of the site files; nothing of a cluster, whose purse lies in its database."""
    wish = found.settings.schedule
    if found.settings.state.store:
        return []
    wanted = budgets_of(Purse(wish.requests_per_day, wish.bytes_per_day), found.folder.sites())
    return list(zip(wanted, spent_today(found.store, wanted, now), strict=True))


def allowances(found: Reading, now: float) -> list[Allowance]:
    return [
        Allowance(one.site, spent.requests, one.requests_per_day, spent.bytes, one.bytes_per_day, span_days(one))
        for one, spent in ledgers(found, now)
    ]
