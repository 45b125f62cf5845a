"""The store over a database: the port's methods, each a few statements."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from heapq import nsmallest
from math import inf
from typing import Any

from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch, ErrorGroup, IntervalBand, Saved, Totals
from recrawl.model.event import Event, EventKind
from recrawl.model.notice import Notice
from recrawl.model.page import Page, Rank
from recrawl.model.server import RobotsFile, Server
from recrawl.model.visit import Version, Visit
from recrawl.ports import EVERY
from recrawl.store import codes, counts, rows
from recrawl.store.codes import LEAST, MOST
from recrawl.store.columns import pages_of
from recrawl.store.connection import Database, Session, enduring
from recrawl.store.counts import Count
from recrawl.store.hasten import hasten, hasten_stretch
from recrawl.store.record_reading import RecordReading
from recrawl.store.rows import Row
from recrawl.store.words import REMEMBERED, Words
from recrawl.store.writing import BatchWriter, WrittenBefore, words_of

STRETCH = 20_000  # pages or visits in one transaction of long work: others get their turn in between
FEW_SKIPPED = 2  # a page to skip on so many that are wanted: it is read with them, else ids are read first
SERVERS_AT_ONCE = (64, 1024, 16_384, EVERY)


class SqlStore(RecordReading):
    """Keeps the laws of `ports.Store`. Every thread may call it; a writer waits for its turn, a reader for nobody."""

    def __init__(self, database: Database) -> None:
        self.database = database
        self._sql = database.statements
        self._words = Words(self._learn_words, self._recall_words)
        self._presence: set[tuple[int, int]] = set()
        with database.reading() as session:
            self.partitions = int(session.value(self._sql.meta, self._sql.meta.bind(name="partitions")))

    def close(self) -> None:
        self.database.close()

    # writing

    @enduring
    def save(self, batch: Batch) -> Saved:
        """Addresses that are known already are sorted out before the transaction, while others may write: what is
        known once is known for good."""
        entered = self._not_known(batch.entered)
        try:
            return self._write(batch, entered)
        except WrittenBefore:
            return self._write(batch, entered, with_care=True)

    def _write(self, batch: Batch, entered: Sequence[Page], with_care: bool = False) -> Saved:
        numbers = self._words.numbers(words_of(batch, entered))
        with self.database.writing() as session:
            writer = BatchWriter(session, self._sql, numbers, self.partitions, self._presence, with_care)
            saved = writer.write(batch, entered)
        self._remember(writer.met)
        return saved

    def at_hand(self, *, to_read: bool = False) -> bool:
        return self.database.connections.at_hand(to_read=to_read)

    def _remember(self, met: Collection[tuple[int, int]]) -> None:
        """Which sites are known to have pages on which servers; beyond a limit the memory is emptied, not the table."""
        if len(self._presence) > REMEMBERED:
            self._presence = set()
        self._presence.update(met)

    def _not_known(self, pages: Iterable[Page]) -> list[Page]:
        unique: dict[int, Page] = {}
        for page in pages:
            unique.setdefault(page.id, page)
        if not unique:
            return []
        with self.database.reading() as session:
            unknown = {row[0] for row in session.rows_of(self._sql.unknown, unique)}
        return [page for number, page in unique.items() if number in unknown]

    @enduring
    def make_due(self, at: float, site: str = "", ids: Sequence[int] = (), rank: int | None = None) -> int:
        number = self._number_of_site(site)
        if number is None:
            return 0
        if ids:
            with self.database.writing() as session:
                found = session.rows_of(self._sql.places, set(ids))
                return hasten(session, self._sql, [row for row in found if not number or row[2] == number], at, rank)
        return self._in_stretches(
            self._sql.end_of_stretch,
            lambda session, from_id, to_id: hasten_stretch(session, self._sql, (from_id, to_id), number, at, rank),
        )

    @enduring
    def compact(self, before_at: float) -> int:
        forget = self._sql.forget_visits
        return self._compact_log(before_at) + self._in_stretches(
            self._sql.end_of_visit_stretch,
            lambda session, from_id, to_id: session.change(
                forget, forget.bind(from_id=from_id, to_id=to_id, before_at=before_at)
            ),
        )

    def _compact_log(self, before_at: float) -> int:
        """Nothing of before that moment stays there: what proved a change stands by page from then on."""
        end_of, keep, forget = self._sql.end_of_log_stretch, self._sql.keep_changes, self._sql.forget_logged
        forgotten = 0
        while True:
            with self.database.writing() as session:
                to_at = session.value(end_of, end_of.bind(before_at=before_at, limit=STRETCH))
                if to_at is None:
                    return forgotten
                kept = session.change(keep, keep.bind(to_at=to_at))
                forgotten += session.change(forget, forget.bind(to_at=to_at)) - kept

    @enduring
    def forget_events(self, through: int) -> int:
        """Those up to a cursor: for a shard, whose events the home tells."""
        with self.database.writing() as session:
            return session.change(self._sql.forget_events, self._sql.forget_events.bind(through=through))

    def _in_stretches(self, end_of: Any, work: Callable[[Session, int, int], int]) -> int:
        """Walk through everything in transactions short enough for others to get in between; the sum of the work."""
        done, from_id = 0, LEAST
        while True:
            with self.database.writing() as session:
                to_id = session.value(end_of, end_of.bind(from_id=from_id, limit=STRETCH))
                if to_id is None:
                    return done
                done += work(session, from_id, to_id)
            if to_id == MOST:
                return done
            from_id = to_id + 1

    @enduring
    def settle_server(self, server: str) -> float | None:
        """Most of the time the bound is right: then nothing is written and nobody waited for."""
        number = fingerprint(server)
        earliest_due, settle = self._sql.earliest_due, self._sql.settle_server
        earliest: float | None
        with self.database.reading() as session:
            earliest = session.value(earliest_due, earliest_due.bind(server=number))
            known = list(session.rows_of(self._sql.servers, [number]))
        if not known or rows.server_of(known[0]).next_due_at == earliest:
            return earliest
        with self.database.writing() as session:
            session.rows(self._sql.lock_server, self._sql.lock_server.bind(server=number))
            earliest = session.value(earliest_due, earliest_due.bind(server=number))
            session.change(settle, settle.bind(at=earliest, server=number))
        return earliest

    # reading for the engine

    @enduring
    def pages(self, ids: Sequence[int]) -> list[Page]:
        unique = list(dict.fromkeys(ids))
        with self.database.reading() as session:
            found = list(session.wide_rows_of(self._sql.pages, unique))
        pages = {page.id: page for page in self._pages_of(found)}
        return [pages[number] for number in unique if number in pages]

    @enduring
    def known(self, ids: Sequence[int]) -> set[int]:
        with self.database.reading() as session:
            unknown = {row[0] for row in session.rows_of(self._sql.unknown, ids)}
        return set(ids) - unknown

    @enduring
    def due(self, server: str, before_at: float, limit: int, skip: Collection[int] = ()) -> list[Page]:
        if limit <= 0:
            return []
        number, skipped = fingerprint(server), set(skip)
        with self.database.reading() as session:
            if len(skipped) <= limit // FEW_SKIPPED:
                found = self._due_rows(session, number, before_at, limit + len(skipped))
                wanted = [row for row in found if row[0] not in skipped][:limit] if skipped else found
                return self._pages_of(wanted, None if self._sql.arrays else server)
            sql = self._sql.due_ids
            heads = session.rows(sql, sql.bind(server=number, before_at=before_at, limit=limit + len(skipped)))
        return self.pages([row[0] for row in heads if row[0] not in skipped][:limit])

    def _due_rows(self, session: Session, server: int, before_at: float, limit: int) -> Sequence[Row]:
        """One statement a rank, which need not sort, where there is no network between; else one for all."""
        bounds = {"server": server, "before_at": before_at}
        if self._sql.arrays:
            return session.rows(self._sql.due, self._sql.due.bind(**bounds, limit=limit))
        sql, found = self._sql.due_of_rank, list[Row]()
        for rank in Rank.ALL:
            found += session.wide_rows(sql, sql.bind(**bounds, rank=rank, limit=limit - len(found)))
            if len(found) == limit:
                break
        return found

    @enduring
    def servers_due(self, partitions: Collection[int], before_at: float, limit: int) -> list[Server]:
        wanted = set(partitions)
        bounds = {"before_at": before_at, "limit": max(limit, 0)}
        with self.database.reading() as session:
            if len(wanted) >= self.partitions:
                found = session.rows(self._sql.servers_due, self._sql.servers_due.bind(**bounds))
            else:
                found = list(session.rows_of(self._sql.servers_due_in, wanted, **bounds))
        servers = sorted(map(rows.server_of, found), key=lambda server: (server.next_due_at or 0.0, server.key))
        return servers[: max(limit, 0)]

    @enduring
    def server(self, key: str) -> Server | None:
        with self.database.reading() as session:
            found = list(session.rows_of(self._sql.servers, [fingerprint(key)]))
        return rows.server_of(found[0]) if found else None

    @enduring
    def servers(self) -> list[Server]:
        with self.database.reading() as session:
            return [rows.server_of(row) for row in session.rows(self._sql.all_servers)]

    @enduring
    def robots(self, origin: str) -> RobotsFile | None:
        with self.database.reading() as session:
            found = session.rows(self._sql.robots, self._sql.robots.bind(origin=origin))
        return rows.robots_of(found[0]) if found else None

    @enduring
    def memo(self, key: str) -> bytes | None:
        with self.database.reading() as session:
            value: bytes | None = session.value(self._sql.memo, self._sql.memo.bind(key=key))
        return value

    @enduring
    def memos(self, keys: Collection[str]) -> dict[str, bytes]:
        with self.database.reading() as session:
            found = dict(session.rows_of(self._sql.memos, keys))
        return {key: found[key] for key in keys if key in found}

    # reading for people

    @enduring
    def scan(self, site: str = "", after: int | None = None, limit: int = 1000) -> list[Page]:
        number = self._number_of_site(site)
        if number is None or limit <= 0 or after == MOST:
            return []
        from_id = LEAST if after is None else after + 1
        bounds = {"from_id": from_id, "limit": limit, "site": number}
        rare = bool(number) and self._is_rare(number, limit)
        sql = self._sql.ids_by_servers if rare else self._sql.scan_site if number else self._sql.scan
        with self.database.reading() as session:
            found = (session.rows if rare else session.wide_rows)(sql, sql.bind(**bounds))
        return self.pages([row[0] for row in found]) if rare else self._pages_of(found)

    def _is_rare(self, site: int, limit: int) -> bool:
        """Is it less work to look at all pages of a site than to walk through all pages until enough are of it?"""
        everything, of_site = self._counts_of(0)[Count.PAGES], self._counts_of(site)[Count.PAGES]
        return of_site * of_site < limit * everything

    @enduring
    def visits(self, page: int, limit: int = 100) -> list[Visit]:
        with self.database.reading() as session:
            found = session.rows(self._sql.visits, self._sql.visits.bind(page=page, limit=max(limit, 0)))
        texts = self._words.texts(row[6] for row in found)
        return [rows.visit_of(row, texts) for row in found]

    @enduring
    def versions(self, page: int, limit: int = EVERY, until_at: float = inf) -> list[Version]:
        sql = self._sql.versions
        found = self.database.rows(sql, sql.bind(page=page, until_at=until_at, limit=max(limit, 0)))
        return self._versions_of(found)

    @enduring
    def newest_versions(self, pages: Sequence[int]) -> list[Version]:
        with self.database.reading() as session:
            found = list(session.rows_of(self._sql.newest_versions, pages))
        return self._versions_of(found)

    def _versions_of(self, found: Sequence[Row]) -> list[Version]:
        texts = self._words.texts(number for row in found for number in (row[3], row[9]))
        return [rows.version_of(row, texts) for row in found]

    @enduring
    def versions_in(self, warc_file: str, from_offset: int = 0) -> list[Version]:
        found: list[Row] = []
        end_of, there = self._sql.end_of_version_stretch, self._sql.versions_in
        with self.database.reading() as session:
            file = next((row[0] for row in session.rows_of(self._sql.word_numbers, [warc_file])), None)
        to_id: int | None = LEAST - 1
        while file is not None and to_id is not None and to_id < MOST:
            from_id = to_id + 1
            with self.database.reading() as session:
                to_id = session.value(end_of, end_of.bind(from_id=from_id, limit=STRETCH))
                values = {"from_id": from_id, "to_id": to_id, "file": file, "offset": from_offset}
                found += session.rows(there, there.bind(**values)) if to_id is not None else []
        return self._versions_of(found)

    @enduring
    def events(
        self, after: int = 0, kinds: Collection[EventKind] = (), limit: int = 1000, since_at: float = 0.0
    ) -> list[Event]:
        with self.database.reading() as session:
            if since_at > 0:
                first = session.value(self._sql.first_since, self._sql.first_since.bind(since_at=since_at))
                after = max(after, (first or 0) - 1)
            bounds = {"after": after, "since_at": since_at, "limit": max(limit, 0)}
            found = self._event_rows(session, {codes.EVENT.number[kind] for kind in kinds}, bounds)
        texts = self._words.texts(row[4] for row in found)
        return [rows.event_of(row, texts) for row in found]

    def _event_rows(self, session: Session, kinds: set[int], bounds: dict[str, Any]) -> list[Row]:
        if not kinds:
            return list(session.rows(self._sql.events, self._sql.events.bind(**bounds)))
        return list(session.rows_of(self._sql.events_of, kinds, **bounds))

    @enduring
    def notices(self, page: int | None = None, limit: int = 100) -> list[Notice]:
        sql = self._sql.notices if page is None else self._sql.notices_of_page
        with self.database.reading() as session:
            return [rows.notice_of(row) for row in session.rows(sql, sql.bind(page=page, limit=max(limit, 0)))]

    @enduring
    def totals(self, site: str = "", now: float = 0.0) -> Totals:
        number = self._number_of_site(site)
        if number is None:
            return Totals()
        sql = self._sql.count_due_of_site if number else self._sql.count_due
        with self.database.reading() as session:
            due = session.value(sql, sql.bind(now=now, site=number))
        return counts.totals(self._counts_of(number), due)

    @enduring
    def sites(self) -> list[str]:
        with self.database.reading() as session:
            kept = session.rows(self._sql.counts)
        numbers = [site for site, kind, amount in kept if kind == Count.PAGES and amount and site]
        texts = self._words.texts(numbers)
        return sorted(texts[number] for number in numbers)

    @enduring
    def next_due(self, limit: int = 20, site: str = "") -> list[Page]:
        """Servers come by a lower bound of their due times, so the search ends at the first one that is too late."""
        number = self._number_of_site(site)
        if number is None or limit <= 0:
            return []
        sql = self._sql.next_due_of_site if number else self._sql.next_due
        best: list[tuple[float, int]] = []
        with self.database.reading() as session:
            for server in self._soonest(session):
                if len(best) == limit and (server.next_due_at or 0.0) > best[-1][0]:
                    break
                bounds = sql.bind(server=fingerprint(server.key), before_at=inf, limit=limit, site=number)
                best = nsmallest(limit, [*best, *((row[0], row[1]) for row in session.rows(sql, bounds))])
        return self.pages([page for _, page in best])

    def _soonest(self, session: Session) -> Iterator[Server]:
        """Servers by their next due time, asked for as they are needed: a few, then more and more."""
        met: set[str] = set()
        for size in SERVERS_AT_ONCE:
            found = session.rows(self._sql.servers_due, self._sql.servers_due.bind(before_at=inf, limit=size))
            fresh = [server for server in map(rows.server_of, found) if server.key not in met]
            met.update(server.key for server in fresh)
            yield from fresh
            if len(found) < size:
                return

    @enduring
    def error_groups(self, site: str = "", limit: int = 100) -> list[ErrorGroup]:
        number = self._number_of_site(site)
        if number is None:
            return []
        sql = self._sql.error_groups_of_site if number else self._sql.error_groups
        with self.database.reading() as session:
            found = session.rows(sql, sql.bind(limit=max(limit, 0), site=number))
        examples = {page.id: page.url for page in self.pages([row[3] for row in found])}
        return [ErrorGroup(codes.STATUS.member[row[0]], row[1], row[2], examples[row[3]]) for row in found]

    @enduring
    def interval_histogram(self, site: str = "") -> list[IntervalBand]:
        number = self._number_of_site(site)
        return [] if number is None else counts.bands(self._counts_of(number))

    def _counts_of(self, site: int) -> Counter[int]:
        chosen: Counter[int] = Counter()
        with self.database.reading() as session:
            for owner, kind, amount in session.rows(self._sql.counts):
                if not site or owner == site:
                    chosen[kind] += amount
        return chosen

    def _pages_of(self, found: Sequence[Row], server: str | None = None) -> list[Page]:
        texts = self._words.texts(rows.page_words(found))
        return pages_of(found, texts, server)

    # words

    def _learn_words(self, texts: list[str]) -> list[tuple[int, str]]:
        """Words stay whatever becomes of the batch that brought them: a number, once seen, never changes."""
        with self.database.writing() as session:
            session.many(self._sql.add_words, [(text,) for text in texts])
            return [(row[0], row[1]) for row in session.rows_of(self._sql.word_numbers, texts)]

    def _recall_words(self, numbers: list[int]) -> list[tuple[int, str]]:
        with self.database.reading() as session:
            return [(row[0], row[1]) for row in session.rows_of(self._sql.word_texts, numbers)]
