"""SQLAlchemy's statements as text for a driver: compiled once for a dialect, lists in a few sizes.

A list is cut and filled up to one of the sizes (`in_chunks`), so that a database sees few different texts and
keeps them prepared.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Integer, Table, bindparam, literal_column
from sqlalchemy.engine import Dialect
from sqlalchemy.sql import ClauseElement

SIZES = (1, 8, 64, 512)  # of lists
Item = TypeVar("Item", int, str)


@dataclass(frozen=True, slots=True)
class Sql:
    """A compiled statement: its text, the names of its parameters in order, and those that are set already."""

    text: str
    names: tuple[str, ...]
    fixed: Mapping[str, Any]

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


def one_of(column: ColumnElement[Any], size: int) -> ColumnElement[bool]:
    return column.in_([bindparam(f"item_{place}") for place in range(size)])


def number(value: int) -> ColumnElement[int]:
    """A number that stands in the text, so that it needs no place among the parameters."""
    return literal_column(str(value), Integer)


class Compiler:
    """Makes and keeps the statements of one dialect. `insert` is the dialect's own, for ON CONFLICT."""

    def __init__(self, dialect: Dialect, insert: Callable[[Table], Any]) -> None:
        self._dialect, self._insert = dialect, insert
        self._sized: dict[tuple[str, int], Sql] = {}

    def compile(self, statement: ClauseElement) -> Sql:
        compiled: Any = statement.compile(dialect=self._dialect)
        return Sql(str(compiled), tuple(compiled.positiontup), dict(compiled.params))

    def of_size(self, name: str, size: int, build: Callable[[int], ClauseElement]) -> Sql:
        found = self._sized.get((name, size))
        if found is None:
            found = self._sized[name, size] = self.compile(build(size))
        return found

    def upsert(self, table: Table, keys: Collection[str], keep: Collection[str] = ()) -> Sql:
        """Insert rows, or overwrite all but the key and what is to be kept."""
        insert = self._insert(table)
        fresh = {
            column.name: insert.excluded[column.name]
            for column in table.columns
            if column.name not in keys and column.name not in keep
        }
        return self.compile(insert.on_conflict_do_update(index_elements=list(keys), set_=fresh))

    def insert_new(self, table: Table) -> Sql:
        """Insert rows, ignoring those whose key is there."""
        return self.compile(self._insert(table).on_conflict_do_nothing())
