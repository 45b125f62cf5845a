"""Simulated months of the whole engine, and what became of the copies in them."""

from collections import defaultdict
from dataclasses import dataclass, replace

import numpy as np

from recrawl.config import Settings
from recrawl.engine.assembly import scheduler_of
from recrawl.engine.scheduling.kin import group_names
from recrawl.lab.month import DAY_S, Month, simulate
from recrawl.lab.tempers import Poisson
from recrawl.lab.world import START_AT, World, version
from recrawl.lab.world_parts import PageSpec, Robots, ServerSpec
from recrawl.model.belief import unpack
from recrawl.model.page import Page, Status
from recrawl.model.site import Kind, Site
from recrawl.schedule.plan import Plan
from recrawl.schedule.value import ValuePolicy, nowhere

PAGES = 30
LOOK_EVERY_S = 6 * 3600.0
MEAN_GAP_DAYS = (1.0, 2.0, 4.0, 8.0, 16.0)


def world(seed: int, sitemap: bool, pages: int = PAGES) -> World:
    specs = tuple(PageSpec(f"/{n}.html", Poisson(MEAN_GAP_DAYS[n % 5] * DAY_S)) for n in range(pages))
    return World(seed, (ServerSpec("shop", pages=specs, robots=Robots(sitemap=sitemap)),), START_AT)


def kept(month: Month) -> list[Page]:
    pages = month.store.scan("", None, 10_000)
    return [page for page in pages if page.kind is not Kind.SIGNAL and page.status is Status.LIVE and page.belief]


def asked(month: Month) -> dict[str, list[float]]:
    found: dict[str, list[float]] = defaultdict(list)
    for request in month.requests:
        if request.status in (200, 304):
            found[request.url].append(request.start_at)
    return found


@dataclass(frozen=True, slots=True)
class Bought:
    freshness: float
    delay_s: float  # from a change to the visit that finds it, in the mean
    per_day: float  # requests
    came_true: float  # freshness by what really happened


def bought(month: Month, learnt_at: float) -> Bought:
    """What the visits as they were made bring by the true rates, once something has been learnt: the mean over what the
    world might have done, so that a few pages and weeks say enough."""
    visits = asked(month)
    rates = {f"/{n}.html": 1.0 / MEAN_GAP_DAYS[n % 5] for n in range(len(kept(month)))}
    fresh = lived = count = found = 0.0
    for page in kept(month):
        moments = [learnt_at, *(at for at in visits[page.url] if at > learnt_at), month.end_at]
        gaps = np.diff(moments)[1:-1] / DAY_S  # those that began and ended within
        rate = max(rates.get(page.url.removeprefix("http://shop.test"), 0.0), 1e-9)
        changed = -np.expm1(-rate * gaps).sum()
        fresh, lived, count, found = fresh + changed / rate, lived + gaps.sum(), count + gaps.size, found + changed
    return Bought(
        fresh / lived, (lived - fresh) / found * DAY_S, count / lived * len(kept(month)), realised(month, learnt_at)[0]
    )


def realised(month: Month, learnt_at: float) -> tuple[float, float]:
    """Freshness by the world's own truth, and requests a day for pages, once something has been learnt."""
    visits = asked(month)
    looks = np.arange(learnt_at, month.end_at, LOOK_EVERY_S)
    good = [_is_fresh(month.world, page.url, visits[page.url], at) for page in kept(month) for at in looks]
    count = sum(learnt_at <= at < month.end_at for page in kept(month) for at in visits[page.url])
    return sum(good) / len(good), count / (month.end_at - learnt_at) * DAY_S


def _is_fresh(world: World, url: str, asked: list[float], at: float) -> bool:
    last_at = max((moment for moment in asked if moment <= at), default=0.0)
    return last_at > 0.0 and version(world, url, last_at) == version(world, url, at)


def plan(month: Month, settings: Settings) -> Plan:
    """As `recrawl plan` makes it: from the beliefs that the crawl left behind, as if nobody told anything."""
    scheduler = scheduler_of(settings, [Site("world", ())], month.store)
    policy, pages = scheduler.full_policy("world", month.end_at), kept(month)
    assert isinstance(policy, ValuePolicy)
    names = group_names(policy, pages, month.end_at)
    policy = policy.with_groups(names)
    nobody = nowhere(len(pages))
    around = policy.context(names, nobody.server_price, nobody.notices)
    return Plan(policy.prospects(unpack(page.belief for page in pages), around), np.ones(len(pages)))


def aiming(
    seed: int, days: float, target: float | None = None, max_delay_s: float | None = None, pages: int = PAGES
) -> tuple[Bought, Plan]:
    """A crawl with a target: what the second half of it brought, and the plan at its end."""
    settings = Settings()
    settings = replace(settings, schedule=replace(settings.schedule, target=target, max_delay_s=max_delay_s))
    month = simulate(world(seed, sitemap=False, pages=pages), seed, days, settings=settings)
    return bought(month, START_AT + days / 2 * DAY_S), plan(month, settings)
