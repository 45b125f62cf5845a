"""Talking to the database: one connection for one piece of work, its errors said plainly."""

from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TypeVar

from sqlalchemy import Connection, Engine

from recrawl.store.compiled import Sql, in_chunks
from recrawl.store.failures import plainly
from recrawl.store.statements import Statements

WRITE = "recrawl_write"  # execution option: this transaction is going to write

Item = TypeVar("Item", int, str)
Rows = Sequence[Any]


class Session:
    """A connection with a transaction under way. Statements go to the driver as they were compiled: a batch
    costs what it costs the driver."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def rows(self, sql: Sql, parameters: tuple[object, ...] = ()) -> Rows:
        return self._connection.exec_driver_sql(sql.text, parameters).fetchall()

    def rows_of(self, sized: Callable[[int], Sql], items: Collection[Item], **values: object) -> Iterator[Any]:
        """Rows of a statement that takes a list, whatever the length of the list."""
        for chunk in in_chunks(items):
            sql = sized(len(chunk))
            yield from self.rows(sql, sql.bind_list(chunk, **values))

    def value(self, sql: Sql, parameters: tuple[object, ...] = ()) -> Any:
        """The first column of the first row, None without one."""
        row = self._connection.exec_driver_sql(sql.text, parameters).fetchone()
        return row[0] if row else None

    def many(self, sql: Sql, rows: Iterable[tuple[object, ...]]) -> None:
        """The statement once for each row."""
        batch = list(rows)
        if batch:
            self._connection.exec_driver_sql(sql.text, batch)

    def change(self, sql: Sql, parameters: tuple[object, ...]) -> int:
        """How many rows a statement changed."""
        return self._connection.exec_driver_sql(sql.text, parameters).rowcount


class Database:
    """An engine and its statements. `where` names it in messages."""

    def __init__(self, engine: Engine, statements: Statements, where: str) -> None:
        self.engine, self.statements, self.where = engine, statements, where
        self._writer = engine.execution_options(**{WRITE: True})

    @contextmanager
    def reading(self) -> Iterator[Session]:
        with plainly(self.where), self.engine.connect() as connection:
            yield Session(connection)

    @contextmanager
    def writing(self) -> Iterator[Session]:
        """One transaction: committed at the end, rolled back at an error."""
        with plainly(self.where), self._writer.begin() as connection:
            yield Session(connection)

    def close(self) -> None:
        self.engine.dispose()
