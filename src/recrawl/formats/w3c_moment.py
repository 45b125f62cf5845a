"""Moments as sitemaps and Atom write them (W3C date and time): `2026`, `2026-11-15`, `2026-11-15T10:20Z`, …"""

from datetime import UTC, datetime, timedelta, timezone

from recrawl.model.late import late

_FORM = late(
    r"(\d{4})(?:-(\d\d)(?:-(\d\d)(?:[Tt ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d{1,9})?)?\s*(Z|z|[+-]\d\d:?\d\d)?)?)?)?"
)


def parse(text: str) -> float | None:
    """Epoch seconds; None if it is no such moment. What is left out is its beginning; no zone is UTC."""
    found = _FORM.fullmatch(text.strip())
    if not found:
        return None
    year, month, day, hour, minute, second, zone = found.groups()
    day_of_year = (int(year), int(month or 1), int(day or 1))
    time_of_day = (int(hour or 0), int(minute or 0), min(int(second or 0), 59))
    try:
        return datetime(*day_of_year, *time_of_day, tzinfo=_zone(zone)).timestamp()
    except (ValueError, OverflowError):
        return None


def render(at: float) -> str:
    """Whole seconds, UTC."""
    return datetime.fromtimestamp(int(at), UTC).strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")


def _zone(text: str | None) -> timezone:
    if text is None or text in "Zz":
        return UTC
    sign = -1 if text[0] == "-" else 1
    digits = text[1:].replace(":", "")
    return timezone(sign * timedelta(hours=int(digits[:2]), minutes=int(digits[2:])))
