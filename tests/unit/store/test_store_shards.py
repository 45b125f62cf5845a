"""A store in several databases: fences, letters and events across them, against a real PostgreSQL."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import fields

import psycopg
import pytest
from click.testing import CliRunner
from tests.postgres import PostgresServer

from recrawl.cli.cluster import cluster
from recrawl.model.address import fingerprint, partition_of
from recrawl.model.batch import Batch
from recrawl.model.event import Event, EventKind
from recrawl.model.failure import LeaseLost, StoreAway, UsageError
from recrawl.model.notice import Notice, NoticeKind, Source
from recrawl.model.page import Page, Status
from recrawl.model.record import Record
from recrawl.model.server import RobotsFile, Server
from recrawl.model.visit import Version, Visit
from recrawl.store.shared.leased import Fence
from recrawl.store.shared.leased_shards import RELAY_S, LeasedShards, open_leased
from recrawl.store.shared.leases import Leases, open_leases
from recrawl.store.shared.sharding import by_shard
from recrawl.store.shared.shards import PostgresShards, add_shard, deal_out, open_whole

PARTITIONS = 8
LONG_S = 600.0
EVEN, ODD = range(0, PARTITIONS, 2), range(1, PARTITIONS, 2)  # at home, in the shard


@pytest.fixture(scope="module")
def pair(postgres_server: PostgresServer) -> Iterator[tuple[str, str]]:
    home, shard = postgres_server.with_tables(PARTITIONS), postgres_server.with_tables(PARTITIONS)
    yield home, shard
    postgres_server.drop(home)
    postgres_server.drop(shard)


@pytest.fixture
def dsns(postgres_server: PostgresServer, pair: tuple[str, str]) -> tuple[str, str]:
    home, shard = (postgres_server.empty(dsn, PARTITIONS) for dsn in pair)
    deal_out(home, [shard])
    return home, shard


@pytest.fixture
def leases(dsns: tuple[str, str]) -> Iterator[Leases]:
    with closing(open_leases(dsns[0])) as found:
        yield found


def host_in(partitions: range) -> str:
    return next(f"h{n}" for n in range(10_000) if partition_of(f"h{n}", PARTITIONS) in partitions)


HERE, THERE = host_in(EVEN), host_in(ODD)


def page(host: str, path: str = "/", found_from: Page | None = None) -> Page:
    url = f"http://{host}{path}"
    parent = None if found_from is None else found_from.id
    return Page(fingerprint(url), url, host, "site", due_at=5.0, found_at=1.0, found_from=parent)


def added(one: Page, at: float = 7.0) -> Event:
    return Event(EventKind.ADDED, at, one.url, "site", one.id)


class Ticking:
    """A steady clock that the test moves."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def seated(
    dsn: str, leases: Leases, worker: str, most: int = PARTITIONS, ticking: Ticking | None = None
) -> LeasedShards:
    leases.join(worker, 1.0, LONG_S)
    store = open_leased(dsn, Fence(worker, LONG_S), ticking or Ticking())
    assert isinstance(store, LeasedShards)
    assert store.admit(leases.claim(worker, most)) == set()
    return store


def count(dsn: str, table: str) -> int:
    with psycopg.connect(dsn, autocommit=True) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {table}").fetchone()[0])  # type: ignore[index]


def test_rows_live_in_the_database_of_their_partition_and_are_told_in_one_stream(
    dsns: tuple[str, str], leases: Leases
) -> None:
    home, shard = dsns
    one, other = page(HERE), page(THERE)
    with closing(seated(home, leases, "w")) as store:
        assert store.save(Batch(entered=(one,))).entered == {one.id}
        told = store.save(Batch(pages=(one, other), events=(added(other), added(one))))
        assert told.cursors == (1, 2)
        assert store.save(Batch(pages=(other,), events=(added(other),))).cursors == (1,)
    assert (count(home, "page"), count(shard, "page")) == (1, 1)
    with closing(open_whole(home, readonly=True)) as whole:
        assert isinstance(whole, PostgresShards)
        assert {found.url for found in whole.scan()} == {one.url, other.url}
        assert [event.page for event in whole.events()] == [other.id, one.id]
        assert whole.totals().pages == 2 and whole.sites() == ["site"]
        assert [server.key for server in whole.servers()] == sorted((HERE, THERE))
        assert whole.due(THERE, 9.0, 10) == [other]


