"""Search and browse."""

from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import HTMLResponse

from recrawl.answers.searching import Answer, Answers
from recrawl.formats import moment
from recrawl.formats.moment import iso
from recrawl.model.failure import FormatError
from recrawl.web.desk import Desk
from recrawl.web.queries import SiteName, nothing_unknown
from recrawl.web.render import desk_of, show
from recrawl.web.shelves import question, tree
from recrawl.web.tagged import TaggedRoute

router = APIRouter(route_class=TaggedRoute)
PAGE = 20
PATIENCE_S = 1.0  # to take up what the crawl found meanwhile

Words = Annotated[str, Query(max_length=2000, description='harbour fog, "old bridge", ferry OR boat, harb*, -storm')]
Category = Annotated[str, Query(max_length=500, description="Only of this category.")]
AsOf = Annotated[str, Query(max_length=40, description="What was current then: 2026-11-01, or 2h (ago).")]
Offset = Annotated[int, Query(ge=0, le=100_000)]


@router.get("/search", include_in_schema=False)
def search_page(
    request: Request, q: Words = "", site: SiteName = "", category: Category = "", as_of: AsOf = "", offset: Offset = 0
) -> HTMLResponse:
    desk = desk_of(request)
    asked = question(q, site=site, category=category)
    try:
        found = ask(desk, asked, PAGE, offset, as_of) if asked else Answers()
        wrong = ""
    except FormatError as error:
        found, wrong = Answers(), str(error)
    return show(
        request,
        "search.html",
        q=q,
        site=site,
        category=category,
        as_of=as_of,
        asked=asked,
        found=found,
        wrong=wrong,
        offset=offset,
        more=offset + PAGE if offset + PAGE < found.total else None,
        shelves=tree(desk.search().shelves(), site),
        sites=desk.site_names(),
        page_size=PAGE,
    )


def ask(desk: Desk, asked: str, limit: int, offset: int, as_of: str) -> Answers:
    as_of_at = moment.parse(as_of, desk.now()) if as_of.strip() else None
    search = desk.search(history=as_of_at is not None)
    return search.ask(asked, limit, offset, as_of_at, PATIENCE_S)


@dataclass(frozen=True, slots=True)
class Result:
    """`…_marks`: start and end of each hit in the text."""

    page: str
    url: str
    title: str
    title_marks: list[tuple[int, int]]
    snippet: str
    snippet_marks: list[tuple[int, int]]
    site: str
    kind: str
    category: str
    language: str
    version_at: str | None
    checked_at: str | None
    changed_at: str | None
    score: float


@dataclass(frozen=True, slots=True)
class Results:
    """`behind`: changes that the index has not taken up yet. `next`: pass it as `offset`; null at the end."""

    items: list[Result]
    total: int
    behind: int
    next: int | None


@dataclass(frozen=True, slots=True)
class CategoryCount:
    site: str
    category: str
    documents: int


@router.get("/api/search", tags=["read"], dependencies=[nothing_unknown])
def search(
    request: Request,
    q: Words = "",
    site: SiteName = "",
    category: Category = "",
    as_of: AsOf = "",
    limit: Annotated[int, Query(ge=1, le=100)] = PAGE,
    offset: Offset = 0,
) -> Results:
    """Best first."""
    found = ask(desk_of(request), question(q, site=site, category=category), limit, offset, as_of)
    end = offset + len(found.answers)
    return Results(
        [result(one) for one in found.answers], found.total, found.behind, end if end < found.total else None
    )


@router.get("/api/categories", tags=["read"], dependencies=[nothing_unknown])
def categories(request: Request) -> list[CategoryCount]:
    """Documents by site and category."""
    return [CategoryCount(one.site, one.category, one.documents) for one in desk_of(request).search().shelves()]


def result(one: Answer) -> Result:
    return Result(
        page=str(one.page),
        url=one.url,
        title=one.title.text,
        title_marks=list(one.title.marks),
        snippet=one.snippet.text,
        snippet_marks=list(one.snippet.marks),
        site=one.site,
        kind=one.kind,
        category=one.category,
        language=one.language,
        version_at=iso(one.at),
        checked_at=iso(one.checked_at),
        changed_at=iso(one.changed_at),
        score=round(one.score, 4),
    )
