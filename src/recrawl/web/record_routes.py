"""Records: what pages say, field by field, and how a number moved."""

from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import HTMLResponse

from recrawl.web.queries import After, Limit, PageId, SiteName, nothing_unknown
from recrawl.web.records import Line, histories, record_list, table
from recrawl.web.render import desk_of, show
from recrawl.web.shapes import Trouble
from recrawl.web.tagged import TaggedRoute

router = APIRouter(route_class=TaggedRoute)


@router.get("/records", include_in_schema=False)
def records_page(
    request: Request, site: SiteName = "", after: After = None, kind: Annotated[str, Query(max_length=200)] = ""
) -> HTMLResponse:
    desk = desk_of(request)
    found = record_list(desk.store, site, after, 200)
    return show(
        request, "records.html", found=found, table=table(found, kind), site=site, sites=desk.site_names(), kind=kind
    )


@router.get("/page/{page}/records", include_in_schema=False)
def page_records(request: Request, page: PageId) -> HTMLResponse:
    desk = desk_of(request)
    found = desk.store.records([desk.page(page).id])
    return show(request, "page_records.html", page=desk.page(page), records=found, plots=histories(found))


@router.get(
    "/api/pages/{page}/records", tags=["read"], dependencies=[nothing_unknown], responses={404: {"model": Trouble}}
)
def records_of_page(request: Request, page: PageId) -> list[dict[str, Any]]:
    """What every version of a page said, oldest first."""
    desk = desk_of(request)
    found = desk.page(page)
    return [Line(one, found.url).as_object() for one in desk.store.records([found.id])]


@router.get("/api/records", tags=["read"], dependencies=[nothing_unknown])
def records(request: Request, site: SiteName = "", after: After = None, limit: Limit = 100) -> dict[str, Any]:
    """The newest records, page by page; `next` as `after` goes on."""
    found = record_list(desk_of(request).store, site, after, limit)
    return {
        "items": [one.as_object() for one in found.records],
        "next": None if found.next is None else str(found.next),
    }
