"""What a database can say, in words that tell what to do."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError

from recrawl.model.failure import DiskFull, RecrawlError, StoreDamaged, StoreInUse

PRIMARY = 0xFF  # the low byte of an extended result code

SENTENCES: dict[int, tuple[type[RecrawlError], str]] = {
    sqlite3.SQLITE_FULL: (DiskFull, "the disk of {where} is full: free some space and start again, nothing is lost"),
    sqlite3.SQLITE_BUSY: (
        StoreInUse,
        "{where} is locked by another process: stop it or wait until it ends, then try again",
    ),
    sqlite3.SQLITE_LOCKED: (
        StoreInUse,
        "{where} is locked by another process: stop it or wait until it ends, then try again",
    ),
    sqlite3.SQLITE_CORRUPT: (
        StoreDamaged,
        "{where} is damaged: put back a copy of it, or move it away and crawl anew; the WARC files are not affected",
    ),
    sqlite3.SQLITE_NOTADB: (
        StoreDamaged,
        "{where} is not a recrawl store: put back a copy of it, or move it away and crawl anew",
    ),
    sqlite3.SQLITE_READONLY: (
        StoreDamaged,
        "{where} cannot be written: see to the permissions of the file and its folder",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        StoreDamaged,
        "{where} cannot be opened: see to the permissions of the file and its folder",
    ),
    sqlite3.SQLITE_PERM: (StoreDamaged, "{where} cannot be opened: see to the permissions of the file and its folder"),
    sqlite3.SQLITE_IOERR: (StoreDamaged, "the disk of {where} does not read or write: see to it, then start again"),
}
SPACE = (sqlite3.SQLITE_IOERR_SHMSIZE, sqlite3.SQLITE_IOERR_SHMMAP)  # the lock file could not grow


def code_of(error: BaseException | None) -> int:
    """SQLite's extended result code, 0 for what is not SQLite's."""
    return getattr(error, "sqlite_errorcode", 0)


def said_plainly(error: BaseException | None, where: str) -> RecrawlError | None:
    """The error as a sentence; None for what is a fault of ours."""
    code = code_of(error)
    if code in SPACE:
        code = sqlite3.SQLITE_FULL
    kind, sentence = SENTENCES.get(code & PRIMARY, (None, ""))
    return kind(sentence.format(where=where)) if kind else None


@contextmanager
def plainly(where: str) -> Iterator[None]:
    """Let database errors through as recrawl's own."""
    try:
        yield
    except (DBAPIError, sqlite3.Error) as error:
        cause = error.orig if isinstance(error, DBAPIError) else error
        plain = said_plainly(cause, where)
        if plain is None:
            raise
        raise plain from error
