"""A site is where its seeds have gone, also for a worker that did not see them go."""

from contextlib import closing
from pathlib import Path

from tests.unit.engine.crawls import Crawl, page

from recrawl.engine.finding.discover_memo import hosts_memo
from recrawl.fetch.memory import Canned
from recrawl.folder.opening import open_store
from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.page import Page
from recrawl.model.site import Site

OLD, NEW, OTHER = "old.test", "new.test", "other.test"
SITE = Site("shop", seeds=(f"http://{OLD}/",), own=(OLD, NEW))
SHELVES = ["/chairs", "/tables"]


def shop(path: str) -> Canned:
    return page(path, f"All that is on the shelf {path} is shown here. " * 9, SHELVES)


def entered(crawl: Crawl, path: str) -> None:
    """By another worker, which asked the old server and was sent to the new one."""
    url = f"http://{NEW}{path}"
    target = Page(fingerprint(url), url, NEW, "shop", hops=1, found_from=1, found_at=1.0, due_at=1.0)
    seen = Page(fingerprint(SITE.seeds[0]), SITE.seeds[0], OLD, "shop", found_at=1.0, due_at=None)
    with closing(open_store(crawl.folder, crawl.settings)) as store:
        store.save(Batch(entered=(target, seen)))


def test_links_of_a_server_that_another_worker_was_sent_to_are_followed(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path, shop)
    crawl.add(SITE)
    entered(crawl, "/")
    assert set(crawl.run()) == {"/", *SHELVES}


def test_where_two_workers_were_sent_is_remembered_together(tmp_path: Path) -> None:
    """The other one writes while this one asks."""

    def answer(path: str) -> Canned:
        if path != "/":
            return shop(path)
        assert crawl.worker is not None
        crawl.worker.parts.store.save(Batch(memos=((hosts_memo("shop"), OTHER.encode()),)))
        return Canned(b"", 301, (("location", f"http://{NEW}/new"),))

    crawl = Crawl(tmp_path, answer)
    crawl.add(SITE)
    assert "/new" in crawl.run()
    with closing(open_store(crawl.folder, crawl.settings)) as store:
        assert store.memo(hosts_memo("shop")) == f"{NEW} {OTHER}".encode()
