"""Connections to one SQLite file that several processes share."""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from functools import lru_cache
from math import nan
from os import fsencode
from pathlib import Path
from typing import Any
from urllib.parse import quote

from recrawl.native import compiled
from recrawl.store.connection import Rows, Session
from recrawl.store.failures import PRIMARY, code_of, plainly
from recrawl.store.texts import Sql

BUSY_MS = 30_000  # how long a writer waits for its turn
TURN_MS = 5  # how often it asks: left to itself SQLite asks ten times a second in the end, and a writer may starve

CACHE_KIB = 4096  # of the main connection: the upper levels of ten million addresses; the system keeps the rest
SPARE_KIB = 512  # of one that is opened while the main one is busy
IDLE_AT_MOST = 4  # connections kept for later

COPY_AFTER = 8000  # rows changed: what was written since is copied from the write-ahead log into the file …
MOST_PAGES = 16_000  # … by a thread; beside one that never comes to an end of it, whoever commits does that himself

SELECT, FROM, KEPT = "SELECT ", " FROM ", "kept"

PRAGMAS = (
    f"PRAGMA busy_timeout = {BUSY_MS}",
    "PRAGMA synchronous = NORMAL",  # a kill loses nothing; a power cut at most the last commits, never the order
    f"PRAGMA wal_autocheckpoint = {MOST_PAGES}",
    f"PRAGMA journal_size_limit = {64 << 20}",
    "PRAGMA temp_store = MEMORY",
)


