"""Talking to the database: one connection for one piece of work, its errors said plainly."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import wraps
from operator import itemgetter
from time import sleep
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from recrawl.model.failure import StoreAway, StoreInUse, StoreShut
from recrawl.store.book import Book
from recrawl.store.texts import ARRAY_LONGEST, ARRAY_SIZE, Column, Sql, as_columns, in_chunks

Item = TypeVar("Item", int, str, float)
Result = TypeVar("Result")
Given = ParamSpec("Given")
Rows = Sequence[Any]
ITEMS = (str, float, int)
Run = Callable[..., Any]  # a text and its parameters: a cursor


class Session:
    """A connection with a transaction under way. Statements go to the driver as they were compiled: a batch
    costs what it costs the driver. `run_all` runs a statement once for each row; `arrays`: lists and columns go as
    arrays."""

    def __init__(self, run: Run, run_all: Run, arrays: bool = False) -> None:
        self._run, self._run_all, self._arrays = run, run_all, arrays

    def rows(self, sql: Sql, parameters: tuple[object, ...] = ()) -> Rows:
        found: Rows = self._run(sql.text, parameters).fetchall()
        return found

    def wide_rows(self, sql: Sql, parameters: tuple[object, ...] = ()) -> Rows:
        """The same, where rows have so many columns that a driver may have a shorter way for them."""
        return self.rows(sql, parameters)

    def rows_of(self, sized: Callable[[int], Sql], items: Collection[Item], **values: object) -> Iterator[Any]:
        """Rows of a statement that takes a list, whatever the length of the list."""
        return self._rows_of(self.rows, sized, items, values)

    def wide_rows_of(self, sized: Callable[[int], Sql], items: Collection[Item]) -> Iterator[Any]:
        return self._rows_of(self.wide_rows, sized, items, {})

    def _rows_of(
        self,
        rows: Callable[[Sql, tuple[object, ...]], Rows],
        sized: Callable[[int], Sql],
        items: Collection[Item],
        values: dict[str, object],
    ) -> Iterator[Any]:
        if self._arrays:
            yield from self._rows_of_arrays(sized(ARRAY_SIZE), list(items), values)
            return
        for chunk in in_chunks(items):
            sql = sized(len(chunk))
            yield from rows(sql, sql.bind_list(chunk, **values))

    def _rows_of_arrays(self, sql: Sql, items: list[Item], values: dict[str, object]) -> Iterator[Any]:
        for start in range(0, len(items), ARRAY_LONGEST):
            column = Column(
                next(kind for kind in ITEMS if isinstance(items[0], kind)), items[start : start + ARRAY_LONGEST]
            )
            yield from self.rows(sql, sql.bind_list([column], **values))

    def value(self, sql: Sql, parameters: tuple[object, ...] = ()) -> Any:
        """The first column of the first row, None without one."""
        row = self._run(sql.text, parameters).fetchone()
        return row[0] if row else None

    def many(self, sql: Sql, rows: Iterable[tuple[object, ...]]) -> None:
        """The statement once for each row."""
        batch = list(rows)
        if batch and sql.columns:
            self._in_columns(sql, batch)
        elif batch:
            self._run_all(sql.text, batch)

    def new(self, sql: Sql, rows: Iterable[tuple[object, ...]]) -> set[object]:
        """Insert rows; the first column of those that were not there. Without arrays nobody else writes meanwhile, and
        the caller brings only new ones."""
        batch = list(rows)
        if batch and sql.columns:
            return {row[0] for row in self._in_columns(sql, batch).fetchall()}
        self.many(sql, batch)
        return {row[0] for row in batch}

    def added(self, sql: Sql, rows: Iterable[tuple[object, ...]]) -> int:
        """Insert rows; how many of them were not there."""
        batch = list(rows)
        if not batch:
            return 0
        if sql.columns:
            return len(self._in_columns(sql, batch).fetchall())
        added: int = self._run_all(sql.text, batch).rowcount
        return added

    def _in_columns(self, sql: Sql, batch: list[tuple[object, ...]]) -> Any:
        """In order of the first column: two who write the same rows wait for each other instead of for ever."""
        batch.sort(key=itemgetter(0))
        return self._run(sql.text, as_columns(batch, sql.columns))

    def change(self, sql: Sql, parameters: tuple[object, ...]) -> int:
        """How many rows a statement changed."""
        changed: int = self._run(sql.text, parameters).rowcount
        return changed


BeforeWrite = Callable[[Session], None]


def nothing_first(session: Session) -> None:
    """The default before a write."""


class Connections(Protocol):
    """How a database is reached. Errors come as recrawl's own; `where` names it in messages."""

    where: str

    def reading(self) -> AbstractContextManager[Session]: ...

    def rows(self, sql: Sql, parameters: tuple[object, ...]) -> Rows:
        """Of one statement that reads: alone it needs no transaction."""

    def writing(self) -> AbstractContextManager[Session]:
        """One transaction: committed at the end, rolled back at an error."""

    def at_hand(self, *, to_read: bool = False) -> bool:
        """Whether a transaction that writes, or one that reads, would begin at once, without a network between."""

    def close(self) -> None: ...


class Database:
    """Connections and their statements.

    `before_write` runs first inside every transaction that is going to write, and may raise to forbid it (fencing).
    `patience`: how long to wait before each new try when the server is away or refused a transaction; `wait` waits.
    """

    def __init__(
        self,
        connections: Connections,
        statements: Book,
        before_write: BeforeWrite = nothing_first,
        patience: Sequence[float] = (),
        wait: Callable[[float], None] = sleep,
    ) -> None:
        self.connections, self.statements, self.where = connections, statements, connections.where
        self.before_write, self._patience, self._wait = before_write, patience, wait

    def reading(self) -> AbstractContextManager[Session]:
        return self.connections.reading()

    def rows(self, sql: Sql, parameters: tuple[object, ...]) -> Rows:
        return self.connections.rows(sql, parameters)

    @contextmanager
    def writing(self) -> Iterator[Session]:
        with self.connections.writing() as session:
            self.before_write(session)
            yield session

    def enduring(self, work: Callable[[], Result]) -> Result:
        """Do work that may be done twice, again and again while the server is away or lets others go first."""
        for wait_s in self._patience:
            try:
                return work()
            except StoreShut:
                raise
            except (StoreAway, StoreInUse):
                self._wait(wait_s)
        return work()

    def close(self) -> None:
        self.connections.close()


class HasDatabase(Protocol):
    @property
    def database(self) -> Database: ...


Owner = TypeVar("Owner", bound=HasDatabase)


def enduring(method: Callable[Concatenate[Owner, Given], Result]) -> Callable[Concatenate[Owner, Given], Result]:
    """A method that leaves the same whether it is done once or twice, and so is done again after an outage."""

    @wraps(method)
    def again(self: Owner, /, *args: Given.args, **kwargs: Given.kwargs) -> Result:
        return self.database.enduring(lambda: method(self, *args, **kwargs))

    return again
