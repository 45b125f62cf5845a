"""What a limit or a rule let go is wanted again when the user raised the limit or changed the rule."""

from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.engine.crawls import Crawl, page

from recrawl.answers.reading import reading
from recrawl.config import Settings
from recrawl.engine.quarries import readmit_pages
from recrawl.engine.readmission import rules_memo
from recrawl.fetch.memory import Canned
from recrawl.folder.opening import open_store
from recrawl.model.batch import Batch
from recrawl.model.page import Status
from recrawl.model.site import Kind, Pattern, Site
from recrawl.scope.traps import TrapLimits

SITE = Site("shop", ("http://127.0.0.1:1/",), own=("127.0.0.1:1",))
NARROW, WIDE = TrapLimits(pages_per_pattern=60), TrapLimits(pages_per_pattern=600)


def days(path: str) -> Canned:
    """A front page that leads to a hundred days. Nothing ever changes, and the server says so."""
    links = [f"/day/{number}.html" for number in range(100)] if path == "/" else []
    shown = page(path, f"What befell on {path}. " * 40, links)
    return replace(shown, headers=(*shown.headers, ("etag", f'"{path}"')))


def started(crawl: Crawl, limits: TrapLimits, *sites: Site) -> Sequence[str]:
    """What a run says before it begins."""
    crawl.settings = replace(crawl.settings, traps=limits)
    for site in sites:
        crawl.folder.put_site(site)
    with closing(open_store(crawl.folder, crawl.settings)) as store:
        return readmit_pages(crawl.settings, crawl.folder.sites(), store, 2.0)


def statuses(crawl: Crawl) -> dict[str, Status]:
    with reading(crawl.folder) as found:
        return {one.url.partition(":1/")[2]: one.status for one in found.store.scan(limit=1000)}


@pytest.fixture
def shop(tmp_path: Path) -> Crawl:
    crawl = Crawl(tmp_path / "crawl", days, replace(Settings(), traps=NARROW))
    crawl.add(SITE)
    started(crawl, NARROW)
    crawl.run()
    return crawl


def test_pages_that_waited_when_their_space_was_closed_are_visited_when_the_limit_is_raised(shop: Crawl) -> None:
    dropped = [path for path, status in statuses(shop).items() if status is Status.DROPPED]
    assert dropped and not started(shop, NARROW) and shop.run() == []
    [told] = started(shop, WIDE)
    assert f"{len(dropped)} pages of 'shop'" in told
    assert {path.removeprefix("/") for path in shop.run()} == set(dropped)
    assert Status.DROPPED not in statuses(shop).values()


def test_links_that_a_closed_space_did_not_let_in_are_found_again_though_the_page_is_the_same(shop: Crawl) -> None:
    assert len(statuses(shop)) < 101
    started(shop, WIDE)
    shop.run()
    shop.make_all_due()
    shop.run()
    assert len(statuses(shop)) == 101 and set(statuses(shop).values()) == {Status.LIVE}
    [front] = [ask for ask in shop.asks if ask.url.endswith(":1/")][1:]
    assert not front.etag


def test_a_sitemap_that_says_the_same_again_is_listened_to_again(tmp_path: Path) -> None:
    entries = "".join(f"<url><loc>http://127.0.0.1:1/p/{number}</loc></url>" for number in range(30))
    listed = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{entries}</urlset>'.encode()

    def answer(path: str) -> Canned:
        if path == "/robots.txt":
            return Canned(b"Sitemap: http://127.0.0.1:1/map.xml", 200, (("content-type", "text/plain"),))
        if path == "/map.xml":
            return Canned(listed, 200, (("content-type", "application/xml"), ("etag", '"1"')))
        return page(path, f"What we have of {path}. " * 40)

    crawl = Crawl(tmp_path / "crawl", answer, replace(Settings(), traps=TrapLimits(pages_per_pattern=10)))
    crawl.add(SITE)
    started(crawl, crawl.settings.traps)
    crawl.run()
    started(crawl, WIDE)
    crawl.run()
    assert len([path for path, status in statuses(crawl).items() if path[:2] == "p/" and status is Status.LIVE]) == 30


def test_pages_that_the_patterns_did_not_want_are_visited_when_they_do(tmp_path: Path) -> None:
    crawl, detail = Crawl(tmp_path / "crawl", days), Pattern(Kind.DETAIL, "/day/1{number:int}.html")
    crawl.add(SITE)
    started(crawl, WIDE)
    crawl.run()
    crawl.make_all_due()
    started(crawl, WIDE, replace(SITE, patterns=(detail,)))
    crawl.run()
    dropped = {path for path, status in statuses(crawl).items() if status is Status.DROPPED}
    assert len(dropped) == 90
    started(crawl, WIDE, replace(SITE, patterns=(replace(detail, match="/day/{number:int}.html"),)))
    assert set(statuses(crawl).values()) == {Status.LIVE}  # their copies were kept
    assert {path.removeprefix("/") for path in crawl.run()} == dropped


def test_who_changed_nothing_is_told_nothing_and_a_first_run_neither(tmp_path: Path) -> None:
    crawl = Crawl(tmp_path / "crawl", days)
    crawl.add(SITE)
    assert not started(crawl, TrapLimits())
    crawl.run()
    assert not started(crawl, TrapLimits()) and not started(crawl, WIDE)


def test_narrower_limits_and_a_store_that_never_knew_its_rules_walk_through_no_pages(shop: Crawl) -> None:
    narrower = replace(NARROW, alike_pages=NARROW.alike_pages - 1)
    with closing(open_store(shop.folder, shop.settings)) as store:
        walked = []
        store.scan = lambda *which: walked.append(which) or []  # type: ignore[method-assign,func-returns-value]
        readmit_pages(replace(shop.settings, traps=narrower), shop.folder.sites(), store, 2.0)
        store.save(Batch(memos=((rules_memo("shop"), b""),)))
        readmit_pages(replace(shop.settings, traps=WIDE), shop.folder.sites(), store, 2.0)
        assert walked == []
        readmit_pages(replace(shop.settings, traps=TrapLimits()), shop.folder.sites(), store, 2.0)
        assert walked
