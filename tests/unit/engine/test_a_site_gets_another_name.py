"""A site is known by its name: under another one it keeps its pages, and what was learnt of them."""

from contextlib import closing
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import cast

import pytest
from tests.unit.engine.crawls import Crawl, page

from recrawl.answers.chances import Chances
from recrawl.answers.reading import Reading, reading
from recrawl.answers.searching import open_search
from recrawl.engine.adoption import Orphans, orphaned
from recrawl.engine.finding.discover import Quarry
from recrawl.engine.finding.discover_memo import hosts_memo
from recrawl.engine.guest import Guest
from recrawl.engine.quarries import adopt_pages
from recrawl.engine.scheduling.scheduler import knowledge_memo
from recrawl.engine.site_watch import take_up
from recrawl.fetch.memory import Canned
from recrawl.folder.opening import open_store
from recrawl.model.batch import Batch
from recrawl.model.site import Site
from recrawl.ports import Store
from recrawl.schedule import knowledge

LINKS = {"/": ("/a/1", "/a/2", "/b/1"), "/a/1": (), "/a/2": (), "/b/1": ()}
TOWN = Site("town", ("http://town.example/",), own=("town.example",))


def answer(path: str) -> Canned:
    return page(path, f"words of {path} and some more of them", LINKS[path]) if path in LINKS else Canned(b"", 404)


@pytest.fixture
def crawl(tmp_path: Path) -> Crawl:
    made = Crawl(tmp_path, answer)
    made.add(TOWN)
    assert sorted(made.run()) == sorted(LINKS)
    (made.folder.sites_folder / "town.toml").unlink()
    return made


def opened(crawl: Crawl) -> "closing[Store]":
    return closing(open_store(crawl.folder, crawl.settings))


def adopt(crawl: Crawl) -> list[Orphans]:
    with opened(crawl) as store:
        return adopt_pages(crawl.settings, crawl.folder.sites(), store)


def test_under_another_name_a_site_keeps_its_pages_and_what_was_learnt_of_them(crawl: Crawl) -> None:
    with opened(crawl) as store:
        store.save(Batch(memos=((hosts_memo("town"), b"www2.town.example"),)))
        before = {one.id: one for one in store.scan()}
    crawl.add(replace(TOWN, name="city"))
    [told] = adopt(crawl)
    assert (told.site, dict(told.heirs), told.left) == ("town", {"city": 4}, 0)
    assert "'city'" in told.sentence
    with opened(crawl) as store:
        after = {one.id: one for one in store.scan()}
        assert after == {number: replace(one, site="city") for number, one in before.items()}
        assert store.sites() == ["city"]
        assert store.memo(hosts_memo("city")) == b"www2.town.example"
        learnt = knowledge.from_bytes(store.memo(knowledge_memo("0", "")) or b"")
        assert "city" in learnt.sites and "town" not in learnt.sites
        assert not any(name.startswith("town|") for name in learnt.groups)
    assert crawl.run() == []
    assert adopt(crawl) == []
    crawl.make_all_due()
    assert sorted(crawl.run()) == sorted(LINKS)


@pytest.mark.parametrize("history", [False, True])
def test_what_was_found_under_the_old_name_is_found_under_the_new_one(crawl: Crawl, history: bool) -> None:
    def found(site: str) -> int:
        with reading(crawl.folder) as folder, open_search(folder, history) as search:
            return search.ask(f"words site:{site}").total

    assert found("town") == 4
    crawl.add(replace(TOWN, name="city"))
    adopt(crawl)
    assert (found("city"), found("town")) == (4, 0)


def test_each_page_goes_to_the_site_that_covers_it_and_the_rest_waits_for_one(crawl: Crawl) -> None:
    crawl.add(replace(TOWN, name="a", seeds=("http://town.example/a/1",), include=("http://town.example/a/**",)))
    [told] = adopt(crawl)
    assert (dict(told.heirs), told.left) == ({"a": 2}, 2)
    assert "no site file covers them" in told.sentence
    crawl.make_all_due()
    assert sorted(crawl.run()) == ["/a/1", "/a/2"]
    with opened(crawl) as store:
        assert orphaned(store, ["a"]) == ["town"]
    crawl.add(TOWN)
    assert sorted(crawl.run()) == ["/", "/b/1"]


