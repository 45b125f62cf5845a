"""Machines over two PostgreSQL servers: partitions are dealt out, one server goes away, and nobody is the wiser."""

import signal
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from recrawl.model.address import partition_of, server_of
from recrawl.model.event import EventKind
from recrawl.store.postgres import create_postgres, open_postgres
from recrawl.store.shared.shards import Atlas, add_shard, open_whole
from tests.flow.conftest import Site, called
from tests.flow.machines import PARTITIONS, Cluster, cluster, until
from tests.postgres import PostgresServer, discard, own_server


@pytest.fixture
def second_server() -> Iterator[PostgresServer]:
    server = own_server()
    yield server
    discard(server)


def deal(home: str, shard: str, there: list[Site]) -> None:
    """These sites live in the shard, all others at home."""
    create_postgres(home, PARTITIONS)
    number = add_shard(home, shard)
    with closing(open_postgres(home)) as store:
        Atlas(store.database).settle(set(map(partition, there)), number)


def partition(site: Site) -> int:
    return partition_of(server_of(site.url), PARTITIONS)


def two_apart(start_site: Callable[..., Site], pages: int) -> tuple[Site, Site]:
    """In partitions of their own: else both would live in the same database."""
    here, there = start_site(pages), start_site(pages)
    while partition(there) == partition(here):
        there = start_site(pages)
    return here, there


def owners(crowd: Cluster) -> int:
    return len([worker for worker, held in crowd.seats().items() if held])


def test_a_crawl_over_two_servers_survives_a_kill_and_the_loss_of_one_and_finds_what_one_server_would(
    start_site: Callable[..., Site],
    postgres_dsn: str,
    second_server: PostgresServer,
    tmp_path: Path,
) -> None:
    here, there = two_apart(start_site, 30)  # s0 and s1
    deal(postgres_dsn, second_server.fresh(), [there])
    with cluster(tmp_path, postgres_dsn, [here, there]) as crowd, closing(open_whole(postgres_dsn)) as store:
        crowd.start("a")
        crowd.start("b")
        until(lambda: owners(crowd) == 2)
        until(lambda: store.totals("s0").visited >= 5 and store.totals("s1").visited >= 5)
        victim = next(iter(crowd.seats()))
        crowd.machine_of(victim).send(signal.SIGKILL)
        until(lambda: crowd.owned_by_others(victim))

        second_server.stop("immediate")
        [status] = called(["cluster", "status", "--json", "--store", postgres_dsn], tmp_path).lines
        assert [row["state"] for row in status["shards"]] == ["there", "away"]  # type: ignore[attr-defined]
        with closing(open_postgres(postgres_dsn)) as home:
            visits = home.totals("s0").visits
            home.make_due(crowd.now())
            until(lambda: home.totals("s0").visits >= visits + 20 and home.totals("s0").visited == len(here.paths()))
            assert home.totals("s1").pages == 0
        second_server.start()
        until(lambda: store.totals("s1").visited == len(there.paths()))
        crowd.stop_all()
        crowd.assert_gentle()

        expected = {site.url.rstrip("/") + path for site in (here, there) for path in site.paths()}
        pages = store.scan(limit=10_000)
        assert {page.url for page in pages} == expected
        told = Counter(event.url for event in store.events(kinds=[EventKind.ADDED], limit=10_000))
        assert told == Counter(expected)
        assert {len(store.versions(page.id)) for page in pages} == {1}
        assert store.totals().versions == len(pages) == store.totals().live
        assert crowd.rows("SELECT count(*) FROM outbox") == [(0,)]


def test_a_machine_that_starts_while_one_server_is_away_crawls_what_lives_in_the_others(
    start_site: Callable[..., Site], postgres_dsn: str, second_server: PostgresServer, tmp_path: Path
) -> None:
    here, there = two_apart(start_site, 5)  # s0 and s1
    deal(postgres_dsn, second_server.fresh(), [there])
    second_server.stop("immediate")
    with cluster(tmp_path, postgres_dsn, [here, there]) as crowd:
        crowd.start("a")
        with closing(open_postgres(postgres_dsn)) as home:
            until(lambda: home.totals("s0").visited == len(here.paths()))
        second_server.start()
        with closing(open_whole(postgres_dsn)) as store:
            until(lambda: store.totals("s1").visited == len(there.paths()))
        crowd.stop_all()
        crowd.assert_gentle()
