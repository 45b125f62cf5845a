"""Opening a store in one SQLite file that several processes share."""

import os
import sqlite3
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import Connection, Engine, create_engine, event, insert, select
from sqlalchemy.dialects import sqlite
from sqlalchemy.pool import QueuePool

from recrawl.model.failure import NotFound, StoreDamaged
from recrawl.store.connection import WRITE, Database
from recrawl.store.failures import PRIMARY, code_of, plainly
from recrawl.store.revision import check_revision
from recrawl.store.schema import SCHEMA
from recrawl.store.sql import SqlStore
from recrawl.store.statements import Statements
from recrawl.store.tables import META, REVISION, REVISION_TABLE

BUSY_MS = 30_000  # how long a writer waits for its turn
TURN_MS = 5  # how often it asks: left to itself SQLite asks ten times a second in the end, and a writer may starve

CACHE_KIB = 8192  # a connection: a larger cache is slower, for it leaves the processor's own; the system keeps the rest

PRAGMAS = (
    f"PRAGMA busy_timeout = {BUSY_MS}",
    "PRAGMA synchronous = NORMAL",  # a kill loses nothing; a power cut at most the last commits, never the order
    "PRAGMA wal_autocheckpoint = 4000",  # pages
    f"PRAGMA journal_size_limit = {64 << 20}",
    "PRAGMA temp_store = MEMORY",
)


def open_sqlite(path: Path | str, partitions: int = 256, readonly: bool = False, busy_ms: int = BUSY_MS) -> SqlStore:
    """Open the store in a file, making it where there is none (unless `readonly`). `partitions` counts only then:
    a store keeps the number it was made with."""
    file = Path(path)
    database = _database(file, _mode_to_read(file) if readonly else _mode_to_write(file), busy_ms)
    try:
        with plainly(str(file)):
            if not readonly and stored_revision(database.engine) is None:
                _create(database.engine, partitions, busy_ms)
            check_revision(stored_revision(database.engine), file)
        return SqlStore(database)
    except BaseException:
        database.close()
        raise


def stored_revision(engine: Engine) -> str | None:
    """None: there are no tables of ours."""
    with engine.connect() as connection:
        tables = connection.exec_driver_sql("SELECT name FROM sqlite_master WHERE type = 'table'").scalars().all()
        if REVISION_TABLE.name not in tables:
            if tables:
                raise StoreDamaged("the file holds other tables than recrawl's: name another folder")
            return None
        revision: str | None = connection.execute(select(REVISION_TABLE.c.version_num)).scalar()
        return revision


def sqlite_engine(
    file: Path, mode: str, busy_ms: int = BUSY_MS, cache_kib: int = CACHE_KIB, mapped_bytes: int = 0
) -> Engine:
    """Connections in autocommit: `BEGIN` is ours to say, `BEGIN IMMEDIATE` for what is going to write. Memory does not
    grow with the file."""
    address = f"file:{quote(str(file.absolute()))}?{mode}"

    def connect() -> sqlite3.Connection:
        connection = sqlite3.connect(
            address, uri=True, isolation_level=None, check_same_thread=False, cached_statements=256
        )
        for pragma in (*PRAGMAS, f"PRAGMA cache_size = -{cache_kib}", f"PRAGMA mmap_size = {mapped_bytes}"):
            connection.execute(pragma)
        return connection

    def begin(connection: Connection) -> None:
        driver: Any = connection.connection.driver_connection
        if connection.get_execution_options().get(WRITE):
            wait_for_turn(driver, "BEGIN IMMEDIATE", busy_ms)
        else:
            driver.execute("BEGIN")

    engine = create_engine("sqlite://", creator=connect, poolclass=QueuePool, pool_size=4, max_overflow=12)
    event.listen(engine, "begin", begin)
    return engine


def wait_for_turn(driver: sqlite3.Connection, statement: str, busy_ms: int) -> None:
    """Run a statement that needs the write lock, asking often enough that none of many writers starves."""
    driver.execute(f"PRAGMA busy_timeout = {TURN_MS}")
    try:
        for left in reversed(range(max(1, busy_ms // TURN_MS))):
            try:
                driver.execute(statement).fetchall()
            except sqlite3.OperationalError as error:
                if left == 0 or code_of(error) & PRIMARY != sqlite3.SQLITE_BUSY:
                    raise
            else:
                return
    finally:
        driver.execute(f"PRAGMA busy_timeout = {BUSY_MS}")


def _database(file: Path, mode: str, busy_ms: int) -> Database:
    engine = sqlite_engine(file, mode, busy_ms)
    return Database(engine, Statements(engine.dialect, sqlite.insert), str(file))


def _mode_to_write(file: Path) -> str:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreDamaged(f"cannot make {file.parent} ({error.strerror}): name another folder") from error
    return "mode=rwc"


def _mode_to_read(file: Path) -> str:
    """Without a log beside it and in a folder that cannot be written, a file is read as it lies."""
    if not file.exists():
        raise NotFound(f"there is no store at {file}: start with `recrawl add URL`")
    log = file.with_name(file.name + "-wal")
    writable = os.access(file.parent, os.W_OK, effective_ids=True)
    return "mode=ro" if writable or log.exists() else "mode=ro&immutable=1"


def _create(engine: Engine, partitions: int, busy_ms: int) -> None:
    """Make the tables, unless another process did meanwhile."""
    _write_ahead(engine, busy_ms)
    with engine.execution_options(**{WRITE: True}).begin() as connection:
        if connection.exec_driver_sql("SELECT count(*) FROM sqlite_master").scalar():
            return
        SCHEMA.create_all(connection)
        connection.execute(insert(REVISION_TABLE).values(version_num=REVISION))
        connection.execute(
            insert(META), [{"name": "partitions", "number": partitions}, {"name": "cursor", "number": 0}]
        )


def _write_ahead(engine: Engine, busy_ms: int) -> None:
    connection = engine.raw_connection()
    try:
        driver: Any = connection.driver_connection
        wait_for_turn(driver, "PRAGMA journal_mode = WAL", busy_ms)
    finally:
        connection.close()
