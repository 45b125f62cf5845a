"""Every tenth look at a page or so is unconditional, also while its answers prove nothing."""

from itertools import groupby
from pathlib import Path

from tests.unit.engine.crawls import Crawl, page

from recrawl.fetch.memory import Canned
from recrawl.model.site import Site

LOOKS = 30


def test_a_page_that_is_sent_home_is_asked_for_without_a_condition_now_and_then(tmp_path: Path) -> None:
    def answer(path: str) -> Canned:
        if path == "/robots.txt":
            return Canned(b"", 404)
        if path == "/item" and crawl.asked.count("/item") > 1:
            return Canned(b"", 302, (("location", "/"),))
        return Canned(page(path, f"words of {path}", ["/item"]).body, headers=(("etag", '"1"'),))

    crawl = Crawl(tmp_path, answer)
    crawl.add(Site("shop", ("http://shop.test/",), own=("shop.test",)))
    for _ in range(LOOKS):
        crawl.run()
        crawl.make_all_due()
        crawl.age()
    conditional = [ask.conditional for ask in crawl.asks if ask.url.endswith("/item")]
    assert len(conditional) == LOOKS
    assert max(len(list(row)) for is_so, row in groupby(conditional) if is_so) in range(8, 13)
