"""The whole engine in simulated months: a target costs what the plan says, and a server that tells saves visits."""

from collections import defaultdict
from dataclasses import replace

import numpy as np

from recrawl.config import Settings
from recrawl.engine.assembly import scheduler_of
from recrawl.engine.kin import group_names
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


def _world(seed: int, sitemap: bool) -> World:
    pages = tuple(PageSpec(f"/{n}.html", Poisson(MEAN_GAP_DAYS[n % 5] * DAY_S)) for n in range(PAGES))
    return World(seed, (ServerSpec("shop", pages=pages, robots=Robots(sitemap=sitemap)),), START_AT)


def _kept(month: Month) -> list[Page]:
    pages = month.store.scan("", None, 10_000)
    return [page for page in pages if page.kind is not Kind.SIGNAL and page.status is Status.LIVE and page.belief]


def _asked(month: Month) -> dict[str, list[float]]:
    asked: dict[str, list[float]] = defaultdict(list)
    for request in month.requests:
        if request.status in (200, 304):
            asked[request.url].append(request.start_at)
    return asked


def _bought(month: Month, learnt_at: float) -> tuple[float, float]:
    """Freshness that the visits as they were made bring by the true rates, and requests a day: the mean over what the
    world might have done, so that a few pages and weeks say enough."""
    asked, rates = _asked(month), {f"/{n}.html": 1.0 / MEAN_GAP_DAYS[n % 5] for n in range(PAGES)}
    fresh = lived = count = 0.0
    for page in _kept(month):
        moments = [learnt_at, *(at for at in asked[page.url] if at > learnt_at), month.end_at]
        gaps = np.diff(moments)[1:-1] / DAY_S  # those that began and ended within
        rate = max(rates.get(page.url.removeprefix("http://shop.test"), 0.0), 1e-9)
        fresh, lived, count = fresh - np.expm1(-rate * gaps).sum() / rate, lived + gaps.sum(), count + gaps.size
    return fresh / lived, count / lived * len(_kept(month))


def _realised(month: Month, learnt_at: float) -> tuple[float, float]:
    """Freshness by the world's own truth, and requests a day for pages, once something has been learnt."""
    asked = _asked(month)
    looks = np.arange(learnt_at, month.end_at, LOOK_EVERY_S)
    good = [_is_fresh(month.world, page.url, asked[page.url], at) for page in _kept(month) for at in looks]
    count = sum(learnt_at <= at < month.end_at for page in _kept(month) for at in asked[page.url])
    return sum(good) / len(good), count / (month.end_at - learnt_at) * DAY_S


def _is_fresh(world: World, url: str, asked: list[float], at: float) -> bool:
    last_at = max((moment for moment in asked if moment <= at), default=0.0)
    return last_at > 0.0 and version(world, url, last_at) == version(world, url, at)


def _plan(month: Month, settings: Settings) -> Plan:
    """As `recrawl plan` makes it: from the beliefs that the crawl left behind, as if nobody told anything."""
    scheduler = scheduler_of(settings, [Site("world", ())], month.store, month.end_at)
    policy, pages = scheduler.domain("world", month.end_at).policy, _kept(month)
    assert isinstance(policy, ValuePolicy)
    names = group_names(policy, pages, month.end_at)
    policy = policy.with_groups(names)
    nobody = nowhere(len(pages))
    around = policy.context(names, nobody.server_price, nobody.notices)
    return Plan(policy.prospects(unpack(page.belief for page in pages), around), np.ones(len(pages)))


def test_a_target_is_reached_with_about_the_requests_that_the_plan_foretells() -> None:
    settings = Settings()
    settings = replace(settings, schedule=replace(settings.schedule, target=0.8))
    month = simulate(_world(4, sitemap=False), 4, 48.0, settings=settings)
    freshness, per_day = _bought(month, START_AT + 24 * DAY_S)
    plan = _plan(month, settings)
    assert freshness >= 0.8 - 0.02
    assert abs(plan.for_budget(per_day).freshness - freshness) <= 0.02
    assert abs(plan.for_target(0.8).requests_per_day / per_day - 1.0) <= 0.15


def test_where_a_sitemap_tells_of_changes_more_stays_fresh_than_any_plan_without_it_could_buy() -> None:
    month = simulate(_world(4, sitemap=True), 4, 20.0)
    freshness, per_day = _realised(month, START_AT + 8 * DAY_S)
    assert freshness >= 0.9
    assert freshness >= _plan(month, Settings()).for_budget(2 * per_day).freshness
