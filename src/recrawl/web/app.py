"""The application: routes, errors, the gatekeeper in front."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, nullcontext
from http import HTTPStatus
from pathlib import Path

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.staticfiles import StaticFiles

import recrawl as package
from recrawl.folder.folder import Folder
from recrawl.model.failure import (
    ConfigError,
    NotFound,
    RecrawlError,
    StoreDamaged,
    StoreInUse,
    StoreOutdated,
    UsageError,
)
from recrawl.web import (
    api_routes,
    change_routes,
    dashboard_routes,
    page_routes,
    probe_routes,
    push_routes,
    record_routes,
    search_routes,
    view_routes,
    write_routes,
)
from recrawl.web.desk import Desk
from recrawl.web.gatekeeper import Gatekeeper, as_log_line
from recrawl.web.metrics import Meters
from recrawl.web.reception import Reception
from recrawl.web.render import show, templates
from recrawl.web.settings import WebSettings
from recrawl.web.shapes import Trouble

STATUS: tuple[tuple[type[RecrawlError], int], ...] = (
    (NotFound, 404),
    (UsageError, 400),
    (ConfigError, 400),
    (StoreInUse, 503),
    (StoreOutdated, 503),
    (StoreDamaged, 503),
)
ABOUT = "Everything the dashboard shows, for programs. Writing needs the token as `Authorization: Bearer …`."


def create_app(folder: Folder, settings: WebSettings, now: Callable[[], float] = time.time) -> FastAPI:
    """The dashboard of a folder. `now` is the clock of the crawl."""
    settings.check()
    desk, meters = Desk(folder, now), Meters()
    reception = Reception(folder, now) if settings.receive else None

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        async with reception.renewing() if reception else nullcontext():
            yield
        desk.close()

    app = FastAPI(
        title="recrawl",
        version=package.__version__,
        description=ABOUT,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        lifespan=lifespan,
        responses={
            400: {"model": Trouble, "description": "The question cannot be understood."},
            422: {"model": Trouble, "description": "A value is not what it must be."},
        },
    )
    app.state.closing, app.state.reception = asyncio.Event(), reception
    app.state.desk, app.state.settings, app.state.templates, app.state.meters = desk, settings, templates(), meters
    for routes in (
        dashboard_routes,
        view_routes,
        page_routes,
        change_routes,
        search_routes,
        record_routes,
        api_routes,
        write_routes,
        probe_routes,
        push_routes,
    ):
        app.include_router(routes.router)
    app.mount("/static", StaticFiles(directory=Path(__file__).parent / "static"))
    app.add_exception_handler(RecrawlError, _known_trouble)
    app.add_exception_handler(HTTPException, _http_trouble)
    app.add_exception_handler(RequestValidationError, _wrong_question)

    def counted(route: str, method: str, status: int, seconds: float) -> None:
        meters.count(route, method, status, seconds)
        if settings.log:
            print(as_log_line(route, method, status, seconds, time.time()), file=sys.stderr, flush=True)  # noqa: T201

    app.add_middleware(Gatekeeper, settings=settings, counted=counted)
    return app


async def _known_trouble(request: Request, error: Exception) -> Response:
    status = next((code for kind, code in STATUS if isinstance(error, kind)), 503)
    return _answer(request, status, str(error))


async def _http_trouble(request: Request, error: Exception) -> Response:
    if not isinstance(error, HTTPException):
        raise error
    answer = _answer(request, error.status_code, str(error.detail))
    answer.headers.update(error.headers or {})
    return answer


async def _wrong_question(request: Request, error: Exception) -> Response:
    if not isinstance(error, RequestValidationError):
        raise error
    wrong = "; ".join(f"{'.'.join(map(str, one['loc']))}: {one['msg']}" for one in error.errors())
    return _answer(request, 422, wrong)


def _answer(request: Request, status: int, reason: str) -> Response:
    if request.url.path.startswith("/api"):
        return JSONResponse({"detail": reason}, status)
    return show(request, "trouble.html", status, heading=HTTPStatus(status).phrase, reason=reason)
