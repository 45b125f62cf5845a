"""One store into another, row by row: from SQLite to PostgreSQL and back.

What is read is one moment of the source, whoever writes there meanwhile; what is written is one transaction: the
target holds everything or nothing. Rows are the same on both sides, so nothing is translated.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice

from sqlalchemy import Connection, Engine, Table, delete, func, select
from sqlalchemy.dialects import postgresql, sqlite

from recrawl.model.failure import UsageError
from recrawl.model.values import dataclass
from recrawl.store.compiled import Compiler
from recrawl.store.engines import WRITE, plainly, session_on
from recrawl.store.rows import Row
from recrawl.store.schema import SCHEMA
from recrawl.store.tables import META, REVISION_TABLE, WORD

BATCH = 2_000  # rows
TABLES = tuple(table for table in SCHEMA.sorted_tables if table is not REVISION_TABLE)
DIALECTS = {"sqlite": (sqlite.insert, False), "postgresql": (postgresql.insert, True)}
NEXT_WORD = "SELECT setval(pg_get_serial_sequence('word', 'number'), (SELECT max(number) FROM word))"

Tell = Callable[[str, int], None]  # table, rows more


@dataclass(frozen=True, slots=True)
class Side:
    """A store to copy from or to; `where` names it in messages. `shards`: its other databases; `place`: the one that a
    partition lives in, from 1, 0 for this one."""

    engine: Engine
    where: str
    shards: tuple["Side", ...] = ()
    place: Callable[[int], int] = lambda partition: 0

    @property
    def is_postgres(self) -> bool:
        return self.engine.dialect.name == "postgresql"


def rows_in(side: Side) -> dict[str, int]:
    """How many rows each table has."""
    found: Counter[str] = Counter()
    for one in (side, *side.shards):
        with plainly(one.where), one.engine.connect() as connection:
            found.update({table.name: _count(connection, table) for table in TABLES})
    return found


def copy_store(source: Side, target: Side, tell: Tell = lambda table, rows: None) -> dict[str, int]:
    """Copy every table into an empty store of the same schema; how many rows of each."""
    reader = source.engine.execution_options(**one_moment(source))
    writer = target.engine.execution_options(**{WRITE: True})
    with plainly(source.where), reader.connect() as reading, plainly(target.where), writer.begin() as writing:
        need_empty(writing, target.where)
        writing.execute(delete(META))
        copied = {table.name: _copy(reading, source.where, writing, table, tell) for table in TABLES}
        next_word(writing)
    return copied


def one_moment(source: Side) -> dict[str, object]:
    """SQLite shows a reader one moment anyway."""
    if not source.is_postgres:
        return {}
    return {"isolation_level": "REPEATABLE READ", "postgresql_readonly": True}


def need_empty(connection: Connection, where: str, but: Sequence[Table] = (META,)) -> None:
    """Two who copy to the same place take turns: the second one finds it filled, or the first one still at it."""
    connection.execute(select(META).with_for_update())  # SQLite lets one in at a time anyway
    filled = next((table.name for table in TABLES if table not in but and _count(connection, table)), None)
    if filled:
        raise UsageError(f"{where} is not empty (table {filled}): copy into a new database or folder")


def next_word(connection: Connection) -> None:
    """The next word gets a number that no other has."""
    if connection.dialect.name == "postgresql" and _count(connection, WORD):
        connection.exec_driver_sql(NEXT_WORD)


def _count(connection: Connection, table: Table) -> int:
    return int(connection.execute(select(func.count()).select_from(table)).scalar_one())


def _copy(reading: Connection, source: str, writing: Connection, table: Table, tell: Tell) -> int:
    statement, arrays = DIALECTS[writing.dialect.name]
    compiler = Compiler(writing.dialect, statement, arrays)
    sql = compiler.compile_insert(compiler.inserting(table), table)
    session, copied = session_on(writing, arrays), 0
    for batch in batches_of(reading, table, source):
        session.many(sql, batch)
        copied += len(batch)
        tell(table.name, len(batch))
    return copied


def batches_of(reading: Connection, table: Table, where: str) -> Iterator[list[tuple[object, ...]]]:
    """As the driver gives them, in the order they lie in. `where` names what is read from."""
    quote = reading.dialect.identifier_preparer.quote
    columns = ", ".join(quote(column.name) for column in table.columns)
    text = f"SELECT {columns} FROM {quote(table.name)}"
    return in_batches(lambda: reading.exec_driver_sql(text, execution_options={"stream_results": True}), where)


def in_batches(ask: Callable[[], Iterable[Row]], where: str) -> Iterator[list[tuple[object, ...]]]:
    """Rows in batches. What goes wrong while they are fetched is said of `where`, not of whom they are written to."""
    with plainly(where):
        rows = iter(ask())
    while True:
        with plainly(where):
            batch = [tuple(row) for row in islice(rows, BATCH)]
        if not batch:
            return
        yield batch
