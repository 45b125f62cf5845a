"""A port that lets nobody in makes its own pages wait, not those of the other port of the same host."""

from pathlib import Path

import pytest
from tests.unit.engine.crawls import Crawl, page

from recrawl.fetch.memory import Canned
from recrawl.model.failure import Failure
from recrawl.model.page import Page
from recrawl.model.site import Site

SAFE, OPEN = "https://shop.test", "http://shop.test"
ROBOTS = "/robots.txt"


def crawl_of(path: Path, failure: Failure, closed: list[str], seeds: tuple[str, ...]) -> Crawl:
    """What is asked for below an address in `closed` finds no way in."""

    def answer(asked: str) -> Canned:
        if any(crawl.asks[-1].url.startswith(one) for one in closed):
            return Canned(failure=failure)
        return Canned(b"", 404) if asked == ROBOTS else page(asked, f"words of {asked}", [f"{SAFE}/safe", "/a", "/b"])

    crawl = Crawl(path, answer)
    crawl.add(Site("shop", seeds, own=("shop.test",)))
    return crawl


def of(crawl: Crawl, origin: str) -> list[str]:
    return [ask.url.removeprefix(origin) for ask in crawl.asks if ask.url.startswith(origin + "/")]


@pytest.mark.parametrize("failure", [Failure.CONNECT, Failure.CONNECT_TIMEOUT])
@pytest.mark.parametrize(("closed", "tried"), [([SAFE], 1), ([f"{SAFE}/safe", f"{SAFE}/seed"], 2)])
def test_pages_of_the_open_port_are_visited_and_the_closed_one_is_tried_once(
    tmp_path: Path, failure: Failure, closed: list[str], tried: int
) -> None:
    crawl = crawl_of(tmp_path, failure, closed, (f"{SAFE}/seed", f"{OPEN}/"))
    crawl.run()
    assert sorted(of(crawl, OPEN)) == ["/", "/a", "/b", ROBOTS]
    assert of(crawl, SAFE)[0] == ROBOTS and len(of(crawl, SAFE)) == tried  # by robots.txt, or by a page after it


def test_where_nobody_is_let_in_the_whole_server_rests(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path, Failure.CONNECT, [SAFE, OPEN], (f"{SAFE}/seed", f"{OPEN}/"))
    crawl.run()
    assert (of(crawl, SAFE), of(crawl, OPEN)) == ([ROBOTS], [ROBOTS])
    only = crawl_of(tmp_path / "only", Failure.CONNECT, [f"{SAFE}/"], (f"{SAFE}/1", f"{SAFE}/2"))
    only.run()
    assert of(only, SAFE) == [ROBOTS]


def test_a_port_that_was_closed_is_tried_again_and_not_remembered_for_ever(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path, Failure.CONNECT, [f"{SAFE}/safe", f"{SAFE}/seed"], (f"{SAFE}/seed", f"{OPEN}/"))
    crawl.run()
    assert crawl.worker is not None
    doors, seed = crawl.worker.lanes.doors, Page(1, f"{SAFE}/seed", "shop.test", "shop")
    until_at = doors.said_of(seed, 0.0).until_at
    assert doors.said_of(seed, until_at - 1.0).unreachable and doors.closed == {SAFE: until_at}
    assert doors.said_of(seed, until_at).allowed and not doors.closed
