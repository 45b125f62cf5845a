"""A target instead of a budget: the price at which pages are as fresh, or changes found as soon, as was asked for."""

from recrawl.model.belief import Context, Floats, States
from recrawl.schedule.plan import Plan
from recrawl.schedule.settings import DAY_S
from recrawl.schedule.value import ValuePolicy

MOST_PAGES = 1000  # a fair sample is enough for a price
MOST_PER_PAGE_DAY = 24.0  # what cannot be reached is not chased: in the mean a page is visited every hour at most


def price_for(
    policy: ValuePolicy,
    states: States,
    importance: Floats,
    around: Context,
    freshness: float | None,
    delay_s: float | None,
) -> float:
    """By what is believed of these pages; with both targets the one that costs more decides."""
    some = slice(0, MOST_PAGES)
    context = Context(around.group[some], around.server_price[some], around.notices[some])
    ahead = policy.prospects(states[some], context)
    plan = Plan(ahead, importance[some], policy.settings.harmonic, policy.settings.ceiling_s / DAY_S)
    wanted = [plan.for_target(freshness)] if freshness is not None else []
    wanted += [plan.for_delay(delay_s / DAY_S)] if delay_s is not None else []
    dearest = min((point.price for point in wanted), default=policy.knowledge.price)
    return max(dearest, plan.for_budget(MOST_PER_PAGE_DAY * len(importance[some])).price)
