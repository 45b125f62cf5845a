"""Durations as people write them: `90`, `90s`, `10m`, `1h30m`, `2d`, `1w`."""

import re

from recrawl.model.failure import FormatError
from recrawl.model.late import late

UNITS_S = {"w": 604_800.0, "d": 86_400.0, "h": 3600.0, "m": 60.0, "s": 1.0, "ms": 0.001}
_PART = late(r"(\d+(?:\.\d+)?)(ms|[wdhms])")


def parse(text: str) -> float:
    """Seconds."""
    plain = text.strip().lower().replace(" ", "")
    if re.fullmatch(r"\d+(\.\d+)?", plain):
        return float(plain)
    parts = _PART.findall(plain)
    if not parts or "".join(number + unit for number, unit in parts) != plain:
        raise FormatError(f"{text!r} is not a duration; write for example 90s, 10m, 1h30m or 2d")
    return sum(float(number) * UNITS_S[unit] for number, unit in parts)


def render(seconds: float) -> str:
    """At most two units, rounded: for people."""
    if seconds == float("inf"):
        return "never"
    if seconds < 1:
        return f"{seconds * 1000:.0f}ms"
    left, words = round(seconds), []
    for unit in ("d", "h", "m", "s"):
        count, left = divmod(left, round(UNITS_S[unit]))
        if count:
            words.append(f"{count}{unit}")
    return "".join(words[:2]) or "0s"
