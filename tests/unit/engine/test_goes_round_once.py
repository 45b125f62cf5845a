"""A run that goes round once ends when everything was visited, not when memory is empty."""

from pathlib import Path

from tests.unit.engine.crawls import Crawl, page

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
