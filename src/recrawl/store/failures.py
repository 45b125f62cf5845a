"""What a database can say, in words that tell what to do."""

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from recrawl.model.failure import DiskFull, RecrawlError, StoreAway, StoreDamaged, StoreInUse, StoreOutdated, StoreShut

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

# PostgreSQL's: the first two characters of a code are its class, and the whole code comes before the class.
AWAY = (StoreAway, "{where} does not answer ({reason}): see that the server runs and can be reached, then start again")
WAITED = (StoreInUse, "{where} is locked by another process: stop it or wait until it ends, then try again")
STATES: dict[str, tuple[type[RecrawlError], str]] = {
    "": AWAY,  # no word from the server: it could not be reached, or the connection broke
    "08": AWAY,
    "53": (StoreAway, "{where} is short of room or connections ({reason}): see to the server, then start again"),
    "53100": (DiskFull, "the disk of {where} is full: free some space and start again, nothing is lost"),
    "57P": AWAY,
    "25P03": AWAY,  # thrown out for falling silent in the middle of a transaction
    "40": WAITED,  # others wrote the same rows: this one gave way
    "55P03": WAITED,
    "25006": (StoreDamaged, "{where} can only be read from here: name the server that may be written"),
    "28": (StoreShut, "{where} does not let us in ({reason}): see to user and password, as in ~/.pgpass"),
    "3D": (StoreDamaged, "{where} is not there ({reason}): make it with `createdb`, or name another database"),
    "42501": (StoreDamaged, "{where} does not allow it ({reason}): give its user the rights it needs"),
    "42P01": (StoreOutdated, "{where} lacks a table ({reason}): run `recrawl db upgrade {where}`"),
    "42703": (StoreOutdated, "{where} lacks a column ({reason}): run `recrawl db upgrade {where}`"),
}
# What the server says when it refuses a connection comes as text alone.
REFUSALS = {
    "password authentication failed": "28",
    "fe_sendauth": "28",
    "no pg_hba.conf entry": "28",
    "role": "28",
    "database": "3D",
}


def code_of(error: BaseException | None) -> int:
    """SQLite's extended result code, 0 for what is not SQLite's."""
    return getattr(error, "sqlite_errorcode", 0)


def said_plainly(error: BaseException | None, where: str) -> RecrawlError | None:
    """The error as a sentence; None for what is a fault of ours."""
    if hasattr(error, "sqlstate"):
        return _said_by_postgres(error, where)
    code = code_of(error)
    if code in SPACE:
        code = sqlite3.SQLITE_FULL
    kind, sentence = SENTENCES.get(code & PRIMARY, (None, ""))
    return kind(sentence.format(where=where)) if kind else None


def _said_by_postgres(error: BaseException | None, where: str) -> RecrawlError | None:
    state = state_of(error)
    known = (STATES.get(state[:length]) for length in (5, 3, 2))
    kind, sentence = next((one for one in known if one), (None, ""))
    return kind(sentence.format(where=where, reason=_reason(error))) if kind else None


def state_of(error: BaseException | None) -> str:
    """PostgreSQL's code; '' where the server said nothing, `fault` for what the driver itself complains of."""
    state = getattr(error, "sqlstate", None)
    if state:
        return str(state)
    if type(error).__name__ not in ("OperationalError", "ConnectionTimeout"):
        return "fault"
    said = _reason(error)
    return next((code for words, code in REFUSALS.items() if said.startswith(words)), "")


def _reason(error: BaseException | None) -> str:
    """The heart of a message; of several servers tried, what the last one said."""
    lines = str(error).strip().splitlines() or ["no reason given"]
    tried = [line for line in lines if "failed: " in line]
    return re.sub(r"^.*failed: (FATAL: +)?", "", tried[-1] if tried else lines[0])


@contextmanager
def plainly(where: str, *more: type[Exception]) -> Iterator[None]:
    """Let database errors through as recrawl's own; `more`: errors that wrap a driver's own as `orig`."""
    kinds: tuple[type[Exception], ...] = (sqlite3.Error, *more)
    try:
        yield
    except kinds as error:
        plain = said_plainly(getattr(error, "orig", error), where)
        if plain is None:
            raise
        raise plain from error
