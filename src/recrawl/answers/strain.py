"""By how much an overloaded server's visits are thinned: what its pages want, what politeness allows.

Once relief has done its work the schedule fits and the load index says nothing of it any more; so what is wanted is
worked out as if the server had no price of its own.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from recrawl.answers.outlook import around, best_informed, schedulers
from recrawl.answers.reading import Reading
from recrawl.engine.scheduling.scheduler import Scheduler
from recrawl.formats import duration
from recrawl.model.belief import unpack
from recrawl.model.page import Page
from recrawl.model.server import Server
from recrawl.ports import Policy
from recrawl.schedule.plan import Plan
from recrawl.schedule.relief import Relief, relief
from recrawl.schedule.value import ValuePolicy

MOST_PAGES = 2000
DAY_S = 86_400.0
_EVER = 1e18


def is_strained(server: Server) -> bool:
    return server.overloaded or server.price > 0.0


def reliefs(found: Reading, servers: Sequence[Server], now: float) -> dict[str, Relief]:
    """Of those among the servers that are strained, by key."""
    strained = [server for server in servers if is_strained(server)]
    crew = schedulers(found) if strained else []
    wishes = {site.name: site.importance for site in found.folder.sites()}
    return {server.key: _reckoned(found, server, crew, wishes, now) for server in strained}


def _reckoned(
    found: Reading, server: Server, crew: Sequence[Scheduler], wishes: Mapping[str, float], now: float
) -> Relief:
    pages = [page for page in found.store.due(server.key, _EVER, MOST_PAGES) if page.belief and page.interval_s > 0]
    if not pages:
        return relief(server.load_per_s, server.gap_s, server.price)
    policy = best_informed(crew, pages[0].site, now)
    importance = [page.importance * wishes.get(page.site, 1.0) for page in pages]
    return relief(wanted_per_s(policy, server, pages, importance, now), server.gap_s, server.price)


def wanted_per_s(
    policy: Policy, server: Server, pages: Sequence[Page], importance: Sequence[float], now: float
) -> float:
    """The server's load index at the common price alone; these pages are all it has, or stand for them."""
    if not isinstance(policy, ValuePolicy):
        return server.load_per_s
    policy, context = around(policy, pages, now)
    ahead = policy.prospects(unpack(page.belief for page in pages), context)
    plan = Plan(ahead, np.array(importance), policy.settings.harmonic, policy.settings.ceiling_s / DAY_S)
    theirs = sum(1.0 / page.interval_s for page in pages)
    scale = max(1.0, server.load_per_s / theirs) if len(pages) >= MOST_PAGES else 1.0
    return scale * plan.at_price(policy.knowledge.price).requests_per_day / DAY_S


def relief_object(one: Relief | None) -> dict[str, Any] | None:
    if one is None:
        return None
    return {
        "wanted_per_day": round(one.wanted_per_day, 1),
        "allowed_per_day": round(one.allowed_per_day, 1),
        "thinned_share": round(one.thinned_share, 4),
        "price": one.price,
    }


def relief_sentence(server: Server, one: Relief) -> str:
    wanted, allowed = f"{one.wanted_per_day:,.0f}", f"{one.allowed_per_day:,.0f}"
    says = f"its pages want {wanted} requests a day, one every {duration.render(server.gap_s)} allows {allowed}"
    if one.thinned_share <= 0.0:
        return f"{says}: relief is coming to its end"
    return f"{says}: {one.thinned_share:.0%} of the visits are thinned out, the least valuable first"
