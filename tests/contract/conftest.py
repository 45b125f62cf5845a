"""Every implementation of a port, for the suites that hold them to its laws."""

from collections.abc import Callable, Iterator

import pytest

from recrawl.ports import Store
from recrawl.store.memory import MemoryStore
from recrawl.store.postgres import open_postgres
from recrawl.store.shared.sharded import ShardedStore
from recrawl.store.sqlite import open_sqlite

OPEN: dict[str, Callable[[pytest.FixtureRequest], Store]] = {
    "memory": lambda request: MemoryStore(partitions=8),
    "sqlite": lambda request: open_sqlite(request.getfixturevalue("tmp_path") / "s.db", 8),
    "sharded": lambda request: ShardedStore([MemoryStore(partitions=8) for _ in range(3)], lambda part: part % 3),
    "postgres": lambda request: open_postgres(request.getfixturevalue("postgres_store")),
}


@pytest.fixture(params=OPEN)
def store(request: pytest.FixtureRequest) -> Iterator[Store]:
    made = OPEN[request.param](request)
    yield made
    made.close()
