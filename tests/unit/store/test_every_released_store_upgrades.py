"""Stores that real crawls of older recrawls left behind, as SQL text, one a schema: each is brought up to date whole.

A schema that is to be released gets its file here: crawl a small site, change and remove a page, crawl again, and write
down `sqlite3 recrawl.db .dump`.
"""

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

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
        assert [event.url for event in store.events(kinds=(EventKind.UPDATED,))] == [changed.url]
        assert store.make_due(0.0, "town") >= 5 and store.due(changed.server, 1e12, 10)
