"""`python -m recrawl.store.write_text`: writes the statements down as SQLite is given them (`sqlite_text.py`).

They are composed once, for every database, with SQLAlchemy; a crawl in a SQLite file takes them as they were written
down and needs neither its half second of start nor its memory. A test holds the file to what is composed.
"""

import inspect
from pathlib import Path

from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateIndex, CreateTable

from recrawl.store.book import Book
from recrawl.store.schema import SCHEMA
from recrawl.store.statements import Statements
from recrawl.store.texts import Sql

FILE = Path(__file__).with_name("sqlite_text.py")
HEAD = '''"""Every statement as SQLite is given it, and its tables.

Written by `python -m recrawl.store.write_text`: do not edit.
"""

# ruff: noqa: E501
# fmt: off

from recrawl.store.texts import Listed, Sql

SCHEMA = (
'''
CLASS = '''

class SqliteStatements:
    """The `Book` of a SQLite store."""

    arrays = False
'''


def written() -> str:
    """The whole module."""
    tables = "".join(f"    {_quoted(text)},\n" for text in _tables())
    composed = Statements(sqlite.dialect(), sqlite.insert)
    statements = "".join(_statement(composed, name) for name in names())
    return f"{HEAD}{tables})\n{CLASS}{statements}"


def names() -> list[str]:
    """Of all statements."""
    return [name for name, member in inspect.getmembers(Book) if _is_statement(name, member)]


def _is_statement(name: str, member: object) -> bool:
    return not name.startswith("_") and (isinstance(member, property) or inspect.isfunction(member))


def _tables() -> list[str]:
    dialect = sqlite.dialect()
    texts = []
    for table in SCHEMA.sorted_tables:
        texts.append(CreateTable(table).compile(dialect=dialect))
        texts += [CreateIndex(index).compile(dialect=dialect) for index in sorted(table.indexes, key=_name_of)]
    return [str(text) for text in texts]


def _name_of(index: object) -> str:
    return str(getattr(index, "name", ""))


def _statement(composed: Statements, name: str) -> str:
    found = getattr(composed, name)
    sql: Sql = found(1) if callable(found) else found
    fixed = {key: value for key, value in sql.fixed.items() if value is not None}
    kind = "Listed" if callable(found) else "Sql"
    return f"    {name} = {kind}({_quoted(sql.text)}, {sql.names!r}, {fixed!r})\n"


def _quoted(text: str) -> str:
    """On one line: nothing that stands in a statement has spaces of its own."""
    return repr(" ".join(text.split()))


if __name__ == "__main__":
    FILE.write_text(written(), encoding="utf-8")
