"""The numbers of the first page: fresh, requests against a daily crawl, changes, failures, what is due."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from recrawl.model.batch import Totals
from recrawl.model.site import Site
from recrawl.model.visit import UNUSABLE, Evidence, Visit
from recrawl.web.freshness import DAY_S, fresh_over_time, fresh_share
from recrawl.web.sample import Sample

POINTS = 60  # of the curve of freshness
LONGEST_S = 14 * DAY_S


@dataclass(frozen=True, slots=True)
class Moment:
    at: float
    fresh: float | None


@dataclass(frozen=True, slots=True)
class Day:
    """Requests of one day (24 hours that end now, or earlier)."""

    from_at: float
    requests: int
    changes: int
    failed: int
    not_modified: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Numbers:
    """`…_today`: the last 24 hours. `daily_crawl`: what asking for every kept page once a day would cost. `sampled`:
    requests and freshness are estimated from a sample of the pages."""

    pages: int
    known: int
    fresh: float | None
    requests_today: int
    daily_crawl: int
    saved: float | None
    changes_today: int
    failed_today: int
    not_modified_today: int
    due: int
    budget_per_day: float | None
    budget_used: float | None
    sampled: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Overview(Numbers):
    at: float
    curve: tuple[Moment, ...] = ()
    days: tuple[Day, ...] = ()


def overview(
    totals: Totals,
    sample: Sample,
    changes_today: int,
    budget: float | None,
    now: float,
) -> Overview:
    days = by_day(sample, now)
    today = days[-1] if days else Day(now - DAY_S, 0, 0, 0, 0)
    return Overview(
        at=now,
        pages=totals.live,
        known=totals.pages,
        fresh=fresh_share(sample.pages, sample.ahead, now),
        requests_today=today.requests,
        daily_crawl=totals.live,
        saved=1.0 - today.requests / totals.live if totals.live else None,
        changes_today=changes_today,
        failed_today=today.failed,
        not_modified_today=today.not_modified,
        due=totals.due,
        budget_per_day=budget,
        budget_used=today.requests / max(budget, 1.0) if budget else None,  # below one it is saved up: one page a day
        sampled=not sample.whole,
        curve=curve(sample, now),
        days=days,
    )


def by_day(sample: Sample, now: float, most: int = 14) -> tuple[Day, ...]:
    """Days of 24 hours that end now, oldest first, from the first visit on."""
    counts: dict[int, Counter[str]] = {}
    for visit in sample.all_visits():
        ago = int((now - visit.at) // DAY_S)
        if 0 <= ago < most:
            counts.setdefault(ago, Counter()).update(_marks(visit))
    if not counts:
        return ()

    def day(ago: int) -> Day:
        count = counts.get(ago, Counter())
        amount = {key: round(count[key] * sample.scale) for key in ("requests", "changes", "failed", "not_modified")}
        return Day(from_at=now - (ago + 1) * DAY_S, **amount)

    return tuple(day(ago) for ago in range(max(counts), -1, -1))


def _marks(visit: Visit) -> Iterable[str]:
    yield "requests"
    if visit.change == "changed":
        yield "changes"
    if visit.evidence in UNUSABLE:
        yield "failed"
    if visit.evidence is Evidence.NOT_MODIFIED:
        yield "not_modified"


def curve(sample: Sample, now: float, points: int = POINTS) -> tuple[Moment, ...]:
    """Expected freshness from the first visit (at most two weeks back) until now."""
    visits_at = [visit.at for visit in sample.all_visits() if visit.at <= now]
    if not visits_at:
        return ()
    start = max(min(visits_at), now - LONGEST_S)
    moments = [start + (now - start) * step / (points - 1) for step in range(points)]
    return tuple(Moment(at, fresh) for at, fresh in zip(moments, fresh_over_time(sample, moments), strict=True))


def budget_per_day(sites: Sequence[Site], whole: float | None = None) -> float | None:
    """The budget of all sites together, or the sum of their own where they have one; the tighter of both."""
    own = [site.requests_per_day for site in sites if site.requests_per_day is not None]
    limits = [limit for limit in (whole, float(sum(own)) if own else None) if limit is not None]
    return min(limits, default=None)


@dataclass(frozen=True, slots=True)
class SiteLine:
    """One line of the table of sites."""

    name: str
    title: str
    pages: int
    known: int
    due: int
    visits: int
    changed: int
    not_modified_share: float
    failed: int
    bytes: int
    fresh: float | None
    paused: bool
    listed: bool  # has a site file


def site_line(name: str, site: Site | None, totals: Totals, sample: Sample, now: float) -> SiteLine:
    return SiteLine(
        name=name,
        title=site.title if site else "",
        pages=totals.live,
        known=totals.pages,
        due=totals.due,
        visits=totals.visits,
        changed=totals.changed,
        not_modified_share=totals.not_modified / totals.visits if totals.visits else 0.0,
        failed=totals.failed,
        bytes=totals.bytes,
        fresh=fresh_share(sample.pages, sample.ahead, now),
        paused=bool(site and site.paused),
        listed=site is not None,
    )
