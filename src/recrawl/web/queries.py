"""Words that many questions share, with their bounds."""

from typing import Annotated

from fastapi import Depends, Path, Query

from recrawl.model.failure import NotFound

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


PageId = Annotated[int, Depends(_page_id)]
After = Annotated[int | None, Depends(_after)]
Cursor = Annotated[int, Query(ge=0, le=MOST, description="Events after this cursor.")]
SiteName = Annotated[str, Query(max_length=200, description="Only of this site.")]
Limit = Annotated[int, Query(ge=1, le=1000)]
OffsetHours = Annotated[int, Query(ge=-12, le=14, description="Hours ahead of UTC.")]
VersionNumber = Annotated[int, Path(ge=1, le=1_000_000, description="Versions are counted from 1, the oldest.")]
