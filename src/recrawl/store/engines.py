"""Databases that are reached through SQLAlchemy: PostgreSQL, and a SQLite file while it is copied or upgraded."""

import os
import socket
from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from threading import Lock
from typing import Any
from weakref import WeakSet

from sqlalchemy import Connection, Engine, event
from sqlalchemy.exc import DBAPIError

from recrawl.model.failure import StoreAway
from recrawl.store import failures
from recrawl.store.connection import Rows, Session
from recrawl.store.texts import Sql

WRITE = "recrawl_write"  # execution option: this transaction is going to write


def plainly(where: str) -> AbstractContextManager[None]:
    """Let database errors through as recrawl's own."""
    return failures.plainly(where, DBAPIError)


def session_on(connection: Connection, arrays: bool = False) -> Session:
    """SQLite's own driver is spoken to directly. Rows that cannot travel as arrays go to PostgreSQL one by one: in a
    transaction whose last statement went out in a pipeline, as psycopg's `executemany` sends it, the server does not
    end a worker that fell silent (`idle_in_transaction_session_timeout` never rings), and its rows stay locked."""
    if connection.dialect.name != "sqlite":
        run = connection.exec_driver_sql

        def run_all(text: str, rows: Iterable[tuple[object, ...]]) -> None:
            for row in rows:
                run(text, row)

        return Session(run, run_all, arrays)
    driver = connection.connection.driver_connection
    if driver is None:
        raise ValueError("the connection is closed")
    return Session(driver.execute, driver.executemany, arrays)


class EngineConnections:
    """Connections of an engine whose database knows arrays. `where` names it in messages."""

    def __init__(self, engine: Engine, where: str) -> None:
        self.engine, self.where = engine, where
        self._writer = engine.execution_options(**{WRITE: True})
        self._reader = engine.execution_options(isolation_level="AUTOCOMMIT")
        self._lines: WeakSet[Any] = WeakSet()
        self._is_cut, self._still = False, Lock()  # held while lines are added or listed, by whichever thread
        event.listen(engine, "connect", lambda line, _: self.know(line))

    @contextmanager
    def reading(self) -> Iterator[Session]:
        self._need_line()
        with plainly(self.where), self._reader.connect() as connection:
            connection.begin()
            yield session_on(connection, arrays=True)

    def rows(self, sql: Sql, parameters: tuple[object, ...]) -> Rows:
        with self.reading() as session:
            return session.rows(sql, parameters)

    @contextmanager
    def writing(self) -> Iterator[Session]:
        self._need_line()
        with plainly(self.where), self._writer.begin() as connection:
            yield session_on(connection, arrays=True)

    def know(self, line: Any) -> None:
        """One more; it may have been under way when all were cut."""
        with self._still:
            self._lines.add(line)
            is_late = self._is_cut
        if is_late:
            self._hang_up(line)

    def cut(self) -> None:
        """From any thread: whoever waits for an answer hears at once that there is none, and nobody asks again."""
        with self._still:
            self._is_cut = True
            lines = list(self._lines)
        for line in lines:
            self._hang_up(line)

    def _hang_up(self, line: Any) -> None:
        with suppress(OSError, self.engine.dialect.loaded_dbapi.Error):  # closed by itself
            hang_up(line.fileno())

    def _need_line(self) -> None:
        if self._is_cut:
            raise StoreAway(f"{self.where} has not answered for as long as the lease ran: given up")

    def at_hand(self, *, to_read: bool = False) -> bool:
        return False

    def close(self) -> None:
        self.engine.dispose()


def hang_up(descriptor: int) -> None:
    """Whoever reads there sees the end; the descriptor stays theirs to close."""
    with socket.socket(fileno=os.dup(descriptor)) as wire:
        wire.shutdown(socket.SHUT_RDWR)
