"""Search and browse."""

from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import HTMLResponse

from recrawl.web.render import show

router = APIRouter(include_in_schema=False)


@router.get("/search")
def search_page(request: Request, q: Annotated[str, Query(max_length=2000)] = "") -> HTMLResponse:
    return show(request, "search.html", q=q)
