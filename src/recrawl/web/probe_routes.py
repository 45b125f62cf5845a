"""For machines that watch machines: is it alive, can it answer, what does it count."""

from fastapi import APIRouter
from prometheus_client import CONTENT_TYPE_LATEST
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from recrawl.model.failure import RecrawlError
from recrawl.web.metrics import exposition
from recrawl.web.render import desk_of

router = APIRouter(include_in_schema=False)


@router.get("/health")
def health() -> dict[str, str]:
    """The process answers; nothing else is asked."""
    return {"status": "alive"}


@router.get("/ready")
def ready(request: Request) -> JSONResponse:
    """The folder and its store can be read."""
    try:
        pages = desk_of(request).store.totals().pages
    except RecrawlError as error:
        return JSONResponse({"status": "not ready", "reason": str(error)}, 503)
    return JSONResponse({"status": "ready", "pages": pages})


@router.get("/metrics")
def metrics(request: Request) -> Response:
    return Response(
        exposition(request.app.state.meters, desk_of(request)), headers={"content-type": CONTENT_TYPE_LATEST}
    )
