"""A crawl that is started once a day with a small budget reaches pages, and in time those of every server."""

from collections import Counter

import pytest

from recrawl.archive.memory import MemoryArchive
from recrawl.config import Schedule, Settings
from recrawl.engine.asking.gate import Gate
from recrawl.engine.clock import VirtualClock, run_virtually
from recrawl.engine.tally import Tally
from recrawl.engine.worker import Order, Worker
from recrawl.lab.faults import CALM
from recrawl.lab.month import parts_of
from recrawl.lab.requests_log import Request
from recrawl.lab.simulated import SimulatedFetcher
from recrawl.lab.tempers import Poisson
from recrawl.lab.world import START_AT, World
from recrawl.lab.world_parts import PageSpec, Robots, ServerSpec
from recrawl.model.server import RobotsFile
from recrawl.schedule.settings import DAY_S
from recrawl.store.memory import MemoryStore

DAYS = 30
HOUR_S = 3600.0


def world(servers: int) -> World:
    pages = tuple(PageSpec(f"/{number}.html", Poisson(2 * DAY_S)) for number in range(5))
    names = (f"s{number}" for number in range(servers))
    return World(3, tuple(ServerSpec(name, pages=pages, robots=Robots(sitemap=False)) for name in names), START_AT)


def once_a_day(servers: int, per_day: float) -> list[Request]:
    """As cron does it."""
    town, store, archive = world(servers), MemoryStore(), MemoryArchive()
    settings = Settings(schedule=Schedule(requests_per_day=per_day))
    asked: list[Request] = []
    for day in range(DAYS):
        clock = VirtualClock(START_AT + day * DAY_S + 3 * HOUR_S)
        fetcher = SimulatedFetcher(town, clock, CALM)

        async def round_once(clock: VirtualClock = clock, fetcher: SimulatedFetcher = fetcher) -> float:
            parts = parts_of(town, 3, settings, clock, fetcher, store, archive, [], 1.0)
            await Worker(parts, Order(once=True), frozenset(range(store.partitions)), Tally()).run()
            return clock.now()

        run_virtually(round_once)
        asked += fetcher.log
    return asked


@pytest.mark.parametrize(("per_day", "servers", "pages"), [(1, 1, 15), (1, 10, 15), (2, 10, 30), (3, 10, 50)])
def test_in_a_month_pages_of_every_server_are_visited(per_day: int, servers: int, pages: int) -> None:
    asked = once_a_day(servers, per_day)
    visited = [one for one in asked if one.path != "/robots.txt"]
    assert max(Counter(one.start_at // DAY_S for one in asked).values()) == per_day
    assert len(visited) >= pages and len({one.server for one in visited}) == servers


def test_of_one_request_a_day_robots_txt_serves_the_next_day_too_whatever_it_says_of_itself() -> None:
    read_at, url = 1e9, "http://shop.test/a"
    file = RobotsFile("http://shop.test/robots.txt", read_at, 200, b"", read_at + HOUR_S)
    gate = Gate("recrawl", lambda _: file)
    tomorrow_at = read_at + DAY_S + 60.0
    assert gate.check(url, tomorrow_at).asks_here
    assert gate.check(url, tomorrow_at, spared=True).allowed
    assert gate.check(url, tomorrow_at + HOUR_S, spared=True).asks_here


def test_a_robots_txt_that_could_not_be_had_is_asked_for_again_when_it_may_be() -> None:
    file = RobotsFile("http://shop.test/robots.txt", 1e9, 503, b"", 1e9 + 300.0)
    gate = Gate("recrawl", lambda _: file)
    assert gate.check("http://shop.test/a", 1e9 + 299.0, spared=True).unreachable
    assert gate.check("http://shop.test/a", 1e9 + 301.0, spared=True).asks_here
