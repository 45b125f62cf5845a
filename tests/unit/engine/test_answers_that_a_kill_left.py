"""An answer that a killed run got counts in the next one, unless somebody wanted to know anew since."""

from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from tests.unit.engine.crawls import Crawl, page

from recrawl.config import Settings
from recrawl.engine.clock import SystemClock
from recrawl.fetch.journal import Journal
from recrawl.fetch.memory import Canned, reply_from
from recrawl.folder.opening import open_store
from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.notice import Notice, NoticeKind, Source
from recrawl.model.page import Page, Rank
from recrawl.model.site import Site
from recrawl.model.visit import Ask
from recrawl.ports import Store
from recrawl.web.desk import Desk

ANSWERED_S, TOLD_S = 60.0, 30.0  # so long ago


def killed_after_an_answer(crawl: Crawl, answer: Canned, ago_s: float = ANSWERED_S) -> None:
    """The one page was due, was answered, and that was not written."""
    crawl.make_all_due()
    crawl.age(7 * 86_400.0)
    with closing(open_store(crawl.folder, crawl.settings)) as store:
        [known] = store.scan()
        at = SystemClock().now() - ago_s
        journal = Journal(crawl.folder.journal, "0", store.pages, at)
        journal.note(known.id, reply_from(Ask(known.url), answer, at))
        journal.close()


def offer(price: int) -> Canned:
    return page(
        "/", f"A chair of oak, made by hand, for those who sit. It costs {price} crowns. Ask for it at the counter."
    )


@pytest.fixture
def crawl(tmp_path: Path) -> Crawl:
    crawl = Crawl(tmp_path, lambda path: page(path, f"words of {path}"))
    crawl.add(Site("shop", seeds=("http://shop.test/",), own=("shop.test",)))
    crawl.run()
    killed_after_an_answer(crawl, page("/", "words of /"))
    return crawl


def in_store(crawl: Crawl, change: Callable[[Store, Page, float], object]) -> None:
    with closing(open_store(crawl.folder, crawl.settings)) as store:
        [known] = store.scan()
        change(store, known, SystemClock().now())


def test_it_is_not_asked_for_again(crawl: Crawl) -> None:
    assert crawl.run() == []


def test_it_is_after_a_notice(crawl: Crawl) -> None:
    """It was due before, and is so still: what it is told by is the notice itself."""

    def told(store: Store, known: Page, now: float) -> None:
        store.save(Batch(notices=(Notice(known.id, known.url, now - TOLD_S, Source.INDEXNOW, NoticeKind.UPDATED),)))
        store.make_due(now - TOLD_S, ids=[known.id], rank=Rank.NOTICED)

    in_store(crawl, told)
    assert crawl.run() == ["/"]


def test_it_is_not_after_a_notice_that_came_before_it(crawl: Crawl) -> None:
    def told(store: Store, known: Page, now: float) -> None:
        at = now - 2 * ANSWERED_S
        store.save(Batch(notices=(Notice(known.id, known.url, at, Source.INDEXNOW, NoticeKind.UPDATED),)))
        store.make_due(at, ids=[known.id], rank=Rank.NOTICED)

    in_store(crawl, told)
    assert crawl.run() == []


def test_it_is_when_somebody_wants_a_visit_now(crawl: Crawl) -> None:
    """By the dashboard, say; that the page was due before makes no difference."""
    in_store(crawl, lambda store, known, now: Desk(crawl.folder, lambda: now).make_due(pages=(known.id,)))
    assert crawl.run() == ["/"]


def test_it_is_when_somebody_wants_a_visit_of_the_site(crawl: Crawl) -> None:
    in_store(crawl, lambda store, known, now: Desk(crawl.folder, lambda: now).make_due(known.site))
    assert crawl.run() == ["/"]


def test_it_is_not_when_somebody_wanted_another_page(crawl: Crawl) -> None:
    in_store(crawl, lambda store, known, now: Desk(crawl.folder, lambda: now).make_due(pages=(known.id + 1,)))
    assert crawl.run() == []


def test_it_is_not_when_somebody_wanted_it_before(crawl: Crawl) -> None:
    in_store(crawl, lambda store, known, now: Desk(crawl.folder, lambda: now - 2 * ANSWERED_S).make_due(known.site))
    assert crawl.run() == []


def test_a_missing_page_that_was_written_is_not_missing_twice(crawl: Crawl) -> None:
    """After a notice it is looked at again at once; only a second answer proves it gone."""

    def written(store: Store, known: Page, now: float) -> None:
        at = now - ANSWERED_S
        journal = Journal(crawl.folder.journal, "1", store.pages, at)
        journal.note(known.id, reply_from(Ask(known.url), Canned(b"", 404), at))
        journal.close()
        store.save(Batch(pages=(replace(known, rank=Rank.NOTICED, misses=1, due_at=at),)))

    in_store(crawl, written)
    assert crawl.run() == ["/"]
    with closing(open_store(crawl.folder, crawl.settings)) as store:
        assert store.totals().gone == 0


@pytest.mark.parametrize("ago_s", [1800.0, 2.0])
def test_a_second_look_takes_no_change_for_noise_that_came_after_the_kill(tmp_path: Path, ago_s: float) -> None:
    """What differs between two answers of one run is noise; here the first of them is asked for anew."""
    prices = [10]
    crawl = Crawl(tmp_path, lambda path: offer(prices[-1]))
    crawl.add(Site("shop", seeds=("http://shop.test/",), own=("shop.test",)))
    crawl.run()
    killed_after_an_answer(crawl, offer(11), ago_s)
    for price in (12, 13):
        prices.append(price)
        crawl.run()
        crawl.make_all_due()
        crawl.age()
    with closing(open_store(crawl.folder, crawl.settings)) as store:
        assert store.totals().changed == 2


def test_what_a_budget_set_aside_for_it_is_there_for_others(tmp_path: Path) -> None:
    """robots.txt is asked for where there is a request left for a page; here that page needs none."""
    settings = replace(Settings(), schedule=replace(Settings().schedule, requests_per_day=3))
    crawl = Crawl(tmp_path, lambda path: page(path, f"words of {path}"), settings)
    crawl.add(*(Site(name, seeds=(f"http://{name}.test/",), own=(f"{name}.test",)) for name in ("a", "b")))
    with closing(open_store(crawl.folder, settings)) as store:
        at = SystemClock().now() - ANSWERED_S
        known = Page(fingerprint("http://a.test/"), "http://a.test/", "a.test", "a", due_at=1.0, found_at=1.0)
        store.save(Batch(entered=(known,)))
        journal = Journal(crawl.folder.journal, "0", store.pages, at)
        journal.note(known.id, reply_from(Ask(known.url), page("/", "words of /"), at))
        journal.close()
    crawl.run()
    assert [ask.url for ask in crawl.asks] == ["http://a.test/robots.txt", "http://b.test/robots.txt", "http://b.test/"]
