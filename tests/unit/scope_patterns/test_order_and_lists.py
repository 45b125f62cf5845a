"""Which page first, where a list ends, and what is counted on the way."""

from dataclasses import replace

from recrawl.engine.finding.discover import Quarry
from recrawl.model.address import Address, fingerprint
from recrawl.model.page import Link, Page, Rank
from recrawl.model.site import Kind, Pattern, Rewrite, Site
from recrawl.scope.canonical import Canonicaliser
from recrawl.scope.lists import Lists
from recrawl.scope.order import category_of
from recrawl.scope.patterns_site import Script
from recrawl.scope.rules import Rules

HOST = "http://shop.example"
SITE = Site(
    "shop",
    (f"{HOST}/c/lamps?page=1",),
    patterns=(
        Pattern(Kind.LIST, "/c/{category}?page={page:int}"),
        Pattern(Kind.DETAIL, "/item/{id:int}", importance=2.0),
    ),
    rewrites=(Rewrite("javascript:show({id:int})", "/item/{id}"),),
)


def quarry(site: Site = SITE) -> Quarry:
    canonicaliser = Canonicaliser()
    return Quarry(site, Rules.from_site(site, canonicaliser), canonicaliser, Script(site, canonicaliser))


def discovered(here: Quarry, page: Page, *paths: str) -> list[Page]:
    links = [Link(path, "script") if "(" in path else Link(HOST + path) for path in paths]
    return here.discover(page, links, 0.0)


def paths(pages: list[Page]) -> list[str]:
    return [page.url.removeprefix(HOST) for page in pages]


def test_details_come_first_then_lists_of_the_starts_category_then_others() -> None:
    here = quarry()
    (start,) = here.seeds(0.0)
    assert (start.kind, start.category, start.rank) == (Kind.LIST, "lamps", Rank.URGENT)
    found = discovered(here, start, "/c/rugs?page=1", "/about", "/c/lamps?page=2", "/item/1", "show(2)", "/item/1")
    assert paths(found) == ["/item/1", "/item/2", "/c/lamps?page=2", "/c/rugs?page=1"]
    assert [page.rank for page in found] == [Rank.DETAIL, Rank.DETAIL, Rank.LIST_NEAR, Rank.LIST]
    assert [page.category for page in found] == ["lamps", "lamps", "lamps", "rugs"]
    assert [page.importance for page in found] == [2.0, 2.0, 1.0, 1.0]
    assert here.dropped == {"no_pattern": 1}


def test_an_unwanted_link_counts_once_and_a_known_page_is_not_found_again() -> None:
    here = quarry()
    (start,) = here.seeds(0.0)
    discovered(here, start, "/about", "/item/1")
    assert discovered(here, start, "/about", "/item/1") == []
    assert here.dropped == {"no_pattern": 1}


def test_a_page_that_the_store_holds_is_not_found_again_and_hides_no_other() -> None:
    def main_name(address: Address) -> Address:
        return Address(address.url.replace("//old.", "//shop."), address.server.replace("old.", "shop."))

    here = replace(quarry(Site("shop", (f"{HOST}/",))), main_name=main_name)
    (start,) = here.seeds(0.0)
    for server, path in (("shop.example", "/kept"), ("old.example", "/lost")):
        url = f"http://{server}{path}"
        here.knows([Page(fingerprint(url), url, server, "shop")])
    assert paths(discovered(here, start, "/kept", "/other")) == ["/other"]
    found = here.discover(start, [Link("http://old.example/lost")], 0.0)
    assert paths(found) == ["/lost"]  # the page of a name that is no longer asked says nothing of the one that is


def test_a_list_ends_where_a_page_brings_nothing_new() -> None:
    here = quarry()
    (start,) = here.seeds(0.0)
    second, *_ = [page for page in discovered(here, start, "/item/1", "/c/lamps?page=2") if page.kind is Kind.LIST]
    assert paths(discovered(here, second, "/item/2", "/c/lamps?page=3")) == ["/item/2", "/c/lamps?page=3"]
    third = here._page(here._start(here._address(f"{HOST}/c/lamps?page=3")), second, Rank.LIST, 0.0)  # type: ignore[arg-type]
    assert discovered(here, third, "/item/1", "/item/2", "/c/lamps?page=4") == []
    assert here.dropped == {"list_brought_nothing_new": 1}
    assert paths(discovered(here, second, "/item/2", "/c/lamps?page=4")) == ["/c/lamps?page=4"]


def test_a_page_looked_at_again_still_counts_what_it_showed_first() -> None:
    lists = Lists()
    assert lists.brings_new((0, "a"), 1, [10, 11])
    assert lists.brings_new((0, "a"), 1, [10, 11])
    assert not lists.brings_new((0, "a"), 2, [10, 11])
    assert lists.brings_new((0, "b"), 2, [10, 11])
    assert not lists.brings_new((0, "a"), 3, [])


def test_redirects_must_lead_to_wanted_pages_too_unless_a_seed_leads_there() -> None:
    here = quarry()
    (start,) = here.seeds(0.0)
    (item,) = discovered(here, start, "/item/1")
    assert here.redirected(item, f"{HOST}/sold-out", 5, 0.0) == []
    assert here.dropped["no_pattern"] == 1
    assert paths(here.redirected(item, f"{HOST}/item/2", 5, 0.0)) == ["/item/2"]
    assert paths(here.redirected(start, f"{HOST}/welcome", 5, 0.0)) == ["/welcome"]


def test_pages_from_before_the_patterns_are_let_go_with_a_reason() -> None:
    here = quarry()
    (start,) = here.seeds(0.0)
    old = Page(1, f"{HOST}/about", "shop.example", "shop", depth=1)
    assert "No pattern" in here.unwelcome(old)
    assert here.unwelcome(start) == ""


def test_categories_come_from_captures_or_from_the_list_a_page_was_found_on() -> None:
    assert category_of(Kind.LIST, {"0": "7", "1": "2"}, "", "x") == "7"
    assert category_of(Kind.LIST, {"page": "2", "letter": "a"}, "", "x") == "a"
    assert category_of(Kind.DETAIL, {"id": "7"}, "", "x") == "x"
    assert category_of(Kind.DETAIL, {"id": "7", "category": "y"}, "", "x") == "y"
    assert category_of(Kind.DETAIL, {"id": "7"}, "z", "x") == "z"


def test_a_site_without_patterns_takes_every_page_as_before() -> None:
    here = quarry(Site("plain", (f"{HOST}/",)))
    (start,) = here.seeds(0.0)
    found = discovered(here, start, "/b", "/a", "/b")
    assert paths(found) == ["/b", "/a"]
    assert {page.rank for page in found} == {Rank.GENERAL}
