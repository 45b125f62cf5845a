"""Databases that are reached through SQLAlchemy: PostgreSQL, and a SQLite file while it is copied or upgraded."""

from collections.abc import Iterator
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
    """SQLite's own driver is spoken to directly."""
    if connection.dialect.name != "sqlite":
        return Session(connection.exec_driver_sql, connection.exec_driver_sql, arrays)
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

    def close(self) -> None:
        self.engine.dispose()