def test_who_lost_a_partition_writes_nothing_more_in_its_shard(dsns: tuple[str, str], leases: Leases) -> None:
    home, _ = dsns
    with closing(seated(home, leases, "old")) as old:
        old.save(Batch(pages=(page(THERE),)))
        with psycopg.connect(home, autocommit=True) as connection:
            connection.execute("UPDATE worker SET expires_at = 0 WHERE id = 'old'")
        assert old.save(Batch(pages=(page(THERE, "/before"),))).entered == frozenset()  # nobody has it yet
        with closing(seated(home, leases, "new")) as new:
            for batch in (Batch(pages=(page(THERE, "/late"),)), Batch(events=(added(page(THERE)),))):
                with pytest.raises(LeaseLost):
                    old.save(batch)
            new.save(Batch(pages=(page(THERE, "/new"),)))
            assert {one.url.rpartition("/")[2] for one in new.scan()} == {"", "before", "new"}


def test_a_link_to_another_database_travels_as_a_letter_in_the_transaction_of_its_visit(
    dsns: tuple[str, str], leases: Leases
) -> None:
    home, shard = dsns
    parent = page(THERE)
    found = (page(HERE, "/a", parent), page(THERE, "/b", parent), page(HERE, "/c", parent))
    with closing(seated(home, leases, "w")) as store:
        store.save(Batch(entered=(parent,)))
        assert store.receive() == 1  # what no visit found is posted at home
        saved = store.save(Batch(pages=(parent,), entered=found))
        assert (saved.entered, saved.posted) == ({found[1].id}, {found[0].id, found[2].id})
        assert (count(shard, "outbox"), count(home, "outbox")) == (2, 0)
        assert store.letters_elsewhere()
        assert store.receive() == 2 and store.receive() == 0
        assert not store.letters_elsewhere()
        assert {one.id for one in store.scan()} == {parent.id, *(one.id for one in found)}
        assert count(home, "page") == 2
        saved = store.save(Batch(pages=(parent,), entered=found))
        assert saved.entered == saved.posted == frozenset()
        assert store.receive() == 0  # what is known is not posted again


def test_what_a_crash_left_untold_in_a_shard_is_told_by_the_next_who_looks(
    dsns: tuple[str, str], leases: Leases
) -> None:
    home, shard = dsns
    one, clock = page(THERE), Ticking()
    with closing(seated(home, leases, "w", ticking=clock)) as store:
        store.members[1].write(Batch(pages=(one,), events=(added(one),)))  # type: ignore[attr-defined]
        assert store.events() == []
        clock.now += 2 * RELAY_S
        store.receive()
        assert [event.page for event in store.events()] == [one.id]
        assert count(shard, "event") == 0
        store.save(Batch(pages=(one,), events=(added(one),)))
        clock.now += 2 * RELAY_S
        store.receive()
        assert len(store.events()) == 1


def test_an_heir_tells_what_the_dead_left_untold_before_it_owns_anything(dsns: tuple[str, str], leases: Leases) -> None:
    home, shard = dsns
    one = page(THERE)
    with closing(seated(home, leases, "dead")) as store:
        store.members[1].write(Batch(pages=(one,), events=(added(one),)))  # type: ignore[attr-defined]
        with psycopg.connect(home, autocommit=True) as connection:
            connection.execute("UPDATE worker SET expires_at = 0 WHERE id = 'dead'")
        with closing(seated(home, leases, "heir")) as heir:
            assert [event.page for event in heir.events()] == [one.id]
    assert count(shard, "event") == 0


def test_a_shard_that_is_away_takes_only_its_own_partitions_with_it(dsns: tuple[str, str], leases: Leases) -> None:
    home, shard = dsns
    clock = Ticking()
    with psycopg.connect(home, autocommit=True) as connection:
        connection.execute("UPDATE shard SET address = 'postgresql://nobody@127.0.0.1:1/none'")
    leases.join("w", 1.0, LONG_S)
    with closing(open_leased(home, Fence("w", LONG_S), clock)) as store:
        assert isinstance(store, LeasedShards)
        taken = leases.claim("w", PARTITIONS)
        assert store.admit(taken) == set(ODD) == store.out_of_reach()
        leases.give_back("w", ODD)
        assert leases.claim("w", PARTITIONS, store.out_of_reach()) == {}
        one = page(HERE)
        store.save(Batch(pages=(one,), entered=(page(THERE, "/", one),)))
        assert count(home, "outbox") == 1  # waits for the owner of its partition
        assert store.scan() == [one] and store.totals().pages == 1
        assert store.receive() == 0 and store.letters_elsewhere()
        with pytest.raises(StoreAway):
            store.settle_server(THERE)
        with psycopg.connect(home, autocommit=True) as connection:
            connection.execute("UPDATE shard SET address = %s", (shard,))
        clock.now += 60.0
        assert store.out_of_reach() == frozenset()
        assert store.admit(leases.claim("w", PARTITIONS)) == set()
        assert store.receive() == 1
        assert {found.server for found in store.scan()} == {HERE, THERE}


