"""Opening a SQLite store, and what is said when it cannot be used."""

import os
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

import pytest
from alembic.script import ScriptDirectory

from recrawl.index.weights import WEIGHTS
from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.failure import DiskFull, NotFound, RecrawlError, StoreDamaged, StoreInUse, StoreOutdated
from recrawl.model.page import Page
from recrawl.store.revision import REVISION, REVISIONS, check_revision
from recrawl.store.schema import SCHEMA
from recrawl.store.search.sqlite import SqliteSearch
from recrawl.store.sqlite import open_sqlite
from recrawl.store.sqlite_driver import CACHE_KIB, SPARE_KIB, SqliteConnections
from recrawl.store.sqlite_engine import sqlite_engine
from recrawl.store.texts import Sql
from recrawl.store.upgrade import migration_config, run_revisions, upgrade_sqlite

NOBODY = 65534


def page(number: int) -> Page:
    url = f"https://a.example/{number}"
    return Page(fingerprint(url), url, "a.example", "one", due_at=1.0, etag="x" * 500)


def schema(path: Path) -> dict[str, str]:
    with sqlite3.connect(path) as connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    return {name: " ".join(text.split()) for name, text in rows}


def set_revision(path: Path, revision: str) -> None:
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE alembic_version SET version_num = ?", [revision])


