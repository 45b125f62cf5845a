"""A page read from its source says what its tree says; of another version only what differs is read."""

import random

import pytest
from tests.bench.site import SHAPES, Site
from tests.sights import page_of
from tests.versions import TYPE, URL, changed, pair_differences, shared_blocks, source_differences, verdicts

from recrawl.extract.document import parse
from recrawl.extract.page_read import read_source
from recrawl.extract.settings import DEFAULT, ExtractSettings
from recrawl.model.swift import replace

pytestmark = pytest.mark.compiled


@pytest.mark.parametrize("from_seed", range(0, 8_000, 2_000))
def test_pages_of_all_sorts_say_as_source_what_their_trees_say(from_seed: int) -> None:
    said = [(seed, source_differences(page_of(seed).encode())) for seed in range(from_seed, from_seed + 2_000)]
    assert [(seed, found) for seed, found in said if found] == []
    assert sum(found is not None for _, found in said) > 200


@pytest.mark.parametrize("seed", range(4))
def test_versions_of_pages_of_all_sorts_say_side_by_side_what_their_trees_say(seed: int) -> None:
    dice = random.Random(seed)
    for number in range(600):
        before = page_of(seed * 600 + number)
        after = changed(before, dice)
        assert pair_differences(before.encode(), after.encode()) == [], (before, after)


@pytest.mark.parametrize("shape", SHAPES)
def test_versions_of_every_shape_of_the_bench_say_side_by_side_what_their_trees_say(shape: str) -> None:
    site, dice = Site(200, ("127.0.0.1:1234",), shape=SHAPES[shape]), random.Random(1)
    for number in range(10, 200, 40):
        before = site.body(number, 0)
        assert source_differences(before) == []
        assert pair_differences(before, site.body(number, 1)) == []
        for _ in range(10):
            assert pair_differences(before, changed(before.decode(), dice).encode()) == []


@pytest.mark.parametrize("seed", range(3))
def test_a_change_is_judged_alike_whichever_way_both_versions_were_read(seed: int) -> None:
    dice = random.Random(seed)
    sites = [Site(200, ("127.0.0.1:1234",), shape=shape) for shape in SHAPES.values()]
    pages = [site.body(number, 0).decode() for site in sites for number in range(seed, 200, 70)]
    for before in (*pages, *(page_of(number) for number in range(seed * 500, seed * 500 + 500))):
        by_source, by_trees = verdicts(before.encode(), changed(before, dice).encode())
        assert by_source == by_trees, before


@pytest.mark.parametrize("shape", SHAPES)
def test_what_both_versions_have_is_read_once(shape: str) -> None:
    site = Site(200, ("127.0.0.1:1234",), shape=SHAPES[shape])
    new, old, shared = shared_blocks(site.body(30, 0), site.body(30, 1))
    assert shared == len(old.main)
    assert len(new.main) == len(old.main) + 1


def test_many_versions_of_a_page_are_told_apart_by_what_is_open_where_they_meet_again() -> None:
    text = "A sentence that is long enough to be taken for content by itself, whatever stands around it. "
    rest = "".join(f"<p>{text}{number}</p>" for number in range(20))
    for opening in (
        "<div id=a>",
        "<ul><li>",
        "<form>",
        "<x-y>",
        "<table><tr><td>",
        "<main>",
        "<section hidden>",
        "<base href=/b/>",
    ):
        before, after = f"<body>{rest}{rest}".encode(), f"<body>{rest}{opening}{rest}".encode()
        assert pair_differences(before, after) == []
        assert pair_differences(after, before) == []


@pytest.mark.parametrize(
    "page",
    [
        "<p><b>one<p>two",  # formatting that is opened anew
        "<p>one < two",  # one text, though a tag seems to begin in it
        "<table><tr><td><a href=/x>one<table><tr><td><a href=/y>two",  # a link in a link
        "<body style='color:red'><p>x",
        "<xmp>x</xmp>",
        "<a href=/x><script>y</script></a>",
        "<svg>x</svg>",
        "<select><optgroup><option>x</select>",
        "<p class='&hearts;'>x",
        "<p>&#2;",
        "<p>&#xFDD0 x",
    ],
)
def test_what_only_a_tree_can_tell_is_not_read_from_source(page: str) -> None:
    assert read_source(page, DEFAULT) is None


def test_a_page_that_a_limit_may_cut_is_left_to_its_tree() -> None:
    page = "<body>" + "<p>some words<a href=/x>y</a></p>" * 50
    assert read_source(page, DEFAULT) is not None
    for tight in ({"text_chars": 100}, {"node_limit": 100}, {"link_limit": 50}, {"tags": 100}):
        assert read_source(page, replace(ExtractSettings(), **tight)) is None


def test_who_wants_scripts_or_pictures_or_ignores_a_part_gets_a_tree() -> None:
    body = b"<body><p>some words</p><img src=/i.png>"
    assert parse(body, TYPE, URL)._at_source is not None
    assert parse(body, TYPE, URL, replace(DEFAULT, images=True))._at_source is None
    assert parse(body, TYPE, URL, ignore=("p",))._at_source is None
