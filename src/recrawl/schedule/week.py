"""S0's weekly table: weekday, time, addresses.

Visit after the changes have happened: a page that changes by day (09–18 h) at 00:00, one that changes by night at
12:00. The cycle comes from its group (`groups`): G14 every day at both times, G7 every day, G3 on Monday, Wednesday and
Friday, G1 on Saturday, 2G1 on the second Saturday of four weeks (and the fourth), 4G1 on the third.
"""

from collections.abc import Sequence

import numpy as np

from recrawl.estimate.weeks import Profile
from recrawl.model.values import dataclass
from recrawl.schedule.groups import class_of

DAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")
AFTER_DAY, AFTER_NIGHT = "00:00", "12:00"
EVERY_DAY = "every day"
# days of the six simplified groups, rarest first; S0.5 prints daily pages under "every day"
_SIX_DAYS: tuple[tuple[str, ...], ...] = (
    ("3rd Saturday",),
    ("2nd Saturday",),
    ("Saturday",),
    ("Monday", "Wednesday", "Friday"),
    (EVERY_DAY,),
    (EVERY_DAY,),
)
_ORDER = {name: place for place, name in enumerate((EVERY_DAY, *DAYS, "2nd Saturday", "3rd Saturday"))}


@dataclass(frozen=True, slots=True)
class Slot:
    """One line of the table."""

    day: str
    time: str
    urls: tuple[str, ...]


def times_of(profile: Profile, group: int) -> tuple[str, ...]:
    """The time of a page; twice-a-day pages get both."""
    if group == 5:
        return (AFTER_DAY, AFTER_NIGHT)
    return (AFTER_DAY,) if profile.by_day_share >= 0.5 else (AFTER_NIGHT,)


def week_table(profiles: Sequence[Profile]) -> list[Slot]:
    """The table of S0.5 for pages whose changes were counted."""
    slots: dict[tuple[str, str], list[str]] = {}
    for profile in profiles:
        group = int(class_of(np.array(profile.per_week), 6))
        for day in _SIX_DAYS[group]:
            for time in times_of(profile, group):
                slots.setdefault((day, time), []).append(profile.url)
    lines = [Slot(day, time, tuple(urls)) for (day, time), urls in slots.items()]
    return sorted(lines, key=lambda slot: (_ORDER[slot.day], slot.time))
