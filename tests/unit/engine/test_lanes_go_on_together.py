"""Lanes that go on together: what goes wrong with one page is nothing to the others, and nothing is left behind."""

import asyncio
import time
from contextlib import closing
from pathlib import Path

import pytest
from tests.unit.engine.crawls import DAY_S, Crawl, Yielding, page

from recrawl.engine.asking.convoy import Convoy, Halt, InTasks, Lane
from recrawl.engine.asking.lane import Lanes
from recrawl.engine.clock import SystemClock
from recrawl.engine.settling.arrival import Arrival
from recrawl.engine.worker import Order
from recrawl.fetch.journal import Journal
from recrawl.fetch.memory import Canned
from recrawl.folder.opening import open_store
from recrawl.model.page import Page
from recrawl.model.site import Site
from recrawl.model.visit import Ask, Reply

PAGES = [f"/{number}" for number in range(30)]
HEADERS = (("content-type", "text/html"), ("etag", '"one"'))


def site(path: str) -> Canned:
    if path == "/":
        return Canned(page("home", "A page that leads to all others.", PAGES).body, headers=HEADERS)
    if path in PAGES:
        return Canned(page(path, f"What page {path} has to say. " * 20).body, headers=HEADERS)
    return Canned(b"", 404)


@pytest.fixture
def crawl(tmp_path: Path) -> Crawl:
    crawl = Crawl(tmp_path, site)
    crawl.add(Site("shop", ("http://127.0.0.1:9/",), own=("127.0.0.1:9",), parallel=4))
    crawl.run()
    crawl.make_all_due()
    return crawl


def stored(crawl: Crawl) -> list[Page]:
    with closing(open_store(crawl.folder, crawl.settings)) as store:
        return list(store.scan(limit=1000))


def test_unchanged_pages_are_visited_without_a_lane_being_woken_for_each(
    crawl: Crawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    halts: list[Halt] = []
    run = Convoy.run

    async def counted(convoy: Convoy, lane: Lane) -> Halt:
        halts.append(halt := await run(convoy, lane))
        return halt

    monkeypatch.setattr(Convoy, "run", counted)
    assert sorted(crawl.run()) == sorted(["/", *PAGES])
    assert all(one.visits == 2 for one in stored(crawl) if "robots" not in one.url)
    assert len(halts) < len(PAGES) / 2  # the end of each lane, and what it needs once


def test_a_fault_of_ours_costs_one_page_and_no_other(crawl: Crawl, monkeypatch: pytest.MonkeyPatch) -> None:
    hand_over = Convoy._hand_over

    def faulty(convoy: Convoy, lane: Lane, one: Page, arrival: Arrival) -> None:
        if one.url.endswith("/7"):
            raise ZeroDivisionError("a fault of ours")
        hand_over(convoy, lane, one, arrival)

    monkeypatch.setattr(Convoy, "_hand_over", faulty)
    assert sorted(crawl.run()) == sorted(["/", *PAGES])
    assert crawl.worker is not None
    assert crawl.worker.tally.as_dict()["errors"] == 1
    assert [one.url for one in stored(crawl) if "error of recrawl" in one.reason] == ["http://127.0.0.1:9/7"]
    assert {one.visits for one in stored(crawl) if not one.reason} == {2}


def test_a_lane_that_is_let_go_leaves_no_request_counted_as_under_way(
    crawl: Crawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    left: list[object] = []
    leave, begin = InTasks.leave, InTasks.begin

    def counted(fetcher: InTasks, trip: list[object]) -> None:
        left.append(trip)
        leave(fetcher, trip)

    def never(fetcher: InTasks, trip: list[object], ended: object) -> None:
        """Sent, and never answered: then the run fails."""
        trip.append(asyncio.get_running_loop().create_future())
        assert crawl.worker is not None
        asyncio.get_running_loop().call_soon(crawl.worker.fail, KeyboardInterrupt())

    monkeypatch.setattr(InTasks, "leave", counted)
    monkeypatch.setattr(InTasks, "begin", never)
    with pytest.raises(KeyboardInterrupt):
        crawl.run()
    monkeypatch.setattr(InTasks, "begin", begin)
    assert left
    assert all(isinstance(trip, list) and isinstance(trip[0], Ask) and trip[1].cancelled() for trip in left)
    assert sorted(crawl.run()) == sorted(["/", *PAGES])


def test_a_journal_that_fails_stops_no_lane(crawl: Crawl, monkeypatch: pytest.MonkeyPatch) -> None:
    flush, failed = Journal.flush, list[str]()

    def faulty(journal: Journal) -> None:
        if journal._came and not failed:
            failed.append("once")
            raise MemoryError
        flush(journal)

    monkeypatch.setattr(Journal, "flush", faulty)
    assert sorted(crawl.run(Order(once=True, for_s=30.0))) == sorted(["/", *PAGES])
    assert failed


def test_what_comes_while_others_are_heard_is_heard_in_the_same_turn(
    crawl: Crawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    convoys, late, left = list[Convoy](), list[Lane](), list[int]()
    on_ended, hear_all, hear = Convoy._on_ended, Convoy._hear_all, InTasks.hear

    def kept_back(convoy: Convoy, lane: Lane) -> None:
        """All but the first of a turn are told only after that one was heard."""
        if convoy._answered:
            late.append(lane)
        else:
            on_ended(convoy, lane)

    def heard(fetcher: InTasks, trip: list[object]) -> Reply | None:
        while late:
            on_ended(convoys[-1], late.pop())
        return hear(fetcher, trip)

    def seen(convoy: Convoy, now: float) -> None:
        convoys.append(convoy)
        waited = len(late)
        hear_all(convoy, now)
        if waited:
            left.append(len(convoy._answered))

    monkeypatch.setattr(Convoy, "_on_ended", kept_back)
    monkeypatch.setattr(Convoy, "_hear_all", seen)
    monkeypatch.setattr(InTasks, "hear", heard)
    assert sorted(crawl.run(Order(once=True, for_s=30.0))) == sorted(["/", *PAGES])
    assert left
    assert not any(left), "they had to wait for the next turn"


def test_a_page_that_robots_txt_forbids_is_not_asked_for_among_its_kin(crawl: Crawl) -> None:
    robots = Canned(b"User-agent: *\nDisallow: /1$\nDisallow: /29")
    crawl.answer = lambda path: robots if path == "/robots.txt" else site(path)
    crawl.clock = SystemClock(time.time() + 2 * DAY_S)  # the file that was not there is asked for again
    assert sorted(crawl.run()) == sorted({"/", *PAGES} - {"/1", "/29"})


def test_while_one_lane_brings_robots_txt_the_others_of_its_server_wait_for_it(
    crawl: Crawl, monkeypatch: pytest.MonkeyPatch
) -> None:
    fetch, serve, served = Yielding.fetch, Lanes.serve, list[str]()

    async def slow(fetcher: Yielding, ask: Ask) -> Reply:
        await asyncio.sleep(0.2 if ask.url.endswith("/robots.txt") else 0.0)
        return await fetch(fetcher, ask)

    async def counted(lanes: Lanes, key: str) -> None:
        served.append(key)
        await serve(lanes, key)

    monkeypatch.setattr(Yielding, "fetch", slow)
    monkeypatch.setattr(Lanes, "serve", counted)
    crawl.clock = SystemClock(time.time() + 2 * DAY_S)  # the file is asked for again
    crawl.asked.clear()
    assert sorted(crawl.run()) == sorted(["/", *PAGES])
    assert crawl.asked.count("/robots.txt") == 1
    assert len(served) < len(PAGES)  # they do not open and close all the while
