"""What the compiled part finds in texts is what Python finds."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.detect.content import link_blocks, read_link_blocks, text_blocks
from recrawl.detect.digest import fold, is_folded, is_plainly_folded
from recrawl.model.document import Block, Document, Media
from recrawl.model.page import Link
from recrawl.native import compiled

texts = st.text(st.sampled_from("aAbB é東\u00a0\t\n.,-_\"'1&\x1c\x7f\0"), max_size=30)


urls = st.text(st.sampled_from("ab/?#;=&é"), max_size=6).map("http://example.org/".__add__)
links = st.builds(Link, urls, st.sampled_from(("a", "area", "next", "canonical")), texts)


def document_of(some: Sequence[str], found: Sequence[Link]) -> Document:
    return Document(Media.HTML, main=tuple(Block(0, text) for text in some), links=tuple(found))


def told(some: Sequence[str], phrases: Sequence[str]) -> list[bool] | None:
    """Of links with these captions: which stand in the texts."""
    addresses = [f"http://example.org/{number:05}" for number in range(len(phrases))]
    found = [Link(address, "a", phrase) for address, phrase in zip(addresses, phrases, strict=True)]
    document = document_of(some, found)
    targets = compiled.link_targets(document.main, document.links, len(found))
    return None if targets is None else [address in targets.split() for address in addresses]


@given(st.lists(texts, max_size=6), st.lists(links, max_size=6))
def test_links_count_if_all_their_words_stand_in_the_text(some: list[str], found: list[Link]) -> None:
    document = document_of(some, found)
    assert link_blocks(document) == read_link_blocks(document)


@given(st.lists(st.lists(texts, max_size=6), min_size=2, max_size=5), st.lists(links, max_size=6), texts)
def test_links_of_one_version_after_another_count_as_if_each_came_alone(
    versions: list[list[str]], found: list[Link], between: str
) -> None:
    same = tuple(found)
    for some in versions:
        blocks = tuple(Block(0, text) for text in some)
        grown = (*blocks[:2], Block(0, between), *blocks[2:])
        for main in (blocks, grown, blocks[1:], blocks):
            document = Document(Media.HTML, main=main, links=same)
            assert link_blocks(document) == read_link_blocks(document)


@pytest.mark.compiled
@given(st.lists(texts, max_size=6), st.integers(0, 6), st.lists(texts, max_size=2), st.lists(links, max_size=6))
def test_links_said_to_stand_alike_in_two_versions_do(
    some: list[str], at: int, came: list[str], found: list[Link]
) -> None:
    old = tuple(Block(0, text) for text in some)
    new = (*old[:at], *(Block(0, text) for text in came), *old[at + 1 :])
    same = tuple(found)
    if compiled.stand_alike(old, new, same, 5_000):
        assert read_link_blocks(Document(Media.HTML, main=old, links=same)) == read_link_blocks(
            Document(Media.HTML, main=new, links=same)
        )


@pytest.mark.compiled
def test_links_stand_alike_where_no_word_of_theirs_came_or_went_alone() -> None:
    first, last, menu = Block(0, "the moor"), Block(0, "see also: tide"), Link("http://example.org/1", "a", "Section 1")
    found = (menu, Link("http://example.org/2", "a", "the tide"))
    for came, alike in (("a tide", True), ("edition 1", True), ("Section 1", False), ("moor\ud800", False)):
        assert compiled.stand_alike((first, last), (first, Block(0, came), last), found, 10) is alike
    assert compiled.stand_alike((first, last), (first,), found, 10) is False
    both, odd = (Link("http://example.org/4", "a", "moor tide"),), Block(0, "moor\ud800 moor")
    assert compiled.stand_alike((odd, Block(0, "tide")), (odd, Block(0, "ebb")), both, 10) is False
    many = tuple(Link("http://example.org/3", "a", f"word{number}") for number in range(40))
    new = (first, Block(0, " ".join(link.text for link in many)))
    assert compiled.stand_alike((first,), new, many, 10) is False
    with pytest.raises(TypeError):
        compiled.stand_alike(("text",), (), (), 10)


@given(st.lists(st.builds(Block, st.integers(0, 2), texts, st.sampled_from((0, 0, 2))), max_size=8), st.integers(0, 8))
def test_blocks_are_folded_alike_whatever_version_came_before(blocks: list[Block], at: int) -> None:
    for main in (blocks, [*blocks[:at], Block(1, "between"), *blocks[at:]], blocks[at:], blocks):
        folded = [Block(block.place, fold(block.text)) for block in main]
        assert text_blocks(Document(Media.HTML, main=tuple(main))) == tuple(block for block in folded if block.text)


@pytest.mark.compiled
def test_many_links_are_looked_for_at_once_and_what_cannot_be_written_is_left_to_python() -> None:
    numbers = [f"word{number} other" for number in range(3_000)]
    assert told(numbers[::2], numbers) == [number % 2 == 0 for number in range(3_000)]
    assert told(["a"], ["\ud800"]) is None
    assert told(["\ud800"], ["a"]) is None
    assert told([], ["", "a"]) == [False, False]


@pytest.mark.compiled
def test_only_the_first_links_count() -> None:
    document = document_of(["a"], [Link("http://example.org/1", "a", "a"), Link("http://example.org/2", "a", "a")])
    assert compiled.link_targets(document.main, document.links, 1) == "http://example.org/1"


@pytest.mark.compiled
def test_other_values_than_were_told_are_refused() -> None:
    for main, found in ((("text",), ()), ((), ("link",)), ((), (Block(0, "a"),))):
        with pytest.raises(TypeError):
            compiled.link_targets(main, found, 10)


@given(texts | st.text(st.sampled_from("ab! ~"), max_size=40))
def test_a_text_is_folded_if_folding_it_changes_nothing(text: str) -> None:
    assert is_folded(text) == is_plainly_folded(text)


def _in_one_place(count: int) -> list[str]:
    """Words that a table of up to 65,536 places would all put into the same one."""
    letters = np.array(np.meshgrid(*[np.arange(97, 123, dtype=np.uint64)] * 5)).reshape(5, -1).T
    piece = sum((letters[:, place] << np.uint64(8 * place) for place in range(5)), np.uint64(0))
    mixed = (piece ^ np.uint64(5)) * np.uint64(0x9E3779B97F4A7C15)
    found = letters[((mixed ^ (mixed >> np.uint64(32))) & np.uint64(0xFFFF)) == 7]
    return ["".join(map(chr, map(int, word))) for word in found[:count]]


@pytest.mark.compiled
def test_words_made_to_be_in_each_others_way_are_left_to_python() -> None:
    hostile = _in_one_place(170)
    assert len(hostile) > 140
    assert told(hostile, hostile) is None
    for count in (100, 127, 128, 129, 130):
        assert told(hostile[:count], hostile[:count]) in (None, [True] * count)
    assert told(hostile[:100], hostile[:100]) == [True] * 100
