"""One batch into one transaction."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from itertools import chain
from operator import attrgetter, itemgetter
from typing import TypeVar

from recrawl.model.address import fingerprint, partition_of
from recrawl.model.batch import Batch, Saved
from recrawl.model.event import Event
from recrawl.model.page import Page
from recrawl.model.record import Record
from recrawl.model.server import Server
from recrawl.model.site import Kind
from recrawl.model.swift import replace
from recrawl.model.visit import Version, Visit
from recrawl.store import codes, columns, counts, rows
from recrawl.store.book import Book
from recrawl.store.connection import Session
from recrawl.store.counts import Count, Counts
from recrawl.store.texts import Sql
from recrawl.store.visit_line import Line, lined_up

Fact = TypeVar("Fact", Visit, Version)
EventKey = tuple[float, ...]
SIGNAL = codes.KIND.number[Kind.SIGNAL]
SITE, CATEGORY, CONTENT_TYPE, FAILURE, PAGE = map(attrgetter, ("site", "category", "content_type", "failure", "page"))
SAME = 4  # so many columns of `standings` are id, site, kind and status
PLACE, NEWEST = 7, 8  # these are where the page lies and its newest visit
LAST = itemgetter(-1)


def words_of(batch: Batch, entered: Iterable[Page]) -> set[str]:
    """The texts of a batch that rows refer to by number."""
    pages = (*batch.pages, *entered)
    words = {*map(SITE, pages), *map(CATEGORY, pages), *map(CONTENT_TYPE, pages)}
    words |= {*map(FAILURE, batch.visits), *map(SITE, batch.events)}
    words |= {version.warc_file for version in batch.versions} | {one.content_type for one in batch.versions}
    return words | {record.kind for record in batch.records} | {record.wrapper for record in batch.records}


class WrittenBefore(Exception):
    """Some facts of a batch were there already: undo the transaction, and write the batch with care."""


class BatchWriter:
    """Writes one batch and keeps the counts. `numbers` holds the numbers of the batch's words. Facts are hardly ever
    written twice (by whoever did not hear that a commit succeeded): only `with_care` it is asked before which are
    there."""

    def __init__(
        self,
        session: Session,
        statements: Book,
        numbers: Mapping[str, int],
        partitions: int,
        present: Collection[tuple[int, int]] = (),
        with_care: bool = False,
    ) -> None:
        self._session, self._sql, self._numbers, self._partitions = session, statements, numbers, partitions
        self._present = present  # sites known to have pages on servers
        self._with_care = with_care
        self.met: set[tuple[int, int]] = set()  # those that this batch adds
        self._counts: Counts = Counter()

    def write(self, batch: Batch, entered: Sequence[Page]) -> Saved:
        """`entered`: those of the batch that were not known a moment ago, each once."""
        fresh = self._enter(entered)
        newest = {page.id: page for page in batch.pages}
        stood = self._leave_standings(batch, newest)
        line = self._line_up(batch.visits, stood)
        sites = {number: row[1] for number, row in stood.items()}
        sites.update(self._put_pages(newest, batch.confirmed, stood, line))
        self._meet_servers([*fresh, *batch.pages])
        visits = self._add_visits(line)
        counts.add_visits(self._counts, visits, [sites.get(page, rows.NO_WORD) for page in map(PAGE, visits)])
        for version in self._new_versions(batch.versions):
            self._counts[sites.get(version.page, rows.NO_WORD), Count.VERSIONS] += 1
        self._put_records(batch.records)
        self._forget(batch.lost, sites)
        self._put_servers(batch.servers)
        self._session.many(self._sql.put_robots, _last(1, map(rows.robots_row, batch.robots)))
        self._session.many(self._sql.put_memos, _last(1, batch.memos))
        self._session.many(self._sql.put_notices, _last(4, map(rows.notice_row, batch.notices)))
        self._add_counts()
        return Saved(frozenset(page.id for page in fresh), self._tell(batch.events))

    def _enter(self, pages: Sequence[Page]) -> list[Page]:
        """Insert those that are still unknown now that nobody else writes; where others do, the database tells."""
        fresh = list(pages)
        if not self._sql.arrays:
            unknown = {row[0] for row in self._session.rows_of(self._sql.unknown, [page.id for page in pages])}
            fresh = [page for page in pages if page.id in unknown]
        new = self._session.new(self._sql.enter_pages, columns.page_rows(fresh, self._numbers))
        fresh = [page for page in fresh if page.id in new]
        seen = self._last_visits([page.id for page in fresh])
        self._put([page for page in fresh if page.id in seen], seen)
        self._stand(columns.standing_rows(fresh, self._numbers), 1)
        return fresh

    def _last_visits(self, ids: Collection[int]) -> dict[int, float | None]:
        """Of pages that nobody knew, if they were visited all the same."""
        return dict(self._session.rows_of(self._sql.last_visits, ids))

    def _put_pages(
        self, newest: Mapping[int, Page], confirmed: Collection[int], stood: Mapping[int, rows.Row], line: Line
    ) -> dict[int, int]:
        """Overwrite pages, or what a visit changes that only confirmed them; the sites of all."""
        stands = columns.standing_rows(newest.values(), self._numbers)
        stays = {row[0] for row in stands if row[0] in confirmed and stood.get(row[0], ())[:SAME] == row[:SAME]}
        seen = self._last_visits(newest.keys() - stood.keys())
        seen.update((page, max(at, seen.get(page) or at)) for page, at in line.last_at.items())
        seen.update(line.newest)
        self._confirm([newest[number] for number in stays], seen, stood)
        if len(stays) < len(newest):
            self._put([page for number, page in newest.items() if number not in stays], seen)
        self._stand(stands, 1)
        elsewhere = {visit.page for visit in line.logged} - newest.keys()
        self._session.many(self._sql.date_pages, [(seen[page], stood[page][PLACE]) for page in elsewhere])
        return {row[0]: row[1] for row in stands}

    def _put(self, pages: Collection[Page], seen: Mapping[int, float | None]) -> None:
        self._session.many(self._sql.put_pages, columns.page_rows(pages, self._numbers, _dated(pages, seen)))

    def _confirm(
        self, pages: Collection[Page], seen: Mapping[int, float | None], stood: Mapping[int, rows.Row]
    ) -> None:
        """In the order that the rows lie in."""
        places = [stood[page.id][PLACE] for page in pages]
        changes = columns.confirmed_rows(pages, _dated(pages, seen), places)
        self._session.many(self._sql.confirm_pages, sorted(changes, key=LAST))

    def _stand(self, stands: Iterable[rows.Row], amount: int) -> None:
        """A sitemap or feed is not one of the pages."""
        for (site, status, *rest), number in counts.alike([row for row in stands if row[2] != SIGNAL]).items():
            kinds = counts.kinds(codes.STATUS.member[status], *rest)
            counts.add_standing(self._counts, site, kinds, number * amount)

    def _leave_standings(self, batch: Batch, overwritten: Mapping[int, Page]) -> dict[int, rows.Row]:
        """The rows of `standings` of all pages that the batch speaks of."""
        facts = (batch.visits, batch.versions, batch.lost)
        spoken_of = {*overwritten, *map(PAGE, chain.from_iterable(facts))}
        found = list(self._session.wide_rows_of(self._sql.standings, spoken_of))
        self._stand([row for row in found if row[0] in overwritten], -1)
        return {row[0]: row for row in found}

    def _meet_servers(self, pages: Iterable[Page]) -> None:
        """See that every server of these pages is there and due no later than they are."""
        due = defaultdict[tuple[str, str], list[float | None]](list)
        for page in pages:
            due[page.site, page.server].append(page.due_at)
        met: dict[str, tuple[float | None, int]] = {}
        for (name, key), moments in due.items():
            sooner, site = met.get(key, (None, rows.NO_WORD))
            scheduled = [at for at in (sooner, *moments) if at is not None]
            met[key] = min(scheduled, default=None), site or self._numbers[name]
        self._session.many(
            self._sql.meet_servers,
            (
                rows.server_row(Server(key, next_due_at=due_at), partition_of(key, self._partitions), site)
                for key, (due_at, site) in met.items()
            ),
        )
        adopt = self._sql.adopt_servers
        owned = ((key, site) for key, (_, site) in met.items() if site != rows.NO_WORD)
        self._session.many(adopt, (adopt.bind(server=fingerprint(key), owner=site) for key, site in owned))
        self.met = {(self._numbers[site], fingerprint(key)) for site, key in due}.difference(self._present)
        self._session.many(self._sql.add_presence, self.met)

    def _put_servers(self, servers: Sequence[Server]) -> None:
        newest = {fingerprint(server.key): server for server in servers}
        known = {row[0]: (row[1], row[2]) for row in self._session.rows_of(self._sql.server_requests, newest)}
        for number, server in newest.items():
            site, requests = known.get(number, (rows.NO_WORD, 0))
            self._counts[site, Count.REQUESTS] += server.requests - requests
        self._session.many(self._sql.put_servers, map(self._server_row, newest.values()))

    def _server_row(self, server: Server) -> tuple[object, ...]:
        """A new server has no pages yet, so nothing due; one that is there keeps its next due time."""
        partition = partition_of(server.alias_of or server.key, self._partitions)
        return rows.server_row(replace(server, next_due_at=None), partition, rows.NO_WORD)

    def _new_versions(self, versions: Sequence[Version]) -> list[Version]:
        """Insert those whose key (page, moment) is not there, and answer with these."""
        fresh = self._fresh(versions, self._sql.versions_since)
        self._add(self._sql.add_versions, columns.version_rows(fresh, self._numbers))
        return fresh

    def _line_up(self, visits: Sequence[Visit], stood: Mapping[int, rows.Row]) -> Line:
        """Whatever was written before is late: nothing else comes so, or hardly ever."""
        fresh = self._fresh(visits, self._sql.visits_since)
        if self._with_care and fresh:
            moments = {visit.at for visit in fresh}
            logged = {(page, at) for page, at in self._session.rows_of(self._sql.visits_logged, moments)}
            fresh = [visit for visit in fresh if (visit.page, visit.at) not in logged]
        line = lined_up(fresh, {number: row[NEWEST] for number, row in stood.items()})
        if line.late and not self._with_care:
            raise WrittenBefore
        return line

    def _add_visits(self, line: Line) -> list[Visit]:
        self._add(self._sql.log_visits, columns.visit_rows(line.logged, self._numbers, line.before_at))
        by_page = [*line.strange, *line.late]
        self._add(self._sql.add_visits, columns.visit_rows(by_page, self._numbers))
        return line.logged + by_page

    def _fresh(self, facts: Sequence[Fact], keys_since: Callable[[int], Sql]) -> list[Fact]:
        """One of each key (page, moment); with care only those that are not there."""
        if not self._with_care and len({*map(PAGE, facts)}) == len(facts):
            return list(facts)  # as nearly always
        fresh = {(fact.page, fact.at): fact for fact in reversed(facts)}
        if self._with_care and facts:
            since_at = min(fact.at for fact in facts)
            pages = {fact.page for fact in facts}
            for page, at in self._session.rows_of(keys_since, pages, since_at=since_at):
                fresh.pop((page, at), None)
        return list(fresh.values())

    def _add(self, add: Sql, facts: Sequence[tuple[object, ...]]) -> None:
        if self._session.added(add, facts) < len(facts):
            raise WrittenBefore

    def _put_records(self, records: Sequence[Record]) -> None:
        """What was read from a version takes the place of what was read from it before."""
        forget = self._sql.forget_records
        versions = {(record.page, record.at) for record in records}
        self._session.many(forget, (forget.bind(page=page, at=at) for page, at in sorted(versions)))
        newest = {(record.page, record.at, record.place): record for record in records}
        self._session.many(self._sql.add_records, (rows.record_row(one, self._numbers) for one in newest.values()))

    def _forget(self, lost: Sequence[Version], sites: Mapping[int, int]) -> None:
        """Versions, and what was read from them."""
        version, records = self._sql.forget_version, self._sql.forget_records
        for one in lost:
            gone = self._session.change(version, version.bind(page=one.page, at=one.at))
            self._session.change(records, records.bind(page=one.page, at=one.at))
            self._counts[sites.get(one.page, rows.NO_WORD), Count.VERSIONS] -= gone

    def _add_counts(self) -> None:
        changed = ((site, kind, amount) for (site, kind), amount in self._counts.items() if amount)
        self._session.many(self._sql.add_counts, sorted(changed))

    def _tell(self, events: Sequence[Event]) -> tuple[int, ...]:
        """Append events; one that speaks of a page is told once. Cursors, one for each."""
        keys = [_event_key(event, place) for place, event in enumerate(events)]
        cursors = self._told(events)
        fresh: dict[EventKey, Event] = {}
        for key, event in zip(keys, events, strict=True):
            if key not in cursors:
                fresh.setdefault(key, event)
        if fresh:
            last = self._session.value(self._sql.take_cursors, self._sql.take_cursors.bind(events=len(fresh)))
            cursors.update(zip(fresh, range(last - len(fresh) + 1, last + 1), strict=True))
        told = columns.event_rows(fresh.values(), self._numbers)
        self._session.many(self._sql.add_events, [(cursors[key], *row) for key, row in zip(fresh, told, strict=True)])
        return tuple(cursors[key] for key in keys)

    def _told(self, events: Sequence[Event]) -> dict[EventKey, int]:
        """Cursors of what was told before about the pages of these events."""
        pages = {event.page for event in events if event.page is not None}
        since_at = min((event.at for event in events), default=0.0)
        told = self._session.rows_of(self._sql.told_since, pages, since_at=since_at)
        return {(page, at, kind): cursor for page, at, kind, cursor in told}


def _dated(pages: Iterable[Page], seen: Mapping[int, float | None]) -> list[float | None]:
    """What `visited_at` says beside `checked_at`: nearly always nothing."""
    return [None if (at := seen.get(page.id)) == page.checked_at else at for page in pages]


def _last(key_columns: int, batch: Iterable[tuple[object, ...]]) -> Iterable[tuple[object, ...]]:
    """The last row of each key: a statement may not meet a row twice."""
    return {row[:key_columns]: row for row in batch}.values()


def _event_key(event: Event, place: int) -> EventKey:
    """What makes an event the same one; of no page, its place in the batch: never the same as another."""
    if event.page is None:
        return (place,)
    return event.page, event.at, codes.EVENT.number[event.kind]