def replace_site(quarry: Quarry, site: Site) -> Quarry:
    made = copy(quarry)
    made.site, made.gone = site, False
    return made


class Unread:
    """A store none of whose pages is read."""

    def __init__(self, store: Store) -> None:
        self._store = store

    def __getattr__(self, name: str) -> object:
        assert name != "scan"
        return getattr(self._store, name)


def test_pages_that_nobody_covers_are_not_looked_through_at_every_start(crawl: Crawl) -> None:
    part = replace(TOWN, name="a", seeds=("http://town.example/a/1",), include=("http://town.example/a/**",))
    crawl.add(part)
    adopt(crawl)
    with opened(crawl) as store:
        assert adopt_pages(crawl.settings, crawl.folder.sites(), cast(Store, Unread(store))) == [
            Orphans("town", left=2)
        ]
    crawl.add(replace(part, include=("http://town.example/a/**", "http://town.example/b/**")))
    [told] = adopt(crawl)
    assert (dict(told.heirs), told.left) == ({"a": 1}, 1)


def test_a_running_crawl_takes_the_pages_over_as_they_come_up(crawl: Crawl) -> None:
    """Nobody walked through the store before: the file was renamed meanwhile."""
    crawl.add(replace(TOWN, name="city"))
    crawl.make_all_due()
    assert sorted(crawl.run()) == sorted(LINKS)
    with opened(crawl) as store:
        assert {one.site for one in store.scan()} == {"city"}


def test_a_site_whose_file_went_is_no_heir(crawl: Crawl) -> None:
    crawl.add(TOWN)
    crawl.run()
    worker = crawl.worker
    assert worker is not None
    take_up(worker.parts, [], lambda site: pytest.fail("there is none"))
    [quarry] = worker.parts.quarries.values()
    assert quarry.gone and quarry.site.paused
    assert worker.parts.site_of("town.example") is None


def test_a_running_crawl_counts_what_was_spent_under_the_old_name_and_under_one_that_comes_back(
    tmp_path: Path,
) -> None:
    crawl = Crawl(tmp_path, answer)
    town = replace(TOWN, requests_per_day=3.0)
    crawl.add(town)
    crawl.run()
    assert crawl.worker is not None
    parts = crawl.worker.parts

    def left(*sites: Site) -> list[int]:
        take_up(parts, sites, lambda site: replace_site(parts.quarries["town"], site))
        return [
            int(one.requests_per_day or 0) - spent.requests
            for one, spent in zip(parts.scheduler.rations.budgets, parts.scheduler.rations.spent, strict=True)
        ]

    assert left(town) == [0]
    assert left(replace(town, name="city")) == [0]
    assert left() == []
    assert left(town) == [0]


def test_what_a_crawler_of_somebody_else_visits_is_missed_by_nobody(tmp_path: Path) -> None:
    """It has no site file; one that covers its pages takes them over all the same."""
    crawl = Crawl(tmp_path, answer)
    crawl.add(replace(TOWN, name="harbour", seeds=("http://harbour.example/",)))
    guest = Guest(tmp_path, "spider", ["http://town.example/"])
    found = guest.page("http://town.example/a/1")
    guest.close()
    assert found is not None
    with opened(crawl) as store:
        store.save(Batch(pages=(found,)))
        assert store.sites() == ["spider"] and orphaned(store, ["harbour"]) == []
        assert Chances(Reading(crawl.folder, crawl.settings, store), found.found_at).of(found).hindrances == ()
    assert adopt(crawl) == []
    crawl.add(TOWN)
    [told] = adopt(crawl)
    assert dict(told.heirs) == {"town": 1}
