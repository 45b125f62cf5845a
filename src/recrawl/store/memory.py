"""The store in plain dicts: the twin for tests, and what the simulator crawls a month with."""

from bisect import bisect_left, bisect_right, insort
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import islice
from math import inf

from recrawl.model.address import partition_of
from recrawl.model.batch import Batch, ErrorGroup, IntervalBand, Saved, Totals
from recrawl.model.event import Event, EventKind
from recrawl.model.notice import Notice, NoticeKind, Source
from recrawl.model.page import Page, Status
from recrawl.model.record import Record
from recrawl.model.server import RobotsFile, Server
from recrawl.model.verdict import Change
from recrawl.model.visit import Version, Visit
from recrawl.ports import EVERY
from recrawl.store import counts
from recrawl.store.codes import STATUS
from recrawl.store.counts import Count, Counts
from recrawl.store.due_lists import DueLists


class MemoryStore:
    """Keeps the laws of `ports.Store`; what it is given it keeps as it is, since values never change."""

    def __init__(self, partitions: int = 256) -> None:
        self.partitions = partitions
        self._pages: dict[int, Page] = {}
        self._entry: dict[int, int] = {}  # order of entry
        self._ids: list[int] | None = []  # sorted; None: sort again
        self._due = DueLists()
        self._servers: dict[str, Server] = {}
        self._server_site: dict[str, str] = {}
        self._server_due: list[tuple[float, str]] = []
        self._visits: dict[int, dict[float, Visit]] = {}
        self._versions: dict[int, dict[float, Version]] = {}
        self._records: dict[int, dict[float, dict[int, Record]]] = {}
        self._events: list[Event] = []
        self._told: dict[tuple[EventKind, int, float], int] = {}
        self._robots: dict[str, RobotsFile] = {}
        self._memos: dict[str, bytes] = {}
        self._notices: dict[tuple[int, float, Source, NoticeKind], Notice] = {}
        self._counts: Counts = Counter()

    def close(self) -> None:
        """Nothing to let go of: what was saved can still be read."""

    def at_hand(self, *, to_read: bool = False) -> bool:
        return True

    # writing

    def save(self, batch: Batch) -> Saved:
        entered = frozenset(page.id for page in batch.entered if self._enter(page))
        for page in batch.pages:
            self._put(page)
        for visit in batch.visits:
            self._add_visit(visit)
        for version in batch.versions:
            self._add_version(version)
        self._put_records(batch.records)
        for version in batch.lost:
            self._forget(version)
        for server in batch.servers:
            self._put_server(server)
        self._robots.update((file.origin, file) for file in batch.robots)
        self._memos.update(batch.memos)
        for notice in batch.notices:
            self._notices[notice.page, notice.at, notice.source, notice.kind] = notice
        return Saved(entered, tuple(self._tell(event) for event in batch.events))

    def make_due(self, at: float, site: str = "", ids: Sequence[int] = (), rank: int | None = None) -> int:
        pages = self.pages(ids) if ids else [page for page in self._pages.values() if is_live(page)]
        chosen = [page for page in pages if not site or page.site == site]
        for page in chosen:
            due_at = at if page.due_at is None else min(page.due_at, at)
            sooner = replace(page, due_at=due_at, rank=page.rank if rank is None else min(page.rank, rank))
            if sooner != page:
                self._put(sooner)
        return len(chosen)

    def settle_server(self, server: str) -> float | None:
        earliest_at = self._due.earliest_at(server)
        if server in self._servers:
            self._set_next_due(server, earliest_at)
        return earliest_at

    def compact(self, before_at: float) -> int:
        forgotten = 0
        for visits in self._visits.values():
            old = [at for at, visit in visits.items() if at < before_at and proved_nothing(visit)]
            for at in old:
                del visits[at]
            forgotten += len(old)
        return forgotten

    def _enter(self, page: Page) -> bool:
        if page.id in self._pages:
            return False
        self._put(page)
        return True

    def _put(self, page: Page) -> None:
        old = self._pages.get(page.id)
        if old is None:
            self._entry[page.id] = len(self._entry)
            self._ids = None
        else:
            counts.add_standing(self._counts, old.site, counts.standing_of(old), -1)
            if old.due_at is not None:
                self._due.remove(old.server, old.rank, (old.due_at, self._entry[page.id], page.id))
        self._pages[page.id] = page
        counts.add_standing(self._counts, page.site, counts.standing_of(page), 1)
        if page.due_at is not None:
            self._due.add(page.server, page.rank, (page.due_at, self._entry[page.id], page.id))
        self._meet_server(page)

    def _meet_server(self, page: Page) -> None:
        if not self._server_site.get(page.server):
            self._server_site[page.server] = page.site
        server = self._servers.get(page.server)
        if server is None:
            server = Server(page.server, partition_of(page.server, self.partitions))
            self._servers[page.server] = server
        if page.due_at is not None and (server.next_due_at is None or page.due_at < server.next_due_at):
            self._set_next_due(page.server, page.due_at)

    def _set_next_due(self, key: str, at: float | None) -> None:
        old = self._servers[key]
        if old.next_due_at == at:
            return
        if old.next_due_at is not None:
            del self._server_due[bisect_left(self._server_due, (old.next_due_at, key))]
        if at is not None:
            insort(self._server_due, (at, key))
        self._servers[key] = replace(old, next_due_at=at)

    def _put_server(self, server: Server) -> None:
        old = self._servers.get(server.key)
        more = server.requests - (old.requests if old else 0)
        self._counts[self._server_site.get(server.key, ""), Count.REQUESTS] += more
        self._servers[server.key] = replace(
            server,
            partition=partition_of(server.alias_of or server.key, self.partitions),
            next_due_at=old.next_due_at if old else None,
        )

    def _add_visit(self, visit: Visit) -> None:
        visits = self._visits.setdefault(visit.page, {})
        if visit.at not in visits:
            visits[visit.at] = visit
            counts.add_visits(self._counts, [visit], [self._site_of(visit.page)])

    def _add_version(self, version: Version) -> None:
        versions = self._versions.setdefault(version.page, {})
        if version.at not in versions:
            versions[version.at] = version
            self._counts[self._site_of(version.page), Count.VERSIONS] += 1

    def _forget(self, version: Version) -> None:
        self._records.get(version.page, {}).pop(version.at, None)
        if self._versions.get(version.page, {}).pop(version.at, None) is not None:
            self._counts[self._site_of(version.page), Count.VERSIONS] -= 1

    def _put_records(self, records: Sequence[Record]) -> None:
        for record in records:
            self._records.setdefault(record.page, {})[record.at] = {}
        for record in records:
            self._records[record.page][record.at][record.place] = record

    def _site_of(self, page: int) -> str:
        known = self._pages.get(page)
        return known.site if known else ""

    def _tell(self, event: Event) -> int:
        """The event's cursor; one that speaks of a page is told once."""
        if event.page is not None and (event.kind, event.page, event.at) in self._told:
            return self._told[event.kind, event.page, event.at]
        cursor = len(self._events) + 1
        self._events.append(replace(event, cursor=cursor))
        if event.page is not None:
            self._told[event.kind, event.page, event.at] = cursor
        return cursor

    # reading for the engine

    def pages(self, ids: Sequence[int]) -> list[Page]:
        return [self._pages[page] for page in dict.fromkeys(ids) if page in self._pages]

    def known(self, ids: Sequence[int]) -> set[int]:
        return {page for page in ids if page in self._pages}

    def due(self, server: str, before_at: float, limit: int, skip: Collection[int] = ()) -> list[Page]:
        return self.pages(self._due.due(server, before_at, limit, skip))

    def servers_due(self, partitions: Collection[int], before_at: float, limit: int) -> list[Server]:
        wanted = set(partitions)
        due = islice(self._server_due, bisect_right(self._server_due, before_at, key=_moment))
        servers = (self._servers[key] for _, key in due)
        return list(islice((server for server in servers if server.partition in wanted), max(limit, 0)))

    def server(self, key: str) -> Server | None:
        return self._servers.get(key)

    def servers(self) -> list[Server]:
        return [self._servers[key] for key in sorted(self._servers)]

    def robots(self, origin: str) -> RobotsFile | None:
        return self._robots.get(origin)

    def memo(self, key: str) -> bytes | None:
        return self._memos.get(key)

    def memos(self, keys: Collection[str]) -> dict[str, bytes]:
        return {key: self._memos[key] for key in keys if key in self._memos}

    # reading for people

    def scan(self, site: str = "", after: int | None = None, limit: int = 1000) -> list[Page]:
        if self._ids is None:
            self._ids = sorted(self._pages)
        start = 0 if after is None else bisect_right(self._ids, after)
        pages = (self._pages[page] for page in islice(self._ids, start, None))
        return list(islice((page for page in pages if not site or page.site == site), max(limit, 0)))

    def visits(self, page: int, limit: int = 100) -> list[Visit]:
        return sorted(self._visits.get(page, {}).values(), key=lambda visit: -visit.at)[: max(limit, 0)]

    def versions(self, page: int, limit: int = EVERY, until_at: float = inf) -> list[Version]:
        seen = [version for version in self._versions.get(page, {}).values() if version.at <= until_at]
        return sorted(seen, key=lambda version: -version.at)[: max(limit, 0)]

    def newest_versions(self, pages: Sequence[int]) -> list[Version]:
        return [version for page in dict.fromkeys(pages) for version in self.versions(page, 1)]

    def versions_in(self, warc_file: str, from_offset: int = 0) -> list[Version]:
        every = (version for versions in self._versions.values() for version in versions.values())
        return [one for one in every if one.warc_file == warc_file and one.warc_offset >= from_offset]

    def records(self, pages: Sequence[int]) -> list[Record]:
        return [record for page in dict.fromkeys(pages) for at in self._moments(page) for record in self._at(page, at)]

    def newest_records(self, pages: Sequence[int]) -> list[Record]:
        newest = ((page, self._moments(page)[-1]) for page in dict.fromkeys(pages) if page in self._records)
        return [record for page, at in newest for record in self._at(page, at)]

    def record_pages(self, site: str = "", after: int | None = None, limit: int = 1000) -> list[int]:
        rest = (page for page in sorted(self._records) if after is None or page > after)
        return list(islice((page for page in rest if not site or self._site_of(page) == site), max(limit, 0)))

    def broken_records(self, site: str = "", after: int | None = None, limit: int = 1000) -> list[Record]:
        rest = (page for page in self.record_pages(site, after, len(self._records)))
        newest = (record for page in rest for record in self._at(page, self._moments(page)[-1]))
        return list(islice((record for record in newest if record.broken), max(limit, 0)))

    def _moments(self, page: int) -> list[float]:
        return sorted(self._records.get(page, ()))

    def _at(self, page: int, at: float) -> list[Record]:
        versions = self._records[page]
        return [versions[at][place] for place in sorted(versions[at])]

    def events(
        self, after: int = 0, kinds: Collection[EventKind] = (), limit: int = 1000, since_at: float = 0.0
    ) -> list[Event]:
        rest = islice(self._events, max(after, 0), None)
        wanted = (event for event in rest if event.at >= since_at and (not kinds or event.kind in kinds))
        return list(islice(wanted, max(limit, 0)))

    def notices(self, page: int | None = None, limit: int = 100) -> list[Notice]:
        chosen = [notice for notice in self._notices.values() if page is None or notice.page == page]
        return sorted(chosen, key=lambda notice: (-notice.at, notice.page))[: max(limit, 0)]

    def totals(self, site: str = "", now: float = 0.0) -> Totals:
        return counts.totals(self._counts_of(site), self._count_due(site, now))

    def sites(self) -> list[str]:
        return sorted(
            {str(site) for (site, kind), pages in self._counts.items() if kind == Count.PAGES and pages and site}
        )

    def next_due(self, limit: int = 20, site: str = "") -> list[Page]:
        entries = sorted(
            entry
            for server in self._servers
            for entry in self._due.earliest(server, len(self._pages) if site else limit)
            if not site or self._pages[entry[2]].site == site
        )
        return [self._pages[page] for _, _, page in entries[: max(limit, 0)]]

    def error_groups(self, site: str = "", limit: int = 100) -> list[ErrorGroup]:
        groups: dict[tuple[Status, str], list[int]] = {}
        for page in self._pages.values():
            if page.reason and (not site or page.site == site):
                groups.setdefault((page.status, page.reason), []).append(page.id)
        found = [
            ErrorGroup(status, reason, len(ids), self._pages[min(ids)].url) for (status, reason), ids in groups.items()
        ]
        return sorted(found, key=_group_order)[: max(limit, 0)]

    def interval_histogram(self, site: str = "") -> list[IntervalBand]:
        return counts.bands(self._counts_of(site))

    def _count_due(self, site: str, now: float) -> int:
        if not site:
            return self._due.count_due(now)
        return sum(self._pages[page].site == site for page in self._due.ids_due(now))

    def _counts_of(self, site: str) -> Counter[int]:
        chosen: Counter[int] = Counter()
        for (owner, kind), amount in self._counts.items():
            if not site or owner == site:
                chosen[kind] += amount
        return chosen


def is_live(page: Page) -> bool:
    """Is it still to be visited when everything is? A copy is kept, or it will be asked for anyway: what is gone or
    moved may be back."""
    awaited = page.status in (Status.NEW, Status.MOVED, Status.GONE) and page.due_at is not None
    return page.status is Status.LIVE or awaited


def proved_nothing(visit: Visit) -> bool:
    return visit.change in (Change.SAME, Change.UNKNOWN)


def _group_order(group: ErrorGroup) -> tuple[int, str, int]:
    return -group.pages, group.reason, STATUS.number[group.status]


def _moment(entry: tuple[float, str]) -> float:
    return entry[0]
