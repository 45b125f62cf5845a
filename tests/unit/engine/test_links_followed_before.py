"""A changed page that leads where its copy led leads to nothing new, if that was read by the rules of today."""

import asyncio
import math
import os
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.unit.engine.crawls import Crawl, page

import recrawl
from recrawl.cli.import_ import import_
from recrawl.config import Detect, Settings, State
from recrawl.engine.assembly import assemble
from recrawl.engine.clock import SystemClock
from recrawl.engine.finding.alias_watch import MEMO as ALIASES
from recrawl.engine.finding.discover_memo import dropped_counts, hosts_memo
from recrawl.engine.finding.followed import NEVER, UNKNOWN, follow_from, followed_since
from recrawl.engine.guest import Guest
from recrawl.fetch.memory import Canned
from recrawl.folder.opening import open_store
from recrawl.folder.settings import load
from recrawl.model.batch import Batch
from recrawl.model.site import Site
from recrawl.scope.traps import TrapLimits
from recrawl.store.memory import MemoryStore

SITE = Site("news", ("http://127.0.0.1:1/",), own=("127.0.0.1:1",), exclude=("/kept-out*",))
SETTINGS = replace(Settings(), detect=Detect(second_looks=False))
ELSEWHERE = "http://elsewhere.example/"
LEFT = {"links": ["/kept-out", ELSEWHERE]}


@pytest.fixture
def news(tmp_path: Path) -> Crawl:
    """A front page that says something else at each visit, and leads where it led before."""
    visits: list[str] = []

    def answer(path: str) -> Canned:
        visits.append(path)
        said = f"News number {visits.count('/')} of the day, told at length. " * 30
        return page("News", said if path == "/" else "A page.", [*LEFT["links"]] if path == "/" else [])

    crawl = Crawl(tmp_path / "crawl", answer, SETTINGS)
    crawl.add(SITE)
    return crawl


def started(crawl: Crawl) -> None:
    with closing(open_store(crawl.folder, crawl.settings)) as store:
        follow_from(crawl.settings, crawl.folder.sites(), store, SystemClock().now())


def left_out(crawl: Crawl) -> int:
    """How often a link was looked at and not followed: each run counts it once."""
    with closing(open_store(crawl.folder, crawl.settings)) as store:
        return dropped_counts(store, "news").total()


def again(crawl: Crawl) -> list[str]:
    crawl.make_all_due()
    return crawl.run()


@pytest.mark.compiled
def test_where_a_changed_page_led_before_is_not_looked_at_again(news: Crawl) -> None:
    started(news)
    assert news.run() == ["/"] and left_out(news) == 2
    assert again(news) == ["/"] and left_out(news) == 2


def test_without_knowing_since_when_links_were_followed_all_of_them_are_looked_at(news: Crawl) -> None:
    news.run()
    again(news)
    assert left_out(news) == 4


def test_a_link_that_is_new_is_followed(news: Crawl, monkeypatch: pytest.MonkeyPatch) -> None:
    started(news)
    news.run()
    monkeypatch.setitem(LEFT, "links", ["/kept-out", ELSEWHERE, "/new"])
    assert again(news) == ["/", "/new"]


def test_a_link_that_was_let_go_is_followed_when_it_is_wanted_and_its_page_changes(news: Crawl) -> None:
    started(news)
    news.run()
    news.folder.put_site(replace(SITE, exclude=()))
    started(news)
    assert again(news) == ["/", "/kept-out"]


def read_by_a_guest(crawl: Crawl) -> None:
    with closing(Guest(crawl.path, "news", SITE.seeds)):
        pass


def read_from_a_file(crawl: Crawl) -> None:
    (crawl.path.parent / "list.txt").write_text("http://127.0.0.1:1/\n")
    words = [str(crawl.path.parent / "list.txt"), "--folder", str(crawl.path), "--site", "news"]
    assert CliRunner().invoke(import_, words).exit_code == 0


@pytest.mark.parametrize("read", [read_by_a_guest, read_from_a_file])
def test_where_others_may_have_read_a_page_its_links_are_looked_at(news: Crawl, read: Callable[[Crawl], None]) -> None:
    started(news)
    news.run()
    read(news)
    again(news)
    assert left_out(news) == 4


