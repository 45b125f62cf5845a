"""What the compiled part finds among headers is what Python would have found."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.model.headers import all_values, first_value, oddly_all, oddly_first
from recrawl.native import compiled

names = st.sampled_from(("link", "Link", "LINK", "lin\u212a", "l\xefnk", "etag", "", "linker"))
headers = st.lists(st.tuples(names, st.text(max_size=3)), max_size=6)


@given(headers, names, st.booleans())
def test_they_are_the_same(pairs: list[tuple[str, str]], name: str, any_case: bool) -> None:
    for given_as in (pairs, tuple(pairs)):
        assert first_value(given_as, name) == oddly_first(pairs, name)
        assert all_values(given_as, name, any_case) == oddly_all(pairs, name, any_case)


@pytest.mark.compiled
def test_what_are_no_pairs_of_texts_is_left_to_python() -> None:
    for odd in ([], (("a",),), (["a", "b"],), ((b"a", "b"),), None):
        assert compiled.header_value(odd, "b") is None
        assert compiled.header_values(odd, "b", False) is None
