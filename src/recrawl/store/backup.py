"""A whole copy of a store while others read and write it."""

import sqlite3
from contextlib import closing
from pathlib import Path

from recrawl.model.failure import NotFound
from recrawl.store.failures import plainly
from recrawl.store.sqlite_driver import address_of

BUSY_S = 30.0


def copy_sqlite(source: Path, target: Path) -> int:
    """The state of one moment, in one step: writers go on meanwhile, by the log beside the file. The copy takes its
    name only when it is whole; its size in bytes."""
    if not source.exists():
        raise NotFound(f"there is no store at {source}: nothing was crawled yet")
    fresh = target.with_name(target.name + ".new")
    fresh.unlink(missing_ok=True)
    with plainly(str(source)):
        address = address_of(source, "mode=ro")
        with (
            closing(sqlite3.connect(address, uri=True, timeout=BUSY_S)) as running,
            closing(sqlite3.connect(fresh)) as copy,
        ):
            running.backup(copy)
            copy.execute("PRAGMA journal_mode = DELETE")  # one file, no log beside it
    for log in ("-wal", "-shm"):
        target.with_name(target.name + log).unlink(missing_ok=True)
    fresh.replace(target)
    return target.stat().st_size
