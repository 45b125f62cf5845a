"""A clock that ran ahead and was set right: what it made due in the far future is due as if it had been seen now.

A run goes by the clock that it read at its start, so the moment at which the last one began says whether its clock was
ahead, and only then all pages are looked at.

In a cluster the clock is the database's. It, too, may have run ahead, or the store was copied from a folder whose clock
did. There nobody holds the whole store: each worker sees to the pages of the partitions that it claims, before it looks
for anything there.
"""

import json
from collections.abc import Collection, Iterator

from recrawl.model.address import partition_of
from recrawl.model.batch import Batch
from recrawl.model.page import Page
from recrawl.model.swift import replace
from recrawl.ports import Store

CLOCK = "clock"  # under this name the store remembers when the last run began
RIGHT = "clock right"  # and under this one the partitions that have been seen to since it was ahead
TOLERANCE_S = 60.0  # two clocks are never quite alike
AT_ONCE = 1000  # pages in one transaction


def set_right(store: Store, now: float) -> int:
    """Before a run, by whoever holds the store; how many pages were due by a clock that ran ahead."""
    began_at = float(store.memo(CLOCK) or b"0")
    found = 0
    if began_at > now + TOLERANCE_S:
        for pages in _ahead(store, now):
            store.save(Batch(pages=tuple(pages)))
            found += len(pages)
    store.save(Batch(memos=((CLOCK, str(now).encode()),)))
    return found


def sit_down(store: Store, now: float) -> None:
    """A worker of a cluster begins. A moment in the future stays until all partitions have been seen to."""
    if float(store.memo(CLOCK) or b"0") < now:
        store.save(Batch(memos=((CLOCK, str(now).encode()),)))


def set_right_claimed(store: Store, now: float, claimed: Collection[int]) -> int:
    """By who has just claimed these partitions; how many of their pages were due by a clock that ran ahead."""
    began = store.memo(CLOCK) or b"0"
    if float(began) <= now + TOLERANCE_S:
        return 0
    kept = json.loads(store.memo(RIGHT) or b"{}")
    right = set(kept["partitions"]) if kept.get("since") == began.decode() else set[int]()
    found = 0
    for pages in _ahead(store, now) if not right.issuperset(claimed) else ():
        mine = [page for page in pages if partition_of(page.server, store.partitions) in claimed]
        store.save(Batch(pages=tuple(mine)))
        found += len(mine)
    right.update(claimed)
    told = json.dumps({"since": began.decode(), "partitions": sorted(right)}).encode()
    is_done = len(right) == store.partitions
    store.save(Batch(memos=((CLOCK, str(now).encode()),) if is_done else ((RIGHT, told),)))
    return found


def _ahead(store: Store, now: float) -> Iterator[list[Page]]:
    after: int | None = None
    while pages := store.scan("", after, AT_ONCE):
        yield [_from_now(page, now) for page in pages if page.due_at is not None and _seen_at(page) > now]
        after = pages[-1].id


def _seen_at(page: Page) -> float:
    return (page.found_at if page.checked_at is None else page.checked_at) or 0.0


def _from_now(page: Page, now: float) -> Page:
    """When it was seen stays: the next visit knows by it that nothing can be learnt from the time between."""
    return replace(page, due_at=now + max(0.0, (page.due_at or 0.0) - _seen_at(page)))
