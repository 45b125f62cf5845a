"""Stores copied from SQLite to PostgreSQL and back."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import replace
from pathlib import Path
from threading import Barrier, BrokenBarrierError

import psycopg
import pytest
from sqlalchemy import Engine, select
from tests.postgres import PostgresServer

from recrawl.folder.moving import move, opened
from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.event import Event, EventKind
from recrawl.model.failure import NotFound, StoreAway, UsageError
from recrawl.model.notice import Notice, NoticeKind, Source
from recrawl.model.page import Page, Status
from recrawl.model.record import Record, RecordSource
from recrawl.model.server import RobotsFile, Server
from recrawl.model.verdict import Change
from recrawl.model.visit import Evidence, Version, Visit, Why
from recrawl.store.address import name_of
from recrawl.store.copying import TABLES
from recrawl.store.postgres import open_postgres, postgres_engine
from recrawl.store.schema import SCHEMA
from recrawl.store.shared.leased import letter_of
from recrawl.store.shared.shards import deal_out, open_whole
from recrawl.store.sqlite import open_sqlite
from recrawl.store.sqlite_engine import sqlite_engine

ODD = "a\x00b \ufdd0 \ufdd00041 ü 市"  # what PostgreSQL does not take as it is
PAGES = 300


def page(number: int) -> Page:
    url = f"https://{number % 7}.example/{number}"
    seen = {"etag": ODD, "simhash": (1 << 64) - 1 - number, "belief": bytes(range(256)), "visits": number}
    kind = Status.LIVE if number % 2 else Status.NEW
    return Page(
        fingerprint(url), url, f"{number % 7}.example", f"site{number % 3}", due_at=number / 7, status=kind, **seen
    )


def everything() -> Batch:
    pages = tuple(map(page, range(PAGES)))
    first = pages[0]
    return Batch(
        pages=pages,
        servers=(Server("0.example", requests=7, overloaded=True), Server("alone.example", alias_of="0.example")),
        visits=tuple(
            Visit(one.id, 0.1 + n, Why.DUE, 200, Evidence.DOCUMENT, Change.SAME, conditional=n % 2 == 0)
            for n, one in enumerate(pages)
        ),
        versions=tuple(Version(one.id, 0.1, "sha256:" + "ab" * 32, "w.warc.gz", 1, 2, 3, 4) for one in pages[::3]),
        events=(
            Event(EventKind.ADDED, 1.5, first.url, "site0", first.id, facts={"é": "ü"}),
            Event(EventKind.STARTED, 2.0),
        ),
        robots=(RobotsFile("https://0.example", 1.0, 200, b"\x00\xff", 2.0),),
        notices=(Notice(first.id, first.url, 1.0, Source.FEED, NoticeKind.UPDATED, True),),
        memos=(("k", b"\x00\x01"),),
        records=(Record(first.id, 0.1, 0, "offer", RecordSource.JSON_LD, {"price": ODD}, wrapper="w"),),
    )


def rows(engine: Engine) -> dict[str, list[str]]:
    """Every table, as the values are."""
    with engine.connect() as connection:
        return {table.name: sorted(map(repr, connection.execute(select(table)).all())) for table in TABLES}


def test_every_table_but_the_schema_s_own_is_copied() -> None:
    assert {table.name for table in TABLES} == set(SCHEMA.tables) - {"alembic_version"}


def test_a_store_copied_there_and_back_has_identical_rows_in_every_table(tmp_path: Path, postgres_dsn: str) -> None:
    first, last = tmp_path / "first", tmp_path / "last"
    store = open_sqlite(first / "recrawl.db", 8)
    store.save(everything())
    store.close()
    told: list[int] = []
    with opened(str(first), postgres_dsn) as (here, there):
        copied = move(here, there, lambda table, number: told.append(number))
        assert rows(there.engine) == rows(here.engine)
        assert sum(told) == sum(copied.values()) > 2 * PAGES
    with opened(postgres_dsn, str(last)) as (here, there):
        move(here, there, lambda table, number: None)
    engines = [sqlite_engine(folder / "recrawl.db", "mode=ro") for folder in (first, last)]
    before, after = map(rows, engines)
    for engine in engines:
        engine.dispose()
    assert after == before
    filled = {name for name, found in before.items() if found}
    assert filled >= {
        "meta",
        "word",
        "page",
        "server",
        "visit",
        "version",
        "record",
        "event",
        "robots",
        "memo",
        "notice",
    }


def test_a_store_copied_into_shards_and_back_has_identical_rows_and_counts_and_answers_alike(
    tmp_path: Path, postgres_server: PostgresServer
) -> None:
    first, last = tmp_path / "first", tmp_path / "last"
    home, shard = postgres_server.with_tables(8), postgres_server.with_tables(8)
    deal_out(home, [shard])
    store = open_sqlite(first / "recrawl.db", 8)
    store.save(everything())
    store.make_due(0.0, ids=[page(5).id])
    with opened(str(first), home) as (here, there):
        move(here, there, lambda table, number: None)
        assert all(len(rows(side.engine)["page"]) > 50 for side in (there, *there.shards))
    with closing(open_whole(home)) as whole:
        assert whole.scan(limit=1000) == store.scan(limit=1000)
        assert whole.totals("site1", 9.0) == store.totals("site1", 9.0)
        assert whole.interval_histogram() == store.interval_histogram() and whole.servers() == store.servers()
        assert whole.events() == store.events() and whole.next_due(7) == store.next_due(7)
        fresh = Page(1, "https://new.example/", "new.example", site="never heard before")
        more = Batch(entered=(fresh,), events=(Event(EventKind.ADDED, 3.0, page=page(6).id),))
        assert whole.save(more) == store.save(more)
    with opened(home, str(last)) as (here, there):
        move(here, there, lambda table, number: None)
    with closing(open_sqlite(last / "recrawl.db")) as again:
        assert again.scan(limit=1000) == store.scan(limit=1000) and again.totals() == store.totals()
    store.close()
    engines = [sqlite_engine(folder / "recrawl.db", "mode=ro") for folder in (first, last)]
    before, after = ({**rows(engine), "word": [], "counter": []} for engine in engines)  # their numbers may differ
    for engine in engines:
        engine.dispose()
    for dsn in (home, shard):
        postgres_server.drop(dsn)
    assert [name for name in before if after[name] != before[name]] == []


def test_a_copied_store_goes_on_where_the_first_one_was(tmp_path: Path, postgres_dsn: str) -> None:
    store = open_sqlite(tmp_path / "recrawl.db", 8)
    store.save(everything())
    with opened(str(tmp_path), postgres_dsn) as (here, there):
        move(here, there, lambda table, number: None)
    copied = open_postgres(postgres_dsn)
    fresh = Page(1, "https://new.example/", "new.example", site="never heard before")
    more = Batch(entered=(fresh,), events=(Event(EventKind.STOPPED, 3.0),))
    assert copied.save(more) == store.save(more)
    assert copied.pages([1]) == store.pages([1]) == [fresh]
    assert copied.partitions == 8 and copied.totals() == store.totals()
    store.close()
    copied.close()


def post(dsn: str, found: Page, again: bool = False) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("INSERT INTO outbox VALUES (0, %s, %s, %s)", (found.id, again, letter_of(found)))


@pytest.mark.parametrize("shards", [0, 1])
def test_links_under_way_between_workers_are_entered_where_there_are_none(
    tmp_path: Path, postgres_server: PostgresServer, shards: int
) -> None:
    home, *others = (postgres_server.with_tables(8) for _ in range(1 + shards))
    deal_out(home, others)
    known = page(1)
    found = [Page(one.id, one.url, one.server, one.site, due_at=5.0) for one in map(page, (2, 3, 4))]
    with closing(open_whole(home)) as store:
        store.save(Batch(pages=(known,)))
    post(home, replace(known, due_at=0.01), again=True)
    for number, one in enumerate(found):
        post([home, *others][number % (1 + shards)], one)
    with opened(home, str(tmp_path)) as (here, there):
        move(here, there, lambda table, rows: None)
        assert rows(there.engine)["outbox"] == []
    with closing(open_sqlite(tmp_path / "recrawl.db")) as store:
        kept = {one.id: one for one in store.scan()}
    assert kept == {known.id: replace(known, due_at=0.01)} | {one.id: kept[one.id] for one in found}
    assert [(kept[one.id].url, kept[one.id].due_at) for one in found] == [(one.url, 5.0) for one in found]


def test_nothing_is_copied_onto_what_is_there(tmp_path: Path, postgres_store: str) -> None:
    store = open_sqlite(tmp_path / "recrawl.db", 8)
    store.save(everything())
    store.close()
    occupied = open_postgres(postgres_store)
    occupied.save(Batch(memos=(("mine", b"1"),)))
    occupied.close()
    with opened(str(tmp_path), postgres_store) as (here, there), pytest.raises(UsageError, match="not empty"):
        move(here, there, lambda table, number: None)
    engine = postgres_engine(postgres_store)
    found = rows(engine)
    engine.dispose()
    assert found["page"] == [] and len(found["memo"]) == 1


def test_of_two_copies_to_the_same_place_one_waits_and_finds_it_filled(tmp_path: Path, postgres_store: str) -> None:
    store = open_sqlite(tmp_path / "recrawl.db", 8)
    store.save(everything())
    store.close()
    both = Barrier(2)

    def copy() -> str:
        met: list[str] = []

        def tell(table: str, rows: int) -> None:
            """Whoever is first waits for the other one, in vain if that one waits for its turn."""
            if not met:
                met.append(table)
                with suppress(BrokenBarrierError):
                    both.wait(1.0)

        with opened(str(tmp_path), postgres_store) as (here, there):
            try:
                move(here, there, tell)
            except UsageError as error:
                return str(error)
        return "copied"

    with ThreadPoolExecutor(2) as threads:
        ended = sorted(one.result() for one in [threads.submit(copy) for _ in range(2)])
    assert ended[0] == "copied" and "not empty" in ended[1]


def test_a_source_that_goes_away_is_the_one_that_is_named(tmp_path: Path, postgres_server: PostgresServer) -> None:
    source = postgres_server.with_tables(8)
    store = open_postgres(source)
    store.save(everything())
    store.close()
    end_all = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"

    def tell(table: str, rows: int) -> None:
        with psycopg.connect(source, autocommit=True) as operator:
            operator.execute(f"{end_all} AND pid <> pg_backend_pid()")

    with opened(source, str(tmp_path / "there")) as (here, there), pytest.raises(StoreAway) as told:
        move(here, there, tell)
    assert str(told.value).startswith(name_of(source))
    postgres_server.drop(source)


def test_a_folder_that_cannot_be_made_is_said_so(tmp_path: Path, postgres_store: str) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(UsageError, match="cannot make"), opened(postgres_store, str(tmp_path / "file" / "folder")):
        pass


def test_a_copy_from_nowhere_says_so(tmp_path: Path, postgres_dsn: str) -> None:
    with pytest.raises(NotFound), opened(str(tmp_path / "no"), postgres_dsn):
        pass
