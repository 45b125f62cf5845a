"""The JSON API: what the dashboard shows, for programs. Reading needs nothing but to be let in by the guard."""

from typing import Annotated, Any

from fastapi import APIRouter, Path, Query
from starlette.requests import Request

from recrawl.answers.chances import coming
from recrawl.answers.facts import change_object, facts_of, server_object, visit_object
from recrawl.answers.feed import need_cursor
from recrawl.detect.difference import differ
from recrawl.formats.moment import cursor_or_time, iso
from recrawl.model.event import CHANGES, EventKind
from recrawl.model.failure import UsageError
from recrawl.web import shapes
from recrawl.web.answers import figures_of, overview_of, plan_of, site_lines, site_report
from recrawl.web.events import last_cursor
from recrawl.web.overview import SiteLine
from recrawl.web.queries import (
    After,
    Cursor,
    Limit,
    OffsetHours,
    PageId,
    SiteName,
    VersionNumber,
    nothing_unknown,
)
from recrawl.web.render import desk_of
from recrawl.web.tagged import TaggedRoute
from recrawl.web.week import week_of

router = APIRouter(
    prefix="/api",
    route_class=TaggedRoute,
    tags=["read"],
    dependencies=[nothing_unknown],
    responses={
        304: {"description": "The answer is the one whose ETag was given as If-None-Match."},
        404: {"model": shapes.Trouble, "description": "No such page, site or version."},
        503: {"model": shapes.Trouble, "description": "The store or the archive cannot be read."},
    },
)
Kinds = Annotated[list[EventKind] | None, Query(description=f"{', '.join(CHANGES)}; default: all of them.")]
Since = Annotated[str, Query(max_length=40, description="From a time on: 2026-11-01, or 2h (ago); or after a cursor.")]


@router.get("/overview")
def overview(request: Request, site: SiteName = "") -> shapes.OverviewNumbers:
    """Freshness, requests against a daily crawl, changes, failures, backlog, budget."""
    return shapes.overview_numbers(overview_of(desk_of(request), site))


@router.get("/sites")
def sites(request: Request) -> list[shapes.SiteSummary]:
    """All sites with their counts."""
    return [_summary(line) for line in site_lines(desk_of(request))]


@router.get("/sites/{name}")
def site(request: Request, name: Annotated[str, Path(max_length=200)]) -> dict[str, Any]:
    """One site: its servers with load and gaps, robots.txt, kinds and categories, trust in notices."""
    desk = desk_of(request)
    report, now = site_report(desk, name), desk.now()
    return {
        "name": name,
        "pages": report.line.pages,
        "known": report.line.known,
        "due": report.line.due,
        "fresh": report.line.fresh,
        "paused": report.line.paused,
        "seeds": report.file.seeds if report.file else [],
        "servers": [server_object(one, now) for one in report.servers],
        "robots": [
            {"origin": one.origin, "status": one.status if one.status > 0 else None, "fetched_at": iso(one.fetched_at)}
            for one in report.robots
        ],
        "kinds": dict(report.kinds),
        "categories": dict(report.categories),
        "notices": [
            {"source": one.source.value, "notices": one.notices, "judged": one.judged, "trust": one.share}
            for one in report.trust
        ],
    }


@router.get("/servers")
def servers(request: Request) -> list[dict[str, Any]]:
    """All servers: load index, needed and allowed gap, failures."""
    desk = desk_of(request)
    return [server_object(one, desk.now()) for one in desk.store.servers()]


@router.get("/pages")
def pages(request: Request, site: SiteName = "", after: After = None, limit: Limit = 100) -> shapes.PageList:
    """All pages in order of their ids."""
    found = desk_of(request).store.scan(site, after, limit)
    follow = str(found[-1].id) if len(found) == limit else None
    return shapes.PageList([shapes.page_line(page) for page in found], follow)


@router.get("/page")
def page_by_url(request: Request, url: Annotated[str, Query(max_length=8000)]) -> dict[str, Any]:
    """The facts of a page by its address, however it is spelled."""
    desk = desk_of(request)
    found = desk.reading.page(url)
    return {"id": str(found.id), **facts_of(desk.reading, found, desk.now())}


@router.get("/pages/{page}")
def page(request: Request, page: PageId) -> dict[str, Any]:
    """State, belief, robots, server gap: why it is due when it is due."""
    desk = desk_of(request)
    return {"id": str(page), **facts_of(desk.reading, desk.page(page), desk.now())}