def test_a_new_store_is_made_with_its_folders_and_keeps_its_partitions(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "folder with ? and %" / "s.db"
    open_sqlite(path, partitions=16).close()
    store = open_sqlite(path, partitions=999)
    assert store.partitions == 16 and path.exists()
    store.close()


def test_migrations_and_tables_give_the_same_schema(tmp_path: Path) -> None:
    open_sqlite(tmp_path / "made.db").close()
    engine = sqlite_engine(tmp_path / "migrated.db", "mode=rwc")
    run_revisions(engine)
    engine.dispose()
    assert schema(tmp_path / "made.db") == schema(tmp_path / "migrated.db")
    assert set(SCHEMA.tables) <= set(schema(tmp_path / "made.db"))


def test_the_revisions_on_disk_are_those_that_the_tables_name() -> None:
    script = ScriptDirectory.from_config(migration_config())
    assert [found.revision for found in script.walk_revisions()][::-1] == list(REVISIONS)
    assert script.get_current_head() == REVISION


def test_opening_a_store_imports_neither_sqlalchemy_nor_alembic(tmp_path: Path) -> None:
    program = (
        "import sys; from recrawl.store.sqlite import open_sqlite; open_sqlite(sys.argv[1]).close(); "
        "sys.exit(bool({'alembic', 'sqlalchemy'} & set(sys.modules)))"
    )
    assert subprocess.run([sys.executable, "-c", program, str(tmp_path / "s.db")], check=False).returncode == 0


def test_a_store_of_a_newer_recrawl_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    open_sqlite(path).close()
    set_revision(path, "9999")
    for attempt in (lambda: open_sqlite(path), lambda: open_sqlite(path, readonly=True), lambda: upgrade_sqlite(path)):
        with pytest.raises(StoreOutdated, match=r"newer recrawl \(schema 9999.*upgrade recrawl"):
            attempt()


def test_a_store_of_an_older_recrawl_is_refused_with_the_command_to_run(tmp_path: Path) -> None:
    with pytest.raises(StoreOutdated, match=r"older recrawl.*run `recrawl db upgrade`") as caught:
        check_revision("0001", tmp_path / "s.db", known=("0001", "0002"))
    assert caught.value.exit_code == 8


def test_upgrading_a_store_that_is_up_to_date_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    store = open_sqlite(path)
    store.save(Batch(entered=(page(1),)))
    store.close()
    before = schema(path)
    assert upgrade_sqlite(path) == (REVISION, REVISION)
    assert schema(path) == before
    again = open_sqlite(path)
    assert again.totals().pages == 1
    again.close()


def test_upgrading_what_is_not_there_says_so(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="no store at"):
        upgrade_sqlite(tmp_path / "none.db")
    assert not (tmp_path / "none.db").exists()


def test_reading_a_store_that_is_not_there_says_how_to_start(tmp_path: Path) -> None:
    with pytest.raises(NotFound, match="recrawl add URL"):
        open_sqlite(tmp_path / "none.db", readonly=True)


def test_a_file_that_is_no_database_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    path.write_bytes(b"this is not a database at all" * 100)
    with pytest.raises(StoreDamaged, match="not a recrawl store"):
        open_sqlite(path)
    assert path.read_bytes().startswith(b"this is not")


def test_a_database_of_somebody_else_is_refused_and_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE theirs (x)")
    with pytest.raises(StoreDamaged, match="other tables"):
        open_sqlite(path)
    assert list(schema(path)) == ["theirs"]


def test_a_damaged_store_is_said_to_be_damaged(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    store = open_sqlite(path)
    store.save(Batch(entered=tuple(page(number) for number in range(2000))))
    store.close()
    content = bytearray(path.read_bytes())
    for start in range(4096 * 4, len(content), 4096):
        content[start : start + 200] = b"\xff" * 200
    path.write_bytes(content)
    with pytest.raises(StoreDamaged, match="damaged"):
        damaged = open_sqlite(path)
        damaged.scan(limit=5000)


def test_a_look_without_a_transaction_says_as_plainly_that_the_store_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    store = open_sqlite(path)
    store.save(Batch(entered=tuple(page(number) for number in range(2000))))
    store.close()
    content = path.read_bytes()
    store = open_sqlite(path)
    path.write_bytes(content[:4096] + b"\xff" * (len(content) - 4096))
    with closing(store), pytest.raises(StoreDamaged, match="damaged"):
        store.versions(1)


def test_a_lock_that_stays_is_an_error_that_leaves_the_store_usable(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    store = open_sqlite(path, busy_ms=20)
    store.save(Batch(entered=(page(1),)))
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreInUse, match="locked by another process"):
        store.save(Batch(entered=(page(2),)))
    assert store.totals().pages == 1
    other.execute("COMMIT")
    other.close()
    assert store.save(Batch(entered=(page(2),))).entered == {page(2).id}
    store.close()


def test_a_full_disk_loses_only_the_batch_that_did_not_fit(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    store = open_sqlite(path)
    store.save(Batch(entered=tuple(page(number) for number in range(100))))
    with store.database.reading() as session:  # the only connection so far, and the next one to be used again
        session.rows(Sql("PRAGMA max_page_count = 60", (), {}))
    with pytest.raises(DiskFull, match="free some space"):
        store.save(Batch(entered=tuple(page(number) for number in range(100, 5000))))
    assert store.totals().pages == len(store.scan(limit=10_000)) == 100
    assert store.save(Batch(memos=(("k", b"v"),))).entered == frozenset() and store.memo("k") == b"v"
    store.close()


def test_a_store_opened_for_reading_cannot_be_written(tmp_path: Path) -> None:
    path = tmp_path / "s.db"
    open_sqlite(path).close()
    store = open_sqlite(path, readonly=True)
    with pytest.raises(RecrawlError, match="cannot be written"):
        store.save(Batch(entered=(page(1),)))
    assert store.totals().pages == 0
    store.close()


@pytest.fixture
def sealed_folder() -> Iterator[Path]:
    """A folder that its reader cannot write to: nobody's eyes, where the tests run as root."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        yield folder
        folder.chmod(0o755)


@contextmanager
def sealed(folder: Path) -> Iterator[None]:
    """Nothing in it can be written by whoever reads."""
    for file in folder.iterdir():
        file.chmod(0o444)
    folder.chmod(0o555)
    root = os.geteuid() == 0
    if root:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if root:
            os.seteuid(0)


@pytest.mark.parametrize("in_use", [False, True], ids=["closed", "in use"])
def test_a_store_can_be_read_in_a_folder_that_cannot_be_written(sealed_folder: Path, in_use: bool) -> None:
    path = sealed_folder / "s.db"
    store = open_sqlite(path)
    store.save(Batch(entered=(page(1), page(2))))
    if not in_use:
        store.close()
    with sealed(sealed_folder), closing(open_sqlite(path, readonly=True)) as reader:
        assert reader.totals().pages == 2 and len(reader.scan()) == 2
    store.close()


def test_a_search_index_can_be_read_in_a_folder_that_cannot_be_written(sealed_folder: Path) -> None:
    path = sealed_folder / "search.db"
    SqliteSearch(path, str.lower, 1, WEIGHTS).close()
    with sealed(sealed_folder), closing(SqliteSearch(path, str.lower, 1, WEIGHTS, readonly=True)) as index:
        assert index.extent().documents == 0


def test_a_folder_that_cannot_be_made_is_said_plainly(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StoreDamaged, match="name another folder"):
        open_sqlite(tmp_path / "file" / "s.db")


def test_what_is_done_one_after_the_other_is_done_by_one_connection_and_what_is_done_at_once_by_several(
    tmp_path: Path,
) -> None:
    with closing(SqliteConnections(tmp_path / "s.db", "mode=rwc")) as connections:
        with connections.taken() as main, connections.taken() as spare:
            assert spare is not main
            sizes = [one.execute("PRAGMA cache_size").fetchone()[0] for one in (main, spare)]
            assert sizes == [-CACHE_KIB, -SPARE_KIB]
        with connections.taken() as first:
            assert first is main
        with pytest.raises(RuntimeError, match="half"), connections.writing() as session:
            session.change(Sql("CREATE TABLE half (done)", (), {}), ())
            raise RuntimeError("half done")
        with connections.reading() as session:
            assert session.rows(Sql("SELECT name FROM sqlite_master", (), {})) == []
