"""What one commit writes, and the writing of it: WARC records first, then the state that points at them."""

from collections.abc import Sequence
from dataclasses import field

from recrawl.archive.documents import DocumentFolder, StoredDocument
from recrawl.model.batch import Batch, Saved
from recrawl.model.capture import Capture, Place
from recrawl.model.event import Event
from recrawl.model.notice import Notice
from recrawl.model.page import Page, Rank
from recrawl.model.record import Record
from recrawl.model.server import RobotsFile, Server
from recrawl.model.swift import swift
from recrawl.model.values import dataclass
from recrawl.model.visit import Version, Visit
from recrawl.ports import Archive, Store


@swift
@dataclass(frozen=True, slots=True)
class Copy:
    """A version to keep: its place is known once the archive has it."""

    capture: Capture
    page: int
    text_bytes: int = 0
    share_changed: float | None = None
    is_version: bool = True


@dataclass(slots=True)
class Ledger:
    """What the next commit will write."""

    pages: dict[int, Page] = field(default_factory=dict)
    entered: dict[int, Page] = field(default_factory=dict)
    servers: dict[str, Server] = field(default_factory=dict)
    confirmed: list[Page] = field(default_factory=list)  # those of `pages` of which a visit changed nothing of its own
    visits: list[Visit] = field(default_factory=list)
    copies: list[Copy] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    robots: list[RobotsFile] = field(default_factory=list)
    memos: dict[str, bytes] = field(default_factory=dict)
    records: list[Record] = field(default_factory=list)
    documents: list[StoredDocument] = field(default_factory=list)
    notices: list[Notice] = field(default_factory=list)
    outgrown: list[Version] = field(default_factory=list)  # versions to forget: a page has newer ones enough
    noticed: dict[int, float] = field(default_factory=dict)  # pages that notices make due, and when they came

    def __bool__(self) -> bool:
        told = self.events or self.robots or self.memos or self.notices or self.noticed
        return bool(self.pages or self.entered or self.servers or told)


def write(ledger: Ledger, archive: Archive, store: Store) -> Saved:
    """Carry one ledger out: archive first, then the store."""
    return save(ledger, archive.append(captures(ledger)), store)


def captures(ledger: Ledger) -> list[Capture]:
    """What the archive is to keep."""
    return [copy.capture for copy in ledger.copies]


def save(ledger: Ledger, places: Sequence[Place], store: Store, documents: DocumentFolder | None = None) -> Saved:
    """What the archive has kept at these places, and all else, into the store."""
    if documents is not None:
        documents.put(ledger.documents)
    versions = [
        Version(
            page=copy.page,
            at=copy.capture.at,
            digest=copy.capture.digest,
            warc_file=place.file,
            warc_offset=place.offset,
            warc_length=place.length,
            body_bytes=copy.capture.reply.body_bytes,
            text_bytes=copy.text_bytes,
            share_changed=copy.share_changed,
            content_type=copy.capture.reply.header("content-type")[:100],
        )
        for copy, place in zip(ledger.copies, places, strict=True)
        if copy.is_version
    ]
    saved = store.save(
        Batch(
            pages=tuple(ledger.pages.values()),
            confirmed=frozenset([page.id for page in ledger.confirmed if ledger.pages[page.id] is page]),
            entered=tuple(ledger.entered.values()),
            servers=tuple(ledger.servers.values()),
            visits=tuple(ledger.visits),
            versions=tuple(versions),
            events=tuple(ledger.events),
            robots=tuple(ledger.robots),
            memos=tuple(ledger.memos.items()),
            records=tuple(ledger.records),
            notices=tuple(ledger.notices),
            lost=tuple(ledger.outgrown),
        )
    )
    if ledger.noticed:
        store.make_due(max(ledger.noticed.values()), ids=tuple(ledger.noticed), rank=Rank.NOTICED)
    return saved
