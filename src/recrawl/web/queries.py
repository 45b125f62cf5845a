"""Words that many questions share, with their bounds."""

from typing import Annotated

from fastapi import Depends, Path, Query
from starlette.requests import Request

from recrawl.answers.reading import Reading
from recrawl.model.failure import NotFound, UsageError
from recrawl.web.render import desk_of

LEAST, MOST = -(1 << 63), (1 << 63) - 1

_ID = r"^-?[0-9]{1,19}$"


def _number(text: str) -> int:
    number = int(text)
    if not LEAST <= number <= MOST:
        raise NotFound("no such page is known here")
    return number


def _page_id(page: Annotated[str, Path(pattern=_ID, description="Id of a page, as other answers give it.")]) -> int:
    return _number(page)


def _after(
    after: Annotated[str | None, Query(pattern=_ID, description="`next` of the answer before.")] = None,
) -> int | None:
    return None if after is None else _number(after)


def _nothing_unknown(request: Request) -> None:
    """A word that the call's description does not know would be ignored, and the answer be one to another question."""
    call = request.app.openapi()["paths"][request.scope["route"].path]["get"]
    known = [one["name"] for one in call.get("parameters", ()) if one["in"] == "query"]
    if unknown := [word for word in request.query_params if word not in known]:
        raise UsageError(f"this call has no parameter {unknown[0][:50]!r}: it knows {', '.join(known) or 'none'}")
    _known_site(desk_of(request).reading, request.query_params.get("site", ""))


def _known_site(reading: Reading, site: str) -> None:
    """NotFound if there is no such site: that there is nothing of it would be no answer. Site files are read last."""
    if site and site not in reading.store.sites():
        reading.site(site)


nothing_unknown = Depends(_nothing_unknown)
PageId = Annotated[int, Depends(_page_id)]
After = Annotated[int | None, Depends(_after)]
Cursor = Annotated[int, Query(ge=0, le=MOST, description="Events after this cursor.")]
SiteName = Annotated[str, Query(max_length=200, description="Only of this site.")]
Limit = Annotated[int, Query(ge=1, le=1000)]
OffsetHours = Annotated[int, Query(ge=-12, le=14, description="Hours ahead of UTC.")]
VersionNumber = Annotated[int, Path(ge=1, le=1_000_000, description="Versions are counted from 1, the oldest.")]
