import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.detect.living_pages import NOON

from recrawl.detect.content import LINKS, TITLE, content, target
from recrawl.detect.differing import differing
from recrawl.detect.noise import (
    MOST_ENTRIES,
    MOST_VOTED,
    Entry,
    Knowledge,
    Nature,
    PageNoise,
    TemplateNoise,
    Votes,
    fold,
    memo_key,
    read_page,
    read_template,
    with_entries,
    write_page,
    write_template,
)
from recrawl.detect.parts import Found, PartKind, masked, pieces, values
from recrawl.detect.shapes import Shape, agrees, cut, filled, shape_of
from recrawl.model.document import Block, Document, Media
from recrawl.model.page import Link
from recrawl.model.verdict import Lesson

keys = st.integers(0, (1 << 30) - 1).map(lambda number: number * 4 + number % 3)
entries = st.builds(
    Entry, key=keys, nature=st.sampled_from(Nature), count=st.integers(0, 255), value=st.integers(0, 65535)
)
page_noises = st.builds(
    PageNoise,
    entries=st.lists(entries, max_size=8).map(tuple),
    distrust=st.integers(0, 255),
    odd=st.integers(0, 255),
)
lessons = st.lists(st.builds(Lesson, key=keys, noise=st.booleans()), max_size=20)
block_lists = st.lists(st.builds(Block, st.integers(1, 3), st.text("ab1:25 ", max_size=10).map(str.strip)), max_size=8)


@given(st.text().filter(lambda text: "\x00" not in text))
def test_cutting_a_text_loses_nothing(text: str) -> None:
    made = cut(text)
    assert filled(made.skeleton, made.values) == text


def test_moments_tokens_and_numbers_are_cut_out_whole() -> None:
    cases = {
        "Sun, 15 Nov 2026 12:33:20 GMT": [("Sun, 15 Nov 2026 12:33:20 GMT", Shape.MOMENT)],
        "Made 2026-11-15T09:12:33+00:00 here": [("2026-11-15T09:12:33+00:00", Shape.MOMENT)],
        "on November 15, 2026 at 9:05 PM we": [("November 15, 2026 at 9:05 PM", Shape.MOMENT)],
        "2026년 11월 15일 오후 3시 20분": [("2026년 11월 15일 오후 3시 20분", Shape.MOMENT)],
        "2026年11月15日 12時33分 更新": [("2026年11月15日 12時33分", Shape.MOMENT)],
        "posted 3 minutes ago by Bo": [("3 minutes ago", Shape.MOMENT)],
        "id d94f3f01-6ee6-4d6a-9d3f-aaaaaaaaaaaa": [("d94f3f01-6ee6-4d6a-9d3f-aaaaaaaaaaaa", Shape.TOKEN)],
        "csrf=aGVsbG8gd29ybGQxMjM0NTY3ODkw==": [("aGVsbG8gd29ybGQxMjM0NTY3ODkw==", Shape.TOKEN)],
        "1,234 views": [("1,234", Shape.COUNTER)],
        "조회 1,234": [("1,234", Shape.COUNTER)],
        "Price 12.50 EUR": [("12.50", Shape.NUMBER)],
        "made at 1794858649.424361": [("1794858649.424361", Shape.TOKEN)],
        "May the fog lift": [],
    }
    for text, wanted in cases.items():
        made = cut(text)
        assert [(value, shape_of(value, made.skeleton)) for value in made.values] == wanted, text


def test_a_moment_as_written_agrees_with_the_moment_of_the_visit_in_any_time_zone() -> None:
    assert agrees("12:00:02", NOON)
    assert agrees("21:00", NOON + 30)
    assert agrees("17:45:01", NOON + 2)  # Kathmandu
    assert agrees("Friday, 15 January 2027", NOON)
    assert not agrees("12:07:00", NOON)
    assert not agrees("11 January 2027", NOON)


@pytest.mark.parametrize("written", ["{0:.0f}", "{0:.6f}", "{1:.0f}"])
def test_seconds_since_1970_and_their_thousandths_are_moments_too(written: str) -> None:
    assert agrees(written.format(NOON + 2, (NOON + 2) * 1000), NOON)
    assert not agrees(written.format(NOON + 60, (NOON + 60) * 1000), NOON)
    assert not agrees("build2027", NOON)


def test_a_changed_value_is_named_as_a_field_and_the_words_around_it_are_kept() -> None:
    old, new = [Block(1, "Now 12:00:01, fog")], [Block(1, "Now 12:00:09, fog")]
    (found,) = differing(old, new)
    assert found.kind is PartKind.FIELD
    assert masked(new, {found.key}) == masked(old, {found.key}) == (Block(1, "Now …, fog"),)


def test_a_changed_block_among_others_is_named_as_a_slot() -> None:
    old = [Block(1, "one"), Block(1, "two"), Block(1, "three")]
    new = [Block(1, "one"), Block(1, "zwei"), Block(1, "three")]
    (found,) = differing(old, new)
    assert found.kind is PartKind.SLOT
    assert [block.text for block in masked(new, {found.key})] == ["one", "three"]


def test_a_place_that_changed_altogether_is_named_as_a_place() -> None:
    (found,) = differing([Block(1, "one"), Block(2, "stay")], [Block(1, "eins"), Block(2, "stay")])
    assert found.kind is PartKind.PLACE
    assert not found.mostly_same


