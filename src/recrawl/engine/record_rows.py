"""The records of a site as people ask for them: the newest, all, what changed, what is broken; and reading anew."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from recrawl.archive.documents import DocumentFolder, StoredDocument
from recrawl.engine.recording import FOLDER, read_records, source_of
from recrawl.engine.wrappers import SiteWrappers
from recrawl.extract.records_changes import changes_of
from recrawl.extract.records_page import open_page
from recrawl.model.batch import Batch
from recrawl.model.page import Page
from recrawl.model.record import FieldChange, Record
from recrawl.ports import Archive, Store

BATCH = 500  # pages


@dataclass(frozen=True, slots=True)
class Row:
    """A record and its page. `broken`: what could not be read from the page's newest version, where the wrapper broke
    after this record was read."""

    page: Page
    record: Record
    broken: Record | None = None


@dataclass(frozen=True, slots=True)
class BrokenWrapper:
    """Pages of a site that lack the same required fields."""

    site: str
    kind: str
    missing: tuple[str, ...]
    pages: int
    worked_before: int  # pages that had a record once
    since_at: float
    example: str


def newest(store: Store, site: str = "") -> Iterator[Row]:
    """The last record that could be read from each page."""
    for page, records in _by_page(store, site):
        good = [record for record in records if not record.broken]
        broken = records[-1] if records[-1].broken else None
        yield from (Row(page, record, broken) for record in good if record.at == good[-1].at)


def history(store: Store, site: str = "") -> Iterator[Row]:
    """Every record of every version, oldest first, page by page."""
    for page, records in _by_page(store, site):
        yield from (Row(page, record) for record in records if not record.broken)


def changes(store: Store, site: str = "", since_at: float = 0.0) -> list[tuple[Page, FieldChange]]:
    """In order of time."""
    found = [
        (page, change)
        for page, records in _by_page(store, site)
        for change in changes_of(records)
        if change.at >= since_at
    ]
    return sorted(found, key=lambda one: (one[1].at, one[0].url))


def broken_pages(store: Store, site: str = "") -> Iterator[Row]:
    """Pages whose newest version gave no record, with what was missing."""
    after: int | None = None
    while found := store.broken_records(site, after, BATCH):
        pages = {page.id: page for page in store.pages([record.page for record in found])}
        yield from (Row(pages[record.page], record, record) for record in found)
        after = found[-1].page


def broken_wrappers(store: Store, site: str = "") -> list[BrokenWrapper]:
    """The same, counted by what is missing; most pages first."""
    groups: dict[tuple[str, str, tuple[str, ...]], list[Row]] = {}
    for row in broken_pages(store, site):
        groups.setdefault((row.page.site, row.record.kind, row.record.missing), []).append(row)
    found = [
        BrokenWrapper(*key, len(rows), _had_records(store, rows), min(row.record.at for row in rows), rows[0].page.url)
        for key, rows in groups.items()
    ]
    return sorted(found, key=lambda one: (-one.pages, one.site, one.missing))


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


def _had_records(store: Store, rows: Sequence[Row]) -> int:
    ids = [row.page.id for row in rows]
    chunks = (store.records(ids[start : start + BATCH]) for start in range(0, len(ids), BATCH))
    return len({record.page for records in chunks for record in records if not record.broken})


def _by_page(store: Store, site: str) -> Iterator[tuple[Page, list[Record]]]:
    after: int | None = None
    while ids := store.record_pages(site, after, BATCH):
        pages = {page.id: page for page in store.pages(ids)}
        for page, records in groupby(store.records(ids), key=lambda record: record.page):
            if page in pages:
                yield pages[page], list(records)
        after = ids[-1]
