"""What a budget would buy, site by site, from the beliefs of a folder."""

import math
from collections.abc import Sequence

import numpy as np

from recrawl.answers.outlook import outlook
from recrawl.answers.reading import Reading
from recrawl.engine.scheduling.scheduler import LEAST_BUDGET
from recrawl.model.page import Page, Status
from recrawl.model.values import dataclass
from recrawl.schedule.plan import Plan, Point, around

DAY_S = 86_400.0
MOST_PAGES = 5000  # a fair sample: ids are fingerprints
HOURLY = 24.0  # a target is not chased beyond one visit per page and hour
COMMON_PAGES = 20_000  # one sample for all sites: a walk through a large folder for each of them would take long


@dataclass(frozen=True, slots=True)
class SitePlan:
    """`here`: the intervals as they stand, as far as the daily budget lets them be kept. `points`: budgets around that,
    and the asked one if any."""

    site: str
    pages: int
    here: Point
    points: tuple[Point, ...]
    asked: Point | None = None
    half: Point | None = None  # half the present requests, spent best, and twice as many
    double: Point | None = None


def planned(
    found: Reading,
    now: float,
    site: str = "",
    budget: float | None = None,
    target: float | None = None,
    curve: bool = True,
    common: Sequence[Page] | None = None,
) -> SitePlan | None:
    """None: nothing kept yet that could be planned for. Most of the time goes into the curve. `common`: a sample of all
    sites, where several are planned for."""
    pages = [page for page in _sample(found, site, common) if page.belief and page.interval_s > 0]
    if not pages:
        return None
    known = found.store.totals(site).live
    plan = _plan(found, pages, max(1.0, known / len(pages)), now)
    here = _here(plan, pages, _allowed_per_day(found, site, known))
    asked = plan.for_budget(budget) if budget else plan.for_target(target) if target else None
    points = tuple(plan.curve(around(here.requests_per_day))) if curve else ()
    half, double = (plan.for_budget(here.requests_per_day * times) for times in (0.5, 2.0))
    return SitePlan(site or "all sites", known, here, points, asked, half, double)


def common_sample(found: Reading) -> list[Page]:
    return found.store.scan("", None, COMMON_PAGES)


def _sample(found: Reading, site: str, common: Sequence[Page] | None) -> list[Page]:
    """From the common sample where there is one: of a small folder it holds everything, of a large one no site that is
    a tiny part of it. Asked for alone, such a site is looked for everywhere."""
    if common is None:
        common = found.store.scan(site, None, MOST_PAGES)
    pages = [page for page in common if page.site == site or not site]
    return [page for page in pages[:MOST_PAGES] if page.status is Status.LIVE]


def _plan(found: Reading, pages: list[Page], scale: float, now: float) -> Plan:
    wishes = {site.name: site.importance for site in found.folder.sites()}
    importance = np.array([page.importance * wishes.get(page.site, 1.0) for page in pages])
    intervals = found.settings.intervals
    ahead = outlook(found, pages, now)
    return Plan(ahead, importance, intervals.harmonic, intervals.ceiling_s / DAY_S, scale)


def _here(plan: Plan, pages: list[Page], allowed_per_day: float) -> Point:
    """Where everything is cheap the intervals ask for more than is allowed: then each is kept so many times later."""
    days = np.array([page.interval_s for page in pages]) / DAY_S
    wanted_per_day = float((1.0 / days).sum()) * plan.scale
    return plan.at_gaps(days * max(1.0, wanted_per_day / allowed_per_day))


def _allowed_per_day(found: Reading, site: str, pages: int) -> float:
    """The tightest budget that covers the site, or all sites; without one, what the number of pages implies."""
    own = [one.requests_per_day for one in found.folder.sites() if not site or one.name == site]
    limits = [found.settings.schedule.requests_per_day, sum(each or math.inf for each in own) if own else None]
    aims = found.settings.schedule.target or found.settings.schedule.max_delay_s
    per_page = HOURLY if aims else found.settings.intervals.requests_per_page_day
    told = [limit for limit in limits if limit and limit < math.inf]
    return min(told, default=max(pages * per_page, LEAST_BUDGET))
