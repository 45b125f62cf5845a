"""The outermost layer: refuses, adds the security headers, counts and logs every request."""

import json
import time
from collections.abc import Callable

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recrawl.messages.push import is_for_receivers
from recrawl.web.guard import HEADERS, refusal
from recrawl.web.settings import WebSettings

Counted = Callable[[str, str, int, float], None]  # route, method, status, seconds


class Gatekeeper:
    def __init__(self, app: ASGIApp, settings: WebSettings, counted: Counted) -> None:
        self._app, self._settings, self._counted = app, settings, counted

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status, ended = time.monotonic(), 500, False
        # who asks for the head alone gets the head of what a GET would bring
        is_head = scope["method"] == "HEAD" and not is_for_receivers(scope["path"])
        inner = {**scope, "method": "GET"} if is_head else scope

        async def guarded(message: Message) -> None:
            nonlocal status, ended
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                for name, value in HEADERS.items():
                    headers.setdefault(name, value)
            elif is_head:
                if ended:
                    return
                ended, message = True, {"type": "http.response.body", "body": b"", "more_body": False}
            await send(message)

        refused = refusal(scope["method"], scope["path"], Headers(scope=scope), self._settings)
        try:
            if refused is None:
                await self._app(inner, receive, guarded)
            else:
                asking = {"www-authenticate": 'Basic realm="recrawl"'} if refused.status == 401 else {}
                answer = PlainTextResponse(f"{refused.reason}\n", refused.status, headers=asking)
                await answer(inner, receive, guarded)
        finally:
            self._counted(route_of(inner), scope["method"], status, time.monotonic() - began)


def route_of(scope: Scope) -> str:
    """The template of the route, never the address itself: the number of labels stays small."""
    route = scope.get("route")
    return getattr(route, "path", "") or ("static" if scope["path"].startswith("/static/") else "none")


def as_log_line(route: str, method: str, status: int, seconds: float, at: float) -> str:
    facts = {"kind": "asked", "at": at, "route": route, "method": method, "status": status}
    return json.dumps({**facts, "milliseconds": round(seconds * 1000, 1)})
