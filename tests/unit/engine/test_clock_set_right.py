"""A page seen by a clock that ran a year ahead is visited again in a sensible time once the clock is right."""

import asyncio
import time
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import recrawl
from recrawl.config import Settings
from recrawl.engine.asking.gate import Gate
from recrawl.engine.set_right import CLOCK, set_right, set_right_claimed, sit_down
from recrawl.folder.folder import Folder
from recrawl.folder.opening import open_store
from recrawl.model.address import partition_of
from recrawl.model.batch import Batch
from recrawl.model.page import Page, Status
from recrawl.model.server import RobotsFile
from recrawl.model.site import Site
from recrawl.store.memory import MemoryStore

DAY_S, YEAR_S, NOW = 86_400.0, 365 * 86_400.0, 1_000_000_000.0
SERVER = "127.0.0.1:1"


def page(number: int, **known: object) -> Page:
    return replace(Page(number, f"http://{SERVER}/{number}", SERVER, "shop"), **known)  # type: ignore[arg-type]


AHEAD = (
    page(1, checked_at=NOW + YEAR_S, due_at=NOW + YEAR_S + DAY_S, status=Status.LIVE, visits=1),
    page(2, found_at=NOW + YEAR_S, due_at=NOW + YEAR_S),
    page(3, checked_at=NOW + YEAR_S, due_at=None, status=Status.GONE, visits=3),
)
RIGHT = (
    page(4, checked_at=NOW - DAY_S, due_at=NOW + YEAR_S, status=Status.LIVE, visits=1),
    page(5, checked_at=NOW - DAY_S, due_at=NOW - 1, status=Status.LIVE, visits=1),
)


def due(store: MemoryStore) -> dict[int, float | None]:
    return {one.id: one.due_at for one in store.scan(limit=10)}


def test_pages_seen_in_the_future_are_due_as_if_they_had_been_seen_now_and_no_others() -> None:
    store = MemoryStore()
    assert set_right(store, NOW + YEAR_S) == 0
    store.save(Batch(pages=AHEAD + RIGHT))
    assert set_right(store, NOW) == 2
    assert due(store) == {1: NOW + DAY_S, 2: NOW, 3: None, 4: NOW + YEAR_S, 5: NOW - 1}
    assert set_right(store, NOW + 5) == 0


def test_pages_are_looked_at_only_where_a_run_has_begun_in_the_future() -> None:
    store = MemoryStore()
    store.save(Batch(pages=AHEAD))
    assert set_right(store, NOW) == 0
    assert set_right(store, NOW - 1) == 0  # as two clocks differ
    assert due(store)[1] == NOW + YEAR_S + DAY_S


def test_in_a_cluster_each_sees_to_what_it_claims_until_all_is_right() -> None:
    store = MemoryStore(partitions=2)
    mine = partition_of(SERVER, 2)
    sit_down(store, NOW + YEAR_S)
    store.save(Batch(pages=AHEAD + RIGHT))
    sit_down(store, NOW)
    assert set_right_claimed(store, NOW, [1 - mine]) == 0
    assert due(store)[1] == NOW + YEAR_S + DAY_S  # another one's
    assert set_right_claimed(store, NOW, [mine]) == 2
    assert due(store) == {1: NOW + DAY_S, 2: NOW, 3: None, 4: NOW + YEAR_S, 5: NOW - 1}
    assert float(store.memo(CLOCK) or 0) == NOW
    store.save(Batch(pages=AHEAD))
    assert set_right_claimed(store, NOW, [0, 1]) == 0  # nobody has begun in the future since


def test_a_run_sets_them_right_before_it_begins(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "crawl")
    folder.create('[operator]\ncontact = "a@example.org"\n')
    folder.put_site(Site("shop", (f"http://{SERVER}/1",), own=(SERVER,)))
    ahead_at = time.time() + YEAR_S
    seen = page(1, checked_at=ahead_at, due_at=ahead_at + DAY_S, status=Status.LIVE, visits=1)
    with closing(open_store(folder, Settings())) as store:
        store.save(Batch(pages=(seen,), memos=((CLOCK, str(ahead_at).encode()),)))

    async def run() -> None:
        async with recrawl.open(folder.path) as crawl:
            await crawl.run()

    asyncio.run(run())
    with closing(open_store(folder, Settings())) as store:
        assert all((one.due_at or 0.0) < ahead_at - YEAR_S + 2 * DAY_S for one in store.scan(limit=10))


def test_a_robots_file_read_in_the_future_is_asked_for_again() -> None:
    file = RobotsFile(f"http://{SERVER}/robots.txt", NOW + YEAR_S, 200, b"", NOW + YEAR_S + DAY_S)
    gate = Gate("recrawl", lambda address: file)
    assert gate.check(f"http://{SERVER}/1", NOW).ask_first
    assert gate.check(f"http://{SERVER}/1", NOW + YEAR_S - 1).allowed  # as two clocks differ
