"""The store as one worker of a cluster sees it: it writes only for partitions it owns, and posts to the owners of the
others what it found for them.

A write transaction begins with a look at the owner and epoch of every partition it writes for, and holds them fast
until it ends: a worker that was stopped and woke up late cannot write. A letter is posted in the transaction of the
visit that found it, and taken out in the one that enters it; posted twice it says the same.
"""

import json
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields, replace
from threading import RLock, local
from typing import Any

from sqlalchemy.dialects import postgresql

from recrawl.model.address import partition_of, server_of
from recrawl.model.batch import Batch, Saved
from recrawl.model.failure import LeaseLost
from recrawl.model.page import Page, Status
from recrawl.model.site import Kind
from recrawl.store.connection import Session
from recrawl.store.lease_statements import LeaseStatements
from recrawl.store.leases import PATIENCE_S, lost
from recrawl.store.postgres import open_postgres
from recrawl.store.sql import SqlStore

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
        self.worker = worker
        self.epochs: dict[int, int] = {}
        self.still = RLock()
        dialect = postgresql.psycopg.dialect(paramstyle="format")  # type: ignore[no-untyped-call]
        self.statements = self._sql = LeaseStatements(dialect, postgresql.insert, arrays=True)
        self._silent_ms = str(max(1, int(lease_s * 1000)))
        self._here = local()

    def own(self, epochs: Mapping[int, int]) -> None:
        with self.still:
            self.epochs.update(epochs)

    def disown(self, partitions: Collection[int]) -> None:
        with self.still:
            for number in partitions:
                self.epochs.pop(number, None)

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
        session.rows(self._sql.be_brief, self._sql.be_brief.bind(milliseconds=self._silent_ms))
        write: _Write | None = getattr(self._here, "write", None)
        if write is None or not write.partitions:
            self._need_lease(session)
        else:
            self._need_partitions(session, write.partitions)
        if write is not None:
            write.extra(session)

    def _need_lease(self, session: Session) -> None:
        if session.value(self._sql.is_live, self._sql.is_live.bind(worker=self.worker)) is None:
            raise lost(self.worker)

    def _need_partitions(self, session: Session, partitions: Collection[int]) -> None:
        sql = self._sql.still_mine
        found = {row[0]: row[1] for row in session.rows(sql, sql.bind(item_0=list(partitions), worker=self.worker))}
        gone = sorted(number for number in partitions if found.get(number) != self.epochs.get(number, 0))
        if gone:
            raise LeaseLost(f"worker {self.worker} does not own partition {gone[0]} any more: nothing was written")


class LeasedStore(SqlStore):
    """Keeps the laws of `ports.Store` for what it owns; what it does not own is entered by its owner, soon."""

    def __init__(self, dsn: str, fence: Fence) -> None:
        super().__init__(open_postgres(dsn, before_write=fence, patience_s=PATIENCE_S).database)
        self._fence, self._leases = fence, fence.statements

    def save(self, batch: Batch) -> Saved:
        with self._fence.still:
            mine, letters = self._sorted(batch)
            with self._fence.around(self._partitions_of(mine), lambda session: self._post(session, letters)):
                return super().save(mine)

    def settle_server(self, server: str) -> float | None:
        with self._fence.around((self._partition(server),), _nothing):
            return super().settle_server(server)

    def receive(self, limit: int = LETTERS) -> int:
        """Enter what others found for the partitions owned; how many letters there were."""
        with self._fence.still:
            return self._receive(limit)

    def _receive(self, limit: int) -> int:
        with self.database.reading() as session:
            sql = self._leases.waiting
            rows = session.rows(sql, sql.bind(item_0=list(self._fence.epochs), limit=limit))
        if not rows:
            return 0
        pages = [page_of(body) for _, _, _, body in rows]
        again = [page for page, row in zip(pages, rows, strict=True) if row[2]]
        for page in again:
            self.make_due(page.due_at or 0.0, ids=(page.id,))
        ids = [row[1] for row in rows]
        with self._fence.around({row[0] for row in rows}, lambda session: self._take_out(session, ids)):
            super().save(Batch(entered=tuple(pages)))
        return len(rows)

    def _learn_words(self, texts: list[str]) -> list[tuple[int, str]]:
        """In a transaction of its own, which posts nothing."""
        with self._fence.around((), _nothing):
            return super()._learn_words(texts)

    def _sorted(self, batch: Batch) -> tuple[Batch, list[tuple[object, ...]]]:
        """What this worker writes, and letters about what belongs to others."""
        foreign = [page for page in batch.entered if not self._owned(page.server)]
        known = self.known([page.id for page in foreign]) if foreign else set()
        letters = {page.id: (page, False) for page in foreign if page.id not in known}
        letters |= {page.id: (page, True) for page in batch.pages if not self._owned(page.server)}
        rows = [(self._partition(page.server), page.id, again, letter_of(page)) for page, again in letters.values()]
        mine = replace(
            batch,
            entered=tuple(page for page in batch.entered if self._owned(page.server)),
            pages=tuple(page for page in batch.pages if self._owned(page.server)),
        )
        return mine, sorted(rows, key=lambda row: row[:2])

    def _post(self, session: Session, letters: Sequence[tuple[object, ...]]) -> None:
        session.many(self._leases.post, letters)

    def _take_out(self, session: Session, ids: Collection[int]) -> None:
        session.rows(self._leases.received, self._leases.received.bind(item_0=list(ids)))

    def _partitions_of(self, batch: Batch) -> set[int]:
        servers = {page.server for page in (*batch.pages, *batch.entered)}
        servers |= {server.key for server in batch.servers} | {server_of(file.origin) for file in batch.robots}
        return {self._partition(server) for server in servers}

    def _partition(self, server: str) -> int:
        return partition_of(server, self.partitions)

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
