"""The feed of changes: for people, for feed readers, and live."""

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import HTMLResponse, PlainTextResponse, Response, StreamingResponse

from recrawl.model.event import CHANGES, EventKind
from recrawl.web.atom import atom
from recrawl.web.desk import Desk
from recrawl.web.events import last_cursor, newest
from recrawl.web.queries import MOST, SiteName
from recrawl.web.render import desk_of, show

router = APIRouter(include_in_schema=False)
POLL_S = 1.0
BEAT_S = 15.0
MOST_LISTENERS = 64

Kinds = Annotated[list[EventKind] | None, Query()]
Before = Annotated[int | None, Query(ge=1, le=MOST)]


@router.get("/changes")
def changes_page(request: Request, site: SiteName = "", kind: Kinds = None, before: Before = None) -> HTMLResponse:
    desk = desk_of(request)
    chosen = [one for one in kind or () if one in CHANGES]
    found = newest(desk.store, chosen or CHANGES, site, before, 50)
    return show(
        request,
        "changes.html",
        found=found,
        chosen=chosen,
        kinds=CHANGES,
        site=site,
        sites=desk.site_names(),
        first=before is None,
    )


@router.get("/feed.atom")
def atom_feed(request: Request, site: SiteName = "") -> Response:
    desk = desk_of(request)
    events = newest(desk.store, CHANGES, site, limit=100).events
    base = str(request.base_url).rstrip("/")
    return Response(atom(events, base, site), media_type="application/atom+xml")


@router.get("/live")
async def live(request: Request) -> Response:
    """Server-sent events: the newest cursor whenever it rises, so that a page can ask for itself again."""
    state = request.app.state
    listening: int = getattr(state, "listening", 0)
    if listening >= MOST_LISTENERS:
        return PlainTextResponse("too many listeners\n", 503)
    return StreamingResponse(_beats(request, desk_of(request)), media_type="text/event-stream")


async def _beats(request: Request, desk: Desk) -> AsyncIterator[str]:
    state = request.app.state
    state.listening = getattr(state, "listening", 0) + 1
    try:
        cursor = await asyncio.to_thread(last_cursor, desk.store)
        quiet_s = 0.0
        yield f"retry: 3000\n\nevent: start\ndata: {json.dumps({'cursor': cursor})}\n\n"
        while not await _ended(state.closing, POLL_S) and not await request.is_disconnected():
            fresh, quiet_s = await asyncio.to_thread(last_cursor, desk.store, cursor), quiet_s + POLL_S
            if fresh > cursor:
                cursor, quiet_s = fresh, 0.0
                yield f"id: {cursor}\nevent: change\ndata: {json.dumps({'cursor': cursor})}\n\n"
            elif quiet_s >= BEAT_S:
                quiet_s = 0.0
                yield ": still here\n\n"
    finally:
        state.listening -= 1


async def _ended(closing: asyncio.Event, within_s: float) -> bool:
    """Wait a little; true if the server is about to stop."""
    try:
        async with asyncio.timeout(within_s):
            return await closing.wait()
    except TimeoutError:
        return False
