"""Opening a store in PostgreSQL, and what goes wrong with it."""

import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from threading import Event

import psycopg
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import inspect
from sqlalchemy.exc import OperationalError
from tests.postgres import PASSWORD, PostgresServer

from recrawl.model.batch import Batch
from recrawl.model.failure import ConfigError, NotFound, RecrawlError, StoreAway, StoreDamaged, StoreOutdated
from recrawl.model.page import Page
from recrawl.store.address import name_of
from recrawl.store.connection import Session
from recrawl.store.engines import EngineConnections
from recrawl.store.postgres import create_postgres, open_postgres, postgres_engine
from recrawl.store.postgres_driver import fit, unfit
from recrawl.store.revision import REVISION, REVISIONS
from recrawl.store.shared.leased import Fence
from recrawl.store.texts import Sql
from recrawl.store.upgrade import run_revisions, upgrade_postgres

PAGE = Page(1, "https://a.example/", "a.example", site="one")


def test_tables_are_made_once_and_keep_their_number_of_partitions(postgres_dsn: str) -> None:
    assert create_postgres(postgres_dsn, 64)
    assert not create_postgres(postgres_dsn, 8)
    with closing(open_postgres(postgres_dsn)) as store:
        assert store.partitions == 64


def test_of_many_who_make_the_tables_at_the_same_moment_one_does(postgres_dsn: str) -> None:
    with ThreadPoolExecutor(6) as pool:
        made = list(pool.map(lambda _: create_postgres(postgres_dsn, 8), range(6)))
    assert sorted(made) == [False] * 5 + [True]


@pytest.mark.parametrize(
    ("address", "error", "code", "says"),
    [
        ("postgresql://recrawl@{place}/{name}", NotFound, 2, "recrawl db init"),
        ("postgresql://guarded:guess@{place}/{name}", StoreDamaged, 10, "user and password"),
        ("postgresql://guarded@{place}/{name}", StoreDamaged, 10, "user and password"),
        ("postgresql://recrawl@{place}/nowhere", StoreDamaged, 10, "createdb"),
        ("postgresql://stranger@{place}/{name}", StoreDamaged, 10, "user and password"),
        ("postgresql://recrawl@127.0.0.1:1/{name}", StoreAway, 10, "does not answer"),
        ("postgresql://recrawl@[::1/{name}", ConfigError, 3, "postgresql://user:password@host"),
        ("postgresql://recrawl@127.0.0.1:port/{name}", ConfigError, 3, "'port' is no port"),
        ("postgresql://recrawl@127.0.0.1:99999/{name}", ConfigError, 3, "'99999' is no port"),
    ],
)
def test_what_is_wrong_with_an_address_is_said_in_words(
    postgres_victim: PostgresServer, address: str, error: type[RecrawlError], code: int, says: str
) -> None:
    dsn = postgres_victim.fresh()
    given = address.format(place=f"127.0.0.1:{postgres_victim.port}", name=dsn.rpartition("/")[2])
    with pytest.raises(error, match=says) as found:
        open_postgres(given)
    assert found.value.exit_code == code and "guess" not in str(found.value)
    postgres_victim.drop(dsn)


def test_who_knows_the_password_is_let_in(postgres_victim: PostgresServer) -> None:
    dsn = postgres_victim.with_tables()
    name, user = dsn.rpartition("/")[2], f"guarded:{PASSWORD.replace(' ', '%20')}"
    open_postgres(f"postgresql://{user}@127.0.0.1:{postgres_victim.port}/{name}").close()
    postgres_victim.drop(dsn)


@pytest.mark.parametrize(
    ("dsn", "name"),
    [
        ("postgresql://u:p@h:5/d", "postgresql://u@h:5/d"),
        ("postgresql://u:p:@s@h/d?sslmode=require", "postgresql://u@h/d?sslmode=require"),
        ("postgresql://h/d?user=u&password=p&sslmode=require", "postgresql://h/d?user=u&sslmode=require"),
        ("postgres://h/d", "postgres://h/d"),
    ],
)
def test_the_name_of_a_store_has_no_password(dsn: str, name: str) -> None:
    assert name_of(dsn) == name


@pytest.mark.parametrize(
    ("revision", "says"), [(REVISIONS[0], r"run `recrawl db upgrade postgresql://\S+`"), ("9999", "upgrade recrawl")]
)
def test_another_schema_is_refused(postgres_store: str, revision: str, says: str) -> None:
    with psycopg.connect(postgres_store) as connection:
        connection.execute("UPDATE alembic_version SET version_num = %s", [revision])
    with pytest.raises(StoreOutdated, match=says):
        open_postgres(postgres_store)
    with pytest.raises(StoreOutdated, match=says):
        create_postgres(postgres_store)


def schema(dsn: str) -> dict[str, object]:
    engine = postgres_engine(dsn)
    seen = inspect(engine)
    found = {
        table: (
            [(one["name"], str(one["type"]), one["nullable"]) for one in seen.get_columns(table)],
            seen.get_pk_constraint(table)["constrained_columns"],
            sorted(map(repr, seen.get_indexes(table))),
        )
        for table in seen.get_table_names()
    }
    engine.dispose()
    return found


def test_migrations_and_tables_give_the_same_schema(postgres_dsn: str, postgres_store: str) -> None:
    engine = postgres_engine(postgres_dsn)
    run_revisions(engine)
    engine.dispose()
    assert schema(postgres_dsn) == schema(postgres_store)


