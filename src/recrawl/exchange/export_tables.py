"""What is known as tables: each a list of typed columns and rows that stream out page by page."""

import json
from collections.abc import Callable, Iterator
from enum import StrEnum
from typing import Any

from recrawl.answers.indexing import Read
from recrawl.engine.asking.errand_pages import is_errand
from recrawl.index.entry import title_of
from recrawl.model.belief import unpack
from recrawl.model.document import Document, Media
from recrawl.model.event import CHANGES
from recrawl.model.failure import RecrawlError
from recrawl.model.page import Page, Status
from recrawl.model.values import dataclass
from recrawl.ports import Store

BATCH = 500
MOST_VISITS = 1_000_000

Row = tuple[object, ...]


class Type(StrEnum):
    TEXT = "text"
    INTEGER = "integer"
    NUMBER = "number"
    BOOLEAN = "boolean"
    MOMENT = "moment"  # epoch seconds in the row
    JSON = "json"  # any value; a column of text where a format has no such thing


@dataclass(frozen=True, slots=True)
class Column:
    name: str
    type: Type
    about: str


@dataclass(frozen=True, slots=True)
class Source:
    """What rows are read from. `read` None: without title, language and text of the copies."""

    store: Store
    site: str = ""
    read: Read | None = None
    seen: Callable[[int], None] = lambda pages: None  # told how many pages were walked through

    def pages(self) -> Iterator[Page]:
        """Errands of this folder's own crawl (a key file, a hub) are nobody else's."""
        after: int | None = None
        while found := self.store.scan(self.site, after, BATCH):
            yield from (page for page in found if not is_errand(page))
            after = found[-1].id
            self.seen(len(found))


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    columns: tuple[Column, ...]
    rows: Callable[[Source], Iterator[Row]]


def _table(name: str, rows: Callable[[Source], Iterator[Row]], *columns: tuple[str, Type, str]) -> Table:
    return Table(name, tuple(Column(*column) for column in columns), rows)


def _page_rows(source: Source) -> Iterator[Row]:
    for page in source.pages():
        document = _document(source, page)
        [belief] = unpack([page.belief])
        yield (
            page.url,
            page.site,
            page.kind.value,
            page.category or None,
            page.status.value,
            page.reason or None,
            title_of(document) or None if document else None,
            document.language or None if document else None,
            _text(document),
            f"sha256:{page.body_digest.hex()}" if page.body_digest else None,
            page.content_type or None,
            page.size_bytes,
            page.found_at or None,
            page.checked_at,
            page.changed_at,
            page.due_at,
            page.interval_s,
            page.visits,
            page.changes,
            page.importance,
            page.depth,
            page.target or None,
            int(belief["gaps"]),
            int(belief["changes"]),
            float(belief["watched_s"]),
            float(belief["quiet_s"]),
        )


def _document(source: Source, page: Page) -> Document | None:
    if source.read is None or page.status is not Status.LIVE:
        return None
    versions = source.store.versions(page.id, 1)
    try:
        return source.read(page, versions[0]) if versions else None
    except RecrawlError:
        return None


def _text(document: Document | None) -> str | None:
    return document.text if document and document.media is not Media.OTHER else None


def _version_rows(source: Source) -> Iterator[Row]:
    for page in source.pages():
        for one in reversed(source.store.versions(page.id)):
            place = (one.warc_file, one.warc_offset, one.warc_length)
            sizes = (one.body_bytes, one.text_bytes)
            yield page.url, page.site, one.at, one.digest, one.content_type or None, *sizes, one.share_changed, *place


def _visit_rows(source: Source) -> Iterator[Row]:
    for page in source.pages():
        for one in reversed(source.store.visits(page.id, MOST_VISITS)):
            proof = (one.status, one.evidence.value, str(one.change), one.failure or None)
            sizes = (one.received_bytes, one.changed_bytes)
            yield page.url, page.site, one.at, one.why.value, *proof, *sizes, one.conditional, one.milliseconds


def _change_rows(source: Source) -> Iterator[Row]:
    after = 0
    while found := source.store.events(after, CHANGES, BATCH):
        for one in found:
            if not source.site or one.site == source.site:
                digests = (one.digest or None, one.previous_digest or None)
                target = one.facts.get("target")
                yield one.cursor, one.kind.value, one.at, one.url, one.site, *digests, one.share_changed, target
        after = found[-1].cursor


