"""Newest first out of a stream that is kept oldest first."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from recrawl.model.batch import Batch
from recrawl.model.event import CHANGES, Event, EventKind
from recrawl.store.memory import MemoryStore
from recrawl.web.events import STRETCH, count_since, last_cursor, newest


def stream(count: int, site_of: tuple[str, ...] = ("a",), kinds: tuple[EventKind, ...] = CHANGES) -> MemoryStore:
    store = MemoryStore()
    events = [
        Event(kinds[n % len(kinds)], float(n), f"http://n.example/{n}", site_of[n % len(site_of)], n)
        for n in range(count)
    ]
    store.save(Batch(events=tuple(events)))
    return store


@settings(max_examples=30, deadline=None)
@given(st.integers(0, 300), st.integers(0, 400))
def test_the_last_cursor_is_found_from_any_hint(count: int, hint: int) -> None:
    store = stream(count)
    cursors = [event.cursor for event in store.events(limit=1000)]
    assert last_cursor(store, hint) == max(cursors, default=0)


@pytest.mark.parametrize("count", [0, 1, 49, 50, 51, STRETCH, STRETCH + 1, 2 * STRETCH + 7])
def test_walking_back_meets_every_event_once_newest_first(count: int) -> None:
    store = stream(count)
    met: list[int] = []
    before = None
    while True:
        part = newest(store, CHANGES, before=before)
        met += [event.cursor for event in part.events]
        if part.older is None:
            break
        before = part.older
    assert met == sorted(met, reverse=True) and len(set(met)) == len(met) == count


def test_kinds_and_sites_are_chosen() -> None:
    store = stream(100, ("a", "b"), (EventKind.ADDED, EventKind.UPDATED, EventKind.STARTED))
    found = newest(store, [EventKind.ADDED], "b", limit=1000).events
    assert found and all(event.kind is EventKind.ADDED and event.site == "b" for event in found)


def test_events_since_a_moment_are_counted() -> None:
    store = stream(2500, ("a", "b"))
    assert count_since(store, CHANGES, 500.0) == 2000
    assert count_since(store, CHANGES, 500.0, "a") == 1000


def test_very_many_events_are_told_by_their_cursors() -> None:
    store = stream(12_000, ("a", "b"))
    assert count_since(store, CHANGES, 2000.0) == 10_000
    assert count_since(store, CHANGES, 2000.0, "a") == 5000
