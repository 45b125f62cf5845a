"""Ten times the addresses, the same work: counted in steps of SQLite's machine, never in seconds."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.bench.scale import FIGURES, missed, table
from tests.bench.scale_fill import DAY_S, World, fill, stretches
from tests.bench.scale_probe import Probe

from recrawl.engine.filling.refill import Refill
from recrawl.frontier.queue import Frontier
from recrawl.frontier.reach import Reach
from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.page import Page
from recrawl.model.visit import Version
from recrawl.store.sql import SqlStore
from recrawl.store.sqlite import open_sqlite
from recrawl.store.sqlite_driver import SqliteConnections

FEW, MANY = 1_500, 15_000
NOW = 1_800_000_000.0
SERVERS = 40
EVERY = 10  # steps between two counts


class Steps:
    """Counts the steps of every connection of a store."""

    def __init__(self, store: SqlStore) -> None:
        self.taken = 0
        connections = store.database.connections
        assert isinstance(connections, SqliteConnections)
        with connections.taken() as driver:  # the one that is always taken while nothing else is going on
            driver.set_progress_handler(self._step, EVERY)

    def _step(self) -> int:
        self.taken += EVERY
        return 0

    def of(self, work: Callable[[], object]) -> int:
        before = self.taken
        work()
        return self.taken - before


@contextmanager
def opened(folder: Path) -> Iterator[SqlStore]:
    store = open_sqlite(folder / "recrawl.db")
    try:
        yield store
    finally:
        store.close()


def world(addresses: int) -> World:
    """As many servers in both, so that each has ten times the pages in the larger one."""
    return World(addresses, NOW, servers=SERVERS)


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory) -> dict[int, Path]:
    made = {size: tmp_path_factory.mktemp(f"known-{size}") for size in (FEW, MANY)}
    for size, path in made.items():
        fill(path, world(size))
    return made


def works(store: SqlStore, size: int) -> dict[str, Callable[[], object]]:
    """What a running crawl and the people who watch it do all the time."""
    probe, one = Probe(store, world(size)), world(size)
    everywhere = range(store.partitions)
    known, batch = probe.some_ids()[:64], probe.visited_batch()
    urls = [f"https://rare.invalid/{number}" for number in range(20)]
    rare = [Page(fingerprint(url), url, "rare.invalid", "rare", due_at=NOW if url[-1] > "4" else None) for url in urls]
    store.save(Batch(entered=tuple(rare)))
    assert len(store.scan("rare", after=None)) == len(rare)
    return {
        "known links": lambda: store.known(known),
        "pick of due pages": lambda: store.due(one.server(3), NOW + 40 * DAY_S, 20),
        "pick of due pages beside held ones": lambda: store.due(one.server(3), NOW + 40 * DAY_S, 20, skip=known),
        "servers that come next": lambda: store.servers_due(everywhere, NOW + DAY_S, 10),
        "servers of some partitions": lambda: store.servers_due({1, 2, 3}, NOW + DAY_S, 10),
        "settling a server": lambda: store.settle_server(one.server(3)),
        "pages that come next": lambda: store.next_due(5),
        "known links saved again": lambda: store.save(probe.some_batch()),
        "visits committed": lambda: store.save(batch),
        "totals": lambda: store.totals(now=NOW),
        "sites": store.sites,
        "intervals": store.interval_histogram,
        "a sample of pages": lambda: store.scan(limit=50),
        "the pages of a rare site": lambda: store.scan("rare"),
    }


def test_the_work_of_a_crawl_does_not_grow_with_the_addresses_it_knows(folders: dict[int, Path]) -> None:
    counted: dict[int, dict[str, int]] = {}
    for size, path in folders.items():
        with opened(path) as store:
            steps = Steps(store)
            counted[size] = {name: steps.of(work) for name, work in works(store, size).items()}
    grown = {name: (few, counted[MANY][name]) for name, few in counted[FEW].items() if counted[MANY][name] > 1.5 * few}
    assert grown == {}
    assert all(few > 0 for few in counted[FEW].values())


def test_the_newest_version_costs_the_same_however_many_are_kept(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        page = Page(fingerprint("https://a.example/"), "https://a.example/", "a.example", "a", due_at=NOW)
        steps, taken = Steps(store), []
        for kept in (10, 1_000):
            versions = [Version(page.id, NOW + number, "x", "file", number, 1, 1, 1) for number in range(kept)]
            store.save(Batch(entered=(page,), versions=tuple(versions)))
            taken.append(steps.of(lambda: store.versions(page.id, 1) and store.versions(page.id, 1, NOW + 5)))
        assert 0 < taken[1] <= taken[0] + 2 * EVERY


def test_a_walk_through_all_pages_is_counted_as_such(folders: dict[int, Path]) -> None:
    def steps(size: int) -> int:
        with opened(folders[size]) as store:
            return Steps(store).of(lambda: store.error_groups(limit=5) or store.scan(limit=MANY))

    assert steps(MANY) > 5 * steps(FEW)


def test_the_long_term_queue_is_never_loaded_whole(folders: dict[int, Path]) -> None:
    held: dict[int, int] = {}
    for size, path in folders.items():
        with opened(path) as store:
            frontier = Frontier()
            everywhere = range(store.partitions)
            refill = Refill(store, frontier, everywhere, lambda _: None, list, Reach(capacity=300, load=50))
            refill.round(NOW, 40 * DAY_S)
            while refill.unfinished:
                refill.round(NOW, 40 * DAY_S)
            held[size] = frontier.held
    assert held[FEW] > 300
    assert held[MANY] <= 1.2 * held[FEW]


def test_an_address_takes_less_than_the_bytes_it_may(folders: dict[int, Path]) -> None:
    assert (folders[MANY] / "recrawl.db").stat().st_size / MANY < 250


def test_a_filled_folder_holds_what_the_store_itself_would_have_written(tmp_path: Path) -> None:
    small = World(300, NOW, servers=20)
    fill(tmp_path / "filled", small)
    with opened(tmp_path / "filled") as filled, opened(tmp_path / "saved") as saved:
        for stretch in stretches(small):
            saved.save(
                Batch(entered=tuple(stretch.pages), visits=tuple(stretch.visits), versions=tuple(stretch.versions))
            )
        everywhere, later_at = range(filled.partitions), NOW + 99 * DAY_S
        pages: list[Page] = filled.scan(limit=1000)
        assert pages == saved.scan(limit=1000) and len(pages) == 300
        assert filled.totals(now=later_at) == saved.totals(now=later_at)
        assert filled.servers_due(everywhere, later_at, 100) == saved.servers_due(everywhere, later_at, 100)
        assert [filled.visits(page.id) for page in pages] == [saved.visits(page.id) for page in pages]
        assert [filled.versions(page.id) for page in pages] == [saved.versions(page.id) for page in pages]


def test_the_report_names_what_grew() -> None:
    columns = {10: _column(1.0), 100: {**_column(1.0), "known_link_us": 1.6, "bytes_per_address": 251.0}}
    assert [sentence.partition(":")[0] for sentence in missed(columns)] == [
        "bytes per address on disk",
        "known-link check",
    ]
    assert "| 1.60 | ≤ 1.5x |" in table(columns)


def _column(value: float) -> dict[str, float]:
    return {figure.name: value for figure in FIGURES}
