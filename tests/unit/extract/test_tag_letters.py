"""The letters that tags begin with are counted by the compiled part as by NumPy."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.extract.tag_letters import FORMATTING, letters_of
from recrawl.extract.tag_letters_plain import counted

pytestmark = pytest.mark.compiled

NAMES = [*FORMATTING.split("|"), "html", "body", "bold", "p"]
BEHIND = (">", " a=1>", "", "\u05d0", "é")
PIECES = [f"<{end}{name}{behind}" for name in NAMES for end in ("", "/") for behind in BEHIND]
ODD = ["<", "</", "x", ">", "/", "\x1e", "\0", "é", "\u05d0", "中", "😀"]


@given(st.lists(st.sampled_from([*PIECES, *map(str.upper, PIECES), *ODD]), max_size=30).map("".join))
def test_tags_are_counted_alike(source: str) -> None:
    assert letters_of(source) == counted(source)


def test_a_text_that_no_encoding_can_write_is_counted_all_the_same() -> None:
    assert letters_of("<b>\ud800</b><html>") == (3, 1, 0, 1, 1)
