"""Text of XML as the standard library writes it, and patterns that are compiled when they are first used."""

import re
from xml.sax import saxutils

import pytest
from hypothesis import given
from hypothesis import strategies as some

from recrawl.formats.xml_text import escape, quoteattr
from recrawl.model.late import late


@given(some.text("ab<>&\"'\n\r\t é"))
def test_text_and_attributes_are_written_as_the_standard_library_writes_them(text: str) -> None:
    more = {'"': "&quot;", "\n": "&#10;"}
    assert escape(text) == saxutils.escape(text) and escape(text, more) == saxutils.escape(text, more)
    assert quoteattr(text) == saxutils.quoteattr(text) and quoteattr(text, more) == saxutils.quoteattr(text, more)


def test_a_late_pattern_finds_what_the_pattern_finds() -> None:
    pattern = late(r"(?P<word>[a-z]+)", re.IGNORECASE)
    found = pattern.search("12 Lamps")
    assert found is not None and found["word"] == "Lamps"
    assert pattern.findall("a B") == ["a", "B"] and pattern.sub("-", "a1b") == "-1-"


def test_a_late_pattern_that_is_none_says_so_when_it_is_used() -> None:
    broken = late("(")
    with pytest.raises(re.error):
        broken.search("")
