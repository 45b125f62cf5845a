"""Changes by hour of the week, and S0's profiles from them."""

from collections.abc import Iterable, Sequence

import numpy as np

from recrawl.answers.reading import Reading
from recrawl.estimate.weeks import Profile
from recrawl.model.page import Page
from recrawl.model.verdict import Change
from recrawl.schedule.windows import minute_of_week

WEEK_S = 7 * 86_400.0
MOST_VISITS = 5000


def profile(found: Reading, page: Page, now: float) -> Profile:
    """One page: what its visits found, each change at the hour of the visit that found it (UTC)."""
    changes, changed_bytes = np.zeros((7, 24)), np.zeros((7, 24))
    for visit in found.store.visits(page.id, MOST_VISITS):
        if visit.change == Change.CHANGED:
            hour = int(minute_of_week(visit.at) // 60)
            changes[hour // 24, hour % 24] += 1
            changed_bytes[hour // 24, hour % 24] += visit.changed_bytes
    return Profile(page.url, max((now - page.found_at) / WEEK_S, 1.0), changes, changed_bytes)


def profiles(found: Reading, pages: Iterable[Page], now: float) -> list[Profile]:
    return [profile(found, page, now) for page in pages]


def together(name: str, found: Sequence[Profile]) -> Profile:
    """All pages of a site as one."""
    weeks = max((one.weeks for one in found), default=1.0)
    none = np.zeros((7, 24))
    changes = sum((one.changes for one in found), none)
    return Profile(name, weeks, changes, sum((one.changed_bytes for one in found), none))
