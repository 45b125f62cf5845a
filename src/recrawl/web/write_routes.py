"""The few things that can be done from here: add a site, make pages due, pause and resume. All need the token."""

import re
from dataclasses import dataclass, replace
from typing import Annotated, Any, ClassVar
from urllib.parse import parse_qs, urlsplit

from fastapi import APIRouter, Body, Depends, HTTPException, Path
from pydantic import ConfigDict, Field
from starlette.requests import Request
from starlette.responses import RedirectResponse

from recrawl.engine.quarries import canonicaliser_of
from recrawl.folder.settings import load
from recrawl.model.failure import NotFound, UsageError
from recrawl.model.site import Site
from recrawl.model.site_name import NAME, name_of_server, need_name
from recrawl.scope.seed import seed_of
from recrawl.web.desk import Desk
from recrawl.web.guard import equal, has_bearer
from recrawl.web.queries import LEAST, MOST
from recrawl.web.render import desk_of
from recrawl.web.shapes import Trouble

MOST_FORM_BYTES = 20_000
NOTHING_UNKNOWN = ConfigDict(extra="forbid")  # `page` for `pages` would make a whole site due
READ_ONLY = "this dashboard is read-only: start `recrawl serve` with --token to write"


def need_token(request: Request) -> None:
    """For the API: nothing but the header counts."""
    token = request.app.state.settings.token
    if not token:
        raise HTTPException(403, READ_ONLY)
    if not has_bearer(request.headers, token):
        raise HTTPException(401, "the token is needed: Authorization: Bearer …", {"www-authenticate": "Bearer"})


router = APIRouter(tags=["write"])
guarded = [Depends(need_token)]
REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"model": Trouble, "description": "It cannot be done as asked."},
    401: {"model": Trouble, "description": "The token is missing or wrong."},
    403: {"model": Trouble, "description": "Read-only."},
    404: {"model": Trouble, "description": "No such site."},
}


@dataclass(frozen=True, slots=True)
class NewSite:
    __pydantic_config__: ClassVar = NOTHING_UNKNOWN
    url: Annotated[str, Field(min_length=1, max_length=2000)]
    name: Annotated[str, Field(pattern=rf"^$|^{NAME}$")] = ""
    depth: Annotated[int | None, Field(ge=0, le=1000)] = None


@dataclass(frozen=True, slots=True)
class WhatIsDue:
    """A site, or pages by their ids; both: those pages of that site."""

    __pydantic_config__: ClassVar = NOTHING_UNKNOWN
    site: Annotated[str, Field(max_length=200)] = ""
    pages: Annotated[list[Annotated[str, Field(pattern=r"^-?[0-9]{1,19}$")]], Field(max_length=1000)] = ()  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class MadeDue:
    pages: int


@dataclass(frozen=True, slots=True)
class Named:
    name: str
    paused: bool


@router.post("/api/sites", dependencies=guarded, status_code=201, responses=REFUSALS)
def add_site(request: Request, wish: NewSite) -> Named:
    """Add a site by its first address. Private addresses stay forbidden: only the command line can own servers."""
    return _named(add(desk_of(request), wish))


@router.post("/api/due", dependencies=guarded, responses=REFUSALS)
def make_due(request: Request, what: Annotated[WhatIsDue, Body()]) -> MadeDue:
    """Make pages due now; how many."""
    return MadeDue(due(desk_of(request), what.site, tuple(map(int, what.pages))))


@router.post("/api/sites/{name}/pause", dependencies=guarded, responses=REFUSALS)
def pause_site(request: Request, name: Annotated[str, Path(max_length=200)]) -> Named:
    """Stop visiting a site; a running crawl takes it up within seconds."""
    return _named(set_paused(desk_of(request), name, True))


@router.post("/api/sites/{name}/resume", dependencies=guarded, responses=REFUSALS)
def resume_site(request: Request, name: Annotated[str, Path(max_length=200)]) -> Named:
    """Visit it again."""
    return _named(set_paused(desk_of(request), name, False))


@router.post("/do/{what}", include_in_schema=False)
async def by_form(request: Request, what: str) -> RedirectResponse:
    """The same from a form, whose own field carries the token."""
    token = request.app.state.settings.token
    if not token:
        raise HTTPException(403, READ_ONLY)
    form = await _form(request)
    if not equal(form.get("token", ""), token):
        raise HTTPException(403, "the token is missing or wrong")
    if what not in FORMS:
        raise HTTPException(404, "there is no such thing to do")
    return RedirectResponse(FORMS[what](desk_of(request), form), 303)


async def _form(request: Request) -> dict[str, str]:
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > MOST_FORM_BYTES:
            raise HTTPException(413, "too much for a form")
    fields = parse_qs(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=20)
    return {name: values[-1] for name, values in fields.items()}


def add(desk: Desk, wish: NewSite) -> Site:
    seed = seed_of(wish.url, canonicaliser_of(load(desk.folder.need()), None))
    name = wish.name or name_of_server(urlsplit(seed).netloc)
    if name in desk.sites():
        raise UsageError(f"there is a site {name!r} already: give another name")
    site = Site(name=name, seeds=(seed,), depth=wish.depth)
    desk.folder.put_site(site)
    return site


def due(desk: Desk, site: str, pages: tuple[int, ...]) -> int:
    if not site and not pages:
        raise UsageError("say what is to become due: a site, or pages")
    if site and site not in desk.store.sites():
        raise NotFound(f"there is no site {site!r}")
    return desk.make_due(site, tuple(page for page in pages if LEAST <= page <= MOST))


def set_paused(desk: Desk, name: str, paused: bool) -> Site:
    site = desk.sites().get(name)
    if site is None:
        raise NotFound(f"there is no site file for {name!r}")
    site = replace(site, paused=paused)
    desk.folder.put_site(site)
    return site


def _named(site: Site) -> Named:
    return Named(site.name, site.paused)


def _add_by_form(desk: Desk, form: dict[str, str]) -> str:
    name = form.get("name", "").strip().lower()
    return f"/sites/{add(desk, NewSite(form.get('url', ''), need_name(name) if name else '')).name}"


def _due_by_form(desk: Desk, form: dict[str, str]) -> str:
    page = form.get("page", "")
    if page:
        if not re.fullmatch(r"-?[0-9]{1,19}", page):
            raise NotFound("no such page is known here")
        due(desk, "", (int(page),))
        return f"/page/{page}"
    site = form.get("site", "")
    due(desk, site, ())
    return f"/sites/{site}"


def _pause_by_form(desk: Desk, form: dict[str, str]) -> str:
    return f"/sites/{set_paused(desk, form.get('site', ''), form.get('paused') == 'yes').name}"


FORMS = {"add": _add_by_form, "due": _due_by_form, "pause": _pause_by_form}
