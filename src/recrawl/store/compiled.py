"""SQLAlchemy's statements as text for a driver (`texts.py`), compiled once for a dialect."""

from collections.abc import Callable, Collection
from typing import Any

from sqlalchemy import (
    ARRAY,
    CTE,
    BindParameter,
    ColumnElement,
    Integer,
    Select,
    Table,
    any_,
    bindparam,
    func,
    literal_column,
    select,
    update,
    values,
)
from sqlalchemy.engine import Dialect
from sqlalchemy.sql import ClauseElement

from recrawl.store.texts import ARRAY_SIZE, Sql


def one_of(column: ColumnElement[Any], size: int) -> ColumnElement[bool]:
    if size == ARRAY_SIZE:
        return column == any_(bindparam("item_0", type_=ARRAY(column.type)))
    return column.in_([bindparam(f"item_{place}") for place in range(size)])


def listed(name: str, column: ColumnElement[Any], size: int) -> CTE:
    """A list as a table of one column, named and typed as another one."""
    if size == ARRAY_SIZE:
        return select(func.unnest(bindparam("item_0", type_=ARRAY(column.type))).label(column.name)).cte(name)
    items: list[tuple[BindParameter[Any]]] = [(bindparam(f"item_{place}"),) for place in range(size)]
    return values(literal_column(column.name, column.type)).data(items).cte(name)


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

    def place_of(self, table: Table) -> ColumnElement[Any]:
        """A walk by these goes through the rows in the order they lie in, where the database has such an order: each
        leaf is read and written once, however few of them fit into memory."""
        return table.columns["id"] if self.arrays else literal_column("rowid")

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

    def insert_new(self, table: Table, *names: str) -> Sql:
        """Insert rows (of these columns, or all), ignoring those whose key is there. Where others may insert, too, it
        answers with the first column of those that were really new."""
        insert = self.inserting(table, *names).on_conflict_do_nothing()
        return self.compile_insert(insert.returning(table.columns[0]) if self.arrays else insert, table, *names)

    def update_at(self, table: Table, *names: str) -> Sql:
        """Overwrite these columns of the row at a place, which comes last."""
        place = self.place_of(table)
        if not self.arrays:
            changes: dict[str, BindParameter[Any]] = {name: bindparam(f"new_{name}") for name in names}
            return self.compile(update(table).where(place == bindparam("place")).values(changes))
        chosen = [*(table.columns[name] for name in names), table.columns["id"]]
        arrays = [bindparam(f"column_{column.name}", type_=ARRAY(column.type)) for column in chosen]
        labels = [column.name for column in chosen]
        fresh = func.unnest(*arrays).table_valued(*labels, name="fresh").render_derived()
        changed = update(table).where(place == fresh.c.id).values({name: fresh.c[name] for name in names})
        return self.compile(changed, tuple(column.type.python_type for column in chosen))
