"""What dashboard and API both ask for: the desk's values put together."""

from collections import Counter
from dataclasses import dataclass

from recrawl.model.address import origin_of
from recrawl.model.event import CHANGES
from recrawl.model.failure import NotFound
from recrawl.model.notice import Notice, Source
from recrawl.model.page import Page
from recrawl.model.server import RobotsFile, Server
from recrawl.model.site import Site
from recrawl.web.desk import Desk
from recrawl.web.events import count_since
from recrawl.web.figures import Figures, needed_gaps, ratios
from recrawl.web.freshness import DAY_S
from recrawl.web.overview import Overview, SiteLine, budget_per_day, overview, site_line
from recrawl.web.plan import Plan, plan, stretches
from recrawl.web.sample import Sample

MOST_ROBOTS = 50
MOST_NOTICES = 1000


def overview_of(desk: Desk, site: str = "") -> Overview:
    now, store = desk.now(), desk.store
    sample = desk.sample(site)
    sites = [one for one in desk.sites().values() if not site or one.name == site]
    changes = count_since(store, CHANGES, now - DAY_S, site)
    budget = budget_per_day(sites, None if site else desk.reading.settings.schedule.requests_per_day)
    return overview(store.totals(site, now), sample, changes, budget, now)


def site_lines(desk: Desk) -> list[SiteLine]:
    now, files = desk.now(), desk.sites()
    return [
        site_line(name, files.get(name), desk.store.totals(name, now), desk.sample(name), now)
        for name in desk.site_names()
    ]


@dataclass(frozen=True, slots=True)
class Trust:
    """How often notices of one source proved true."""

    source: Source
    notices: int
    judged: int
    true: int

    @property
    def share(self) -> float | None:
        return self.true / self.judged if self.judged else None


@dataclass(frozen=True, slots=True)
class SiteReport:
    line: SiteLine
    file: Site | None
    servers: tuple[Server, ...]
    robots: tuple[RobotsFile, ...]
    trust: tuple[Trust, ...]
    kinds: tuple[tuple[str, int], ...]
    categories: tuple[tuple[str, int], ...]
    newest: tuple[Page, ...]
    sampled: bool  # kinds, categories and trust are counted in an even sample of the pages


def site_report(desk: Desk, name: str, newest: int = 30) -> SiteReport:
    if name not in desk.site_names():
        raise NotFound(f"there is no site {name!r}")
    now, sample, file = desk.now(), desk.sample(name), desk.sites().get(name)
    return SiteReport(
        line=site_line(name, file, desk.store.totals(name, now), sample, now),
        file=file,
        servers=tuple(servers_of(desk, sample)),
        robots=tuple(_robots(desk, sample)),
        trust=trust_in(_notices(desk, sample)),
        kinds=_counted([page.kind.value for page in sample.pages], sample),
        categories=_counted([page.category for page in sample.pages if page.category], sample),
        newest=tuple(sorted(sample.pages, key=lambda page: -(page.changed_at or 0.0))[:newest]),
        sampled=not sample.whole,
    )


def servers_of(desk: Desk, sample: Sample) -> list[Server]:
    keys = sorted({page.server for page in sample.pages})
    return [desk.store.server(key) or Server(key) for key in keys]


def _robots(desk: Desk, sample: Sample) -> list[RobotsFile]:
    origins = sorted({origin_of(page.url) for page in sample.pages})[:MOST_ROBOTS]
    found = (desk.store.robots(f"{origin}/robots.txt") for origin in origins)
    return [file for file in found if file is not None]


def _notices(desk: Desk, sample: Sample) -> list[Notice]:
    pages = {page.id for page in sample.pages}
    return [notice for notice in desk.store.notices(limit=MOST_NOTICES) if notice.page in pages]


def trust_in(notices: list[Notice]) -> tuple[Trust, ...]:
    of = {source: [one for one in notices if one.source is source] for source in Source}
    return tuple(
        Trust(
            source, len(found), sum(one.proved is not None for one in found), sum(one.proved is True for one in found)
        )
        for source, found in of.items()
        if found
    )


def _counted(names: list[str], sample: Sample) -> tuple[tuple[str, int], ...]:
    return tuple((name, round(count * sample.scale)) for name, count in Counter(names).most_common(50))


def figures_of(desk: Desk, site: str = "") -> Figures:
    sample = desk.sample(site)
    servers = servers_of(desk, sample) if site else desk.store.servers()
    return Figures(tuple(desk.store.interval_histogram(site)), ratios(sample.pages), needed_gaps(servers))


def plan_of(desk: Desk, site: str = "") -> Plan:
    return plan(desk.sample(site), stretches(desk.store.servers()), desk.reading.settings.intervals)