@pytest.mark.parametrize("change", ["names", "hosts"])
def test_what_is_learnt_of_names_while_it_runs_ends_it(news: Crawl, change: str) -> None:
    started(news)
    news.run()

    async def learnt() -> None:
        async with assemble(news.folder, news.settings, "0") as parts:
            [front], quarry = parts.store.scan("news"), parts.quarries["news"]
            now = SystemClock().now()
            assert not quarry.follows_anew(front, now) and quarry.follows_anew(front, 1.0)
            if change == "hosts":
                quarry.widen("127.0.0.1:3")
            else:
                parts.alias_watch.table = parts.alias_watch.table.learn("www.a.example", "a.example")
            assert quarry.follows_anew(front, now)

    asyncio.run(learnt())


def test_site_files_that_change_while_it_runs_end_it(news: Crawl) -> None:
    started(news)
    news.run()
    with closing(open_store(news.folder, news.settings)) as store:
        assert followed_since(news.settings, news.folder.sites(), store) < NEVER

    async def changed() -> None:
        async with assemble(news.folder, news.settings, "0") as parts:
            assert parts.quarries["news"].followed_since < NEVER and not parts.reread(SystemClock().now())
            news.folder.put_site(Site("more", ("http://127.0.0.1:2/",), own=("127.0.0.1:2",)))
            os.utime(news.folder.path / "sites", (1, 1))
            assert parts.reread(SystemClock().now() + 3600.0)
            assert {one.followed_since for one in parts.quarries.values()} == {NEVER}

    asyncio.run(changed())
    (news.folder.path / "sites" / "more.toml").unlink()
    with closing(open_store(news.folder, news.settings)) as store:
        assert followed_since(news.settings, news.folder.sites(), store) == NEVER


def test_a_crawl_by_other_site_files_ends_it_though_these_come_back(news: Crawl) -> None:
    started(news)
    news.run()
    for title in ("Other news", ""):
        news.folder.put_site(replace(SITE, title=title))
        again(news)
    with closing(open_store(news.folder, news.settings)) as store:
        assert followed_since(news.settings, news.folder.sites(), store) == NEVER


def test_a_program_that_crawls_keeps_it(news: Crawl) -> None:
    asyncio.run(crawled_by_library(news))
    with closing(open_store(news.folder, news.settings)) as store:
        assert followed_since(load(news.folder), news.folder.sites(), store) < NEVER


async def crawled_by_library(crawl: Crawl) -> None:
    async with recrawl.open(crawl.path) as rc:
        await rc.run()


def test_it_begins_anew_where_links_are_followed_in_another_way() -> None:
    store, sites = MemoryStore(), [SITE]
    assert followed_since(SETTINGS, sites, store) == NEVER == math.inf
    follow_from(SETTINGS, sites, store, 1.0)
    follow_from(SETTINGS, sites, store, 2.0)
    assert followed_since(SETTINGS, sites, store) == 1.0
    for settings, others in (
        (SETTINGS, [replace(SITE, include=("/a*",))]),
        (SETTINGS, [SITE, Site("more", ("http://127.0.0.1:2/",))]),
        (replace(SETTINGS, traps=TrapLimits(pages_per_server=7)), sites),
        (replace(SETTINGS, aliases={"www.example.com": "example.com"}), sites),
    ):
        assert followed_since(settings, others, store) == NEVER
    for at, memo in ((3.0, (hosts_memo("news"), b"127.0.0.1:3")), (4.0, (ALIASES, b"www.a.example a.example"))):
        store.save(Batch(memos=(memo,)))
        assert followed_since(SETTINGS, sites, store) == NEVER
        follow_from(SETTINGS, sites, store, at)
        assert followed_since(SETTINGS, sites, store) == at
    store.save(Batch(memos=UNKNOWN))
    assert followed_since(SETTINGS, sites, store) == NEVER


def test_in_a_cluster_others_may_go_by_other_site_files() -> None:
    store, apart = MemoryStore(), replace(SETTINGS, state=State(store="postgresql://somewhere"))
    follow_from(SETTINGS, [SITE], store, 1.0)
    assert followed_since(apart, [SITE], store) == NEVER
    follow_from(apart, [SITE], store, 2.0)
    assert followed_since(SETTINGS, [SITE], store) == NEVER
