"""S0's view of the week: on which weekday and at which hour changes are found, and the table that follows from it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from recrawl.model.page import Page
from recrawl.model.visit import Visit
from recrawl.web.sample import Sample

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
WEEK_S = 7 * 86_400.0


@dataclass(frozen=True, slots=True)
class Week:
    """`changes[weekday][hour]`, Monday first; `bytes` the size of what changed then."""

    changes: tuple[tuple[int, ...], ...]
    bytes: tuple[tuple[int, ...], ...]
    utc_offset_h: int = 0

    @property
    def total(self) -> int:
        return sum(map(sum, self.changes))

    @property
    def busiest(self) -> tuple[int, int] | None:
        """Weekday and hour with the most changes."""
        if not self.total:
            return None
        return max(
            ((day, hour) for day in range(7) for hour in range(24)), key=lambda slot: self.changes[slot[0]][slot[1]]
        )


def week_of(visits: Iterable[Visit], utc_offset_h: int = 0) -> Week:
    """From visits that found a change: the moment it was found, not the moment it was made."""
    changes = [[0] * 24 for _ in range(7)]
    sizes = [[0] * 24 for _ in range(7)]
    for visit in visits:
        if visit.change == "changed":
            moment = datetime.fromtimestamp(visit.at, UTC) + timedelta(hours=utc_offset_h)
            changes[moment.weekday()][moment.hour] += 1
            sizes[moment.weekday()][moment.hour] += visit.changed_bytes
    return Week(tuple(map(tuple, changes)), tuple(map(tuple, sizes)), utc_offset_h)


@dataclass(frozen=True, slots=True)
class WeekLine:
    """S0's analysis of one page: changes a week over the time watched, and whether they come by day or by night."""

    page: int
    url: str
    changes: int
    weeks: float
    per_week: float
    changed_bytes: int
    by_day: int  # found between 9 and 18 h


def week_lines(sample: Sample, now: float, utc_offset_h: int = 0, most: int = 50) -> list[WeekLine]:
    lines = [
        _line(page, seen, now, utc_offset_h) for page, seen in zip(sample.pages, sample.visits, strict=True) if seen
    ]
    return sorted((line for line in lines if line.changes), key=lambda line: (-line.per_week, line.url))[:most]


def _line(page: Page, seen: Sequence[Visit], now: float, utc_offset_h: int) -> WeekLine:
    changes = [visit for visit in seen if visit.change == "changed"]
    weeks = max((now - min(visit.at for visit in seen)) / WEEK_S, 1 / 7)
    hours = [(datetime.fromtimestamp(visit.at, UTC) + timedelta(hours=utc_offset_h)).hour for visit in changes]
    return WeekLine(
        page=page.id,
        url=page.url,
        changes=len(changes),
        weeks=weeks,
        per_week=len(changes) / weeks,
        changed_bytes=sum(visit.changed_bytes for visit in changes),
        by_day=sum(9 <= hour < 18 for hour in hours),
    )