def _record_rows(source: Source) -> Iterator[Row]:
    for page in source.pages():
        for one in source.store.records([page.id]):
            if not one.broken:
                yield page.url, page.site, one.at, one.place, one.kind or None, one.source.value, dict(one.data)


URL = ("url", Type.TEXT, "canonical address")
SITE = ("site", Type.TEXT, "name of the site file")

TABLES: dict[str, Table] = {
    "pages": _table(
        "pages",
        _page_rows,
        URL,
        SITE,
        ("kind", Type.TEXT, "general, list, detail or signal"),
        ("category", Type.TEXT, "by the site's patterns"),
        ("status", Type.TEXT, "new, live, moved, gone, refused or dropped"),
        ("reason", Type.TEXT, "why it stands so"),
        ("title", Type.TEXT, "of the newest version"),
        ("language", Type.TEXT, "of the newest version"),
        ("text", Type.TEXT, "main text of the newest version"),
        ("digest", Type.TEXT, "of the last body seen"),
        ("content_type", Type.TEXT, "as sent"),
        ("size_bytes", Type.INTEGER, "of the body"),
        ("found_at", Type.MOMENT, "first met"),
        ("checked_at", Type.MOMENT, "last visit that was evidence"),
        ("changed_at", Type.MOMENT, "last change found"),
        ("due_at", Type.MOMENT, "next visit"),
        ("interval_s", Type.NUMBER, "revisit interval chosen last"),
        ("visits", Type.INTEGER, "requests made"),
        ("changes", Type.INTEGER, "changes found"),
        ("importance", Type.NUMBER, "weight among pages"),
        ("depth", Type.INTEGER, "links away from a start page"),
        ("target", Type.TEXT, "where a moved page went"),
        ("belief_gaps", Type.INTEGER, "gaps between visits that were evidence"),
        ("belief_changes", Type.INTEGER, "gaps that ended in a change"),
        ("belief_watched_s", Type.NUMBER, "sum of the gaps"),
        ("belief_quiet_s", Type.NUMBER, "sum of those without a change"),
    ),
    "versions": _table(
        "versions",
        _version_rows,
        URL,
        SITE,
        ("at", Type.MOMENT, "when it was fetched"),
        ("digest", Type.TEXT, "sha256 of the body"),
        ("content_type", Type.TEXT, "as sent"),
        ("body_bytes", Type.INTEGER, "size of the body"),
        ("text_bytes", Type.INTEGER, "size of its text"),
        ("share_changed", Type.NUMBER, "against the version before; empty for the first"),
        ("warc_file", Type.TEXT, "where it lies"),
        ("warc_offset", Type.INTEGER, "where it lies"),
        ("warc_length", Type.INTEGER, "where it lies"),
    ),
    "visits": _table(
        "visits",
        _visit_rows,
        URL,
        SITE,
        ("at", Type.MOMENT, "when the request was sent"),
        ("why", Type.TEXT, "first, due, asked, notice, retry or probe"),
        ("status", Type.INTEGER, "HTTP status, 0 without an answer"),
        ("evidence", Type.TEXT, "kind of answer"),
        ("verdict", Type.TEXT, "new, same, changed, moved, gone or unknown"),
        ("failure", Type.TEXT, "why there was no answer"),
        ("received_bytes", Type.INTEGER, "over the wire"),
        ("changed_bytes", Type.INTEGER, "of the text"),
        ("conditional", Type.BOOLEAN, "asked with validators"),
        ("milliseconds", Type.NUMBER, "of the whole request"),
    ),
    "changes": _table(
        "changes",
        _change_rows,
        ("cursor", Type.INTEGER, "rising; `changes --since` goes on after it"),
        ("kind", Type.TEXT, "added, updated, moved or removed"),
        ("at", Type.MOMENT, "when it was found"),
        URL,
        SITE,
        ("digest", Type.TEXT, "of the new version"),
        ("previous_digest", Type.TEXT, "of the one before"),
        ("share_changed", Type.NUMBER, "of the text"),
        ("target", Type.TEXT, "of a move"),
    ),
    "records": _table(
        "records",
        _record_rows,
        URL,
        SITE,
        ("at", Type.MOMENT, "of the version it was read from"),
        ("place", Type.INTEGER, "of several on one page"),
        ("kind", Type.TEXT, "what it tells of"),
        ("source", Type.TEXT, "fields, json-ld, microdata or opengraph"),
        ("data", Type.JSON, "the fields"),
    ),
}


def as_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
