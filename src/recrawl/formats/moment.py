"""Moments as people write them: a cursor, a date, a date and time, or a time ago."""

import re
from datetime import UTC, datetime
from typing import overload

from recrawl.formats import duration
from recrawl.model.failure import FormatError

MOST_CURSOR = (1 << 63) - 1  # as far as a database counts


def cursor_or_time(text: str, now: float) -> tuple[int, float]:
    """(cursor, 0) for a plain number, else (0, epoch seconds)."""
    if not re.fullmatch(r"[0-9]+", text.strip()):
        return 0, parse(text, now)
    if len(text.strip()) > len(str(MOST_CURSOR)) or int(text) > MOST_CURSOR:
        raise FormatError(f"{text.strip()[:30]} is no cursor: it is larger than any can be")
    return int(text), 0.0


def parse(text: str, now: float) -> float:
    """Epoch seconds of an ISO date or date-time (UTC unless it says otherwise), or of `2h` meaning two hours ago."""
    plain = text.strip()
    if re.fullmatch(r"(\d+(\.\d+)?(ms|[wdhms]))+", plain):
        return now - duration.parse(plain)
    try:
        moment = datetime.fromisoformat(plain)
    except ValueError as error:
        raise FormatError(f"{text!r} is no time: write 2026-11-01, 2026-11-01T12:00Z or 2h (ago)") from error
    return (moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp()


@overload
def iso(at: float) -> str: ...


@overload
def iso(at: None) -> None: ...


@overload
def iso(at: float | None) -> str | None: ...


def iso(at: float | None) -> str | None:
    """What `parse` reads back; None stays None."""
    return None if at is None else datetime.fromtimestamp(at, UTC).isoformat().replace("+00:00", "Z")
