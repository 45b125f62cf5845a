"""The engine against the world's own truth: what it calls changed has changed, and a seed gives the same weeks again.

The laws of ARCHITECTURE.md themselves are asked of hundreds of stories in `test_stories.py`.
"""

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise

import pytest

from recrawl.config import Settings
from recrawl.engine.settling.pace import JUDGED
from recrawl.lab.faults import rough
from recrawl.lab.month import Month, simulate
from recrawl.lab.varied import varied_world
from recrawl.lab.world import version
from recrawl.model.page import Page
from recrawl.model.verdict import Change
from recrawl.schedule.settings import Settings as Intervals

GAP_S = 2.0


def crawl(seed: int, days: float) -> Month:
    return simulate(varied_world(seed, servers=2, pages=8), seed, days, rough(seed), gap_s=GAP_S)


def pages_of(month: Month) -> Iterator[Page]:
    after = None
    while found := month.store.scan("", after):
        yield from found
        after = found[-1].id


@pytest.mark.parametrize("seed", range(3))
def test_what_was_found_changed_had_changed_and_what_is_the_same_had_not(seed: int) -> None:
    """Against the world's own truth: noise is no change, and no change is missed by a visit that judged. Pages whose
    validators lie are told apart only by the unconditional visits in between, so they are left out."""
    eager = replace(Settings(), intervals=Intervals(requests_per_page_day=3.0))
    month = simulate(varied_world(seed, servers=1, pages=24), seed, 5.0, gap_s=GAP_S, settings=eager)
    wrong, judged = [], 0
    for page in pages_of(month):
        visits = [one for one in month.store.visits(page.id, 100_000)[::-1] if Change(one.change) in JUDGED]
        for before, after in pairwise(visits):
            if after.change not in (Change.SAME, Change.CHANGED) or "frozen" in page.url:
                continue
            truth = version(month.world, page.url, before.at) != version(month.world, page.url, after.at)
            judged += 1
            if truth != (after.change == Change.CHANGED):
                wrong.append((page.url, before.at, after.at, after.change))
    assert judged > 100
    assert len(wrong) <= 0.01 * judged, wrong


def test_the_same_seed_gives_the_same_weeks_byte_for_byte() -> None:
    one, other = crawl(77, 3.0), crawl(77, 3.0)
    assert one.events == other.events
    assert one.requests == other.requests
    assert crawl(78, 3.0).events != one.events
