"""What is counted as it happens: pure sums that both stores keep, so that totals are never scans.

A count belongs to a site and a kind. A page contributes 1 to the kinds it stands in and leaves them when it
stands elsewhere; visits, versions, requests and bytes only add up.
"""

import math
from collections import Counter
from collections.abc import Hashable, Iterable, Mapping, Sequence
from enum import IntEnum
from functools import lru_cache
from operator import attrgetter
from typing import Any

from recrawl.model.batch import IntervalBand, Totals
from recrawl.model.page import Page, Status
from recrawl.model.site import Kind
from recrawl.model.verdict import Change
from recrawl.model.visit import UNUSABLE, Evidence, Visit
from recrawl.native import compiled
from recrawl.store.codes import STATUS


class Count(IntEnum):
    """Stored numbers: never given anew."""

    PAGES = 1
    VISITED = 2
    VISITS = 3
    REQUESTS = 4
    CHANGED = 5
    NOT_MODIFIED = 6
    FAILED = 7
    VERSIONS = 8
    BYTES = 9


BYTES = Count.BYTES  # a member of an enum is searched for when named
CHANGE, EVIDENCE, RECEIVED_BYTES = map(attrgetter, ("change", "evidence", "received_bytes"))
STATUS_FROM = 20  # + the number of the status: pages that stand there
BAND_FROM = 10_000  # + the exponent of the band: scheduled pages with such an interval
BAND_SPREAD = 2_000  # more than the exponents of a float
LONGEST_S = 1e300

Counts = Counter[tuple[Hashable, int]]
Standing = tuple[int, ...]  # the kinds that a page counts under
Stands = Sequence[Any]  # id, site, kind, status, visits, interval and due time of a page, as they are stored
Alike = tuple[Any, Any, bool, int | None]  # site, status, whether visited, exponent of the interval if scheduled


def standing(status: Status, visits: int, interval_s: float, due_at: float | None) -> Standing:
    """Of a page as it is."""
    is_scheduled = due_at is not None and 0 < interval_s < LONGEST_S
    return kinds(status, visits > 0, math.frexp(interval_s)[1] if is_scheduled else None)


@lru_cache(maxsize=1024)
def kinds(status: Status, is_visited: bool, exponent: int | None) -> Standing:
    """Of a page that stands so; `exponent`: of its interval, if it is scheduled."""
    found = [Count.PAGES, STATUS_FROM + STATUS.number[status]]
    if is_visited:
        found.append(Count.VISITED)
    if exponent is not None:
        found.append(BAND_FROM + exponent)
    return tuple(found)


def standing_of(page: Page) -> Standing:
    """A sitemap or feed is not one of the pages."""
    if page.kind is Kind.SIGNAL:
        return ()
    return standing(page.status, page.visits, page.interval_s, page.due_at)


def add_standing(counts: Counts, site: Hashable, standing: Iterable[int], amount: int) -> None:
    for kind in standing:
        counts[site, kind] += amount


def alike(stands: list[Stands]) -> Mapping[Alike, int]:
    """How many of many pages stand in each way: most stand alike."""
    made: dict[Alike, int] | None = compiled.alike(stands, LONGEST_S) if compiled is not None else None
    return plainly_alike(stands) if made is None else made


def plainly_alike(stands: Iterable[Stands]) -> Counter[Alike]:
    return Counter(
        [
            (
                site,
                status,
                bool(visits),
                math.frexp(interval_s)[1] if due_at is not None and interval_s and 0 < interval_s < LONGEST_S else None,
            )
            for _, site, _, status, visits, interval_s, due_at, *_ in stands
        ]
    )


def add_visits(counts: Counts, visits: Sequence[Visit], sites: Sequence[Hashable]) -> None:
    """Each with the site of its page: most bring the same."""
    if len(set(sites)) == 1:  # as nearly always
        counts[sites[0], BYTES] += sum(map(RECEIVED_BYTES, visits))
    else:
        for site, size_bytes in zip(sites, map(RECEIVED_BYTES, visits), strict=True):
            counts[site, BYTES] += size_bytes
    brought = Counter(zip(sites, map(CHANGE, visits), map(EVIDENCE, visits), strict=True))
    for (site, change, evidence), number in brought.items():
        counts[site, Count.VISITS] += number
        counts[site, Count.CHANGED] += number * (change == Change.CHANGED)
        counts[site, Count.NOT_MODIFIED] += number * (evidence is Evidence.NOT_MODIFIED)
        counts[site, Count.FAILED] += number * (evidence in UNUSABLE)


def totals(counts: Mapping[int, int], due: int) -> Totals:
    def of(status: Status) -> int:
        return counts.get(STATUS_FROM + STATUS.number[status], 0)

    return Totals(
        pages=counts.get(Count.PAGES, 0),
        visited=counts.get(Count.VISITED, 0),
        visits=counts.get(Count.VISITS, 0),
        requests=counts.get(Count.REQUESTS, 0),
        changed=counts.get(Count.CHANGED, 0),
        not_modified=counts.get(Count.NOT_MODIFIED, 0),
        failed=counts.get(Count.FAILED, 0),
        versions=counts.get(Count.VERSIONS, 0),
        bytes=counts.get(Count.BYTES, 0),
        due=due,
        gone=of(Status.GONE),
        moved=of(Status.MOVED),
        refused=of(Status.REFUSED),
        live=of(Status.LIVE),
    )


def bands(counts: Mapping[int, int]) -> list[IntervalBand]:
    exponents = {kind - BAND_FROM: pages for kind, pages in counts.items() if abs(kind - BAND_FROM) < BAND_SPREAD}
    return [
        IntervalBand(from_s=math.ldexp(0.5, exponent), to_s=math.ldexp(1.0, exponent), pages=exponents[exponent])
        for exponent in sorted(exponents)
        if exponents[exponent] > 0
    ]
