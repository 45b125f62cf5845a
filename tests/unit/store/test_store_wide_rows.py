"""Rows with many columns come through a function of ours, and are the rows that the driver hands out."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from recrawl.native import compiled
from recrawl.store import sqlite_driver
from recrawl.store.sqlite_driver import Driver, SqliteSession, keeping, opened
from recrawl.store.sqlite_text import SqliteStatements
from recrawl.store.texts import Sql

VALUES = (None, 0, -(2**63), 2**63 - 1, 0.1, float("inf"), "", "a\0b", "\U0001f577 é", b"", b"\0\xff")
ALL = Sql("SELECT t.number, t.value FROM t WHERE t.number < ? ORDER BY t.number DESC", ("below",), {})
ABSOLUTE = Sql("SELECT t.number, abs(t.value) FROM t WHERE t.number > 0 ORDER BY t.number", (), {})


@pytest.fixture(params=["compiled", "python"])
def driver(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    if request.param == "python":
        monkeypatch.setattr(sqlite_driver, "compiled", None)
    elif compiled is None:
        pytest.skip("recrawl is installed without its compiled part")
    with closing(opened(f"file:{tmp_path / 'x.db'}", ())) as driver:
        driver.execute("CREATE TABLE t (number INTEGER PRIMARY KEY, value)")
        driver.executemany("INSERT INTO t VALUES (?, ?)", list(enumerate(VALUES)))
        yield driver


def test_wide_rows_are_the_rows(driver: Driver) -> None:
    session = SqliteSession(driver)
    for below in (0, 1, 5, 100):
        plain = session.rows(ALL, (below,))
        assert session.wide_rows(ALL, (below,)) == plain
        assert [list(map(type, row)) for row in session.wide_rows(ALL, (below,))] == [
            list(map(type, row)) for row in plain
        ]


def test_a_statement_that_fails_on_its_way_leaves_nothing_for_the_next_one(driver: Driver) -> None:
    """The least integer has no absolute value."""
    session = SqliteSession(driver)
    with pytest.raises(sqlite3.OperationalError):
        session.wide_rows(ABSOLUTE)
    assert session.wide_rows(ALL, (1,)) == [(0, None)]
    with pytest.raises(sqlite3.OperationalError):
        session.wide_rows(Sql("SELECT x.y FROM x", (), {}))
    assert session.wide_rows(ALL, (0,)) == []


def test_columns_are_handed_over_without_their_other_names() -> None:
    statements = SqliteStatements()
    wanted = "SELECT kept(page.id, coalesce(page.visited_at, page.checked_at)) FROM page WHERE a FROM b"
    given = "SELECT page.id, coalesce(page.visited_at, page.checked_at) AS coalesce_1 FROM page WHERE a FROM b"
    assert keeping(given) == wanted
    for whole in (statements.due_of_rank.text, statements.pages(8).text, statements.standings(8).text):
        assert keeping(whole).startswith("SELECT kept(page.id, page.")
        assert " AS " not in keeping(whole).partition(" FROM ")[0]


@pytest.mark.compiled
def test_rows_are_kept_on_a_list_only() -> None:
    with pytest.raises(TypeError):
        compiled.keeper(())
