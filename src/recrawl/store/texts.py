"""Statements as text for a driver: lists in a few sizes, rows to insert as they are or as one array a column.

A list is cut and filled up to one of the sizes (`in_chunks`), so that a database sees few different texts and
keeps them prepared. A database that knows arrays is given a list as one of them, and rows to insert as one array a
column: one statement however many rows.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field
from itertools import repeat
from typing import Any, TypeVar

from recrawl.model.values import dataclass

SIZES = (1, 8, 16, 64, 128, 256, 512)  # of lists
ARRAY_SIZE = 0  # stands for a list of any length, given as an array
ARRAY_LONGEST = 10_000
ONE, ROW = "(?)", "VALUES (?)"  # a list of one item, and a table of one, as they stand in the text
Item = TypeVar("Item", int, str, float)


@dataclass(frozen=True, slots=True)
class Sql:
    """A compiled statement: its text, the names of its parameters in order, and those that are set already."""

    text: str
    names: tuple[str, ...]
    fixed: Mapping[str, Any]
    columns: tuple[type, ...] = field(default=())  # takes rows as columns, each of this type

    def bind(self, **values: object) -> tuple[object, ...]:
        return tuple(values[name] if name in values else self.fixed[name] for name in self.names)

    def bind_each(self, name: str, items: Sequence[object], **values: object) -> Iterator[tuple[object, ...]]:
        """Once for each of many values of one of its parameters."""
        known = {**self.fixed, **values}
        return zip(*(items if one == name else repeat(known[one]) for one in self.names), strict=False)

    def bind_list(self, chunk: Sequence[object], **values: object) -> tuple[object, ...]:
        """For a statement whose list comes first."""
        rest = self.names[len(chunk) :]
        return (*chunk, *(values[name] if name in values else self.fixed[name] for name in rest))


class Listed:
    """A statement that begins with a list, written down for a list of one; made for the other sizes when first asked
    for."""

    def __init__(self, text: str, names: tuple[str, ...], fixed: Mapping[str, Any]) -> None:
        self._text, self._names, self._fixed = text, names, fixed
        self._made: dict[int, Sql] = {}

    def __call__(self, size: int) -> Sql:
        found = self._made.get(size)
        if found is None:
            found = self._made[size] = self._make(size)
        return found

    def _make(self, size: int) -> Sql:
        if ROW in self._text:
            text = self._text.replace(ROW, f"VALUES {', '.join([ONE] * size)}", 1)
        else:
            text = self._text.replace(ONE, f"({', '.join('?' * size)})", 1)
        return Sql(text, (*(f"item_{place}" for place in range(size)), *self._names[1:]), self._fixed)


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
