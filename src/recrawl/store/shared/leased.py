"""The store as one worker of a cluster sees it: it writes only for partitions it owns, and posts to the owners of the
others what it found for them.

A write transaction begins with a look at the owner and epoch of every partition it writes for, and holds them fast
until it ends: a worker that was stopped and woke up late cannot write. A letter is posted in the transaction of the
visit that found it, and taken out in the one that enters it; posted twice it says the same, or more.
"""

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import fields, replace
from threading import RLock, local
from typing import Any

from recrawl.model.address import partition_of, server_of
from recrawl.model.batch import Batch, Saved
from recrawl.model.failure import LeaseLost
from recrawl.model.page import Page, Status
from recrawl.model.site import Kind
from recrawl.model.values import dataclass
from recrawl.store.connection import BeforeWrite, Database, Session
from recrawl.store.engines import EngineConnections
from recrawl.store.postgres import open_postgres
from recrawl.store.shared.lease_statements import lease_statements
from recrawl.store.shared.leases import PATIENCE_S, lost
from recrawl.store.sql import SqlStore
from recrawl.store.texts import Sql

LETTERS = 500  # entered in one transaction

Extra = Callable[[Session], None]


@dataclass(slots=True)
class _Write:
    partitions: Collection[int]
    extra: Extra


class Fence:
    """Stands before every write transaction. `epochs`: the partitions owned, and with which epoch they were claimed;
    they change only between two writes (`still`)."""

    def __init__(self, worker: str, lease_s: float) -> None:
        self.worker, self.lease_s = worker, lease_s
        self.epochs: dict[int, int] = {}
        self.still = RLock()
        self.turn = 0  # how often they changed
        self.statements = self._sql = lease_statements()
        self._silent_ms = str(max(1, int(lease_s * 1000)))
        self._here = local()
        self._lines: list[EngineConnections] = []
        self._is_over = False

    def guard(self, database: Database) -> None:
        """One more database is used by this worker."""
        if isinstance(lines := database.connections, EngineConnections):
            self._lines.append(lines)
            if self._is_over:
                lines.cut()

    def cut(self) -> None:
        """The lease is over: nobody need wait for a database any longer."""
        self._is_over = True
        for lines in list(self._lines):
            lines.cut()

    def own(self, epochs: Mapping[int, int]) -> None:
        with self.still:
            self.epochs.update(epochs)
            self.turn += 1

    def disown(self, partitions: Collection[int]) -> None:
        with self.still:
            for number in partitions:
                self.epochs.pop(number, None)
            self.turn += 1

    @contextmanager
    def around(self, partitions: Collection[int], extra: Extra) -> Iterator[None]:
        """Writes of this thread are for these partitions, and `extra` is part of them."""
        before: _Write | None = getattr(self._here, "write", None)
        self._here.write = _Write(partitions, extra)
        try:
            yield
        finally:
            self._here.write = before

    def __call__(self, session: Session) -> None:
        """At home, where the lease is."""
        write = self._begin(session)
        if write is None or not write.partitions:
            self._need_lease(session)
        else:
            self._need_partitions(session, self._sql.still_mine, write.partitions)
        if write is not None:
            write.extra(session)

    def in_shard(self, session: Session) -> None:
        """Away from home: there the epoch alone tells. Whoever claimed the partition next has raised it (`admit`)
        before reading anything there, so what the owner before wrote until then is seen, and nothing after."""
        write = self._begin(session)
        if write is not None and write.partitions:
            self._need_partitions(session, self._sql.mine_here, write.partitions)
        if write is not None:
            write.extra(session)

    def _begin(self, session: Session) -> _Write | None:
        session.rows(self._sql.be_brief, self._sql.be_brief.bind(milliseconds=self._silent_ms))
        write: _Write | None = getattr(self._here, "write", None)
        return write

    def _need_lease(self, session: Session) -> None:
        if session.value(self._sql.is_live, self._sql.is_live.bind(worker=self.worker)) is None:
            raise lost(self.worker)

    def _need_partitions(self, session: Session, sql: Sql, partitions: Collection[int]) -> None:
        found = {row[0]: row[1] for row in session.rows(sql, sql.bind(item_0=list(partitions), worker=self.worker))}
        gone = sorted(number for number in partitions if found.get(number) != self.epochs.get(number, 0))
        if gone:
            raise LeaseLost(f"worker {self.worker} does not own partition {gone[0]} any more: nothing was written")


@dataclass(frozen=True, slots=True)
class Letter:
    """A page found for whoever owns its partition. `again`: it is to be visited though it may be known."""

    partition: int
    page: Page
    again: bool = False