class Driver(sqlite3.Connection):
    """A row that a statement hands to a function of ours comes for little more than half of what the driver takes for
    the columns of a row that it hands out: these ask for the connection's lock, one by one."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.heap: list[tuple[object, ...]] = []
        self.create_function(KEPT, -1, compiled.keeper(self.heap) if compiled else keeper(self.heap))


def keeper(heap: list[tuple[object, ...]]) -> Callable[..., None]:
    def keep(*row: object) -> None:
        heap.append(row)

    return keep


class SqliteConnections:
    """Each in autocommit: `BEGIN` is ours to say, `BEGIN IMMEDIATE` for what is going to write. Memory does not grow
    with the file.

    The first connection is the main one and taken whenever it is idle: a connection forgets what it holds of the file
    when another one has written, so the one that does nearly all the work keeps it, and the others can be small."""

    def __init__(
        self,
        file: Path,
        mode: str,
        busy_ms: int = BUSY_MS,
        cache_kib: int = CACHE_KIB,
        spare_kib: int = SPARE_KIB,
        mapped_bytes: int = 0,
    ) -> None:
        self.where, self._busy_ms = str(file), busy_ms
        self._address = address_of(file, mode)
        self._pragmas, self._spare = pragmas(cache_kib, mapped_bytes), pragmas(spare_kib, mapped_bytes)
        self._idle: list[Driver] = []  # taken from the end
        self._main: Driver | None = None
        self._copier = Copier(self._address, self._spare)
        self._closed = False

    @contextmanager
    def taken(self) -> Iterator[Driver]:
        """A connection without a transaction."""
        with plainly(self.where):
            driver = self._take()
            try:
                yield driver
            finally:
                self._give_back(driver)

    @contextmanager
    def reading(self) -> Iterator[Session]:
        with self.taken() as driver:
            driver.execute("BEGIN")
            yield SqliteSession(driver)

    def rows(self, sql: Sql, parameters: tuple[object, ...]) -> Rows:
        try:
            driver = self._take()
            try:
                found: Rows = driver.execute(sql.text, parameters).fetchall()
            finally:
                self._give_back(driver)
        except sqlite3.Error:
            with plainly(self.where):
                raise
        return found

    @contextmanager
    def writing(self) -> Iterator[Session]:
        with self.taken() as driver:
            wait_for_turn(driver, "BEGIN IMMEDIATE", self._busy_ms)
            yield SqliteSession(driver)
            driver.execute("COMMIT")
            self._copier.count(driver)

    def at_hand(self, *, to_read: bool = False) -> bool:
        if to_read:
            return True  # whoever writes keeps no reader waiting
        with self.taken() as driver:
            driver.execute("PRAGMA busy_timeout = 0")
            try:
                driver.execute("BEGIN IMMEDIATE")
            except sqlite3.OperationalError:
                return False  # the write that comes will say what is wrong
            finally:
                driver.execute(f"PRAGMA busy_timeout = {BUSY_MS}")
        return True

    def close(self) -> None:
        self._closed = True
        self._copier.close()
        while self._idle:
            self._let_go(self._idle.pop())

    def _take(self) -> Driver:
        try:
            return self._idle.pop()
        except IndexError:
            if self._main is not None:
                return opened(self._address, self._spare)
            self._main = opened(self._address, self._pragmas)
            return self._main

    def _give_back(self, driver: Driver) -> None:
        """What is not committed by now is not wanted."""
        try:
            if driver.in_transaction:
                driver.execute("ROLLBACK")
        except sqlite3.Error:
            self._let_go(driver)
            return
        if self._closed or len(self._idle) >= IDLE_AT_MOST:
            self._let_go(driver)
        else:
            self._idle.insert(len(self._idle) if driver is self._main else 0, driver)

    def _let_go(self, driver: Driver) -> None:
        if driver is self._main:
            self._main = None
        driver.close()


class Copier:
    """Copies what was committed from the write-ahead log into the file, beside those who write: it waits for the disk,
    and needs no interpreter. A kill leaves the rest in the log, where everybody finds it."""

    def __init__(self, address: str, pragmas: tuple[str, ...]) -> None:
        self._address, self._pragmas = address, pragmas
        self._thread: ThreadPoolExecutor | None = None
        self._under_way: Future[None] | None = None
        self._driver: Driver | None = None  # of that thread, kept: to open one reads all tables' definitions
        self._counted: tuple[Driver, int] | None = None

    def count(self, driver: Driver) -> None:
        """Somebody has committed."""
        changes = driver.total_changes
        if self._counted is None or self._counted[0] is not driver:
            self._counted = driver, changes
        if changes - self._counted[1] < COPY_AFTER or (self._under_way and not self._under_way.done()):
            return
        self._counted = driver, changes
        self._thread = self._thread or ThreadPoolExecutor(max_workers=1, thread_name_prefix="copier")
        self._under_way = self._thread.submit(self._copy)

    def close(self) -> None:
        """Before the connections it copies beside: whoever is closed last copies everything."""
        if self._thread is not None:
            self._thread.shutdown()
        if self._driver is not None:
            self._driver.close()

    def _copy(self) -> None:
        """What cannot be copied now, since somebody reads or copies, is copied the next time."""
        with suppress(sqlite3.Error):
            self._driver = self._driver or opened(self._address, self._pragmas)
            self._driver.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchall()


def address_of(file: Path, mode: str) -> str:
    """By the bytes of its name: a folder may be called in another encoding than that of the terminal."""
    return f"file:{quote(fsencode(file.absolute()))}?{mode}"


def pragmas(cache_kib: int, mapped_bytes: int) -> tuple[str, ...]:
    return (*PRAGMAS, f"PRAGMA cache_size = -{cache_kib}", f"PRAGMA mmap_size = {mapped_bytes}")


@lru_cache(maxsize=64)
def keeping(text: str) -> str:
    """A statement that selects, with its columns handed to that function."""
    columns, table, rest = text.removeprefix(SELECT).partition(FROM)
    bare = ", ".join(column.partition(" AS ")[0] for column in columns.split(", "))
    return f"{SELECT}{KEPT}({bare}){table}{rest}"


def opened(address: str, pragmas: tuple[str, ...]) -> Driver:
    connection = sqlite3.connect(
        address, uri=True, isolation_level=None, check_same_thread=False, cached_statements=256, factory=Driver
    )
    for pragma in pragmas:
        connection.execute(pragma)
    return connection


class SqliteSession(Session):
    """The driver asks at length what anything but a number, a text and an array may be made into: half the price of a
    page's row. A NaN it takes for any number, and SQLite, which has none, for NULL."""

    def __init__(self, driver: Driver) -> None:
        def run_all(text: str, rows: Sequence[tuple[object, ...]]) -> sqlite3.Cursor:
            return driver.executemany(text, bindable(rows))

        super().__init__(driver.execute, run_all)
        self._heap = driver.heap

    def wide_rows(self, sql: Sql, parameters: tuple[object, ...] = ()) -> Rows:
        try:
            self._run(keeping(sql.text), parameters).fetchall()
            return self._heap.copy()
        finally:
            self._heap.clear()


def bindable(rows: Sequence[tuple[object, ...]]) -> Sequence[Sequence[object]]:
    """With a NaN for every None, an array for bytes, a number for a truth."""
    made: Sequence[Sequence[object]] | None = compiled.bindable(list(rows), nan) if compiled else None
    return [[_bindable(value) for value in row] for row in rows] if made is None else made


def _bindable(value: object) -> object:
    if value is None:
        return nan
    if isinstance(value, bytes):
        return bytearray(value)
    return int(value) if isinstance(value, bool) else value


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