def test_a_list_that_grew_is_mostly_the_same_and_a_shuffled_one_is_not() -> None:
    names = ["ann", "bea", "cid", "dov", "eve"]
    grown = differing([Block(1, n) for n in names], [Block(1, n) for n in ["new", *names]])
    turned = differing([Block(1, n) for n in names], [Block(1, n) for n in names[::-1]])
    assert [part.mostly_same for part in grown] == [True]
    assert [part.mostly_same for part in turned] == [False]


@given(block_lists, block_lists)
def test_documents_are_equal_once_all_differing_parts_are_masked(old: list[Block], new: list[Block]) -> None:
    noise = {part.key for part in differing(old, new)}
    grouped = [sorted(masked(blocks, noise), key=lambda block: block.place) for blocks in (old, new)]
    assert grouped[0] == grouped[1]


@given(block_lists)
def test_a_document_does_not_differ_from_itself(blocks: list[Block]) -> None:
    assert differing(blocks, blocks) == ()
    assert masked(blocks, set()) == tuple(block for block in blocks if block.text)


def test_the_values_of_wanted_parts_can_be_read() -> None:
    blocks = [Block(1, "Now 12:00:01")]
    (piece,) = pieces(blocks)
    assert values(blocks, {piece.fields[0], piece.place}) == {piece.fields[0]: "12:00:01", piece.place: "Now 12:00:01"}


@given(page_noises)
def test_the_noise_of_a_page_reads_back(noise: PageNoise) -> None:
    assert read_page(write_page(noise)) == noise


@given(st.binary(max_size=60))
def test_any_bytes_can_be_read_as_noise_without_harm(data: bytes) -> None:
    assert isinstance(read_page(data), PageNoise)
    assert isinstance(read_template(data), TemplateNoise)


@given(lessons)
def test_the_noise_of_a_template_reads_back(learnt: list[Lesson]) -> None:
    folded = fold(TemplateNoise(), learnt)
    assert read_template(write_template(folded)) == folded


@given(lessons, lessons)
def test_the_order_in_which_lessons_come_does_not_matter(one: list[Lesson], other: list[Lesson]) -> None:
    forth, back = fold(fold(TemplateNoise(), one), other), fold(fold(TemplateNoise(), other), one)
    assert set(forth.votes) == set(back.votes)


def test_what_is_remembered_is_bounded_and_the_most_certain_stays() -> None:
    noise = with_entries(PageNoise(), [Entry(4, Nature.NOISE)])
    noise = with_entries(noise, [Entry(8 + 4 * number, Nature.UNKNOWN) for number in range(500)])
    assert len(noise.entries) == MOST_ENTRIES
    assert noise.entry(4).nature is Nature.NOISE
    template = fold(TemplateNoise(), [Lesson(4, True)] * 2 + [Lesson(8 + 4 * n, False) for n in range(500)])
    assert len(template.votes) == MOST_VOTED
    assert template.nature(4) is Nature.NOISE


def test_a_template_learns_a_field_from_one_page_and_a_place_only_from_two() -> None:
    field, place = 4 | PartKind.FIELD, 4 | PartKind.PLACE
    once = fold(TemplateNoise(), [Lesson(field, True), Lesson(place, True)])
    assert once.noise == {field}
    assert fold(once, [Lesson(place, True)]).noise == {field, place}


def test_a_template_knows_a_part_to_be_real_after_three_proofs_and_can_be_outvoted() -> None:
    template = fold(TemplateNoise(), [Lesson(4, False)] * 3)
    assert template.nature(4) is Nature.REAL
    assert fold(template, [Lesson(4, True)] * 3).nature(4) is Nature.NOISE
    assert Votes(4, noise=1, real=2).nature is Nature.UNKNOWN


def test_the_experience_of_the_page_comes_before_that_of_the_template() -> None:
    template = fold(TemplateNoise(), [Lesson(4, True)])
    assert Knowledge(PageNoise(), template).mask == {4}
    assert Knowledge(PageNoise((Entry(4, Nature.STILL),)), template).mask == frozenset()
    assert Knowledge(PageNoise((Entry(4, Nature.REAL),)), template).nature(Found(4, 2)) is Nature.REAL


def test_templates_of_two_servers_are_remembered_apart() -> None:
    assert memo_key("a.example", -1) != memo_key("b.example", -1) == "noise:b.example:ffffffffffffffff"


def test_the_content_is_title_main_text_and_the_targets_of_links_in_it() -> None:
    document = Document(
        Media.HTML,
        title=" The  list ",
        main=(Block(5, "First item"), Block(5, " ")),
        links=(
            Link("http://x.example/first?sid=3f2a9bc0d1e2f3a4&page=2", text="First item"),
            Link("http://x.example/style.css", relation="stylesheet", text="First"),
            Link("http://x.example/imprint", text="Imprint"),
        ),
    )
    assert content(document) == (
        Block(TITLE, "The list"),
        Block(5, "First item"),
        Block(LINKS, "http://x.example/first?page=2"),
    )


def test_sessions_and_cache_busters_do_not_make_another_target() -> None:
    plain = target("http://x.example/a/b?page=2")
    assert target("http://x.example/a/b;jsessionid=ABC?page=2&v=1763200000#top") == plain
    assert target("http://x.example/a/b?token=3f2a9bc0d1e2f3a4b5c6&page=2") == plain
    assert target("http://x.example/a/b?page=3") != plain
