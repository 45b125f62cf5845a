"""The statements: what they walk through, and that they are no single dialect's."""

import inspect
import re
from pathlib import Path

import pytest
from sqlalchemy.dialects import postgresql, sqlite

from recrawl.store.book import Book
from recrawl.store.postgres import open_postgres
from recrawl.store.sqlite import open_sqlite
from recrawl.store.sqlite_text import SqliteStatements
from recrawl.store.statements import Statements
from recrawl.store.tables import METADATA
from recrawl.store.texts import ARRAY_SIZE, SIZES, Sql
from recrawl.store.write_text import FILE, names, written

NAMES = [name for name, _ in inspect.getmembers(Statements) if not name.startswith("_") and name not in dir(object)]
MACHINERY = {
    "arrays",
    "compile",
    "compile_insert",
    "insert_new",
    "inserting",
    "locked",
    "of_size",
    "place_of",
    "update_at",
    "upsert",
}
WHOLE_TABLE = {"all_servers", "counts", "notices"}  # small tables, or asked for by a person


def statement(statements: Book, name: str) -> Sql:
    found = getattr(statements, name)
    made = found(ARRAY_SIZE if statements.arrays else 8) if callable(found) else found
    assert isinstance(made, Sql)
    return made


def test_what_sqlite_is_given_is_written_down_as_it_is_composed() -> None:
    assert FILE.read_text(encoding="utf-8") == written(), "run `python -m recrawl.store.write_text`"
    assert set(names()) == set(NAMES) - MACHINERY


@pytest.mark.parametrize("size", SIZES)
def test_a_list_written_down_for_one_item_is_made_for_many_as_it_is_composed(size: int) -> None:
    composed, kept = Statements(sqlite.dialect(), sqlite.insert), SqliteStatements()
    for name in (name for name in names() if callable(getattr(kept, name))):
        found, wanted = getattr(kept, name)(size), getattr(composed, name)(size)
        assert (found.text, found.names) == (" ".join(wanted.text.split()), wanted.names)


@pytest.mark.parametrize("name", sorted(set(NAMES) - MACHINERY - WHOLE_TABLE))
def test_no_statement_walks_through_a_whole_table(name: str, tmp_path: Path) -> None:
    store = open_sqlite(tmp_path / "s.db")
    sql = statement(store._sql, name)
    with store.database.reading() as session:
        values = tuple(0 for _ in sql.names)
        plan = [row[3] for row in session.rows(Sql("EXPLAIN QUERY PLAN " + sql.text, (), {}), values)]
    store.close()
    scanned = {step.split()[1] for step in plan if step.startswith("SCAN ")}
    assert not scanned & set(METADATA.tables)


@pytest.mark.parametrize("name", ["due", "due_ids", "count_due", "count_due_of_site", "earliest_due", "next_due"])
def test_what_is_due_is_found_by_server_rank_and_due_time(name: str, tmp_path: Path) -> None:
    store = open_sqlite(tmp_path / "s.db")
    sql = statement(store._sql, name)
    with store.database.reading() as session:
        values = tuple(0 for _ in sql.names)
        plan = " ".join(row[3] for row in session.rows(Sql("EXPLAIN QUERY PLAN " + sql.text, (), {}), values))
    store.close()
    assert "INDEX page_due (server=? AND rank=? AND due_at" in plan


def test_a_rare_sites_pages_are_found_by_its_servers_and_no_others_are_looked_at(tmp_path: Path) -> None:
    store = open_sqlite(tmp_path / "s.db")
    sql = store._sql.ids_by_servers
    with store.database.reading() as session:
        values = tuple(0 for _ in sql.names)
        plan = [row[3] for row in session.rows(Sql("EXPLAIN QUERY PLAN " + sql.text, (), {}), values)]
    store.close()
    searched = [step for step in plan if step.startswith("SEARCH")]
    assert [step.split(" (")[0].removeprefix("SEARCH ") for step in searched] == [
        "presence USING PRIMARY KEY",
        "page USING INDEX page_due",
        "presence USING PRIMARY KEY",
        "page USING INDEX page_rest",
    ]
    assert all("(site=?" in step or "(server=?" in step for step in searched)


@pytest.mark.parametrize("name", sorted(set(NAMES) - MACHINERY))
def test_every_statement_can_be_said_in_postgresql(name: str) -> None:
    dialect = postgresql.psycopg.dialect(paramstyle="format")
    sql = statement(Statements(dialect, postgresql.insert, arrays=True), name)
    assert sql.text.count("%s") == len(sql.names)


SAMPLES = {
    "BIGINT": 1,
    "INTEGER": 1,
    "SMALLINT": 1,
    "DOUBLE PRECISION": 1.0,
    "BYTEA": b"x",
    "BOOLEAN": True,
    "TEXT": "x",
    "VARCHAR": "x",
}


def samples(sql: Sql) -> tuple[object, ...]:
    """A value for every place of a statement, by the type that stands there."""
    found = re.findall(rf"%s(?:::({'|'.join(SAMPLES)})(\[\])?)?", sql.text)
    return tuple([SAMPLES[kind]] if array else SAMPLES.get(kind, 1) for kind, array in found)


def test_no_statement_walks_through_a_whole_table_of_postgresql(postgres_store: str) -> None:
    """Where a plan without an index is forbidden and still made, there is no index to go by."""
    store = open_postgres(postgres_store)
    walks = set[str]()
    with store.database.connections.engine.connect() as connection:
        connection.exec_driver_sql("SET enable_seqscan = off")
        for name in sorted(set(NAMES) - MACHINERY - WHOLE_TABLE):
            sql = statement(store._sql, name)
            plan = connection.exec_driver_sql("EXPLAIN " + sql.text, samples(sql)).scalars().all()
            walks |= {f"{name}: {step}" for step in plan if "Seq Scan on" in step}
    store.close()
    assert walks == set()
