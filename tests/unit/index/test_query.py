"""What people type, read as a question."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.index.query import parse
from recrawl.model.failure import FormatError
from recrawl.model.search import Filter, Part, Question, Sieve, Term

NOW = 1_000_000.0


@pytest.mark.parametrize(
    ("text", "question"),
    [
        ("", Question()),
        ("fog sea", Question(((Term(("fog",)),), (Term(("sea",)),)))),
        ("fog AND sea", Question(((Term(("fog",)),), (Term(("sea",)),)))),
        ("fog OR sea ice", Question(((Term(("fog",)), Term(("sea",))), (Term(("ice",)),)))),
        ('"old bridge"', Question(((Term(("old", "bridge")),),))),
        ('"old bridge', Question(((Term(("old", "bridge")),),))),
        ("harb*", Question(((Term(("harb",), open=True),),))),
        ('"old br"*', Question(((Term(("old", "br"), open=True),),))),
        ("서울*", Question(((Term(("서울",)),),))),
        ("-fog", Question(without=(Term(("fog",)),))),
        ("well-known", Question(((Term(("well", "known")),),))),
        ("title:fog", Question(((Term(("fog",), part=Part.TITLE),),))),
        ('title:"old bridge"', Question(((Term(("old", "bridge"), part=Part.TITLE),),))),
        ("site:a -lang:DE", Question(sieves=(Sieve(Filter.SITE, "a"), Sieve(Filter.LANGUAGE, "de", True)))),
        ('category:"a b/c"', Question(sieves=(Sieve(Filter.CATEGORY, "a b/c"),))),
        ("since:1h before:1970-01-02", Question(since_at=NOW - 3600, before_at=86400.0)),
        ("http://a.b/", Question(((Term(("http", "a", "b")),),))),
        ("12:30", Question(((Term(("12", "30")),),))),
        ("OR", Question()),
        ("title:", Question(((Term(("title",)),),))),
        ("?!", Question(((),))),
    ],
)
def test_it_is_read_as_meant(text: str, question: Question) -> None:
    assert parse(text, NOW) == question


@pytest.mark.parametrize(("text", "column"), [("x kind:book", 3), ("since:soon", 1), ("a b before:32.13.", 5)])
def test_a_value_that_cannot_be_is_an_error_with_its_column(text: str, column: int) -> None:
    with pytest.raises(FormatError) as error:
        parse(text, NOW)
    assert error.value.column == column


@given(st.text(st.sampled_from("ab서 \"*-:ORAND()titlesince\\\x00'^{}"), max_size=40))
def test_nothing_else_is_wrong(text: str) -> None:
    try:
        parse(text, NOW)
    except FormatError as error:
        assert "since" in text or "kind" in text, error
