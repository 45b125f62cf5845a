"""That a robots.txt is not what it was is told, but not that a server which gave no answer gives one again."""

from contextlib import closing
from pathlib import Path

import pytest
from tests.unit.engine.crawls import Crawl, page

from recrawl.fetch.memory import Canned
from recrawl.folder.opening import open_store
from recrawl.model.batch import Batch
from recrawl.model.event import EventKind
from recrawl.model.failure import Failure
from recrawl.model.server import RobotsFile
from recrawl.model.site import Site

ADDRESS = "http://shop.test/robots.txt"
NOW_SAID = b"User-agent: *\nDisallow: /desk/\n"


@pytest.mark.parametrize(
    ("status", "body", "told"),
    [
        (200, b"", 1),
        (200, NOW_SAID, 0),
        (404, b"", 1),
        (503, b"down for a moment", 0),
        (0, str(Failure.CONNECT).encode(), 0),
    ],
)
def test_it_is_told_where_it_was_known_before(tmp_path: Path, status: int, body: bytes, told: int) -> None:
    crawl = Crawl(tmp_path, lambda path: Canned(NOW_SAID) if path == "/robots.txt" else page(path, "words"))
    crawl.add(Site("shop", ("http://shop.test/",), own=("shop.test",)))
    with closing(open_store(crawl.folder, crawl.settings)) as store:
        store.save(Batch(robots=(RobotsFile(ADDRESS, 1.0, status, body, 2.0),)))
    assert crawl.run() == ["/"]
    with closing(open_store(crawl.folder, crawl.settings)) as store:
        events = store.events(kinds=(EventKind.ROBOTS_CHANGED,))
    assert [one.url for one in events] == [ADDRESS] * told
