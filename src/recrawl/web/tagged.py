"""Answers with an ETag: who has the same already gets 304 and no body."""

import hashlib
from collections.abc import Callable, Coroutine
from typing import Any

from fastapi.routing import APIRoute
from starlette.requests import Request
from starlette.responses import Response


class TaggedRoute(APIRoute):
    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        answer_of = super().get_route_handler()

        async def tagged(request: Request) -> Response:
            answer = await answer_of(request)
            if request.method not in ("GET", "HEAD") or answer.status_code != 200:
                return answer
            tag = f'"{hashlib.sha256(bytes(answer.body)).hexdigest()[:32]}"'
            if is_known(tag, request.headers.get("if-none-match", "")):
                return Response(status_code=304, headers={"etag": tag})
            answer.headers["etag"] = tag
            return answer

        return tagged


def is_known(tag: str, header: str) -> bool:
    """Weak comparison, as RFC 9110 wants it for If-None-Match."""
    known = [one.strip().removeprefix("W/") for one in header.split(",")]
    return tag in known or header.strip() == "*"
