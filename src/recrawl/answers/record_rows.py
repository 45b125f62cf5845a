"""The records of a site as people ask for them: the newest, all, what changed, what is broken; and reading anew."""

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import groupby, takewhile

from recrawl.archive.documents import DocumentFolder, StoredDocument
from recrawl.engine.settling.recording import FOLDER, read_records, source_of
from recrawl.engine.settling.wrappers import SiteWrappers
from recrawl.extract.records_changes import changes_of
from recrawl.extract.records_page import open_page
from recrawl.model.batch import Batch
from recrawl.model.page import Page
from recrawl.model.record import FieldChange, Record
from recrawl.model.site import Site
from recrawl.model.values import dataclass
from recrawl.ports import Archive, Store

BATCH = 500  # pages


@dataclass(frozen=True, slots=True)
class Row:
    """A record and its page. `broken`: what could not be read from the page's newest version, where the wrapper broke
    after this record was read (or never worked: then it is the record itself). `broken_at`: since when."""

    page: Page
    record: Record
    broken: Record | None = None
    broken_at: float | None = None

    @property
    def worked_before(self) -> bool:
        return not self.record.broken


@dataclass(frozen=True, slots=True)
class BrokenWrapper:
    """Pages of a site that lack the same required fields. `worked_before`: they had records once."""

    site: str
    kind: str
    missing: tuple[str, ...]
    worked_before: bool
    pages: int
    since_at: float
    example: str


def newest(store: Store, site: str = "", page: int | None = None) -> Iterator[Row]:
    """The last record that could be read from each page of a site, or from one page."""
    for owner, records in _by_page(store, site, page):
        good = [record for record in records if not record.broken]
        broken = records[-1] if records[-1].broken else None
        since_at = _broken_at(records) if broken else None
        yield from (Row(owner, record, broken, since_at) for record in good if record.at == good[-1].at)


def history(store: Store, site: str = "", page: int | None = None) -> Iterator[Row]:
    """Every record of every version, oldest first, page by page."""
    for owner, records in _by_page(store, site, page):
        yield from (Row(owner, record) for record in records if not record.broken)


def changes(
    store: Store, site: str = "", page: int | None = None, since_at: float = 0.0
) -> list[tuple[Page, FieldChange]]:
    """In order of time."""
    found = [
        (owner, change)
        for owner, records in _by_page(store, site, page)
        for change in changes_of(records)
        if change.at >= since_at
    ]
    return sorted(found, key=lambda one: (one[1].at, one[0].url))


def broken_pages(store: Store, site: str = "", page: int | None = None) -> Iterator[Row]:
    """Pages whose newest version gave no record: what was missing, and the last record they gave, if any."""
    after: int | None = None
    while found := store.broken_records(site, after, BATCH):
        ids = [record.page for record in found if page in (None, record.page)]
        pages = {one.id: one for one in store.pages(ids)}
        told = {key: list(records) for key, records in groupby(store.records(ids), key=lambda one: one.page)}
        for record in found:
            records = told.get(record.page, ())
            if record.page in pages and records and records[-1].broken:  # else it was mended just now
                last = next((one for one in reversed(records) if not one.broken), record)
                yield Row(pages[record.page], last, record, _broken_at(records))
        after = found[-1].page


def broken_wrappers(store: Store, sites: Collection[Site] = (), site: str = "") -> list[BrokenWrapper]:
    """The same, counted by what is missing; what broke last comes first. On a site without patterns the fields are
    looked for everywhere, so a page that never had them is no news there."""
    everywhere = {one.name for one in sites if not one.patterns}
    groups: dict[tuple[str, str, tuple[str, ...], bool], list[Row]] = {}
    for row in broken_pages(store, site):
        broken = row.broken or row.record
        if row.worked_before or row.page.site not in everywhere:
            groups.setdefault((row.page.site, broken.kind, broken.missing, row.worked_before), []).append(row)
    found = [BrokenWrapper(*key, len(rows), _since(rows), rows[0].page.url) for key, rows in groups.items()]
    return sorted(found, key=lambda one: (-one.since_at, -one.pages, one.site, one.missing))


def read_again(store: Store, archive: Archive, wrappers: SiteWrappers, documents: DocumentFolder) -> Counter[str]:
    """Read every kept version of a site anew, by the fields as they are written now."""
    counts: Counter[str] = Counter()
    after: int | None = None
    while pages := store.scan(wrappers.site.name, after, BATCH):
        for page in pages:
            records = _read_page(store, archive, wrappers, documents, page)
            store.save(Batch(records=tuple(records)))
            counts["records"] += sum(not record.broken for record in records)
            counts["broken"] += sum(record.broken for record in records)
        after = pages[-1].id
        counts["pages"] += len(pages)
    return counts


def _read_page(
    store: Store, archive: Archive, wrappers: SiteWrappers, documents: DocumentFolder, page: Page
) -> list[Record]:
    reader = wrappers.reader(page)
    wants_copy = wrappers.site.archive == FOLDER
    records: list[Record] = []
    versions = store.versions(page.id) if reader or wants_copy else []
    for place, version in enumerate(versions):
        source = source_of(archive, version) if reader or place == 0 else None
        if source is None:
            continue
        if wants_copy and place == 0 and open_page(source.body, source.content_type, page.url, source.headers):
            documents.put([StoredDocument(page.url, page.site, page.category, source.at, source.body)])
        records += read_records(page, source, reader)[0] if reader else []
    return records


def _since(rows: Sequence[Row]) -> float:
    return min(row.record.at if row.broken_at is None else row.broken_at for row in rows)


def _broken_at(records: Sequence[Record]) -> float:
    """Of one page, oldest first, the last of them broken: when the first of those was read that are in a row."""
    return [*takewhile(lambda one: one.broken, reversed(records))][-1].at


def _by_page(store: Store, site: str, page: int | None) -> Iterator[tuple[Page, list[Record]]]:
    if page is not None:
        records = store.records([page])
        yield from ((owner, records) for owner in store.pages([page]) if records)
        return
    after: int | None = None
    while ids := store.record_pages(site, after, BATCH):
        pages = {page.id: page for page in store.pages(ids)}
        for owner, group in groupby(store.records(ids), key=lambda record: record.page):
            if owner in pages:
                yield pages[owner], list(group)
        after = ids[-1]
