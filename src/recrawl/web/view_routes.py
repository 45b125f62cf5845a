"""The week, S1's figures, the plan."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import HTMLResponse

from recrawl.web import drawings
from recrawl.web.answers import figures_of, plan_of
from recrawl.web.queries import OffsetHours, SiteName
from recrawl.web.render import desk_of, show
from recrawl.web.week import DAYS, week_lines, week_of, weekly_table

router = APIRouter(include_in_schema=False)


@router.get("/week")
def week_page(request: Request, site: SiteName = "", utc_offset_h: OffsetHours = 0) -> HTMLResponse:
    desk = desk_of(request)
    sample = desk.sample(site)
    week = week_of(sample.all_visits(), utc_offset_h)
    return show(
        request,
        "week.html",
        week=week,
        map=drawings.week_map(week),
        lines=week_lines(sample, desk.now(), utc_offset_h),
        days=DAYS,
        slots=weekly_table(sample, desk.now(), utc_offset_h),
        ids={page.url: page.id for page in sample.pages},
        site=site,
        sites=desk.site_names(),
        sampled=not sample.whole,
    )


@router.get("/figures")
def figures_page(request: Request, site: SiteName = "") -> HTMLResponse:
    desk = desk_of(request)
    found = figures_of(desk, site)
    return show(
        request,
        "figures.html",
        found=found,
        intervals=drawings.interval_bars(found),
        ratios=drawings.ratio_bars(found),
        gaps=drawings.gap_bars(found),
        band=drawings.band_name,
        site=site,
        sites=desk.site_names(),
    )


@router.get("/plan")
def plan_page(
    request: Request, site: SiteName = "", requests: Annotated[str, Query(max_length=20)] = ""
) -> HTMLResponse:
    desk = desk_of(request)
    found, asked = plan_of(desk, site), requests_per_day(requests)
    curve = drawings.plan_curve(found, asked)
    return show(request, "plan.html", found=found, curve=curve, requests=asked, site=site, sites=desk.site_names())


def requests_per_day(text: str) -> float | None:
    """What a form says; an empty field says nothing."""
    try:
        number = float(text)
    except ValueError:
        return None
    return number if 0 < number < 1e12 else None
