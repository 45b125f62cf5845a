"""One page: its history, why it is due when it is due, its versions beside each other, and their replay."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from recrawl.answers.facts import facts_of
from recrawl.model.failure import RecrawlError
from recrawl.model.page import Page
from recrawl.model.visit import Version
from recrawl.web import drawings
from recrawl.web.desk import Desk
from recrawl.web.difference import side_by_side
from recrawl.web.queries import MOST, PageId, VersionNumber
from recrawl.web.render import desk_of, show
from recrawl.web.replay import replayed
from recrawl.web.week import week_of

router = APIRouter(include_in_schema=False)
VISITS = 200
VERSIONS = 200  # shown on the page; older ones are reached from there


@router.get("/page")
def find_page(request: Request, url: Annotated[str, Query(max_length=8000)]) -> RedirectResponse:
    page = desk_of(request).reading.page(url)
    return RedirectResponse(f"/page/{page.id}", 303)


@router.get("/page/{page}")
def one_page(request: Request, page: PageId) -> HTMLResponse:
    desk = desk_of(request)
    found = desk.page(page)
    visits, versions = desk.store.visits(page, VISITS), desk.store.versions(page)
    return show(
        request,
        "page.html",
        page=found,
        title=title_of(desk, found, versions),
        facts=facts_of(desk.reading, found, desk.now()),
        visits=visits,
        versions=numbered(versions)[:VERSIONS],
        more_versions=max(0, len(versions) - VERSIONS),
        history=drawings.history(visits, versions[:VERSIONS], found.due_at),
        week=week_of(visits),
        map=drawings.week_map(week_of(visits)),
        notices=desk.store.notices(page, 20),
    )


def numbered(versions: list[Version]) -> list[tuple[int, Version]]:
    """Newest first, counted from 1, the oldest."""
    return [(len(versions) - at, version) for at, version in enumerate(versions)]


def title_of(desk: Desk, page: Page, versions: list[Version]) -> str:
    """Of the newest version; '' where there is none or its record is damaged (its own view says so)."""
    try:
        return desk.reading.document(page, versions[0]).title if versions else ""
    except RecrawlError:
        return ""


@router.get("/page/{page}/difference/{old}/{new}")
def difference_page(request: Request, page: PageId, old: VersionNumber, new: VersionNumber) -> HTMLResponse:
    desk = desk_of(request)
    found = desk.page(page)
    before, after = desk.version(found, old), desk.version(found, new)
    sides = side_by_side(desk.reading.document(found, before).main, desk.reading.document(found, after).main)
    count = len(desk.store.versions(page))
    return show(
        request, "difference.html", page=found, old=old, new=new, before=before, after=after, sides=sides, count=count
    )


@router.get("/page/{page}/change/{cursor}")
def change_of(request: Request, page: PageId, cursor: Annotated[int, Path(ge=1, le=MOST)]) -> RedirectResponse:
    """From an event to the difference that it tells of; to the page where there is nothing to compare."""
    desk = desk_of(request)
    events = [event for event in desk.store.events(cursor - 1, limit=1) if event.cursor == cursor]
    versions = numbered(desk.store.versions(desk.page(page).id))
    made = [number for number, version in versions for event in events if version.at <= event.at]
    number = max(made, default=1)
    return RedirectResponse(f"/page/{page}/difference/{number - 1}/{number}" if number > 1 else f"/page/{page}", 303)


@router.get("/page/{page}/version/{number}")
def version_page(request: Request, page: PageId, number: VersionNumber) -> HTMLResponse:
    desk = desk_of(request)
    found = desk.page(page)
    version = desk.version(found, number)
    document = desk.reading.document(found, version)
    count = len(desk.store.versions(page))
    return show(request, "version.html", page=found, number=number, version=version, document=document, count=count)


@router.get("/replay/{page}/{number}")
def replay(request: Request, page: PageId, number: VersionNumber) -> Response:
    """The archived bytes, in a sandbox: no scripts, no forms, nothing loaded from anywhere."""
    desk = desk_of(request)
    version = desk.version(desk.page(page), number)
    return replayed(desk.reading.payload(version).body, version.content_type)
