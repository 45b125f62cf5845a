"""An archived document as an answer that can do no harm."""

import re

from starlette.responses import Response

from recrawl.web.guard import ARCHIVED_PAGES

SHOWN = frozenset(
    {"text/html", "application/xhtml+xml", "text/plain", "image/png", "image/jpeg", "image/gif", "image/webp"}
)
AS_TEXT = re.compile(r"text/|application/(json|xml)$|[a-z]+/[a-z0-9.-]+\+(xml|json)$")
_CHARSET = re.compile(r"^[A-Za-z0-9_.:-]{1,40}$")


def replayed(body: bytes, content_type: str) -> Response:
    """What browsers show without danger is shown as it is, other text as text, everything else is a download."""
    media, _, rest = content_type.partition(";")
    media = media.strip().lower() or "text/html"
    headers = {"content-security-policy": ARCHIVED_PAGES, "cache-control": "no-store"}
    if media in SHOWN:
        return _answer(body, media + charset_part(rest), headers)
    if AS_TEXT.match(media):
        return _answer(body, "text/plain" + charset_part(rest), headers)
    return _answer(body, "application/octet-stream", {**headers, "content-disposition": "attachment"})


def _answer(body: bytes, content_type: str, headers: dict[str, str]) -> Response:
    """Set as a header of its own: the archived charset stays, none is added."""
    return Response(body, headers={**headers, "content-type": content_type})


def charset_part(parameters: str) -> str:
    found = re.search(r"charset\s*=\s*[\"']?([^\"';\s]+)", parameters, re.IGNORECASE)
    return f"; charset={found.group(1)}" if found and _CHARSET.match(found.group(1)) else ""
