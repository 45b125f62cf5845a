"""Retry-After: how long a server asks to be left alone."""

import re

from recrawl.fetch.dates import parse_http_date
from recrawl.model.late import late

LONGEST_S = 7 * 86400.0
SECONDS = late(r"\d+", re.ASCII)


def retry_after_s(value: str, now: float, longest_s: float = LONGEST_S) -> float | None:
    """Seconds to wait from `now`; None if the header is absent or says nothing readable. Never negative, and
    never beyond `longest_s`: a server cannot send itself away for ever by a slip of the pen."""
    text = value.strip(" \t")
    if SECONDS.fullmatch(text):
        return longest_s if len(text) > 12 else min(float(text), longest_s)
    at = parse_http_date(text, now)
    return None if at is None else min(max(at - now, 0.0), longest_s)
