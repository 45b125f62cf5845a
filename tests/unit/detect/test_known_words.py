"""The words of a text, told from those of another version of it: the same as if every word were looked at."""

from hypothesis import given
from hypothesis import strategies as st

from recrawl.detect.content import COUNTED_RELATIONS, LINKS, content
from recrawl.detect.digest import words
from recrawl.detect.known_words import KnownWords
from recrawl.model.document import Block, Document, Media
from recrawl.model.page import Link

texts = st.lists(st.sampled_from(("red", "blue sky", "red, green", "ein Wort", "sky", "")), max_size=8)
asked = st.lists(st.sampled_from(("red", "blue", "sky", "green", "Wort", "none")), max_size=3)
links = st.builds(
    Link,
    st.sampled_from(("http://a/1", "http://a/2", "http://a/3?s=0123456789abcdef", "http://a/4#x")),
    st.sampled_from(("a", "next", "canonical")),
    st.sampled_from(("red", "sky", "blue sky", "new", "green Wort", " ", "...", "none")),
)


@given(st.lists(texts, min_size=1, max_size=4), st.integers(0, 8), st.lists(asked, min_size=1, max_size=4))
def test_words_are_known_by_any_version_of_a_text(
    versions: list[list[str]], at: int, questions: list[list[str]]
) -> None:
    known = KnownWords(versions[0])
    phrases = [frozenset(word.encode() for word in question) for question in questions]
    for version in (*versions, [*versions[0][:at], "new sky", *versions[0][at:]], versions[0]):
        before, there = known.has_each(phrases), set(words("\n".join(version)))
        known, differing = known.beside(version) or (KnownWords(version), None)
        assert known.has_each(phrases[:1]) == [there.issuperset(phrases[0])]
        now = known.has_each(phrases)
        assert now == [there.issuperset(phrase) for phrase in phrases]
        if differing is not None:
            assert all(phrases[one] & differing or before[one] is now[one] for one in range(len(phrases)))


def test_a_word_that_went_with_its_paragraph_is_known_no_more_unless_another_says_it() -> None:
    before = ["one", "two", "three two", "four", "five once"]
    after = [*before[:4], "five"]
    known = KnownWords(before)
    assert known.has_each([{b"once"}, {b"five", b"none"}]) == [True, False]
    beside = known.beside(after)
    assert beside is not None
    assert beside[0].has_each([{b"once"}]) == [False]
    further = beside[0].beside(after[1:])
    assert further is not None
    assert further[0].has_each([{b"two", b"three"}, {b"one"}]) == [True, False]
    assert known.beside(["six", "seven"]) is None


@given(texts, texts, st.lists(links, max_size=6), st.lists(links, max_size=6), st.integers(0, 8))
def test_links_count_in_any_version_as_if_it_were_the_only_one(
    text: list[str], other: list[str], some: list[Link], others: list[Link], at: int
) -> None:
    versions = [(text, some), ([*text[:at], "new sky", *text[at:]], some), (text, others), (other, some), (text, some)]
    for said, led in versions:
        document = Document(Media.HTML, main=tuple(Block(1, one) for one in said), links=tuple(led))
        there = set(words("\n".join(said)))
        counted = [link for link in led if link.relation in COUNTED_RELATIONS and link.text.strip()]
        wanted = {link.url for link in counted if there.issuperset(words(link.text))}
        told = [block.text for block in content(document) if block.place == LINKS]
        assert told == [" ".join(sorted({url.partition("?")[0].partition("#")[0] for url in wanted}))] * bool(wanted)


def test_pages_that_are_for_ever_versions_of_each_other_do_not_hand_on_ever_more_words() -> None:
    shared = [f"said everywhere {number}" for number in range(4)]
    for is_asked in (True, False):
        known, handed_on = KnownWords(shared), 0
        own = fresh_words(0)
        while (beside := known.beside([*shared, " ".join(own)])) is not None:
            known, handed_on = beside[0], handed_on + 1
            assert known.has_each([frozenset(word.encode() for word in own if is_asked)]) == [True]
            assert handed_on < 100
            own = fresh_words(handed_on)
        assert handed_on > 3


def fresh_words(version: int) -> list[str]:
    return [f"w{version}x{at}" for at in range(500)]
