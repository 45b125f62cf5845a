"""A page read at sight says what its tree says, or nothing."""

import shutil
import sysconfig
from pathlib import Path

import pytest
from tests.bench.site import SHAPES, Site
from tests.sights import URL, differences, page_of

from recrawl.extract.document import glance, parse
from recrawl.extract.settings import ExtractSettings
from recrawl.extract.sight import sight_of
from recrawl.model.met import new_met
from recrawl.native import compiled


def can_compile() -> bool:
    header = Path(sysconfig.get_path("include")) / "Python.h"
    return shutil.which("cc") is not None and header.is_file()


LONG = "A sentence that is long enough to be taken for content by itself, whatever stands around it. "
ONE = len(LONG.strip())


@pytest.mark.skipif(not can_compile(), reason="no compiler, or no headers of Python")
def test_the_compiled_part_is_there_where_there_is_a_compiler() -> None:
    assert compiled is not None, "make install builds it; without it a crawl works, slower"


@pytest.mark.compiled
@pytest.mark.parametrize("from_seed", range(0, 12_000, 3_000))
def test_pages_of_all_sorts_say_at_sight_what_their_trees_say(from_seed: int) -> None:
    said = [(seed, differences(page_of(seed).encode())) for seed in range(from_seed, from_seed + 3_000)]
    assert [(seed, found) for seed, found in said if found] == []
    assert sum(found is not None for _, found in said) > 300


@pytest.mark.compiled
@pytest.mark.parametrize("shape", SHAPES)
def test_pages_of_every_shape_of_the_bench_are_seen(shape: str) -> None:
    site = Site(200, ("127.0.0.1:1234",), shape=SHAPES[shape])
    for number in range(0, 200, 20):
        body = site.body(number, 0)
        assert differences(body) == []
        parsed = parse(body, "text/html; charset=utf-8", URL, met=())
        assert parsed.is_plainly_a_page(100)
        assert "_planted" not in vars(parsed), "the tree was made all the same"


@pytest.mark.parametrize(
    "page",
    [
        "<p><b>one<p>two",  # formatting that is opened anew
        "<table><a href=/x>y</a><tr><td>z</table>",  # put before the table
        "<template><a href=/x>y</a></template>",
        "<svg><a href=/x>y</a></svg>",
        "<math><a href=/x>y</a></math>",
        "<a href=/x>one<a href=/y>two</a>",
        "<select><a href=/x>y</a></select>",
        "<a href='/x?&lang;=1'>y</a>",  # a name that only a list of two thousand knows
        "<script><!-- <script> </script> --></script><a href=/x>y</a>",
        "<a href=/x",  # ends in a tag
        "<!-- <a href=/x>y</a>",
        "<frameset><frame src=/x></frameset>",
        "a\0b",
        "\ud800",
    ],
)
def test_what_only_a_tree_can_tell_is_not_told_at_sight(page: str) -> None:
    assert sight_of(page, 1000) is None


@pytest.mark.parametrize(
    "page",
    [
        "<?--x><a href=/x>x</a>-->",  # ends at the first >
        "</--x><a href=/x>x</a>-->",
        "<svg a=1/><script><a href=/x></a></script>",  # the / is part of the value
        f"<head></head><noscript><p>{LONG}</p></noscript>",
        f"<p>x<rp>{LONG}<rt>{LONG}</rt></p>",
        f"<ruby><p>{LONG[:50]}<rt>{LONG[:50]}</rt></p></ruby>",  # a paragraph ends where a reading begins
        f"<ruby><li>{LONG[:50]}<rt>{LONG[:50]}</ruby>",
        f"<div role='m&#97;in'>x</div><p>{LONG}</p>",
        f"<div role='main\u00a0'>x</div><p>{LONG}</p>",
        f"<div role='&nbsp;article'>x</div><p>{LONG}</p>",
        f"<p style='di\u017fplay: none'>{LONG}</p>",  # no s for CSS, as it is for Unicode
        f"<div><form></div><p>{LONG}<form><a href=/x>{LONG * 9}</a>",  # left open, a form keeps the next from beginning
        f"<table><tr><td><form><td>x</table><p>{LONG}<form><a href=/x>{LONG * 9}</a>",
        "<meta property='og&#58;title' content=x>",
        "<script type='application&#47;ld+json'>{}</script>",
        f"<xjiqbkuqw2rlxm hidden></xl6ya6x5aqzb3c><p>{LONG}</p>",  # two names of one hash
    ],
)
def test_oddities_are_told_as_in_the_tree_or_not_at_all(page: str) -> None:
    for source in (page, f"<!doctype html><body><p>{LONG * 20}</p>{page}", f"{page}<p>{LONG * 20}</p>"):
        assert not differences(source.encode())


@pytest.mark.parametrize("tag", ["html", "body"])
def test_a_role_of_the_whole_page_makes_no_main_text_of_its_parts(tag: str) -> None:
    page = f"<{tag} role=main><article><p>{LONG}</p></article><header><p>{LONG}</p></header><p>{LONG}</p>"
    assert not differences(page.encode())


@pytest.mark.compiled
def test_a_page_with_more_tags_than_may_be_read_has_no_sight() -> None:
    assert sight_of("<p>a</p>" * 50, 100) is not None
    assert sight_of("<p>a</p>" * 50 + "<p>", 100) is None


def test_links_met_before_are_passed_over_and_a_new_one_is_told_once() -> None:
    met = new_met(10)
    met.remember(["http://h.example/a"])
    body = b"<a href=/a>a</a><a href=/b>b</a><a href=/b>b</a><a rel=nofollow href=/a>a</a><link rel=next href=/c>"
    parsed = parse(body, "text/html", URL, met=met)
    found = glance(parsed, met).links
    assert [(link.url, link.relation, link.nofollow) for link in found] == [
        ("http://h.example/b", "a", False),
        ("http://h.example/a", "a", True),
        ("http://h.example/c", "next", False),
    ]
    assert glance(parse(body, "text/html", URL), met).links == found


def test_limits_bite_as_they_do_in_the_tree() -> None:
    settings = ExtractSettings(link_limit=3)
    body = b"".join(b"<a href=/%d>x</a>" % number for number in range(9))
    seen, whole = (parse(body, "text/html", URL, settings, met=met) for met in ((), None))
    assert glance(seen).links == glance(whole).links
    assert glance(seen).cut == glance(whole).cut != ""


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("page", "letters"),
    [
        (f"<p>{LONG}</p>", ONE),
        (f"<p>{LONG}</p><p hidden>{LONG}</p><nav><p>{LONG}</p></nav><div class=sidebar><p>{LONG}</p></div>", ONE),
        (f"<p>{LONG}</p><main><p>{LONG}</p></main>", ONE),
        (f"<div role=main><div>{LONG}</div></div><p>{LONG}</p>", ONE),
        (f"<header><p>{LONG}</p></header><article><header><p>{LONG}</p></header></article>", ONE),
        (f"<p><a href=/x>{LONG}</a></p>", 0),
        (f"<p>{LONG}<span style='color: red'>x</span></p>", 0),
        (f"<table><tr><td>{LONG}<td>{LONG}</table>", 2 * ONE),
        ("<p>" + "&nbsp;" * 200 + "</p>", 0),
    ],
)
def test_letters_are_counted_where_main_text_stands(page: str, letters: int) -> None:
    sight = sight_of(page, 1000)
    assert sight is not None
    assert sight.letters == letters
