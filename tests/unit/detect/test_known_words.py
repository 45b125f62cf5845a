"""The words of a text, told from those of another version of it: the same as if every word were looked at."""

from hypothesis import given
from hypothesis import strategies as st

from recrawl.detect.digest import words
from recrawl.detect.known_words import known_words
from recrawl.model.document import Block

texts = st.lists(st.sampled_from(("red", "blue sky", "red, green", "ein Wort", "sky", "")), max_size=8)
asked = st.lists(st.sampled_from(("red", "blue", "sky", "green", "Wort", "none")), max_size=3)


def blocks_of(said: list[str]) -> tuple[Block, ...]:
    return tuple(Block(1, text) for text in said)


@given(st.lists(texts, min_size=1, max_size=4), st.integers(0, 8), st.lists(asked, min_size=1, max_size=4))
def test_words_are_known_by_any_version_of_a_text(
    versions: list[list[str]], at: int, questions: list[list[str]]
) -> None:
    for version in (*versions, [*versions[0][:at], "new sky", *versions[0][at:]], versions[0]):
        known, there = known_words(blocks_of(version)), set(words("\n".join(version)))
        for question in questions:
            some = frozenset(word.encode() for word in question)
            assert known.has(some) is (some <= there)


def test_a_word_that_went_with_its_paragraph_is_known_no_more_unless_another_says_it() -> None:
    before = blocks_of(["one", "two", "three two", "four", "five once"])
    after = (*before[:4], Block(1, "five"))
    assert known_words(before).has({b"once"})
    assert not known_words(after).has({b"once"})
    assert known_words(after[1:]).has({b"two", b"three"})
