"""A trap that a list of addresses led to is told of, though no visit after it brings a document, or there is none; and
what an earlier run met makes no trap."""

import asyncio
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.engine.crawls import Crawl, page

from recrawl.answers.reading import reading
from recrawl.config import Settings
from recrawl.engine.assembly import assemble
from recrawl.engine.finding.alias_watch import AliasWatch
from recrawl.engine.finding.discover_memo import closed_memo, closed_text, trapped, traps_memo
from recrawl.engine.quarries import quarry_of
from recrawl.engine.tally import Tally
from recrawl.engine.worker import Order, Worker
from recrawl.fetch.memory import Canned
from recrawl.folder.opening import open_store
from recrawl.model.address import Address, fingerprint, partition_of
from recrawl.model.batch import Batch
from recrawl.model.event import EventKind
from recrawl.model.page import Page
from recrawl.model.site import Site
from recrawl.scope.aliases import AliasTable
from recrawl.scope.traps import TrapLimits, Traps
from recrawl.store.memory import MemoryStore

SITE = Site("shop", ("http://127.0.0.1:1/",), own=("127.0.0.1:1",))
MAP = "".join(f"<url><loc>http://127.0.0.1:1/p/{number}</loc></url>" for number in range(30))
SITEMAP = f'<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">{MAP}</urlset>'.encode()


def answer(path: str) -> Canned:
    if path == "/robots.txt":
        return Canned(b"Sitemap: http://127.0.0.1:1/map.xml", 200, (("content-type", "text/plain"),))
    if path == "/map.xml":
        return Canned(SITEMAP, 200, (("content-type", "application/xml"),))
    return page("Shop", "All that we have on our shelves is shown here. " * 9) if path == "/" else Canned(b"", 404, ())


def test_a_trap_in_a_sitemap_is_told_though_nothing_is_visited_after_it(tmp_path: Path) -> None:
    settings = replace(Settings(), traps=TrapLimits(pages_per_pattern=10))
    crawl = Crawl(tmp_path / "crawl", answer, settings)
    crawl.add(SITE)
    assert set(crawl.run()) == {"/", "/map.xml"}
    with reading(crawl.folder) as found:
        told = found.store.events(kinds=(EventKind.LIMIT_HIT,))
    assert [event.facts["limit"] for event in told] == ["trap"]


def chapter(number: int) -> str:
    return f"/chapter/{number}.html"


def book(leads_to: Callable[[int], int]) -> Callable[[str], Canned]:
    """Chapters of which each leads to one that is waiting or was read by an earlier run, and to no other."""

    def answer(path: str) -> Canned:
        number = int("".join(filter(str.isdigit, path)) or 0)
        return page(f"Chapter {number}", f"What befell in year {number}. " * 40, [chapter(leads_to(number))])

    return answer


def test_a_site_whose_other_half_was_read_before_a_kill_is_no_trap(tmp_path: Path) -> None:
    """Its pages lead back to what this run has not met; the store has."""
    crawl = Crawl(tmp_path / "crawl", book(lambda number: number + 1000))
    crawl.add(SITE)
    with closing(open_store(crawl.folder, crawl.settings)) as store:
        store.save(Batch(entered=tuple(left_behind(number, due_at=1.0) for number in range(1, 600))))
        store.save(Batch(entered=tuple(left_behind(number, due_at=None) for number in range(1000, 1700))))
    assert len(crawl.run()) == 600


def shelf_of(chapters: int, words: list[str]) -> Callable[[str], Canned]:
    """A front page that leads to all others; what they say is the last of the words."""
    links = [chapter(number) for number in range(chapters)]
    return lambda path: page(path, f"{words[-1]} of {path} " * 40, links if path == "/" else [])


def test_pages_met_again_by_the_next_run_count_once(tmp_path: Path) -> None:
    words = ["news"]
    crawl = Crawl(
        tmp_path / "crawl", shelf_of(1100, words), replace(Settings(), traps=TrapLimits(pages_per_pattern=1500))
    )
    crawl.add(SITE)
    assert len(crawl.run()) == 1101
    words.append("other news")
    with closing(open_store(crawl.folder, crawl.settings)) as store:
        store.make_due(1.0, ids=[fingerprint(SITE.seeds[0])])
    assert set(crawl.run()) == {"/"}
    with reading(crawl.folder) as found:
        assert not found.store.events(kinds=(EventKind.LIMIT_HIT,))


def test_pages_of_another_worker_that_every_run_meets_count_once(tmp_path: Path) -> None:
    """400 pages are met by two runs before 250 others are found, and 1000 are the limit."""
    shown = [f"http://127.0.0.2:1{chapter(number)}" for number in range(400)]
    settings = replace(Settings(), traps=TrapLimits(pages_per_pattern=1000))
    crawl = Crawl(tmp_path / "crawl", lambda path: page("Front", f"{shown[-1]} is new. " * 40, shown), settings)
    crawl.each_visit = True
    crawl.add(replace(SITE, hosts=("127.0.0.2:1",)))
    with closing(open_store(crawl.folder, crawl.settings)) as store:
        crawl.owned = frozenset({partition_of("127.0.0.1:1", store.partitions)})
        assert partition_of("127.0.0.2:1", store.partitions) not in crawl.owned
    crawl.run()
    for more in (range(400, 401), range(401, 650)):
        shown += [f"http://127.0.0.2:1{chapter(number)}" for number in more]
        crawl.make_due("/")
        assert crawl.run() == ["/"]
    with reading(crawl.folder) as found:
        assert not found.store.events(kinds=(EventKind.LIMIT_HIT,))
        assert found.store.totals().pages == 1 + len(shown)