@router.get("/pages/{page}/visits")
def visits(request: Request, page: PageId, limit: Limit = 100) -> list[dict[str, Any]]:
    """Newest first."""
    desk = desk_of(request)
    return [visit_object(visit) for visit in desk.store.visits(desk.page(page).id, limit)]


@router.get("/pages/{page}/versions")
def versions(request: Request, page: PageId) -> list[shapes.VersionLine]:
    """Newest first."""
    desk = desk_of(request)
    found = desk.store.versions(desk.page(page).id)
    return [shapes.version_line(len(found) - at, version) for at, version in enumerate(found)]


@router.get("/pages/{page}/versions/{number}")
def version(request: Request, page: PageId, number: VersionNumber) -> shapes.VersionText:
    """Title, language and main text of one version."""
    desk = desk_of(request)
    found = desk.page(page)
    chosen = desk.version(found, number)
    document = desk.reading.document(found, chosen)
    return shapes.VersionText(number, iso(chosen.at), found.url, document.title, document.language, document.text)


@router.get("/pages/{page}/difference/{old}/{new}")
def difference(request: Request, page: PageId, old: VersionNumber, new: VersionNumber) -> shapes.DifferenceOf:
    """What went and what came between two versions, as parts that join to both texts."""
    desk = desk_of(request)
    found = desk.page(page)
    before, after = desk.version(found, old), desk.version(found, new)
    result = differ(desk.reading.document(found, before).main, desk.reading.document(found, after).main)
    parts = [shapes.Part(one.kind.value, one.text) for one in result.segments]
    return shapes.DifferenceOf(found.url, old, new, result.share, result.changed_bytes, parts)


@router.get("/changes")
def changes(
    request: Request, after: Cursor = 0, since: Since = "", site: SiteName = "", kind: Kinds = None, limit: Limit = 100
) -> shapes.ChangeList:
    """Oldest first, from a cursor or a time on: nothing is lost and nothing comes twice. 404 if there is no such cursor
    (yet), as after a restore."""
    if unfit := [one.value for one in kind or () if one not in CHANGES]:
        raise UsageError(f"{unfit[0]} is no kind of change: write {', '.join(CHANGES)}")
    desk = desk_of(request)
    cursor, since_at = cursor_or_time(since, desk.now()) if since.strip() else (0, 0.0)
    start = need_cursor(desk.store, max(after, cursor))
    end = max(start, last_cursor(desk.store, start)) if since_at else start  # before what may come meanwhile
    found = desk.store.events(start, kind or CHANGES, limit, since_at)
    items = [shapes.Change(**change_object(one)) for one in found if not site or one.site == site]  # type: ignore[arg-type]
    return shapes.ChangeList(items, found[-1].cursor if found else end)


@router.get("/due")
def due(request: Request, site: SiteName = "", limit: Limit = 20) -> list[shapes.PageLine]:
    """What comes next."""
    return [shapes.page_line(page) for page in coming(desk_of(request).reading, limit, site)]


@router.get("/week")
def week(request: Request, site: SiteName = "", utc_offset_h: OffsetHours = 0) -> shapes.WeekCounts:
    """Changes found by weekday and hour."""
    found = week_of(desk_of(request).sample(site).all_visits(), utc_offset_h)
    return shapes.WeekCounts(list(map(list, found.changes)), list(map(list, found.bytes)), utc_offset_h)


@router.get("/figures")
def figures(request: Request, site: SiteName = "") -> shapes.FigureSet:
    """S1's three figures."""
    return shapes.figure_set(figures_of(desk_of(request), site))


@router.get("/plan")
def plan_curve(request: Request, site: SiteName = "") -> shapes.PlanCurve:
    """Budget against expected freshness, and where the crawl stands."""
    return shapes.plan_curve(plan_of(desk_of(request), site))


@router.get("/errors")
def errors(request: Request, site: SiteName = "", limit: Limit = 100) -> list[shapes.ErrorLine]:
    """Pages that stand where they stand for the same reason, counted."""
    groups = desk_of(request).store.error_groups(site, limit)
    return [shapes.ErrorLine(one.status.value, one.reason, one.pages, one.example) for one in groups]


def _summary(line: SiteLine) -> shapes.SiteSummary:
    return shapes.SiteSummary(
        name=line.name,
        pages=line.pages,
        known=line.known,
        due=line.due,
        visits=line.visits,
        changed=line.changed,
        failed=line.failed,
        bytes=line.bytes,
        fresh=line.fresh,
        paused=line.paused,
    )
