"""The index follows the crawl: its own cursor over the events of the store, each event once, never in a fetch's way.

Whoever needs it fresh lets it catch up: a process beside a running crawl (`beside`), and every search.
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from importlib import import_module
from pathlib import Path

from recrawl.archive.folder import WarcArchive
from recrawl.config import Settings
from recrawl.extract.document import read
from recrawl.folder.folder import Folder
from recrawl.index.entry import entry_of, text_of_records
from recrawl.index.weights import WEIGHTS
from recrawl.index.words import EDITION, joined
from recrawl.model.capture import Place
from recrawl.model.directives import may_index
from recrawl.model.document import Document
from recrawl.model.event import CHANGES, Event, EventKind
from recrawl.model.failure import RecrawlError
from recrawl.model.page import Page, Status
from recrawl.model.search import Entry, Filter, Question, Sieve, Step
from recrawl.model.values import dataclass
from recrawl.model.visit import Version
from recrawl.ports import Archive, SearchIndex, Store
from recrawl.store.search.sqlite import SqliteSearch

BATCH = 64  # events a step
READER = "reader"
IN_POSTGRES = "recrawl.store.search.postgres"  # slow to import for those who have no such database

Read = Callable[[Page, Version], Document]


@dataclass(slots=True)
class Indexer:
    """Feeds one index. `history`: every version gets an entry, with the time it was current."""

    store: Store
    index: SearchIndex
    read: Read
    history: bool = False

    def step(self) -> int:
        """Take up the next events; how many, 0 if there are none."""
        after = self.index.cursor()
        events = self.store.events(after, CHANGES, BATCH)
        if events:
            step = Step(after, events[-1].cursor)
            self.index.apply(self._with_versions(step, events) if self.history else self._with_pages(step, events))
        return len(events)

    def catch_up(self, go_on: Callable[[], bool] = lambda: True) -> int:
        """Until there is nothing new, or `go_on` says no; how many events were taken up."""
        taken = 0
        while go_on() and (more := self.step()):
            taken += more
        return taken

    def reshelve(self) -> int:
        """A site that got another name is found under it, without reading its pages again; how many entries."""
        gone = {shelf.site for shelf in self.index.shelves()}.difference(self.store.sites())
        return sum(self._reshelved(site) for site in sorted(gone))

    def _reshelved(self, site: str) -> int:
        done, question = 0, Question(sieves=(Sieve(Filter.SITE, site),))
        while hits := self.index.find(question, BATCH).hits:
            owners = {page.id: page.site for page in self.store.pages([hit.entry.page for hit in hits])}
            put = [replace(hit.entry, site=owners.get(hit.entry.page, site)) for hit in hits]
            put = [entry for entry in put if entry.site != site]
            cursor = self.index.cursor()
            if not put or not self.index.apply(Step(cursor, cursor, put=tuple(put))):
                break
            done += len(put)
        return done

    def behind(self) -> int:
        """Events not taken up yet, counted up to a thousand."""
        return len(self.store.events(self.index.cursor(), CHANGES, 1000))

    def _with_pages(self, step: Step, events: Sequence[Event]) -> Step:
        """Pages as they stand now: those that can be found, those that cannot."""
        ids = [number for number in dict.fromkeys(event.page for event in events) if number is not None]
        entries = {page.id: self._newest(page) for page in self.store.pages(ids)}
        put = tuple(entry for entry in entries.values() if entry is not None)
        return replace(step, put=put, removed=tuple(number for number in ids if entries.get(number) is None))

    def _with_versions(self, step: Step, events: Sequence[Event]) -> Step:
        pages = {page.id: page for page in self.store.pages([event.page for event in events if event.page is not None])}
        put: list[Entry] = []
        for event in events:
            if event.page in pages and event.kind in (EventKind.ADDED, EventKind.UPDATED):
                put += self._at(pages[event.page], event.at)
        closed = tuple((event.page, event.at) for event in events if event.page is not None)
        return replace(step, put=tuple(put), closed=closed)

    def _newest(self, page: Page) -> Entry | None:
        versions = self.store.versions(page.id, 1) if page.status is Status.LIVE else []
        return self._entry(page, versions[0]) if versions else None

    def _at(self, page: Page, at: float) -> list[Entry]:
        """What was current from that moment on: a page that came back may show an older version."""
        entries = [self._entry(page, version) for version in self.store.versions(page.id, 1, at)]
        return [replace(entry, at=at) for entry in entries if entry]

    def _entry(self, page: Page, version: Version) -> Entry | None:
        """None: it asks not to be found, or its copy cannot be read."""
        try:
            document = self.read(page, version)
        except RecrawlError:
            return None
        if not may_index(document.directives, page.checked_at or version.at):
            return None
        records = [record for record in self.store.newest_records([page.id]) if record.at == version.at]
        return entry_of(page, version, document, text_of_records(records))


def reader_of(folder: Folder, settings: Settings, archive: Archive) -> Read:
    """Reads versions as the crawl read them: what a site ignores cannot be found, since its changes do not count."""
    ignored = {site.name: (*settings.detect.ignore, *site.ignore) for site in folder.sites()}

    def read_version(page: Page, version: Version) -> Document:
        payload = archive.read(Place(version.warc_file, version.warc_offset, version.warc_length))
        ignore = ignored.get(page.site, settings.detect.ignore)
        return read(payload.body, version.content_type, page.url, settings.extract, payload.headers, ignore)

    return read_version


def open_index(folder: Folder, settings: Settings, history: bool = False, readonly: bool = False) -> SearchIndex:
    """Where the store is: beside its tables in PostgreSQL, or in a file of its own in the folder."""
    if settings.state.store:
        search = import_module(IN_POSTGRES).PostgresSearch
        index: SearchIndex = search(settings.state.store, joined, EDITION, WEIGHTS, history, readonly)
        return index
    return SqliteSearch(index_file(folder, history), joined, EDITION, WEIGHTS, history, readonly)


def index_file(folder: Folder, history: bool = False) -> Path:
    return folder.path / ("search-versions.db" if history else "search.db")


@contextmanager
def indexer(folder: Folder, settings: Settings, store: Store, history: bool = False) -> Iterator[Indexer]:
    """An indexer of a folder, opened and closed again."""
    archive = WarcArchive(folder.archive, READER, settings.archive, lambda: 0.0, str)
    index = open_index(folder, settings, history)
    try:
        made = Indexer(store, index, reader_of(folder, settings, archive), history)
        made.reshelve()
        yield made
    finally:
        index.close()
        archive.close()
