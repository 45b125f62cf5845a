"""Links that the compiled part resolves are those that the resolver makes."""

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recrawl.extract.page_read import Item, links_of_item
from recrawl.extract.resolve import Resolver, is_origin
from recrawl.model.page import Link
from recrawl.native import compiled

BASES = (
    "http://example.org/a/b?c",
    "https://www.example.org:8443/",
    "http://127.0.0.1:8000/x",
    "about:blank",
    "",
    "//x",
)
PIECES = (
    "/", "//", ".", "..", "%", "%2e", "%2E", "%41", "?", "#", "a", "Z9", "-_~", "'", '"', " ", "\\", "é", ":", "@",
    "&;=", "http://", "https://", "HTTP://", "example.org", "127.0.0.1", "127.1", ":80", ":8080", "xn--a", "[::1]",
    "ftp://",
)  # fmt: skip
hrefs = st.lists(st.sampled_from(PIECES), max_size=7).map("".join)


def resolved(items: list[Item], base: str, most_chars: int = 1 << 30) -> list[tuple[Link, ...] | None]:
    resolver = Resolver(base, "utf-8", most_chars)
    found: list[tuple[Link, ...] | None] = compiled.plain_links(
        items, resolver.origin, Link, is_origin, resolver.most_chars
    )
    return found


@pytest.mark.compiled
@given(st.lists(hrefs, max_size=5), st.sampled_from(BASES))
@example(["/a.b/.c", "/a/%2e/b", "/a%2e", "//host/a", "/a'b?c#d'e", "/a?b'c", "http://example.org"], BASES[0])
def test_links_are_resolved_alike_or_left_to_the_resolver(addresses: list[str], base: str) -> None:
    items: list[Item] = [("a", address, None, "words") for address in addresses]
    resolver = Resolver(base)
    for item, links in zip(items, resolved(items, base), strict=True):
        assert links is None or links == links_of_item(item, resolver)


@pytest.mark.compiled
def test_usual_links_are_resolved() -> None:
    items: list[Item] = [
        ("a", "/news/2026-11-17.html?page=2#top", None, "News"),
        ("area", "https://other.example.org/a/b", None, ""),
        ("a", None, None, "a name"),
    ]
    assert resolved(items, "http://example.org/a") == [
        (Link("http://example.org/news/2026-11-17.html?page=2#top", "a", "News"),),
        (Link("https://other.example.org/a/b", "area", ""),),
        (),
    ]


@pytest.mark.compiled
def test_what_says_more_than_an_address_is_left_to_the_resolver() -> None:
    items: list[Item] = [("a", "/a", "nofollow", ""), ("link", {"href": "/a"}), ("a", "page.html", None, "")]
    assert resolved(items, "http://example.org/a") == [None, None, None]
    assert resolved([("a", "/long", None, "")], "http://example.org/a", most_chars=4) == [None]


@pytest.mark.compiled
def test_links_to_more_servers_than_are_remembered_are_resolved() -> None:
    items: list[Item] = [("a", f"http://s{number % 50}.example.org/x", None, "") for number in range(200)]
    assert all(resolved(items, "http://example.org/a"))
