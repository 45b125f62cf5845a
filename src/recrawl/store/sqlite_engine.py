"""A SQLite file through SQLAlchemy, for long work on a whole store: copying it, bringing it up to date."""

import sqlite3
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Engine, create_engine, event
from sqlalchemy.pool import QueuePool

from recrawl.store.engines import WRITE
from recrawl.store.sqlite_driver import BUSY_MS, CACHE_KIB, address_of, opened, pragmas, wait_for_turn


def sqlite_engine(file: Path, mode: str) -> Engine:
    """Connections in autocommit, as `SqliteConnections` has them."""
    address = address_of(file, mode)

    def connect() -> sqlite3.Connection:
        return opened(address, pragmas(CACHE_KIB, 0))

    def begin(connection: Connection) -> None:
        driver: Any = connection.connection.driver_connection
        if connection.get_execution_options().get(WRITE):
            wait_for_turn(driver, "BEGIN IMMEDIATE", BUSY_MS)
        else:
            driver.execute("BEGIN")

    engine = create_engine("sqlite://", creator=connect, poolclass=QueuePool, pool_size=4, max_overflow=12)
    event.listen(engine, "begin", begin)
    return engine
