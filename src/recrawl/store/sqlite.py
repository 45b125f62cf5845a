"""Opening a store in one SQLite file that several processes share."""

import os
from pathlib import Path

from recrawl.model.failure import NotFound, StoreDamaged
from recrawl.store.connection import Database
from recrawl.store.revision import REVISION, TABLE, check_revision
from recrawl.store.sql import SqlStore
from recrawl.store.sqlite_driver import BUSY_MS, SqliteConnections, wait_for_turn
from recrawl.store.sqlite_text import SCHEMA, SqliteStatements
from recrawl.store.texts import Sql

TABLES = Sql("SELECT name FROM sqlite_master WHERE type = 'table'", (), {})
STORED = Sql(f"SELECT version_num FROM {TABLE}", (), {})
STAMP = Sql(f"INSERT INTO {TABLE} (version_num) VALUES (?)", ("version_num",), {})


def open_sqlite(path: Path | str, partitions: int = 256, readonly: bool = False, busy_ms: int = BUSY_MS) -> SqlStore:
    """Open the store in a file, making it where there is none (unless `readonly`). `partitions` counts only then:
    a store keeps the number it was made with."""
    file = Path(path)
    if readonly and not file.exists():
        raise NotFound(f"there is no store at {file}: start with `recrawl add URL`")
    connections = SqliteConnections(file, mode_to_read(file) if readonly else _mode_to_write(file), busy_ms)
    statements = SqliteStatements()
    try:
        if not readonly and stored_revision(connections) is None:
            _create(connections, statements, partitions, busy_ms)
        check_revision(stored_revision(connections), file)
        return SqlStore(Database(connections, statements))
    except BaseException:
        connections.close()
        raise


def stored_revision(connections: SqliteConnections) -> str | None:
    """None: there are no tables of ours."""
    with connections.reading() as session:
        tables = {row[0] for row in session.rows(TABLES)}
        if TABLE not in tables:
            if tables:
                raise StoreDamaged("the file holds other tables than recrawl's: name another folder")
            return None
        revision: str | None = session.value(STORED)
        return revision


def _mode_to_write(file: Path) -> str:
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise StoreDamaged(f"cannot make {file.parent} ({error.strerror}): name another folder") from error
    return "mode=rwc"


def mode_to_read(file: Path) -> str:
    """Without a log beside it and in a folder that cannot be written, a file is read as it lies."""
    log = file.with_name(file.name + "-wal")
    writable = os.access(file.parent, os.W_OK, effective_ids=True)
    return "mode=ro" if writable or log.exists() else "mode=ro&immutable=1"


def _create(connections: SqliteConnections, statements: SqliteStatements, partitions: int, busy_ms: int) -> None:
    """Make the tables, unless another process did meanwhile."""
    with connections.taken() as driver:
        wait_for_turn(driver, "PRAGMA journal_mode = WAL", busy_ms)
    with connections.writing() as session:
        if session.rows(TABLES):
            return
        for statement in SCHEMA:
            session.change(Sql(statement, (), {}), ())
        session.many(STAMP, [(REVISION,)])
        session.many(statements.put_meta, [("partitions", partitions), ("cursor", 0)])
