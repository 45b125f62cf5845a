"""The weekly table of S0 for any policy: weekday, time and addresses, by when pages are really due."""

from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from typing import NamedTuple

from recrawl.model.page import Page
from recrawl.schedule.week import DAYS, EVERY_DAY, Slot

HOUR_S, WEEK_S = 3600.0, 7 * 86_400.0
WEEKS = 4  # S0's longest cycle
ORDINALS = ("", "1st", "2nd", "3rd", "4th")


class Turn(NamedTuple):
    """When a page comes. Week 0: every week."""

    week: int
    day: int
    hour: int


def coming_weeks(pages: Iterable[Page], now: float) -> list[Slot]:
    """Pages seen at least weekly by weekday, rarer ones in the week they are due."""
    places: dict[Turn, list[str]] = {}
    for page in pages:
        for turn in turns(page, now):
            places.setdefault(turn, []).append(page.url)
    slots = [Slot(_day_name(turn), f"{turn.hour:02d}:00", tuple(sorted(urls))) for turn, urls in sorted(places.items())]
    return _every_day_first(slots)


def turns(page: Page, now: float) -> set[Turn]:
    """Of a page, if nothing is learnt until then."""
    if page.due_at is None or page.due_at >= now + WEEKS * WEEK_S:
        return set()
    first_at = max(page.due_at, now)
    if not 0.0 < page.interval_s <= WEEK_S:
        return {_turn(int((first_at - now) // WEEK_S) + 1, first_at)}
    gap_s = max(page.interval_s, HOUR_S)
    times = int((WEEK_S - HOUR_S) // gap_s) + 1
    return {_turn(0, first_at + time * gap_s) for time in range(times)}


def _turn(week: int, at: float) -> Turn:
    moment = datetime.fromtimestamp(at, UTC)
    return Turn(week, moment.weekday(), moment.hour)


def _day_name(turn: Turn) -> str:
    return f"{ORDINALS[turn.week]} {DAYS[turn.day]}".lstrip()


def _every_day_first(slots: Sequence[Slot]) -> list[Slot]:
    """What is visited at one hour of all seven days is one line."""
    daily = {time: _on_all_days(slots, time) for time in sorted({slot.time for slot in slots})}
    first = [Slot(EVERY_DAY, time, tuple(sorted(urls))) for time, urls in daily.items()]
    rest = [_without(slot, daily[slot.time]) if slot.day in DAYS else slot for slot in slots]
    return [slot for slot in (*first, *rest) if slot.urls]


def _on_all_days(slots: Sequence[Slot], time: str) -> set[str]:
    by_day = [set(slot.urls) for slot in slots if slot.time == time and slot.day in DAYS]
    return set.intersection(*by_day) if len(by_day) == len(DAYS) else set()


def _without(slot: Slot, urls: set[str]) -> Slot:
    return Slot(slot.day, slot.time, tuple(url for url in slot.urls if url not in urls))
