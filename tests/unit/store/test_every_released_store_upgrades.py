"""Stores that real crawls of older recrawls left behind, as SQL text, one a schema: each is brought up to date whole.

A schema that is to be released gets its file here: crawl a small site, change and remove a page, crawl again, and write
down `sqlite3 recrawl.db .dump`.
"""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from recrawl.model.batch import Batch
from recrawl.model.event import EventKind
from recrawl.model.failure import StoreOutdated
from recrawl.store.revision import REVISION, REVISIONS
from recrawl.store.sqlite import open_sqlite
from recrawl.store.upgrade import upgrade_sqlite

RELEASED = {file.stem: file for file in (Path(__file__).parent / "released").glob("*.sql")}
COUNTED = ("page", "visit", "version", "event", "server", "robots", "memo")


def rows(file: Path) -> dict[str, int]:
    with closing(sqlite3.connect(file)) as connection:
        return {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in COUNTED}


def test_every_schema_but_the_one_in_the_making_has_its_store() -> None:
    assert set(REVISIONS[:-1]) <= set(RELEASED) <= set(REVISIONS)


@pytest.mark.parametrize("schema", sorted(RELEASED))
def test_a_store_of_every_released_schema_is_brought_up_to_date_and_loses_nothing(schema: str, tmp_path: Path) -> None:
    file = tmp_path / "recrawl.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(RELEASED[schema].read_text("utf-8"))
    before = rows(file)
    if schema != REVISION:
        with pytest.raises(StoreOutdated, match="recrawl db upgrade"):
            open_sqlite(file)
    assert upgrade_sqlite(file) == (schema, REVISION)
    assert upgrade_sqlite(file) == (REVISION, REVISION)
    assert rows(file) == before
    with closing(open_sqlite(file)) as store:
        pages = store.scan("town")
        assert len(pages) == 6 and sum(page.changes for page in pages) == 1
        assert all(store.visits(page.id) and page.belief for page in pages if page.checked_at)
        (changed,) = (page for page in pages if page.changes)
        assert len(store.versions(changed.id)) == 2
        before_it = store.visits(changed.id)
        later = replace(before_it[0], at=before_it[0].at + 1.0)
        store.save(Batch(visits=(later,)))
        store.save(Batch(visits=(later, *before_it)))
        assert store.visits(changed.id) == [later, *before_it]
        assert [event.url for event in store.events(kinds=(EventKind.UPDATED,))] == [changed.url]
        assert store.make_due(0.0, "town") >= 5 and store.due(changed.server, 1e12, 10)


def test_a_visit_that_failed_and_counted_for_nothing_stands_once_when_it_comes_again(tmp_path: Path) -> None:
    """After the upgrade: a server that was busy is held against none of its pages."""
    file = tmp_path / "recrawl.db"
    with closing(sqlite3.connect(file)) as connection:
        connection.executescript(RELEASED["0004"].read_text("utf-8"))
        connection.execute("CREATE TEMP TABLE later AS SELECT * FROM visit ORDER BY at DESC LIMIT 1")
        connection.execute("UPDATE later SET at = at + 1.0")
        connection.execute("INSERT INTO visit SELECT * FROM later")
        connection.execute("UPDATE page SET failures = NULL, misses = NULL WHERE id = (SELECT page FROM later)")
        (visited,) = connection.execute("SELECT page FROM later").fetchone()
        connection.commit()
    upgrade_sqlite(file)
    with closing(open_sqlite(file)) as store:
        before = store.visits(visited)
        store.save(Batch(visits=(before[0],)))
        assert store.visits(visited) == before
