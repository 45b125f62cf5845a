"""From a page as fetched to its records, its news when the wrapper breaks, and its plain copy (S0.6, S2.4)."""

from collections.abc import Callable, Mapping, Sequence

from recrawl.archive.documents import StoredDocument
from recrawl.engine.settling.arrival import Arrival
from recrawl.engine.settling.ledger import Ledger
from recrawl.engine.settling.wrappers import READY_MADE, Reader, SiteWrappers
from recrawl.extract.turbo_late import open_page
from recrawl.extract.wrapper import Extraction
from recrawl.model.capture import Place
from recrawl.model.document import Media
from recrawl.model.event import Event, EventKind
from recrawl.model.failure import RecrawlError
from recrawl.model.page import Page
from recrawl.model.record import Record
from recrawl.model.values import dataclass
from recrawl.model.verdict import Change
from recrawl.model.visit import Evidence, Version
from recrawl.ports import Archive, Store

FRESH = (Change.NEW, Change.CHANGED)
SHOWN_FAULTS = 5
FOLDER = "folder"  # a site's `archive`

Headers = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class Source:
    """The bytes that records are read from, and the version they belong to."""

    at: float
    body: bytes
    content_type: str
    headers: Headers = ()


class Recorder:
    """Notes in the ledger what judged visits brought: a version that is new is read, and one that is known is read
    again when the site file's fields have changed since. `begin` hears which page is read next."""

    def __init__(
        self,
        store: Store,
        archive: Archive,
        wrappers: Mapping[str, SiteWrappers],
        begin: Callable[[int], None] = lambda page: None,
    ) -> None:
        self._store, self._archive, self._wrappers, self._begin = store, archive, wrappers, begin
        self._in_folder = {name for name, one in wrappers.items() if one.site.archive == FOLDER}
        self._wanting = {name for name, one in wrappers.items() if one.site.fields}  # these read a known version again

    def note(self, arrivals: Sequence[Arrival], ledger: Ledger) -> None:
        told = [one for one in arrivals if one.verdict.change in FRESH or one.page.site in self._wanting]
        in_folder = [one for one in told if one.page.site in self._in_folder]
        ledger.documents += [copy for one in in_folder if (copy := self._copy(one)) is not None]
        offering = [one for one in told if one.page.site in self._wanting or (one.document and one.document.offers)]
        readable = [(one, reader) for one in offering if (reader := self._reader(one)) is not None]
        seen = [one.page.id for one, _ in readable if one.page.checked_at is not None]
        newest: dict[int, list[Record]] = {}
        for record in self._store.newest_records(seen) if seen else ():
            newest.setdefault(record.page, []).append(record)
        for one, reader in readable:
            previous = newest.get(one.page.id, [])
            source = self._source(one, reader, previous)
            if source is not None:
                self._begin(one.page.id)
                records, faults = read_records(one.page, source, reader)
                ledger.records += records
                ledger.events += news(one.page, records, previous, faults)

    def _reader(self, one: Arrival) -> Reader | None:
        """Nothing is read from what may not be kept, nor again from what offers itself ready-made."""
        wrappers = self._wrappers.get(one.page.site)
        if wrappers is None or not one.keep:
            return None
        if one.verdict.change in FRESH:
            if not wrappers.site.fields and not (one.document and one.document.offers):
                return None
            return wrappers.reader(one.page)
        again = one.verdict.change is Change.SAME and bool(wrappers.site.fields)
        return wrappers.reader(one.page) if again else None

    def _source(self, one: Arrival, reader: Reader, previous: Sequence[Record]) -> Source | None:
        reply = one.reply
        if one.verdict.change in FRESH:
            is_whole = reply.evidence is Evidence.DOCUMENT and not reply.let_go_bytes
            return Source(reply.at, reply.body, reply.header("content-type"), reply.headers) if is_whole else None
        if previous and previous[0].wrapper == reader.digest:
            return None
        versions = self._store.versions(one.page.id, 1)
        return source_of(self._archive, versions[0]) if versions else None

    def _copy(self, one: Arrival) -> StoredDocument | None:
        """S2's stored form of a new version, where the site wants it and did when it was asked for."""
        wrappers = self._wrappers.get(one.page.site)
        if wrappers is None or not one.keep:
            return None
        if one.verdict.change not in FRESH or one.document is None or one.document.media is not Media.HTML:
            return None
        if one.reply.let_go_bytes:
            return None
        page = one.page
        return StoredDocument(page.url, page.site, page.category, one.reply.at, one.reply.body)


def read_records(page: Page, source: Source, reader: Reader) -> tuple[list[Record], Sequence[str]]:
    """The records of one version, and what was wrong with its texts. A wrapper that finds nothing leaves the fact,
    never an empty record."""
    opened = open_page(source.body, source.content_type, page.url, source.headers)
    if opened is None:
        return [], ()
    if reader.wrapper is None:
        items = enumerate(opened.ready_made())
        return [Record(page.id, source.at, n, one.kind, one.source, one.data, (), READY_MADE) for n, one in items], ()
    found = opened.by(reader.wrapper)
    missing = _missing(found)
    record = Record(
        page.id, source.at, kind=reader.kind, data={} if missing else found.data, missing=missing, wrapper=reader.digest
    )
    return [record], found.faults


def _missing(found: Extraction) -> tuple[str, ...]:
    return found.missing or (tuple(found.data) if found.empty else ())


def news(page: Page, records: Sequence[Record], previous: Sequence[Record], faults: Sequence[str]) -> list[Event]:
    """A page whose wrapper worked and does not any more, or does again."""
    if not records or not previous or records[0].broken == previous[0].broken:
        return []
    kind = EventKind.WRAPPER_BROKEN if records[0].broken else EventKind.WRAPPER_MENDED
    facts: dict[str, object] = {"previous_at": previous[0].at}
    if records[0].broken:
        facts |= {"missing": list(records[0].missing), "faults": list(faults[:SHOWN_FAULTS])}
    return [Event(kind, records[0].at, page.url, page.site, page.id, facts=facts)]


def source_of(archive: Archive, version: Version) -> Source | None:
    """A kept version, read back; None where it cannot be."""
    try:
        payload = archive.read(Place(version.warc_file, version.warc_offset, version.warc_length))
    except RecrawlError:
        return None
    return Source(version.at, payload.body, version.content_type, payload.headers)