def test_history_follows_its_page_wherever_it_lives(dsns: tuple[str, str]) -> None:
    one = page(THERE)
    visited = Page(one.id, one.url, THERE, "site", status=Status.LIVE, visits=1, due_at=50.0)
    visit = Visit(one.id, 7.0, "first", 200, "document", "new")  # type: ignore[arg-type]
    version = Version(one.id, 7.0, "sha256:" + "ab" * 32, "f.warc.gz", 1, 2, 3, 4)
    with closing(open_whole(dsns[0])) as whole:
        whole.save(Batch(pages=(visited,)))
        whole.save(Batch(visits=(visit,), versions=(version,)))
        assert whole.versions(one.id) == [version] and len(whole.visits(one.id)) == 1
        assert whole.totals().versions == 1 and whole.compact(100.0) == 0
        assert whole.make_due(3.0) == 1 and whole.next_due()[0].due_at == 3.0
    assert count(dsns[1], "version") == 1


def test_a_batch_taken_apart_is_whole_but_for_events_told_twice() -> None:
    """Whatever a batch may hold one day."""
    one, other = page(HERE), page(THERE)
    version = Version(other.id, 7.0, "sha256:" + "ab" * 32, "f.warc.gz", 1, 2, 3, 4)
    visit = Visit(one.id, 7.0, "first", 200, "document", "new")  # type: ignore[arg-type]
    batch = Batch(
        pages=(one, other),
        entered=(page(THERE, "/e"),),
        servers=(Server(HERE), Server(THERE)),
        visits=(visit,),
        versions=(version,),
        events=(added(other), Event(EventKind.STARTED, 1.0)),
        robots=(RobotsFile(f"http://{THERE}", 1.0, 200),),
        notices=(Notice(one.id, one.url, 1.0, Source.FEED, NoticeKind.UPDATED),),
        memos=(("k", b"v"),),
        records=(Record(other.id, 7.0),),
        confirmed=frozenset({other.id}),
        lost=(version,),
    )
    assert all(getattr(batch, one.name) for one in fields(Batch)), "a new field: give it a place, then a value here"
    places = {each.id: partition_of(each.server, PARTITIONS) % 2 for each in (*batch.pages, *batch.entered)}
    parts = by_shard(batch, places, lambda server: partition_of(server, PARTITIONS) % 2)
    for field in fields(Batch):
        found = [value for number in sorted(parts) for value in getattr(parts[number], field.name)]
        expected = list(getattr(batch, field.name))
        assert found == expected + ([added(other)] if field.name == "events" else [])
    assert parts[1].lost and parts[1].events and not parts[1].memos


def test_only_empty_databases_of_the_same_cut_become_shards(dsns: tuple[str, str]) -> None:
    home, shard = dsns
    assert add_shard(home, shard) == 1  # it is one already
    with pytest.raises(UsageError, match="home itself"):
        add_shard(home, home)
    with pytest.raises(UsageError, match="shard 1 of another store"):
        open_whole(shard)
    with pytest.raises(UsageError, match="shard 1 of another store"):
        add_shard(shard, home)
    with closing(open_whole(home)) as whole:
        whole.save(Batch(pages=(page(THERE),)))
    with pytest.raises(UsageError, match="holds pages already"):
        deal_out(home, [shard])


def test_a_home_becomes_no_shard_however_its_address_is_spelt(postgres_server: PostgresServer) -> None:
    home, other, shard = (postgres_server.with_tables(PARTITIONS) for _ in range(3))
    with pytest.raises(UsageError, match="home itself"):
        deal_out(home, [f"{home}?application_name=shard"])
    open_whole(home).close()  # and is none
    deal_out(other, [shard])
    with pytest.raises(UsageError, match="home of another store"):
        deal_out(home, [other])
    open_whole(other).close()


def test_partitions_that_cannot_be_read_leave_the_database_as_it_was(postgres_server: PostgresServer) -> None:
    home, other = postgres_server.with_tables(PARTITIONS), postgres_server.with_tables(PARTITIONS)
    done = CliRunner().invoke(cluster, ["shard", other, "--store", home, "--partitions", "3-x"])
    assert isinstance(done.exception, UsageError)
    open_whole(other).close()  # no shard of anybody
    with closing(open_leases(home)) as leases:
        assert len(leases.shards()) == 1
