"""`python -m tests.chaos.shards --kills 40 --seed 1`: the cluster's story over two PostgreSQL servers, either of which
dies now and then, with the cluster's own check at the end."""

import argparse
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import psycopg

from recrawl.store.postgres import create_postgres
from recrawl.store.shared.shards import deal_out, open_whole
from tests.chaos import cluster as story
from tests.chaos.ground import ground
from tests.flow.conftest import Site
from tests.flow.machines import PARTITIONS, Cluster
from tests.postgres import PostgresServer, discard, own_server


@dataclass
class Spread(Cluster):
    """What the database says is what both say."""

    shard: str = ""

    def visited(self) -> int:
        with closing(open_whole(self.dsn, readonly=True)) as store:
            return store.totals().visited

    def rows(self, statement: str, *values: object) -> list[tuple[Any, ...]]:
        if "outbox" not in statement and "version" not in statement:
            return super().rows(statement, *values)
        with psycopg.connect(self.shard, autocommit=True, connect_timeout=60) as connection:
            elsewhere = connection.execute(statement, values).fetchall()
        here = super().rows(statement, *values)
        return [tuple(map(sum, zip(one, other, strict=True))) for one, other in zip(here, elsewhere, strict=True)]


class Servers:
    """Two that die by turns, for a story that knows of one."""

    def __init__(self, servers: Sequence[PostgresServer], dice: random.Random) -> None:
        self._servers, self._dice = servers, dice
        self._down = servers[0]

    def stop(self, mode: str) -> None:
        self._down = self._dice.choice(self._servers)
        self._down.stop(mode)

    def start(self) -> None:
        self._down.start()


@contextmanager
def two_servers() -> Iterator[tuple[PostgresServer, PostgresServer]]:
    first, second = own_server(), own_server()
    try:
        yield first, second
    finally:
        discard(first)
        discard(second)


def main() -> int:
    words = argparse.ArgumentParser(prog="python -m tests.chaos.shards", description=__doc__)
    words.add_argument("--kills", type=int, default=40)
    words.add_argument("--seed", type=int, default=1)
    chosen = words.parse_args()
    dice, began = random.Random(chosen.seed), time.perf_counter()
    with (
        tempfile.TemporaryDirectory(prefix="recrawl-chaos-") as place,
        two_servers() as servers,
        ground(Path(place), chosen.seed) as field,
    ):
        home, shard = (server.fresh() for server in servers)
        create_postgres(home, PARTITIONS)
        deal_out(home, [shard])
        crowd = Spread(Path(place), home, [Site(one.url, one.controls, one.log) for one in field.sites], shard=shard)
        try:
            both: Any = Servers(servers, dice)
            wrong = story._story(crowd, field, both, dice, chosen.kills, lambda text: print(text, flush=True))
        finally:
            for machine in story.running(crowd):
                machine.process.kill()
                machine.process.wait()
    print("\n".join(wrong[:20]))
    verdict = f"{len(wrong)} violations" if wrong else "0 lost, 0 told twice, 0 dangling, 0 impolite"
    print(f"{chosen.kills} kills, seed {chosen.seed}: {verdict}; {time.perf_counter() - began:.0f} s")
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