def test_a_store_of_today_needs_no_upgrade_and_an_empty_database_has_none(
    postgres_store: str, postgres_dsn: str
) -> None:
    assert upgrade_postgres(postgres_store) == (REVISION, REVISION)
    with pytest.raises(NotFound, match="db init"):
        upgrade_postgres(postgres_dsn)


def test_a_store_opened_for_reading_refuses_to_be_written(postgres_store: str) -> None:
    with closing(open_postgres(postgres_store)) as store:
        store.save(Batch(entered=(PAGE,)))
    with closing(open_postgres(postgres_store, readonly=True)) as store:
        assert store.pages([1]) == [PAGE]
        with pytest.raises(StoreDamaged, match="only be read"):
            store.save(Batch(pages=(PAGE,)))


def test_a_pooler_between_finds_nothing_that_outlives_a_transaction(postgres_store: str) -> None:
    with closing(open_postgres(postgres_store)) as store:
        for number in range(12):
            store.save(Batch(entered=(Page(number, f"https://a.example/{number}", "a.example", "s"),)))
            store.due("a.example", 1.0, 5)
        with store.database.connections.engine.connect() as connection:
            asked = connection.exec_driver_sql(
                "SELECT (SELECT count(*) FROM pg_prepared_statements), current_setting('lock_timeout'), "
                "current_setting('idle_in_transaction_session_timeout'), "
                "(SELECT count(*) FROM pg_locks WHERE locktype = 'advisory')"
            )
            assert asked.one() == (0, "0", "0", 0)


def test_a_write_that_is_forbidden_leaves_nothing_and_is_not_tried_again(postgres_store: str) -> None:
    asked: list[str] = []

    def forbid(session: Session) -> None:
        asked.append(session.value(Sql("SHOW idle_in_transaction_session_timeout", (), {})))
        raise ConfigError("not yours any more")

    with closing(open_postgres(postgres_store, before_write=forbid)) as store:
        with pytest.raises(ConfigError, match="not yours"):
            store.save(Batch(memos=(("k", b"v"),)))
        assert store.memo("k") is None
    assert asked == ["10s"]


@given(st.text(st.one_of(st.characters(exclude_categories=()), st.sampled_from("\x00\ud800\ufdd00aF"))))
def test_any_text_travels_unchanged(text: str) -> None:
    travelling = fit(text)
    assert unfit(travelling) == text
    assert "\x00" not in travelling
    travelling.encode("utf-8")


def test_odd_texts_come_back_from_the_server(postgres_store: str) -> None:
    odd = Page(
        2, "https://a.example/x", "a.example", "s", etag="a\x00b", reason="\ud83d", target="\ufdd00041", category="\x00"
    )
    with closing(open_postgres(postgres_store)) as store:
        store.save(Batch(pages=(odd,)))
        assert store.pages([2]) == [odd]
        assert [group.reason for group in store.error_groups()] == ["\ud83d"]


def test_whoever_waits_for_an_answer_hears_that_the_line_is_cut_and_nobody_asks_again(postgres_store: str) -> None:
    store = open_postgres(postgres_store, patience_s=())
    connections = store.database.connections
    assert isinstance(connections, EngineConnections)
    asleep = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND query LIKE '%pg_sleep(7777)'"

    def wait() -> None:
        with store.database.reading() as session:
            session.value(Sql("SELECT pg_sleep(7777)", (), {}))

    with ThreadPoolExecutor(1) as thread, psycopg.connect(postgres_store, autocommit=True) as witness:
        waiting = thread.submit(wait)
        while witness.execute(f"{asleep} AND pid <> pg_backend_pid()").fetchone() != (1,):
            pass
        connections.cut()
        with pytest.raises(StoreAway):
            waiting.result(60.0)
    with pytest.raises(StoreAway, match="given up"):
        store.totals()
    store.close()


def test_a_line_that_was_under_way_when_all_were_cut_is_cut_too(postgres_store: str) -> None:
    connections = EngineConnections(postgres_engine(postgres_store), "here")
    connections.cut()
    with pytest.raises(OperationalError), connections.engine.connect() as late:
        late.exec_driver_sql("SELECT 1")
    connections.close()


def test_a_database_that_is_opened_when_the_lease_is_over_is_cut_too(postgres_store: str) -> None:
    fence = Fence("late", 2.0)
    fence.cut()
    with closing(open_postgres(postgres_store, patience_s=())) as store:
        fence.guard(store.database)
        with pytest.raises(StoreAway, match="given up"):
            store.totals()


class ClosedLine:
    def fileno(self) -> int:
        raise OSError("closed")


def test_lines_are_cut_while_others_are_made() -> None:
    """From another thread: the one that cuts must come to its end."""
    connections = EngineConnections(postgres_engine("postgresql://nobody@127.0.0.1:9/nowhere"), "nowhere")
    interval_s, ended = sys.getswitchinterval(), Event()
    standing = [ClosedLine() for _ in range(2000)]
    for line in standing:
        connections.know(line)

    def make() -> None:
        while not ended.is_set():
            lines = [ClosedLine() for _ in range(50)]
            for line in lines:
                connections.know(line)

    sys.setswitchinterval(1e-6)
    try:
        with ThreadPoolExecutor(3) as threads:
            makers = [threads.submit(make) for _ in range(3)]
            try:
                for _ in range(60):
                    connections.cut()
            finally:
                ended.set()
            assert [maker.result() for maker in makers] == [None] * 3
    finally:
        sys.setswitchinterval(interval_s)
