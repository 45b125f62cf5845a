"""A store over stores: the rows of each partition live in one of them, and it answers as one.

The first member is its *home*. Pages, servers, visits, versions, records and robots files live where the partition of
their server does; what belongs to no server (memos, notices) lives at home. The stream of events is the home's: one of
a page is written beside the page first and told at home then, where telling it again changes nothing. What a crash left
untold is told later (`shards.relay`), and cursors keep one order.

No transaction spans two databases. What `save` promises holds by order: addresses are entered before the visits that
found them are saved, and pages are saved before their events are told. Who breaks off in between and does it again
leaves the same.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import fields
from heapq import merge
from itertools import islice
from math import inf
from typing import TypeVar

from recrawl.model.address import fingerprint, partition_of, server_of
from recrawl.model.batch import Batch, ErrorGroup, IntervalBand, Saved, Totals
from recrawl.model.event import Event, EventKind
from recrawl.model.notice import Notice
from recrawl.model.page import Page, Status
from recrawl.model.record import Record
from recrawl.model.server import RobotsFile, Server
from recrawl.model.visit import Version, Visit
from recrawl.ports import EVERY, Store
from recrawl.store.codes import STATUS
from recrawl.store.shared.sharding import HOME, by_shard

ALL = (1 << 31) - 1  # no limit

Answer = TypeVar("Answer")


class ShardedStore:
    """Keeps the laws of `ports.Store`; `save` is one transaction a member. `place`: the member that a partition lives
    in."""

    def __init__(self, members: Sequence[Store], place: Callable[[int], int]) -> None:
        self.members, self._place = members, place
        self.home = members[HOME]
        self.partitions = self.home.partitions

    def close(self) -> None:
        for member in self.members:
            member.close()

    # where

    def place_of(self, server: str) -> int:
        return self._place(partition_of(server, self.partitions))

    def each(self, ask: Callable[[Store], Answer], of: Iterable[int] | None = None) -> dict[int, Answer]:
        """What members answer, by number."""
        return {number: ask(self.members[number]) for number in (range(len(self.members)) if of is None else of)}

    def all(self, ask: Callable[[Store], Answer]) -> Collection[Answer]:
        return self.each(ask).values()

    def _of_server(self, server: str, ask: Callable[[Store], Answer], nothing: Answer) -> Answer:
        """What the member says where the server lives; another one may have it, if its partition moved meanwhile."""
        first = self.place_of(server)
        others = (number for number in range(len(self.members)) if number != first)
        for number in (first, *others):
            if answer := self.each(ask, (number,)).get(number):
                return answer
        return nothing

    def places_of_pages(self, batch: Batch) -> dict[int, int]:
        """The member of every page that a batch speaks of; one that nobody knows lives at home."""
        places = {page.id: self.place_of(page.server) for page in (*batch.entered, *batch.pages)}
        spoken_of = {event.page for event in batch.events if event.page is not None}
        for facts in (batch.visits, batch.versions, batch.records, batch.lost):
            spoken_of.update(fact.page for fact in facts)
        asked = [page for page in spoken_of if page not in places]
        if asked:
            for number, known in self.each(lambda member: member.known(asked)).items():
                places.update(dict.fromkeys(known, number))
        return places

    # writing

    def save(self, batch: Batch) -> Saved:
        parts = by_shard(batch, self.places_of_pages(batch), lambda server: self.place_of(server))
        told, fresh = Saved(), frozenset[int]()
        for number, part in parts.items():
            if part.entered and len(parts) > 1:
                fresh |= self.members[number].save(Batch(entered=part.entered)).entered
        for number in sorted(parts, reverse=True):  # home comes last, and tells everything
            told = self.members[number].save(parts[number])
            fresh |= told.entered
        return Saved(fresh, told.cursors if batch.events else ())

    def at_hand(self, *, to_read: bool = False) -> bool:
        return False

    def make_due(self, at: float, site: str = "", ids: Sequence[int] = (), rank: int | None = None) -> int:
        return sum(self.all(lambda member: member.make_due(at, site, ids, rank)))

    def settle_server(self, server: str) -> float | None:
        return self.members[self.place_of(server)].settle_server(server)

    def compact(self, before_at: float) -> int:
        return sum(self.all(lambda member: member.compact(before_at)))

    # reading for the engine

    def pages(self, ids: Sequence[int]) -> list[Page]:
        found = {page.id: page for pages in self.all(lambda member: member.pages(ids)) for page in pages}
        return [found[number] for number in dict.fromkeys(ids) if number in found]

    def known(self, ids: Sequence[int]) -> set[int]:
        return set[int]().union(*self.all(lambda member: member.known(ids)))

    def due(self, server: str, before_at: float, limit: int, skip: Collection[int] = ()) -> list[Page]:
        return self._of_server(server, lambda member: member.due(server, before_at, limit, skip), [])

    def servers_due(self, partitions: Collection[int], before_at: float, limit: int) -> list[Server]:
        return soonest(self.all(lambda member: member.servers_due(partitions, before_at, limit)), limit)

    def server(self, key: str) -> Server | None:
        return self._of_server(key, lambda member: member.server(key), None)

    def servers(self) -> list[Server]:
        return list(merge(*self.all(lambda member: member.servers()), key=lambda server: server.key))

    def robots(self, origin: str) -> RobotsFile | None:
        return self._of_server(server_of(origin), lambda member: member.robots(origin), None)

    def memo(self, key: str) -> bytes | None:
        return self.home.memo(key)

    def memos(self, keys: Collection[str]) -> dict[str, bytes]:
        return self.home.memos(keys)

    # reading for people

    def scan(self, site: str = "", after: int | None = None, limit: int = 1000) -> list[Page]:
        found = self.all(lambda member: member.scan(site, after, limit))
        return list(islice(merge(*found, key=lambda page: page.id), max(limit, 0)))

    def visits(self, page: int, limit: int = 100) -> list[Visit]:
        return next(filter(None, self.all(lambda member: member.visits(page, limit))), [])

    def versions(self, page: int, limit: int = EVERY, until_at: float = inf) -> list[Version]:
        return next(filter(None, self.all(lambda member: member.versions(page, limit, until_at))), [])

    def newest_versions(self, pages: Sequence[int]) -> list[Version]:
        return [one for found in self.all(lambda member: member.newest_versions(pages)) for one in found]

    def versions_in(self, warc_file: str, from_offset: int = 0) -> list[Version]:
        return [one for found in self.all(lambda member: member.versions_in(warc_file, from_offset)) for one in found]

    def records(self, pages: Sequence[int]) -> list[Record]:
        return _as_asked(pages, self.all(lambda member: member.records(pages)))

    def newest_records(self, pages: Sequence[int]) -> list[Record]:
        return _as_asked(pages, self.all(lambda member: member.newest_records(pages)))

    def record_pages(self, site: str = "", after: int | None = None, limit: int = 1000) -> list[int]:
        found = self.all(lambda member: member.record_pages(site, after, limit))
        return list(islice(merge(*found), max(limit, 0)))

    def broken_records(self, site: str = "", after: int | None = None, limit: int = 1000) -> list[Record]:
        found = self.all(lambda member: member.broken_records(site, after, limit))
        return list(islice(merge(*found, key=lambda record: record.page), max(limit, 0)))

    def events(
        self, after: int = 0, kinds: Collection[EventKind] = (), limit: int = 1000, since_at: float = 0.0
    ) -> list[Event]:
        return self.home.events(after, kinds, limit, since_at)

    def notices(self, page: int | None = None, limit: int = 100) -> list[Notice]:
        return self.home.notices(page, limit)

    def totals(self, site: str = "", now: float = 0.0) -> Totals:
        found = self.all(lambda member: member.totals(site, now))
        return Totals(*(sum(getattr(one, field.name) for one in found) for field in fields(Totals)))

    def sites(self) -> list[str]:
        return sorted(set[str]().union(*self.all(lambda member: member.sites())))

    def next_due(self, limit: int = 20, site: str = "") -> list[Page]:
        found = self.all(lambda member: member.next_due(limit, site))
        return list(islice(merge(*found, key=lambda page: (page.due_at or 0.0, page.id)), max(limit, 0)))

    def error_groups(self, site: str = "", limit: int = 100) -> list[ErrorGroup]:
        groups: dict[tuple[Status, str], ErrorGroup] = {}
        for group in (one for found in self.all(lambda member: member.error_groups(site, ALL)) for one in found):
            key = group.status, group.reason
            groups[key] = _together(groups[key], group) if key in groups else group
        order = sorted(groups.values(), key=lambda one: (-one.pages, one.reason, STATUS.number[one.status]))
        return order[: max(limit, 0)]

    def interval_histogram(self, site: str = "") -> list[IntervalBand]:
        pages: dict[tuple[float, float], int] = {}
        for band in (one for found in self.all(lambda member: member.interval_histogram(site)) for one in found):
            pages[band.from_s, band.to_s] = pages.get((band.from_s, band.to_s), 0) + band.pages
        return [IntervalBand(*bounds, pages[bounds]) for bounds in sorted(pages)]


def soonest(found: Iterable[Sequence[Server]], limit: int) -> list[Server]:
    together = merge(*found, key=lambda server: (server.next_due_at or 0.0, server.key))
    return list(islice(together, max(limit, 0)))


def _as_asked(pages: Sequence[int], found: Iterable[Sequence[Record]]) -> list[Record]:
    """Page by page as asked; those of one page come from one member, in its order."""
    order = {page: place for place, page in enumerate(dict.fromkeys(pages))}
    return sorted((record for records in found for record in records), key=lambda record: order[record.page])


def _together(one: ErrorGroup, other: ErrorGroup) -> ErrorGroup:
    """The example is the one with the smaller id, as in a single store."""
    example = min(one.example, other.example, key=fingerprint)
    return ErrorGroup(one.status, one.reason, one.pages + other.pages, example)
