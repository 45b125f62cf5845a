"""Where others tell us of changes: IndexNow, WebSub, webhooks. No token of the dashboard's, but a key of their own."""

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse

from recrawl.web.reception import Reception, body_within

router = APIRouter(include_in_schema=False)


@router.api_route("/indexnow", methods=["GET", "POST"])
@router.api_route("/webhook", methods=["GET", "POST"])
@router.api_route("/webhook/{rest:path}", methods=["GET", "POST"])
@router.api_route("/websub/{rest:path}", methods=["GET", "POST"])
async def receive(request: Request) -> PlainTextResponse:
    reception: Reception | None = request.app.state.reception
    if reception is None:
        return PlainTextResponse("notices are not taken here\n", 404)
    push = await run_in_threadpool(lambda: reception.push)
    body = await body_within(request, push.most_bytes)
    if body is None:
        return PlainTextResponse("too large\n", 413)
    target = f"{request.url.path}?{request.url.query}" if request.url.query else request.url.path
    sender = request.client.host if request.client else ""
    headers = {name.lower(): value for name, value in request.headers.items()}
    received = await run_in_threadpool(push.receive, request.method, target, headers, body, sender)
    return PlainTextResponse(received.text, received.status)
