"""When a site may be asked at all: quiet hours and windows, written as people say them.

    not on mondays 9-12            only at night            only 22-6            not on saturdays, sundays
    only on mon-fri 8:30-17        not daily 12:00-13:00    only at weekends

A rule is `not` or `only`, then days, hours or both; days and hours are of the given offset from UTC. Several rules
hold together: a moment is allowed if no `not` covers it and, where there are `only` rules, one of them does. Rules of
two places (the settings, a site file) are each kept: neither opens what the other closes.
"""

import re
from collections.abc import Sequence
from itertools import pairwise

from recrawl.model.failure import FormatError
from recrawl.model.late import late
from recrawl.model.values import dataclass
from recrawl.schedule.settings import DAY_S, WEEK_S

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_WORDS: dict[str, tuple[frozenset[int] | None, tuple[int, int] | None]] = {
    "daily": (frozenset(range(7)), None),
    "weekdays": (frozenset(range(5)), None),
    "workdays": (frozenset(range(5)), None),
    "weekends": (frozenset((5, 6)), None),
    "weekend": (frozenset((5, 6)), None),
    "night": (None, (22 * 60, 6 * 60)),
    "nights": (None, (22 * 60, 6 * 60)),
    "day": (None, (6 * 60, 22 * 60)),
}
_FILLERS = frozenset(("on", "at", "from", "and", "the", "in", "between", "by"))
_HOURS = late(r"^(\d{1,2})(?::(\d{2}))?[-–](\d{1,2})(?::(\d{2}))?h?$")
_WEEK_MINUTES = 7 * 24 * 60
_EPOCH_WEEKDAY = 3  # 1970-01-01 was a Thursday


@dataclass(frozen=True, slots=True)
class Window:
    """Minutes of the week that a rule covers, as sorted, disjoint pairs [from, to)."""

    allows: bool
    text: str
    minutes: tuple[tuple[int, int], ...]

    def covers(self, minute: float) -> bool:
        return any(low <= minute < high for low, high in self.minutes)


def parse(text: str) -> Window:
    """One rule; FormatError names the word that was not understood."""
    words = [word for word in re.split(r"[\s,]+", text.strip().lower()) if word]
    if not words or words[0] not in ("not", "only", "never"):
        raise FormatError(f"a window begins with 'only' or 'not': {text!r}", 1, 1)
    days: set[int] = set()
    hours: list[tuple[int, int]] = []
    for word in words[1:]:
        if word in _FILLERS:
            continue
        found = _days_of(word)
        if found is not None:
            days |= found
        elif word in _WORDS:
            named_days, named_hours = _WORDS[word]
            days |= named_days or set()
            hours += [named_hours] if named_hours else []
        elif match := _HOURS.match(word):
            hours.append(_hours_of(match, text))
        else:
            raise FormatError(f"{word!r} is neither a day nor hours like 9-12", 1, text.lower().find(word) + 1)
    if not days and not hours:
        raise FormatError(f"no day and no hours in {text!r}", 1, 1)
    return Window(words[0] == "only", text, _spans(days or set(range(7)), hours or [(0, 24 * 60)]))


def _day(word: str) -> int | None:
    for number, name in enumerate(_DAYS):
        if len(word) >= 3 and (name.startswith(word) or word == name + "s" or word == name[:3] + "s"):
            return number
    return None


def _days_of(word: str) -> set[int] | None:
    first, dash, last = word.replace("–", "-").partition("-")
    low = _day(first)
    if low is None:
        return None
    if not dash:
        return {low}
    high = _day(last)
    return None if high is None else {(low + step) % 7 for step in range((high - low) % 7 + 1)}


def _hours_of(match: re.Match[str], text: str) -> tuple[int, int]:
    low = int(match[1]) * 60 + int(match[2] or 0)
    high = int(match[3]) * 60 + int(match[4] or 0)
    if low > 24 * 60 or high > 24 * 60 or int(match[2] or 0) > 59 or int(match[4] or 0) > 59 or low == high:
        raise FormatError(f"{match[0]!r} is no span of the day", 1, text.find(match[0]) + 1)
    return low, high


def _spans(days: set[int], hours: Sequence[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    week = _WEEK_MINUTES
    found: list[tuple[int, int]] = []
    for day in days:
        for low, high in hours:
            begin = day * 1440 + low
            end = day * 1440 + (high if high > low else high + 1440)  # 22-6 runs into the next morning
            found += [(begin, min(end, week))] + ([(0, end - week)] if end > week else [])
    merged: list[tuple[int, int]] = []
    for low, high in sorted(found):
        if merged and low <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(high, merged[-1][1]))
        else:
            merged.append((low, high))
    return tuple(merged)


def minute_of_week(now: float, offset_s: float = 0.0) -> float:
    """Minutes since Monday 00:00."""
    return ((now + offset_s + _EPOCH_WEEKDAY * DAY_S) % WEEK_S) / 60.0


def is_open(windows: Sequence[Window], now: float, offset_s: float = 0.0) -> bool:
    return _is_open_in(windows, minute_of_week(now, offset_s))


def _is_open_in(windows: Sequence[Window], minute: float) -> bool:
    only = [window for window in windows if window.allows]
    if any(window.covers(minute) for window in windows if not window.allows):
        return False
    return not only or any(window.covers(minute) for window in only)


def both(first: Sequence[Window], second: Sequence[Window]) -> tuple[Window, ...]:
    """What the rules of two places leave open together."""
    if not first or not second:
        return (*first, *second)
    windows = (*first, *second)
    edges = sorted({0, _WEEK_MINUTES, *(edge for window in windows for span in window.minutes for edge in span)})
    spans = [(low, high) for low, high in pairwise(edges) if _is_open_in(first, low) and _is_open_in(second, low)]
    return (Window(True, "; ".join(window.text for window in windows), tuple(spans)),)


def hours_of(everywhere: Sequence[str], own: Sequence[str]) -> tuple[Window, ...]:
    """When a site may be visited: what its own rules and those for all sites leave open together."""
    return both([parse(text) for text in everywhere], [parse(text) for text in own])


def opens_at(windows: Sequence[Window], now: float, offset_s: float = 0.0) -> float | None:
    """The first moment from now on that is allowed; None if the rules leave none."""
    if is_open(windows, now, offset_s):
        return now
    minute = minute_of_week(now, offset_s)
    edges = {edge % _WEEK_MINUTES for window in windows for span in window.minutes for edge in span}
    for wait in sorted((edge - minute) % _WEEK_MINUTES for edge in edges):
        at = now + wait * 60.0
        if is_open(windows, at + 1e-3, offset_s):
            return at
    return None


def never_opens(windows: Sequence[Window]) -> bool:
    return opens_at(windows, 0.0) is None


def complaint_of(texts: Sequence[str]) -> str:
    """What is wrong with the rules of one place, to be said after its name; '' if they can be meant."""
    for text in texts:
        try:
            parse(text)
        except FormatError as wrong:
            return f", {text!r}: {wrong.message}"
    if never_opens([parse(text) for text in texts]):
        return f" ({', '.join(texts)}) leave no hour of the week open: nothing could ever be visited"
    return ""


def moved_into(windows: Sequence[Window], due_at: float, offset_s: float = 0.0) -> float:
    """A due time moved to where the windows allow it; unchanged where they never do."""
    opened = opens_at(windows, due_at, offset_s) if windows else due_at
    return due_at if opened is None else opened
