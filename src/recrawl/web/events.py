"""The newest events first, from a stream that is stored oldest first."""

from collections.abc import Collection
from dataclasses import dataclass

from recrawl.model.event import Event, EventKind
from recrawl.ports import Store

STRETCH = 400  # cursors looked at in one go, backwards
MOST_STRETCHES = 50
MOST_COUNTED = 5_000
BATCH = 1000


@dataclass(frozen=True, slots=True)
class Newest:
    """`older`: pass it as `before` to go on; None at the beginning of the stream."""

    events: tuple[Event, ...]
    older: int | None


def last_cursor(store: Store, hint: int = 0) -> int:
    """The newest cursor, found by doubling and halving from one that is known."""
    if not store.events(hint, limit=1):
        return hint if hint == 0 or store.events(hint - 1, limit=1) else last_cursor(store, 0)
    low, step = hint, 1
    while store.events(low + step, limit=1):
        low, step = low + step, step * 2
    high = low + step
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if store.events(middle, limit=1) else (low, middle)
    return high


def newest(
    store: Store, kinds: Collection[EventKind], site: str = "", before: int | None = None, limit: int = 50
) -> Newest:
    """Newest first, older than `before`. Looks at a bounded stretch of the stream, so a page may come short."""
    end = last_cursor(store) + 1 if before is None else before
    chosen: list[Event] = []
    for _ in range(MOST_STRETCHES):
        start = max(0, end - STRETCH - 1)
        found = [event for event in store.events(start, kinds, STRETCH) if event.cursor < end]
        chosen += [event for event in reversed(found) if not site or event.site == site]
        if len(chosen) > limit:
            return Newest(tuple(chosen[:limit]), chosen[limit - 1].cursor)
        end = start + 1
        if start == 0:
            return Newest(tuple(chosen), None)
    return Newest(tuple(chosen), end)


def count_since(store: Store, kinds: Collection[EventKind], since_at: float, site: str = "") -> int:
    """How many there were since a moment: counted up to MOST_COUNTED, beyond that by cursors, which rise one by one;
    a site then gets its share of those that were counted."""
    after, seen, wanted, first = 0, 0, 0, 0
    while seen < MOST_COUNTED:
        found = store.events(after, kinds, BATCH, since_at)
        first = first or (found[0].cursor if found else 0)
        seen += len(found)
        wanted += sum(not site or event.site == site for event in found)
        if len(found) < BATCH:
            return wanted
        after = found[-1].cursor
    return round((last_cursor(store, after) - first + 1) * wanted / seen)
