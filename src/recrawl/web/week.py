"""S0's view of the week: on which weekday and at which hour changes are found, and the table that follows from it."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from recrawl.estimate.weeks import Probe, Profile, profiles, weekday_and_hour
from recrawl.model.page import Page
from recrawl.model.visit import Visit
from recrawl.schedule.week import DAYS, Slot, week_table
from recrawl.web.freshness import PROOF
from recrawl.web.sample import Sample

__all__ = ["DAYS", "Week", "WeekLine", "week_lines", "week_of", "weekly_table"]

WEEK_S = 7 * 86_400.0
HOUR_S = 3600.0


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
            day, hour = weekday_and_hour(visit.at, utc_offset_h * HOUR_S)
            changes[day][hour] += 1
            sizes[day][hour] += visit.changed_bytes
    return Week(tuple(map(tuple, changes)), tuple(map(tuple, sizes)), utc_offset_h)


@dataclass(frozen=True, slots=True)
class WeekLine:
    """S0's analysis of one page: changes a week over the time watched, and whether they come by day or by night."""

    page: int
    url: str
    changes: int
    per_week: float
    changed_bytes: int
    by_day: float  # share found between 9 and 18 h


def week_lines(sample: Sample, now: float, utc_offset_h: int = 0, most: int = 50) -> list[WeekLine]:
    """Pages that changed, most changes a week first."""
    found = [(page, one) for page, one in _profiles(sample, now, utc_offset_h) if one.total]
    lines = [
        WeekLine(page.id, page.url, int(one.total), one.per_week, int(one.changed_bytes.sum()), one.by_day_share)
        for page, one in found
    ]
    return sorted(lines, key=lambda line: (-line.per_week, line.url))[:most]


def weekly_table(sample: Sample, now: float, utc_offset_h: int = 0) -> list[Slot]:
    """S0's schedule for the pages watched: when in the week each would be visited."""
    return week_table([one for _, one in _profiles(sample, now, utc_offset_h)])


def _profiles(sample: Sample, now: float, utc_offset_h: int) -> list[tuple[Page, Profile]]:
    """Only pages watched for a gap or more: one visit says nothing about a week."""
    return [
        (page, profile)
        for page, seen in zip(sample.pages, sample.visits, strict=True)
        if (profile := _profile(page, seen, now, utc_offset_h)) is not None
    ]


def _profile(page: Page, seen: Sequence[Visit], now: float, utc_offset_h: int) -> Profile | None:
    proofs = [visit for visit in seen if visit.change in PROOF]
    if len(proofs) < 2:
        return None
    weeks = max((now - min(visit.at for visit in proofs)) / WEEK_S, 1 / 7)
    probes = [
        Probe(visit.at, page.url, visit.received_bytes, visit.changed_bytes, visit.change == "changed")
        for visit in proofs
    ]
    return profiles(probes, weeks, utc_offset_h * HOUR_S)[0]
