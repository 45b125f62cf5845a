"""A budget smaller than the number of servers is not spent on their robots.txt alone."""

from pathlib import Path

import pytest
from tests.unit.engine.crawls import Crawl, page

from recrawl.config import Schedule, Settings
from recrawl.fetch.memory import Canned
from recrawl.model.site import Site

SERVERS = [f"s{number}.example" for number in range(20)]
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


def test_servers_that_may_not_be_asked_for_pages_leave_their_part_to_others(tmp_path: Path) -> None:
    def forbids(path: str) -> Canned:
        return Canned(b"User-agent: *\nDisallow: /\n") if path == "/robots.txt" else answer(path)

    crawl = Crawl(tmp_path, forbids, Settings(schedule=Schedule(requests_per_day=12)))
    crawl.add(Site("town", TOWN.seeds[:8], own=TOWN.own))
    assert crawl.run() == []
    while crawl.asked.count("/robots.txt") < 8:
        before = len(crawl.asked)
        crawl.run()
        assert len(crawl.asked) > before
