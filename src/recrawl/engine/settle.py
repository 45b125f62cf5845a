"""Group commit: what the lanes found becomes durable and then known.

The order is the order of durability: WARC record flushed → state committed → outcome told. Filled by the lanes, emptied
by one writer at a time; a lane that runs too far ahead waits: written and gathering visits together are at most two
batches. A kill loses these; their answers are in the journal. Where there is none they are asked for again: then fewer
than twenty bring documents, and fewer than twenty are of one server, with a gap never more than one.
"""

import asyncio
from collections import Counter
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import field
from types import TracebackType

from recrawl.archive.documents import DocumentFolder, StoredDocument
from recrawl.engine.allocator import trim
from recrawl.engine.arrival import Arrival
from recrawl.model.batch import Batch, Saved
from recrawl.model.capture import Capture
from recrawl.model.event import Event
from recrawl.model.notice import Notice
from recrawl.model.page import Page, Rank
from recrawl.model.record import Record
from recrawl.model.server import RobotsFile, Server
from recrawl.model.site import Kind
from recrawl.model.swift import swift
from recrawl.model.values import dataclass
from recrawl.model.visit import Evidence, Version, Visit
from recrawl.ports import Archive, Store

Offload = Callable[..., Awaitable[Saved]]

LONGEST_PATIENCE_S = 0.1  # that a visit waits for others to be written with
BATCH_BYTES = 768 * 1024  # of answers that are gathered: enough, however few they are
BATCH_REPEATED = 16  # documents of all servers, or visits of one: a kill has them asked for again
MOST_REPEATED = 18  # written and gathering together
GAP_SHARE = 8  # and at most such a part of its server's gap: a kill then repeats no more than the request under way
LARGE_BYTES = 4 * 1024 * 1024  # of answers just written: worth giving memory back, which the next batch asks for again
MOST_BYTES = 24 * 1024 * 1024  # of answers handed over and not yet written


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


def write(ledger: Ledger, archive: Archive, store: Store, documents: DocumentFolder | None = None) -> Saved:
    """Carry one ledger out: archive first, then the store."""
    places = archive.append([copy.capture for copy in ledger.copies])
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
            body_bytes=len(copy.capture.reply.body),
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


