"""What a budget would buy, site by site, from the beliefs of a folder."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from recrawl.answers.outlook import outlook
from recrawl.answers.reading import Reading
from recrawl.model.page import Page, Status
from recrawl.schedule.plan import Plan, Point, around

DAY_S = 86_400.0
MOST_PAGES = 5000  # a fair sample: ids are fingerprints
COMMON_PAGES = 20_000  # one sample for all sites: a walk through a large folder for each of them would take long


@dataclass(frozen=True, slots=True)
class SitePlan:
    """`here`: the intervals as they stand. `points`: budgets around that, and the asked one if any."""

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
    here = _here(plan, pages)
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


def _here(plan: Plan, pages: list[Page]) -> Point:
    days = np.array([page.interval_s for page in pages]) / DAY_S
    return plan.at_gaps(days)