def test_a_trap_closed_by_the_last_links_of_a_run_stays_closed(tmp_path: Path) -> None:
    settings = replace(Settings(), traps=TrapLimits(pages_per_pattern=60))
    crawl = Crawl(tmp_path / "crawl", shelf_of(80, ["news"]), settings)
    crawl.add(SITE)
    crawl.run()
    with closing(open_store(crawl.folder, crawl.settings)) as store:
        assert trapped(store, "shop", f"http://127.0.0.1:1{chapter(99)}", "127.0.0.1:1", settings.traps)


@pytest.fixture
def closed(tmp_path: Path) -> Crawl:
    """A crawl whose only worker, number 0, has closed a trap."""
    crawl = Crawl(
        tmp_path / "crawl", shelf_of(80, ["news"]), replace(Settings(), traps=TrapLimits(pages_per_pattern=60))
    )
    crawl.add(SITE)
    crawl.run()
    return crawl


@pytest.mark.parametrize("worker", ["0", "1"])
def test_a_trap_that_one_worker_closed_is_closed_to_whoever_starts_next(closed: Crawl, worker: str) -> None:
    with closing(open_store(closed.folder, closed.settings)) as store:
        quarry = quarry_of(closed.settings, SITE, AliasWatch(store, AliasTable()), store, worker)
    assert quarry.traps.is_closed(f"http://127.0.0.1:1{chapter(99)}", "127.0.0.1:1")


def test_a_trap_is_open_again_when_the_user_raised_the_limits(closed: Crawl) -> None:
    settings = replace(closed.settings, traps=TrapLimits(pages_per_pattern=600))
    with closing(open_store(closed.folder, closed.settings)) as store:
        quarry = quarry_of(settings, SITE, AliasWatch(store, AliasTable()), store, "0")
    assert not quarry.traps.is_closed(f"http://127.0.0.1:1{chapter(99)}", "127.0.0.1:1")
    assert not quarry.traps.refusal(Address(f"http://127.0.0.1:1{chapter(99)}", "127.0.0.1:1"))


def test_whoever_takes_a_server_over_hears_of_its_traps(closed: Crawl) -> None:
    async def hear() -> tuple[str, str]:
        async with assemble(closed.folder, closed.settings, "1") as parts:
            traps = parts.quarries["shop"].traps = Traps(closed.settings.traps)
            worker = Worker(parts, Order(), (), Tally())
            url = f"http://127.0.0.1:1{chapter(99)}"
            before = traps.is_closed(url)
            worker.take({parts.partition("127.0.0.1:1")})
            return before, traps.is_closed(url)

    before, after = asyncio.run(hear())
    assert not before and after


def test_what_two_workers_closed_is_kept_beside_each_other(closed: Crawl) -> None:
    limits = closed.settings.traps

    async def close_another() -> None:
        async with assemble(closed.folder, closed.settings, "1") as parts:
            parts.quarries["shop"].traps = traps = Traps(limits)
            for number in range(61):
                if not traps.refusal(one := Address(f"http://127.0.0.1:1/day/{number}/x", "127.0.0.1:1")):
                    traps.let_in(one, None)
            worker = Worker(parts, Order(), (), Tally())
            parts.store.save(Batch(memos=tuple(worker.reckoning.trapped().items())))

    asyncio.run(close_another())
    with closing(open_store(closed.folder, closed.settings)) as store:
        for path in (chapter(99), "/day/7/x"):
            assert trapped(store, "shop", f"http://127.0.0.1:1{path}", "127.0.0.1:1", limits)


def test_a_trap_that_two_workers_closing_at_once_lost_is_told_again_by_the_end_of_a_run(closed: Crawl) -> None:
    limits = closed.settings.traps
    with closing(open_store(closed.folder, closed.settings)) as store:
        store.save(Batch(memos=((closed_memo("shop"), closed_text({"127.0.0.1:1/other/0": "a trap"}, limits)),)))
    closed.run()
    with closing(open_store(closed.folder, closed.settings)) as store:
        for path in (chapter(99), "/other/7"):
            assert trapped(store, "shop", f"http://127.0.0.1:1{path}", "127.0.0.1:1", limits)


def left_behind(number: int, due_at: float | None) -> Page:
    url = f"http://127.0.0.1:1{chapter(number)}"
    return Page(fingerprint(url), url, "127.0.0.1:1", "shop", depth=1, found_from=1, found_at=1.0, due_at=due_at)


@pytest.mark.parametrize("worker", ["0", "5", "63"])
def test_whoever_starts_next_knows_what_all_workers_before_have_let_in(worker: str) -> None:
    store = MemoryStore()
    for number in (0, 1, 11):
        traps = Traps()
        for page_number in range(60):
            traps.let_in(Address(f"http://127.0.0.1:1/{number}/{page_number}", "127.0.0.1:1"), None)
        store.save(Batch(memos=((traps_memo(SITE.name, str(number)), traps.memo(1) or b""),)))
    settings = replace(Settings(), traps=TrapLimits(pages_per_server=180))
    quarry = quarry_of(settings, SITE, AliasWatch(store, AliasTable()), store, worker)
    assert quarry.traps.refusal(Address("http://127.0.0.1:1/new", "127.0.0.1:1"))