class Settler:
    """`prepare` turns arrivals into a ledger (on the loop), `carry_out` writes it (off the loop),
    `settled` hears of it afterwards. `loop_s`: the loop's seconds for those of the clock. `repeats`: what a kill loses
    is asked for again."""

    def __init__(
        self,
        prepare: Callable[[Sequence[Arrival], Ledger], None],
        carry_out: Callable[[Ledger], Awaitable[Saved]],
        settled: Callable[[Ledger, Saved], None],
        most: int,
        loop_s: Callable[[float], float] = float,
        repeats: bool = True,
    ) -> None:
        self._prepare, self._carry_out, self._settled, self._loop_s = prepare, carry_out, settled, loop_s
        self._most, self._repeats = most, repeats
        self._arrivals: list[Arrival] = []
        self.ledger = Ledger()
        self._writer: asyncio.Task[None] | None = None
        self._room = asyncio.Event()
        self._error: BaseException | None = None
        self._origin: TracebackType | None = None
        self._bytes = 0  # of the answers handed over and not yet written
        self._documents = 0  # among those handed over and not yet written
        self._visits: Counter[str] = Counter()  # the same of all visits, by server
        self._repeated = 0  # the most that a kill would have asked for again of those gathered
        self._gathered: Counter[str] = Counter()  # documents, and visits by server
        self._given = self._taken = 0  # arrivals handed over, and those of which everything is known
        self._written = asyncio.Event()
        self._enough = asyncio.Event()
        self._hurried = False
        self._patience_s = LONGEST_PATIENCE_S  # of the least patient visit that is gathered

    @property
    def idle(self) -> bool:
        return not self._arrivals and not self.ledger and (self._writer is None or self._writer.done())

    @property
    def _is_full(self) -> bool:
        enough = len(self._arrivals) >= self._most or self._repeated >= BATCH_REPEATED
        return enough or self._bytes >= BATCH_BYTES

    def _is_far_ahead(self, server: str) -> bool:
        """Written and gathering are two batches, or more documents or visits of this server than a kill may cost."""
        many = self._documents >= MOST_REPEATED or self._visits[server] >= MOST_REPEATED
        return many or self._given - self._taken >= 2 * self._most or self._bytes >= 2 * BATCH_BYTES

    async def put(self, arrival: Arrival, gap_s: float = 0.0) -> None:
        """Hand one visit over; returns when there is room for the next. `gap_s`: of its server."""
        self._arrivals.append(arrival)
        self._given += 1
        self._bytes += len(arrival.reply.body)
        self._count(arrival)
        if gap_s:
            self._patience_s = min(self._patience_s, gap_s / GAP_SHARE)
        self.stir()
        if self._is_full:
            self._enough.set()
        if arrival.page.kind is Kind.LIST and arrival.document is not None:
            self.hurry()  # the new details that it may show go before the old ones
        while self._is_far_ahead(arrival.page.server) and self._error is None:
            self._room.clear()
            await self._room.wait()
        self.complain()

    def _count(self, arrival: Arrival) -> None:
        if not self._repeats:
            return
        server, gathered = arrival.page.server, self._gathered
        self._visits[server] += 1
        gathered[server] += 1
        self._repeated = max(self._repeated, gathered[server])
        if arrival.reply.evidence is Evidence.DOCUMENT:
            self._documents += 1
            gathered[""] += 1
            self._repeated = max(self._repeated, gathered[""])

    def _count_off(self, arrivals: Sequence[Arrival]) -> None:
        if not self._repeats:
            return
        self._documents -= sum(one.reply.evidence is Evidence.DOCUMENT for one in arrivals)
        self._visits -= Counter(one.page.server for one in arrivals)  # drops those of which none are left

    @property
    def is_heavy(self) -> bool:
        """The answers that wait to be written weigh too much for another request, or cannot be written."""
        return self._bytes > MOST_BYTES or self._error is not None

    async def lighten(self) -> None:
        """Until they do not."""
        while self._bytes > MOST_BYTES and self._error is None:
            self.hurry()
            self._written.clear()
            await self._written.wait()
        self.complain()

    def stir(self) -> None:
        """See to it that what has gathered is written soon."""
        if self._writer is None or self._writer.done():
            self.complain()
            self._writer = asyncio.create_task(self._write_all())

    @property
    def behind(self) -> bool:
        return self._taken < self._given

    async def caught_up(self) -> None:
        """Until everything handed over so far is written and its links are in the queues."""
        given = self._given
        self.hurry()
        while self._taken < given and self._error is None:
            self._written.clear()
            await self._written.wait()
        self.complain()

    async def flush(self) -> None:
        while not self.idle:
            self.hurry()
            self.stir()
            if self._writer is not None:
                await asyncio.wait([self._writer])
            self.complain()

    def complain(self) -> None:
        """Raise what went wrong in the writing, if anything did."""
        if self._error is not None:
            raise self._error.with_traceback(self._origin)  # else every lane adds its own lines to it

    def hurry(self) -> None:
        """Somebody waits for what is being gathered, or nobody is left to add to it."""
        self._hurried = True
        self._enough.set()

    async def _linger(self) -> None:
        """A batch costs little more than a single visit: let it gather for a moment, while the lanes go on."""
        if not self._hurried and not self._is_full:
            self._enough.clear()
            timer = asyncio.get_running_loop().call_later(self._loop_s(self._patience_s), self._enough.set)
            await self._enough.wait()
            timer.cancel()
        self._hurried, self._patience_s = False, LONGEST_PATIENCE_S

    async def _write_all(self) -> None:
        try:
            while self._arrivals or self.ledger:
                await self._linger()
                arrivals, self._arrivals = self._arrivals, []
                self._gathered, self._repeated = Counter(), 0
                ledger, self.ledger = self.ledger, Ledger()
                self._prepare(arrivals, ledger)
                self._settled(ledger, await self._carry_out(ledger))
                self._taken += len(arrivals)
                self._count_off(arrivals)
                written = sum(len(one.reply.body) for one in arrivals)
                self._bytes -= written
                del arrivals, ledger
                if written > LARGE_BYTES:
                    trim()
                self._room.set()
                self._written.set()
        except BaseException as error:  # noqa: BLE001 — handed on, not swallowed
            self._error, self._origin = error, error.__traceback__  # whoever hands over next hears of it
            self._room.set()
            self._written.set()
