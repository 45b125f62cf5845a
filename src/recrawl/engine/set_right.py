"""A clock that ran ahead and was set right: what it made due in the far future is due as if it had been seen now.

A run goes by the clock that it read at its start, so the moment at which the last one began says whether its clock was
ahead, and only then all pages are looked at.
"""

from collections.abc import Iterator

from recrawl.model.batch import Batch
from recrawl.model.page import Page
from recrawl.model.swift import replace
from recrawl.ports import Store

CLOCK = "clock"  # under this name the store remembers when the last run began
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
