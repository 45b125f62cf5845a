"""A budget smaller than the number of servers is not spent on their robots.txt alone."""

from collections import Counter
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.engine.crawls import Crawl, page

from recrawl.config import Schedule, Settings
from recrawl.fetch.memory import Canned
from recrawl.folder.opening import open_store
from recrawl.lab.month import simulate
from recrawl.lab.tempers import Poisson
from recrawl.lab.world import START_AT, World
from recrawl.lab.world_parts import PageSpec, Robots, ServerSpec
from recrawl.model.batch import Batch
from recrawl.model.site import Site
from recrawl.schedule.settings import DAY_S

SERVERS = [f"s{number}.example" for number in range(20)]
LINKS = [f"/{number}" for number in range(9)]
TOWN = Site("town", tuple(f"http://{name}/" for name in SERVERS), own=tuple(SERVERS))


def answer(path: str) -> Canned:
    return page(path, f"words of {path} and some more of them", ("/a", "/b")) if path != "/robots.txt" else Canned(b"")


@pytest.mark.parametrize(
    ("budget", "files", "pages"), [(5, 2, 3), (4, 2, 2), (2, 1, 1), (9, 4, 5), (1, 1, 0), (0, 0, 0)]
)
def test_a_small_budget_reaches_pages(tmp_path: Path, budget: int, files: int, pages: int) -> None:
    crawl = Crawl(tmp_path, answer, Settings(schedule=Schedule(requests_per_day=budget)))
    crawl.add(TOWN)
    visited = crawl.run()
    assert (crawl.asked.count("/robots.txt"), len(visited)) == (files, pages)
    assert crawl.run() == [] and len(crawl.asked) == budget


def test_day_by_day_every_server_has_its_turn_and_no_day_sees_more_than_its_budget() -> None:
    calm = tuple(
        ServerSpec(name, pages=(PageSpec("/0.html", Poisson(30 * DAY_S)),), robots=Robots(sitemap=False))
        for name in ("north", "south", "east", "west", "up", "down", "in", "out")
    )
    settings = Settings(schedule=Schedule(requests_per_day=3))
    month = simulate(World(3, calm, START_AT), 3, 9.0, settings=settings)
    days = Counter(one.start_at // DAY_S for one in month.requests)
    assert max(days.values()) == 3
    assert len({one.server for one in month.requests if one.path != "/robots.txt"}) == len(calm)


@pytest.mark.parametrize("per_day", [0.2, 0.5, 0.9])
def test_of_less_than_one_request_a_day_every_second_goes_to_a_page(per_day: float) -> None:
    pages = (PageSpec("/0.html", Poisson(30 * DAY_S)), PageSpec("/1.html", Poisson(30 * DAY_S)))
    servers = tuple(ServerSpec(name, pages=pages, robots=Robots(sitemap=False)) for name in ("north", "south"))
    settings = Settings(schedule=Schedule(requests_per_day=per_day))
    month = simulate(World(3, servers, START_AT), 3, 60.0, settings=settings)
    visited = [one for one in month.requests if one.path != "/robots.txt"]
    assert 2 * len(visited) == len(month.requests) <= 60.0 * per_day + 2
    assert len(visited) >= 60.0 * per_day / 2 * 0.6  # of 0.9 a day three quarters fit into spans of three days
    assert {one.server for one in visited} == {"north.test", "south.test"}


@pytest.mark.parametrize(("per_day", "bytes_per_day"), [(0.5, 300), (0.5, 1000), (5, 1000), (5, 3000), (None, 1000)])
def test_pages_that_fit_into_no_day_are_visited_again_though_robots_txt_comes_before_them(
    per_day: float | None, bytes_per_day: float
) -> None:
    pages = tuple(PageSpec(f"/{number}.html", Poisson(2 * DAY_S)) for number in range(2))
    town = World(3, (ServerSpec("north", pages=pages, robots=Robots(sitemap=False)),), START_AT)
    settings = Settings(schedule=Schedule(requests_per_day=per_day, bytes_per_day=bytes_per_day))
    month = simulate(town, 3, 40.0, settings=settings)
    visited = [one.path for one in month.requests if one.path != "/robots.txt"]
    assert len(visited) >= 10 and min(Counter(visited).values()) > 1


def test_servers_that_may_not_be_asked_for_pages_leave_their_part_to_others(tmp_path: Path) -> None:
    def forbids(path: str) -> Canned:
        return Canned(b"User-agent: *\nDisallow: /\n") if path == "/robots.txt" else answer(path)

    crawl = Crawl(tmp_path, forbids, Settings(schedule=Schedule(requests_per_day=12)))
    crawl.add(Site("town", TOWN.seeds[:8], own=TOWN.own))
    assert crawl.run() == [] and crawl.asked.count("/robots.txt") == 8


def test_what_is_set_aside_and_not_called_for_is_there_for_others_the_same_day(tmp_path: Path) -> None:
    def first_two_forbid(path: str) -> Canned:
        told.append(path)
        return Canned(b"User-agent: *\nDisallow: /\n") if path == "/robots.txt" and len(told) <= 2 else answer(path)

    told: list[str] = []
    crawl = Crawl(tmp_path, first_two_forbid, Settings(schedule=Schedule(requests_per_day=5)))
    crawl.add(TOWN)
    visited = crawl.run()
    assert crawl.asked.count("/robots.txt") == 3 and len(visited) == 2


def test_servers_whose_robots_txt_cannot_be_had_leave_their_part_to_others(tmp_path: Path) -> None:
    def broken_first(path: str) -> Canned:
        told.append(path)
        return Canned(b"", 503) if path == "/robots.txt" and len(told) <= 2 else answer(path)

    told: list[str] = []
    crawl = Crawl(tmp_path, broken_first, Settings(schedule=Schedule(requests_per_day=6)))
    crawl.add(TOWN)
    visited = crawl.run()
    assert len(crawl.asked) == 6 and len(visited) >= 2


def test_a_robots_txt_that_the_bytes_of_the_day_do_not_pay_for_waits_with_its_pages(tmp_path: Path) -> None:
    def long(path: str) -> Canned:
        words = "w" * (300 if path == "/small" else 6000)
        return answer(path) if path == "/robots.txt" else page(path, words, LINKS if path == "/" else ())

    crawl = Crawl(tmp_path, long, Settings(schedule=Schedule(bytes_per_day=40_000)))
    crawl.add(Site("village", ("http://s0.example/small",), own=("s0.example",)))
    assert crawl.run() == ["/small"]
    crawl.add(Site("town", ("http://s1.example/",), own=("s1.example",)))
    assert crawl.run()  # until a small page would still fit, but none as large as the largest
    with closing(open_store(crawl.folder, crawl.settings)) as store:
        known = store.robots("http://s0.example/robots.txt")
        assert known is not None
        store.save(Batch(robots=(replace(known, expires_at=1.0),)))
    crawl.make_due("/small")
    assert crawl.run() == [] and crawl.asked.count("/robots.txt") == 2
