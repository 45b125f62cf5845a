"""Overview, sites, one site, its pages, errors."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import HTMLResponse

from recrawl.answers.chances import coming, waiting
from recrawl.answers.outlook import outlook, rate_now
from recrawl.model.event import CHANGES
from recrawl.model.failure import NotFound
from recrawl.web import drawings
from recrawl.web.answers import overview_of, site_lines, site_report
from recrawl.web.events import newest
from recrawl.web.queries import After, SiteName
from recrawl.web.render import desk_of, show

router = APIRouter(include_in_schema=False)
PAGES = 100
COMING = 8


@router.get("/")
def overview_page(request: Request) -> HTMLResponse:
    desk = desk_of(request)
    found = overview_of(desk)
    return show(
        request,
        "overview.html",
        found=found,
        curve=drawings.freshness_curve(found),
        days=drawings.request_days(found),
        changes=newest(desk.store, CHANGES, limit=12).events,
        coming=coming(desk.reading, COMING),
        held=waiting(desk.reading, desk.now()),
        troubled=[one for one in desk.store.servers() if one.overloaded or one.failures],
        groups=desk.store.error_groups(limit=5),
    )


@router.get("/sites")
def sites_page(request: Request) -> HTMLResponse:
    return show(request, "sites.html", lines=site_lines(desk_of(request)))


@router.get("/sites/{name}")
def site_page(request: Request, name: str) -> HTMLResponse:
    desk = desk_of(request)
    report, found = site_report(desk, name), overview_of(desk, name)
    return show(
        request,
        "site.html",
        report=report,
        found=found,
        curve=drawings.freshness_curve(found),
        days=drawings.request_days(found),
        changes=newest(desk.store, CHANGES, name, limit=10).events,
        groups=desk.store.error_groups(name, limit=10),
    )


@router.get("/sites/{name}/pages")
def site_pages(request: Request, name: str, after: After = None) -> HTMLResponse:
    desk = desk_of(request)
    if name not in desk.site_names():
        raise NotFound(f"there is no site {name!r}")
    pages = desk.store.scan(name, after, PAGES)
    rates = list(rate_now(outlook(desk.reading, pages, desk.now())))
    older = pages[-1].id if len(pages) == PAGES else None
    return show(request, "pages.html", site=name, pages=list(zip(pages, rates, strict=True)), next_after=older)


@router.get("/errors")
def errors_page(
    request: Request, site: SiteName = "", limit: Annotated[int, Query(ge=1, le=1000)] = 200
) -> HTMLResponse:
    desk = desk_of(request)
    groups = desk.store.error_groups(site, limit)
    failing = [one for one in desk.store.servers() if one.failures]
    return show(request, "errors.html", groups=groups, failing=failing, site=site, sites=desk.site_names())
