"""Links to pages that the store holds are passed over, but for those that mean another page now."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st
from tests.unit.engine.crawls import Crawl, page

from recrawl.engine.finding.discover import Quarry
from recrawl.fetch.memory import Canned
from recrawl.model.page import Link, Page
from recrawl.model.site import Site
from recrawl.scope.aliases import AliasTable
from recrawl.scope.canonical import Canonicaliser
from recrawl.scope.patterns_site import Script
from recrawl.scope.rules import Rules

TOWN = Site("town", ("http://town.example/",), own=("town.example",))
SITES = (TOWN, replace(TOWN, exclude=("/private*",)), replace(TOWN, include=("/known*",)))
LINKS = (
    "http://town.example/known",
    "http://town.example/known#part",
    "http://town.example/a/../known",
    "http://TOWN.example/known",
    "http://town.example:80/known",
    "http://www.town.example/known",
    "http://town.example/known?utm_source=x",
    "http://town.example/known?b=1&a=2",
    "http://town.example/private/known",
    "http://town.example/new",
    "http://town.example/" + "a&" * 40,
    "http://town.example/" + "a/" * 30 + "known",
    "http://town.example/" + "x" * 3000,
    "http://town.example",
    "http://town.example?a/b",
    "http://town.example#/known",
    "http://elsewhere.example/known",
    "http://elsewhere.example",
    "https://town.example/known",
    "http://user@town.example/known",
    "http://straße.example/known",
    "mailto:mayor@town.example",
    "http://",
)


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


@given(st.lists(st.sampled_from(LINKS), unique=True), st.sampled_from(SITES), st.integers(0, 60), st.booleans())
def test_what_is_recognised_origin_by_origin_is_what_each_link_by_itself_would_be(
    urls: list[str], site: Site, depth: int, has_alias: bool
) -> None:
    asked: list[int] = []
    quarry = quarry_of(site, asked)
    if has_alias:
        quarry.main_name = AliasTable(edited={"www.town.example": "town.example"}).apply
    here = Page(1, "http://town.example/", "town.example", "town", visits=1, depth=depth)
    quarry.recognise([(replace(here, depth=99), [Link(urls[0])]), (here, [Link(url) for url in urls])] if urls else [])
    let_in = dict[str, int]()
    for url in urls:
        address = quarry.canonicaliser.canonical(url)
        if address is not None and quarry.rules.admit(address := quarry.main_name(address), depth + 1).allowed:
            let_in[url] = address.id
    known = quarry.canonicaliser.canonical("http://town.example/known")
    assert known is not None
    assert sorted(asked) == sorted(let_in.values())
    assert {url for url in urls if url in quarry.met} == {url for url, number in let_in.items() if number == known.id}
