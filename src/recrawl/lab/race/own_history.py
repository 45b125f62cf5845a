"""A folder's own history as a trace: any policy can be replayed on it before a single request is sent.

A change is known to have happened between two visits; it is placed in the middle. What no visit saw is not in it, so
the fastest pages look calmer than they are: compare policies with it, do not take its absolute numbers for the web's.
"""

from collections.abc import Iterable
from itertools import pairwise

from recrawl.lab.race.history import APPEARED, CHANGED, GONE
from recrawl.lab.race.traces import Trace
from recrawl.model.failure import NotFound
from recrawl.model.page import Page
from recrawl.model.site import Kind
from recrawl.model.verdict import Change
from recrawl.ports import Store

JUDGED = (Change.NEW, Change.SAME, Change.CHANGED, Change.GONE)
MOST_VISITS = 100_000
Happened = tuple[float, int]


def traces(store: Store) -> list[Trace]:
    """One trace a site."""
    found = [trace for site in store.sites() if (trace := _trace(site, _pages(store, site), store)) is not None]
    if not found:
        raise NotFound("a replay needs at least two weeks of visits: let `recrawl run` go on, then replay")
    return found


def _pages(store: Store, site: str) -> Iterable[Page]:
    after: int | None = None
    while pages := store.scan(site, after):
        yield from (page for page in pages if page.kind is not Kind.SIGNAL)
        after = pages[-1].id


FIRST_S = 2 * 86_400.0  # what was found in the first two days was there before
SHORTEST_S = 14 * 86_400.0


def _trace(site: str, pages: Iterable[Page], store: Store) -> Trace | None:
    ids: list[int] = []
    paths: list[str] = []
    sizes: list[float] = []
    events: list[tuple[int, float, int, float]] = []
    last_at = 0.0
    for page in pages:
        happened = _happened(page, store)
        if not happened:
            continue
        last_at = max(last_at, page.checked_at or 0.0)
        place = len(ids)
        ids.append(place)
        paths.append(page.url.partition("://")[2].partition("/")[2])
        sizes.append(float(page.size_bytes))
        events += [(place, at, kind, float(page.size_bytes)) for at, kind in happened]
    events.sort(key=lambda event: event[1])
    if not events or last_at - events[0][1] < SHORTEST_S:
        return None
    begin_at = events[0][1]
    old = {place for place, at, kind, _ in events if kind == APPEARED and at < begin_at + FIRST_S}
    here = tuple(place in old for place in ids)
    left = tuple(one for one in events if not (one[2] == APPEARED and one[0] in old and one[1] < begin_at + FIRST_S))
    return Trace(site, tuple(ids), tuple(paths), here, tuple(sizes), left)


def _happened(page: Page, store: Store) -> list[Happened]:
    visits = [one for one in reversed(store.visits(page.id, MOST_VISITS)) if one.change in JUDGED]
    if not visits:
        return []
    happened: list[Happened] = [(visits[0].at, APPEARED)]
    for before, after in pairwise(visits):
        middle = (before.at + after.at) / 2
        if after.change == Change.CHANGED:
            happened.append((middle, CHANGED))
        elif after.change == Change.GONE and before.change != Change.GONE:
            happened.append((middle, GONE))
        elif after.change == Change.NEW:
            happened.append((middle, APPEARED))
    return happened