class FencedStore(SqlStore):
    """One database behind the fence."""

    def __init__(self, dsn: str, fence: Fence, check: BeforeWrite | None = None) -> None:
        super().__init__(open_postgres(dsn, before_write=check or fence, patience_s=PATIENCE_S).database)
        self._fence, self._leases = fence, fence.statements
        fence.guard(self.database)

    def write(self, batch: Batch, letters: Iterable[Letter] = ()) -> Saved:
        """A batch for partitions that are owned, and letters, in one transaction."""
        rows = sorted((one.partition, one.page.id, one.again, letter_of(one.page)) for one in letters)
        posted: set[object] = set()
        with self._fence.around(
            self._partitions_of(batch), lambda session: posted.update(session.new(self._leases.post, rows))
        ):
            saved = super().save(batch)
        unknown = {page for _, page, again, _ in rows if not again}
        return replace(saved, posted=frozenset(unknown & posted))

    def settle_server(self, server: str) -> float | None:
        with self._fence.around((self._partition(server),), _nothing):
            return super().settle_server(server)

    def letters(self, limit: int = LETTERS) -> list[Letter]:
        """Those here for the partitions that are owned."""
        with self.database.reading() as session:
            sql = self._leases.waiting
            rows = session.rows(sql, sql.bind(item_0=list(self._fence.epochs), limit=limit))
        return [Letter(partition, page_of(body), again) for partition, _, again, body in rows]

    def has_letters(self) -> bool:
        """Somebody's."""
        with self.database.reading() as session:
            return bool(session.value(self._leases.any_waiting))

    def enter(self, letters: Sequence[Letter], here: bool = True) -> None:
        """Enter pages out of letters. `here`: the letters lie in this database and are taken out with it."""
        for letter in letters:
            if letter.again:
                self.make_due(letter.page.due_at or 0.0, ids=(letter.page.id,))
        taken_out = letters if here else ()
        with self._fence.around({one.partition for one in letters}, lambda session: self._take_out(session, taken_out)):
            super().save(Batch(entered=tuple(one.page for one in letters)))

    def take_over(self, epochs: Mapping[int, int]) -> None:
        """In a shard: from now on nobody writes for these partitions but us."""
        rows = [(number, self._fence.worker, epoch, None, 0) for number, epoch in epochs.items()]
        with self._fence.around((), _nothing), self.database.writing() as session:
            taken = session.new(self._leases.admit, rows)
        if taken != epochs.keys():
            raise lost(self._fence.worker)

    def take_out(self, letters: Sequence[Letter]) -> None:
        """Letters that were entered elsewhere."""
        with self._fence.around((), _nothing), self.database.writing() as session:
            self._take_out(session, letters)

    def _take_out(self, session: Session, letters: Sequence[Letter]) -> None:
        received = self._leases.received
        for again in (False, True):
            if pages := [letter.page.id for letter in letters if letter.again is again]:
                session.rows(received, received.bind(item_0=pages, again=again))

    def _learn_words(self, texts: list[str]) -> list[tuple[int, str]]:
        """In a transaction of its own, which posts nothing."""
        with self._fence.around((), _nothing):
            return super()._learn_words(texts)

    def _partitions_of(self, batch: Batch) -> set[int]:
        servers = {page.server for page in (*batch.pages, *batch.entered)}
        servers |= {server.key for server in batch.servers} | {server_of(file.origin) for file in batch.robots}
        return {self._partition(server) for server in servers}

    def _partition(self, server: str) -> int:
        return partition_of(server, self.partitions)


class LeasedStore(FencedStore):
    """Keeps the laws of `ports.Store` for what it owns; what it does not own is entered by its owner, soon."""

    def save(self, batch: Batch) -> Saved:
        with self._fence.still:
            mine, letters = self._sorted(batch)
            return self.write(mine, letters)

    def admit(self, epochs: Mapping[int, int]) -> set[int]:
        """Own partitions that were claimed; those that cannot be had."""
        self._fence.own(epochs)
        return set()

    def out_of_reach(self) -> frozenset[int]:
        """Partitions that nobody can work on now."""
        return frozenset()

    def receive(self, limit: int = LETTERS) -> int:
        """Enter what others found for the partitions owned; how many letters there were."""
        with self._fence.still:
            letters = self.letters(limit)
            if letters:
                self.enter(letters)
            return len(letters)

    def letters_elsewhere(self) -> bool:
        """Letters that lie in another database than the home."""
        return False

    def _sorted(self, batch: Batch) -> tuple[Batch, list[Letter]]:
        """What this worker writes, and letters about what belongs to others."""
        foreign = [page for page in batch.entered if not self._owned(page.server)]
        known = self.known([page.id for page in foreign]) if foreign else set()
        letters = {page.id: self._letter(page, False) for page in foreign if page.id not in known}
        letters |= {page.id: self._letter(page, True) for page in batch.pages if not self._owned(page.server)}
        mine = replace(
            batch,
            entered=tuple(page for page in batch.entered if self._owned(page.server)),
            pages=tuple(page for page in batch.pages if self._owned(page.server)),
        )
        return mine, list(letters.values())

    def _letter(self, page: Page, again: bool) -> Letter:
        return Letter(self._partition(page.server), page, again)

    def _owned(self, server: str) -> bool:
        return self._partition(server) in self._fence.epochs


def _nothing(session: Session) -> None:
    """No part of a write."""


def letter_of(page: Page) -> bytes:
    """A page that was found, as text: what it has of its own, nothing that comes by itself."""
    own = {one.name: getattr(page, one.name) for one in fields(page) if getattr(page, one.name) != one.default}
    return json.dumps({name: value for name, value in own.items() if not isinstance(value, bytes)}).encode()


def page_of(letter: bytes) -> Page:
    values: dict[str, Any] = json.loads(letter)
    closed = {name: kind(values[name]) for name, kind in (("kind", Kind), ("status", Status)) if name in values}
    return Page(**{**values, **closed})
