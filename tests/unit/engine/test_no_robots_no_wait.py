"""A run that goes round once does not wait for a server whose robots.txt cannot be had: it ends and says so."""

from contextlib import closing
from pathlib import Path

import pytest
from tests.unit.engine.crawls import Crawl, page
from tests.unit.towns import serving

from recrawl.config import Settings
from recrawl.engine.clock import SystemClock
from recrawl.engine.worker import Order
from recrawl.fetch.memory import Canned
from recrawl.folder.folder import Folder
from recrawl.folder.opening import open_store
from recrawl.frontier.reach import Reach
from recrawl.launch.run import run
from recrawl.model.address import fingerprint, server_of
from recrawl.model.batch import Batch
from recrawl.model.failure import TooManyFailures
from recrawl.model.page import Page
from recrawl.model.server import RobotsFile, Server
from recrawl.model.site import Site

HOST = "shop.test"
SHOP = Site("shop", (f"http://{HOST}/",), own=(HOST,))


def crawl_of(path: Path, status: int, pages: int) -> Crawl:
    def answer(path: str) -> Canned:
        return Canned(b"", status) if path == "/robots.txt" else page(path, f"words of {path}")

    crawl = Crawl(path, answer, reach=Reach(queue=20, load=20))
    crawl.add(SHOP)
    urls = [f"http://{HOST}/{number}" for number in range(pages)]
    with closing(open_store(crawl.folder, crawl.settings)) as store:
        due = [Page(fingerprint(url), url, server_of(url), "shop", found_at=1.0, due_at=1.0) for url in urls]
        store.save(Batch(entered=tuple(due)))
    return crawl


def server_of_crawl(crawl: Crawl) -> Server:
    with closing(open_store(crawl.folder, crawl.settings)) as store:
        found = store.server(HOST)
    assert found is not None
    return found


@pytest.mark.parametrize("pages", [0, 5, 100])
def test_the_run_ends_while_the_server_rests_still(tmp_path: Path, pages: int) -> None:
    crawl = crawl_of(tmp_path, 503, pages)
    assert crawl.run() == [] and crawl.asked == ["/robots.txt"]
    assert SystemClock().now() < server_of_crawl(crawl).free_at
    assert crawl.run() == [] and crawl.asked == ["/robots.txt"]
    assert SystemClock().now() < server_of_crawl(crawl).free_at


def test_pages_with_another_robots_txt_on_the_same_server_are_visited(tmp_path: Path) -> None:
    crawl = crawl_of(tmp_path, 404, 5)
    with closing(open_store(crawl.folder, crawl.settings)) as store:
        now = SystemClock().now()
        secure = [Page(fingerprint(url), url, HOST, "shop", due_at=1.0) for url in (f"https://{HOST}/a",)]
        shut = RobotsFile(f"https://{HOST}/robots.txt", now, 503, b"", now + 300.0)
        store.save(Batch(entered=tuple(secure), robots=(shut,)))
    assert sorted(crawl.run()) == ["/", "/0", "/1", "/2", "/3", "/4"]


def test_the_last_word_names_the_robots_txt_and_when_it_is_asked_for_again(tmp_path: Path) -> None:
    with serving(lambda path: f"words of {path}", (503, "")) as town:
        folder = Folder(tmp_path)
        folder.create("")
        folder.put_site(Site("town", (town.url,), own=(town.name,)))
        ended = run(folder, Settings(), Order(once=True), 1, lambda _: None, make_all_due=False)
    assert ended.code == TooManyFailures.exit_code and town.asked == ["/robots.txt"]
    assert "robots.txt could not be read (status 503)" in ended.sentence and "run again from" in ended.sentence
