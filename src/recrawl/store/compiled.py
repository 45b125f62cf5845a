"""SQLAlchemy's statements as text for a driver: compiled once for a dialect, lists in a few sizes.

A list is cut and filled up to one of the sizes (`in_chunks`), so that a database sees few different texts and
keeps them prepared. A database that knows arrays is given a list as one of them, and rows to insert as one array a
column: one statement however many rows.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from sqlalchemy import ARRAY, ColumnElement, Integer, Select, Table, any_, bindparam, func, literal_column, select
from sqlalchemy.engine import Dialect
from sqlalchemy.sql import ClauseElement

SIZES = (1, 8, 64, 512)  # of lists
ARRAY_SIZE = 0  # stands for a list of any length, given as an array
ARRAY_LONGEST = 10_000
Item = TypeVar("Item", int, str)


@dataclass(frozen=True, slots=True)
class Sql:
    """A compiled statement: its text, the names of its parameters in order, and those that are set already."""

    text: str
    names: tuple[str, ...]
    fixed: Mapping[str, Any]
    columns: tuple[type, ...] = field(default=())  # takes rows as columns, each of this type

    def bind(self, **values: object) -> tuple[object, ...]:
        return tuple(values[name] if name in values else self.fixed[name] for name in self.names)

    def bind_list(self, chunk: Sequence[object], **values: object) -> tuple[object, ...]:
        """For a statement whose list comes first."""
        rest = self.names[len(chunk) :]
        return (*chunk, *(values[name] if name in values else self.fixed[name] for name in rest))


def in_chunks(items: Collection[Item]) -> Iterator[tuple[Item, ...]]:
    """Cut a list into pieces of the sizes that statements come in, the last one filled up with its last item."""
    rest = list(items)
    for start in range(0, len(rest), SIZES[-1]):
        piece = rest[start : start + SIZES[-1]]
        size = next(size for size in SIZES if size >= len(piece))
        yield tuple(piece) + (piece[-1],) * (size - len(piece))


@dataclass(frozen=True, slots=True)
class Column:
    """Values of one type (or None), which a driver sends as an array."""

    kind: type
    values: Sequence[Any]


def as_columns(rows: Sequence[Sequence[Any]], types: Sequence[type]) -> tuple[Column, ...]:
    """Rows turned on their side."""
    return tuple(Column(kind, values) for kind, values in zip(types, zip(*rows, strict=True), strict=True))


def one_of(column: ColumnElement[Any], size: int) -> ColumnElement[bool]:
    if size == ARRAY_SIZE:
        return column == any_(bindparam("item_0", type_=ARRAY(column.type)))
    return column.in_([bindparam(f"item_{place}") for place in range(size)])


def number(value: int) -> ColumnElement[int]:
    """A number that stands in the text, so that it needs no place among the parameters."""
    return literal_column(str(value), Integer)


class Compiler:
    """Makes and keeps the statements of one dialect. `insert` is the dialect's own, for ON CONFLICT. `arrays`: the
    database knows arrays, and several write at the same time."""

    def __init__(self, dialect: Dialect, insert: Callable[[Table], Any], arrays: bool = False) -> None:
        self._dialect, self._insert, self.arrays = dialect, insert, arrays
        self._sized: dict[tuple[str, int], Sql] = {}

    def compile(self, statement: ClauseElement, columns: tuple[type, ...] = ()) -> Sql:
        compiled: Any = statement.compile(dialect=self._dialect)
        return Sql(str(compiled), tuple(compiled.positiontup), dict(compiled.params), columns)

    def inserting(self, table: Table, *names: str) -> Any:
        """The beginning of an INSERT of many rows (of these columns, or all)."""
        insert, chosen = self._insert(table), names or tuple(table.columns.keys())
        if not self.arrays:
            return insert.values({name: bindparam(name) for name in names}) if names else insert
        arrays = [bindparam(f"column_{name}", type_=ARRAY(table.columns[name].type)) for name in chosen]
        fresh = func.unnest(*arrays).table_valued(*chosen, name="fresh").render_derived()
        return insert.from_select(list(chosen), select(*fresh.columns))

    def compile_insert(self, statement: ClauseElement, table: Table, *names: str) -> Sql:
        chosen = [table.columns[name] for name in names] or list(table.columns)
        return self.compile(statement, tuple(column.type.python_type for column in chosen) if self.arrays else ())

    def locked(self, statement: Select[Any], *order: ColumnElement[Any]) -> Select[Any]:
        """Rows that are going to be changed by what they hold now: nobody else does so until this is committed."""
        return statement.order_by(*order).with_for_update() if self.arrays else statement

    def of_size(self, name: str, size: int, build: Callable[[int], ClauseElement]) -> Sql:
        found = self._sized.get((name, size))
        if found is None:
            found = self._sized[name, size] = self.compile(build(size))
        return found

    def upsert(self, table: Table, keys: Collection[str], keep: Collection[str] = ()) -> Sql:
        """Insert rows, or overwrite all but the key and what is to be kept."""
        insert = self.inserting(table)
        fresh = {
            column.name: insert.excluded[column.name]
            for column in table.columns
            if column.name not in keys and column.name not in keep
        }
        return self.compile_insert(insert.on_conflict_do_update(index_elements=list(keys), set_=fresh), table)

    def insert_new(self, table: Table) -> Sql:
        """Insert rows, ignoring those whose key is there. Where others may insert at the same time it answers with the
        first column of those that were really new."""
        insert = self.inserting(table).on_conflict_do_nothing()
        return self.compile_insert(insert.returning(table.columns[0]) if self.arrays else insert, table)
