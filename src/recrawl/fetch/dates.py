"""HTTP dates (RFC 9110, 5.6.7): the three forms, read strictly but for the case of their letters."""

import re
from datetime import UTC, datetime

from recrawl.model.late import late
from recrawl.model.mail_date import mail_date

MONTHS = {
    name: number
    for number, name in enumerate(
        ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"), start=1
    )
}
DAY = r"(?:mon|tue|wed|thu|fri|sat|sun)"
LONG_DAY = r"(?:monday|tuesday|wednesday|thursday|friday|saturday|sunday)"
MONTH = rf"(?P<month>{'|'.join(MONTHS)})"
TIME = r"(?P<hour>\d\d):(?P<minute>\d\d):(?P<second>\d\d)"

FORMS = tuple(
    late(form, re.ASCII | re.IGNORECASE)
    for form in (
        rf"{DAY}, (?P<day>\d\d) {MONTH} (?P<year>\d{{4}}) {TIME} GMT",  # Sun, 06 Nov 1994 08:49:37 GMT
        rf"{LONG_DAY}, (?P<day>\d\d)-{MONTH}-(?P<year>\d\d) {TIME} GMT",  # Sunday, 06-Nov-94 08:49:37 GMT
        rf"{DAY} {MONTH} (?P<day>[ \d]\d) {TIME} (?P<year>\d{{4}})",  # Sun Nov  6 08:49:37 1994
    )
)


def parse_http_date(text: str, now: float) -> float | None:
    """Epoch seconds, or None if it is no HTTP date. `now` decides the century of a two-digit year: what would
    lie more than 50 years ahead is taken to be past."""
    text = text.strip(" \t")
    for form in FORMS:
        found = form.fullmatch(text)
        if found is not None:
            return _moment(found, now)
    return None


def render_http_date(at: float) -> str:
    return mail_date(at)


def _moment(found: re.Match[str], now: float) -> float | None:
    year, day = int(found["year"]), int(found["day"])
    hour, minute, second = int(found["hour"]), int(found["minute"]), int(found["second"])
    leap = second == 60  # a leap second is allowed and counts as the one before it
    try:
        if len(found["year"]) == 2:
            year = _full_year(year, now)
        month = MONTHS[found["month"].lower()]
        return datetime(year, month, day, hour, minute, 59 if leap else second, tzinfo=UTC).timestamp()
    except ValueError:
        return None


def _full_year(two_digits: int, now: float) -> int:
    this_year = datetime.fromtimestamp(now, tz=UTC).year
    year = this_year - this_year % 100 + two_digits
    return year - 100 if year > this_year + 50 else year
