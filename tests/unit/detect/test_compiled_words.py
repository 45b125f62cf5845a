"""What the compiled part finds in texts is what Python finds."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from recrawl.detect.digest import is_folded, is_plainly_folded, words
from recrawl.detect.known_words import KnownWords
from recrawl.native import compiled

texts = st.text(st.sampled_from("aAbB é東\u00a0\t\n.,-_\"'1&\x1c\x7f\0"), max_size=30)


@given(st.lists(texts, max_size=6), st.lists(texts, max_size=6))
def test_a_phrase_stands_in_a_text_if_all_its_words_do(some: list[str], phrases: list[str]) -> None:
    known = KnownWords(some)
    assert compiled.phrases_in(some, phrases) == known.has_each([frozenset(words(phrase)) for phrase in phrases])


def test_many_phrases_are_looked_for_at_once_and_what_cannot_be_written_is_left_to_python() -> None:
    numbers = [f"word{number} other" for number in range(3_000)]
    assert compiled.phrases_in(numbers[::2], numbers) == [number % 2 == 0 for number in range(3_000)]
    assert compiled.phrases_in(["a"], ["\ud800"]) is None
    assert compiled.phrases_in(["\ud800"], ["a"]) is None
    assert compiled.phrases_in([], ["", "a"]) == [True, False]


@given(texts | st.text(st.sampled_from("ab "), max_size=40))
def test_a_text_is_folded_if_folding_it_changes_nothing(text: str) -> None:
    assert is_folded(text) == is_plainly_folded(text)


def _in_one_place(count: int) -> list[str]:
    """Words that a table of up to 65,536 places would all put into the same one."""
    letters = np.array(np.meshgrid(*[np.arange(97, 123, dtype=np.uint32)] * 5)).reshape(5, -1).T
    mixed = np.full(len(letters), 2166136261, dtype=np.uint32)
    for place in range(letters.shape[1]):
        mixed = (mixed ^ letters[:, place]) * np.uint32(16777619)
    found = letters[((mixed ^ (mixed >> 15)) & 0xFFFF) == 7]
    return ["".join(map(chr, word)) for word in found[:count]]


def test_words_made_to_be_in_each_others_way_are_left_to_python() -> None:
    hostile = _in_one_place(170)
    assert len(hostile) > 140
    assert compiled.phrases_in(hostile, hostile) is None
    assert compiled.phrases_in(hostile[:100], hostile[:100]) == [True] * 100
