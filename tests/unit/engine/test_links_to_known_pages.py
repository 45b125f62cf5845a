"""Links to pages that the store holds are passed over, but for those that mean another page now."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tests.unit.engine.crawls import Crawl, page

from recrawl.engine.finding.discover import Quarry
from recrawl.fetch.memory import Canned
from recrawl.model.page import Link, Page
from recrawl.model.site import Site
from recrawl.scope.canonical import Canonicaliser
from recrawl.scope.patterns_site import Script
from recrawl.scope.rules import Rules

TOWN = Site("town", ("http://town.example/",), own=("town.example",))


def test_an_address_that_is_spelt_otherwise_since_the_site_file_changed_is_found_under_its_new_spelling(
    tmp_path: Path,
) -> None:
    def answer(path: str) -> Canned:
        if path not in ("/", "/a", "/a?view=1"):
            return Canned(b"", 404)
        return page(path, f"words of {path}, asked {len(crawl.asked)} times", ("/a?view=1",))

    crawl = Crawl(tmp_path, answer)
    crawl.add(TOWN)
    assert sorted(crawl.run()) == ["/", "/a?view=1"]
    crawl.add(replace(TOWN, drop_parameters=("view",)))
    crawl.make_all_due()
    assert "/a" in crawl.run()


def test_a_changed_page_leads_to_new_pages_though_those_it_led_to_before_are_not_looked_at_again(
    tmp_path: Path,
) -> None:
    paths = {"/", "/a", "/b", "/c"}
    more: list[str] = []

    def answer(path: str) -> Canned:
        if path not in paths:
            return Canned(b"", 404)
        words = f"words of {path}, asked {len(crawl.asked)} times, and no others"
        return page(path, words, ("/a", "/b", "http://elsewhere.example/", *more))

    crawl = Crawl(tmp_path, answer)
    crawl.add(TOWN)
    assert sorted(crawl.run()) == ["/", "/a", "/b"]
    more.append("/c")
    crawl.make_due("/")
    assert set(crawl.run()) == {"/", "/c"}


def test_links_to_pages_in_the_store_are_recognised_and_what_would_be_refused_is_counted() -> None:
    asked: list[int] = []
    quarry = quarry_of(replace(TOWN, exclude=("/private*",)), asked)
    known, refused, new = (f"http://town.example/{name}" for name in ("known", "private", "new"))
    links = tuple(Link(url, text="words") for url in (known, refused, new, "http://elsewhere.example/"))
    here = Page(1, "http://town.example/", "town.example", "town", visits=1)
    quarry.recognise([(here, links)])
    assert len(asked) == 2  # neither what is refused nor what is elsewhere
    assert known in quarry.met and new not in quarry.met and refused not in quarry.met
    assert [one.url for one in quarry.discover(here, links, 1.0)] == [new]
    assert quarry.dropped.total() == 2
    quarry.recognise([(here, links)])
    assert len(asked) == 2


def test_where_a_link_means_more_than_its_address_none_is_recognised() -> None:
    asked: list[int] = []
    quarry = quarry_of(replace(TOWN, depth=3), asked)
    here = Page(1, "http://town.example/", "town.example", "town", visits=1)
    quarry.recognise([(here, (Link("http://town.example/known", text="words"),))])
    assert not asked


def quarry_of(site: Site, asked: list[int]) -> Quarry:
    """Over a store that holds one page."""
    canonicaliser = Canonicaliser()
    held = canonicaliser.canonical("http://town.example/known")
    assert held is not None

    def stored(ids: Sequence[int]) -> set[int]:
        asked.extend(ids)
        return {held.id} & set(ids)

    rules = Rules.from_site(site, canonicaliser)
    return Quarry(site, rules, canonicaliser, Script(site, canonicaliser), stored=stored)
