"""The quick way of resolving gives what the full parser gives; and what a refresh and a srcset mean."""

import ada_url
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from recrawl.extract.refresh import refresh_target
from recrawl.extract.resolve import Resolver
from recrawl.extract.srcset import addresses

BASES = [
    "https://example.org/",
    "https://example.org/a/b/c.html?x=/y/#z/w",
    "http://user:pass@example.org:8080/a//b/",
    "http://[::1]/x/y",
    "http://10.0.0.1/%7Ea/b?c",
    "https://example.org/a/b;c=d/e?f",
]
WORDS = """
http https : / // . .. ./ ../ ? # % %2e %2E %41 a b.html xn--a EXAMPLE example.org 127.0.0.1 0x7f :80 :443 :8080 :0
@ & = ; ' " < > \\ | ^ ` { } [ ] ~ ! * ( ) + , - _ é 한 \u3000x
"""
PIECES = st.sampled_from([*WORDS.split(), " ", "\t", "\n", "\x00", "\x7f", "\u3000"])


def full(base: str, href: str) -> str | None:
    try:
        return str(ada_url.join_url(base, href))
    except ValueError:
        return None


@given(st.sampled_from(BASES), st.lists(PIECES, max_size=8).map("".join))
@example(BASES[1], "../../../x")
@example(BASES[1], "..")
@example(BASES[1], "../")
@example(BASES[1], "../..")
@example(BASES[1], "../../?x")
@example(BASES[2], "../../x")
@example(BASES[1], "a/../b")
@example(BASES[1], "/a/%2e%2E/b")
@example(BASES[1], "//a/b")
@example(BASES[1], "/..//a")
@example(BASES[1], "a:b")
@example(BASES[1], "http://a.1/")
@example(BASES[1], "http://a.0x1/")
@example(BASES[1], "http://a-/..")
@example(BASES[1], "https://example.org:8443/x?y'z")
def test_the_quick_way_and_the_full_parser_agree(base: str, href: str) -> None:
    assert Resolver(base).resolve(href) == full(base, href)


@given(st.sampled_from(BASES), st.text(max_size=30))
def test_any_text_resolves_as_the_full_parser_does(base: str, href: str) -> None:
    assert Resolver(base).resolve(href) == full(base, href)


def test_the_second_answer_equals_the_first() -> None:
    resolver = Resolver(BASES[0])
    assert resolver.resolve("http://[") is resolver.resolve("http://[") is None
    assert resolver.resolve("x") == resolver.resolve("x") == "https://example.org/x"


def test_a_lone_surrogate_is_replaced() -> None:
    assert Resolver(BASES[0]).resolve("/\ud800") == "https://example.org/%EF%BF%BD"


def test_a_base_that_is_no_web_address_still_lets_absolute_links_through() -> None:
    assert Resolver("").resolve("https://Example.org") is None
    assert Resolver("about:blank").resolve("https://Example.org") == "https://example.org/"
    assert Resolver("about:blank").resolve("x") is None


@pytest.mark.parametrize(
    ("content", "target"),
    [
        ("0;url=/x", "/x"),
        ("0; URL = '/x'", "/x"),
        ('5 ; url="/x" trailing', "/x"),
        ("0;url='/x", "/x"),
        ("0,url=/x", "/x"),
        ("0 url=/x", "/x"),
        ("0;/x", "/x"),
        ("0; '/x'", "/x"),
        ("0 /x", "/x"),
        (" \n0.5; url=/x y", "/x y"),
        (".5;url=/x", "/x"),
        ("1..2.3;url=/x", "/x"),
        ("0;url", "url"),
        ("0;urlx=/y", "urlx=/y"),
        ("0;u=/y", "u=/y"),
        ("0;u'/y'", "u'/y'"),
        ("0;url==/y", "=/y"),
        ("0;url=", ""),
        ("5", ""),
        ("5;", ""),
        ("5 ", ""),
        ("", None),
        ("x", None),
        ("-1;url=/x", None),
        ("+0;url=/x", None),
        ("0x;url=/x", None),
        ("url=/x", None),
        (";url=/x", None),
    ],
)
def test_a_refresh_is_parsed_by_the_steps_of_the_standard(content: str, target: str | None) -> None:
    assert refresh_target(content) == target


@pytest.mark.parametrize(
    ("srcset", "found"),
    [
        ("a", ["a"]),
        ("a 1x, b 2x", ["a", "b"]),
        ("a,b", ["a,b"]),
        ("a, b", ["a", "b"]),
        ("  , a 100w 50h ,b,", ["a", "b"]),
        ("data:x,y 1x, b", ["data:x,y", "b"]),
        ("a (x, y), b", ["a", "b"]),
        ("", []),
        (" , ", []),
    ],
)
def test_a_srcset_is_split_into_its_addresses(srcset: str, found: list[str]) -> None:
    assert addresses(srcset) == found
