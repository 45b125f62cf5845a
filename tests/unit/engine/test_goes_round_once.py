"""A run that goes round once ends when everything was visited, not when memory is empty."""

from pathlib import Path

from tests.unit.engine.crawls import Crawl, page

from recrawl.engine.worker import Order
from recrawl.fetch.memory import Canned
from recrawl.frontier.reach import Reach
from recrawl.model.site import Site

PAGES = 60
LINKS = [f"/{number}" for number in range(PAGES)]


def test_a_queue_that_empties_after_a_look_at_the_store_that_brought_nothing_is_filled_again(tmp_path: Path) -> None:
    def answer(path: str) -> Canned:
        if crawl.worker is not None and len(crawl.worker.frontier) == 10:  # not yet low
            crawl.worker.look_soon()
        return page(path, f"words of {path}", LINKS)

    crawl = Crawl(tmp_path, answer, reach=Reach(load=20), inline=True)
    crawl.add(Site("shop", seeds=("http://shop.test/",), own=("shop.test",)))
    crawl.run()
    crawl.make_all_due()
    assert sorted(crawl.run()) == sorted(["/", *LINKS])


def test_it_ends_as_soon_as_everything_was_visited_and_does_not_wait_for_the_next_look(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, lambda path: page(path, f"words of {path}", ["/1", "/2"]))
    crawl.add(Site("shop", seeds=("http://shop.test/",), own=("shop.test",)))
    for _ in range(3):
        assert sorted(crawl.run(Order(once=True, poll_s=3600.0))) == ["/", "/1", "/2"]
        crawl.make_all_due()
