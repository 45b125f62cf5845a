"""Databases that are reached through SQLAlchemy: PostgreSQL, and a SQLite file while it is copied or upgraded."""

from collections.abc import Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from recrawl.store import failures
from recrawl.store.connection import Session

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

    @contextmanager
    def reading(self) -> Iterator[Session]:
        with plainly(self.where), self._reader.connect() as connection:
            connection.begin()
            yield session_on(connection, arrays=True)

    @contextmanager
    def writing(self) -> Iterator[Session]:
        with plainly(self.where), self._writer.begin() as connection:
            yield session_on(connection, arrays=True)

    def at_hand(self, *, to_read: bool = False) -> bool:
        return False

    def close(self) -> None:
        self.engine.dispose()
