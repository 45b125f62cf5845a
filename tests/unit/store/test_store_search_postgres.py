"""The search index in PostgreSQL where its vectors are too small for a text."""

from collections.abc import Iterator
from contextlib import closing

import pytest
from hypothesis import given
from hypothesis import strategies as st

from recrawl.index.query import parse
from recrawl.index.weights import WEIGHTS
from recrawl.index.words import joined
from recrawl.model.failure import NotFound, StoreOutdated
from recrawl.model.search import Entry, Step, Term
from recrawl.store.search.postgres import PostgresSearch
from recrawl.store.search.vector import PHRASE_WORDS, PIECE_WORDS, PLACES_OF_A_WORD, asked, pieces, vector


@pytest.fixture
def index(postgres_dsn: str) -> Iterator[PostgresSearch]:
    with closing(PostgresSearch(postgres_dsn, joined, 1, WEIGHTS)) as made:
        yield made


def found(index: PostgresSearch, question: str) -> set[int]:
    return {hit.entry.page for hit in index.find(parse(question, 0.0)).hits}


@given(st.lists(st.sampled_from(("a", "b", "c" * 64)), max_size=40), st.integers(0, 300))
def test_every_phrase_of_a_text_stands_in_one_of_its_pieces(head: list[str], times: int) -> None:
    words = [*head, *["x"] * times, *head, *(f"w{n}" for n in range(120))]
    made = list(pieces(words))
    assert all(max(map(piece.count, set(piece))) <= PLACES_OF_A_WORD for piece in made)
    runs = {tuple(piece[at : at + PHRASE_WORDS]) for piece in made for at in range(len(piece))}
    full = (tuple(words[at : at + PHRASE_WORDS]) for at in range(len(words) - PHRASE_WORDS + 1))
    assert all(run in runs for run in full)


def test_vectors_and_questions_are_quoted() -> None:
    assert vector(["b", "o'k", "b"]) == "'b':1,3 'o''k':2"
    assert asked(Term(("a", "b"), open=True)) == "'a' <-> 'b':*"


def test_nothing_of_a_very_long_text_is_lost(index: PostgresSearch) -> None:
    words = ["fog" if n % 3 else f"w{n}" for n in range(3 * PIECE_WORDS)]
    words += ["y" * 64 + str(n) for n in range(100)]
    assert index.apply(Step(0, 1, put=(Entry(1, 1.0, "http://a.example/", text=" ".join(words)),)))
    for at in range(0, len(words) - 4, 97):
        assert found(index, f'"{" ".join(words[at : at + 4])}"') == {1}
    assert found(index, '"fog w0"') == set()
    whole = " ".join(words[PIECE_WORDS - 75 : PIECE_WORDS + 75])
    assert found(index, f'"{whole}"') == {1}


def test_an_index_cut_by_another_knife_is_made_anew(postgres_dsn: str) -> None:
    with pytest.raises(NotFound, match="no search index"):
        PostgresSearch(postgres_dsn, joined, 1, WEIGHTS, readonly=True)
    with closing(PostgresSearch(postgres_dsn, joined, 1, WEIGHTS)) as first:
        first.apply(Step(0, 5, put=(Entry(1, 1.0, "http://a.example/", text="fog"),)))
    with closing(PostgresSearch(postgres_dsn, joined, 1, WEIGHTS, readonly=True)) as again:
        assert found(again, "fog") == {1} and again.extent().documents == 1 and again.extent().bytes > 0
    with pytest.raises(StoreOutdated, match="another recrawl"):
        PostgresSearch(postgres_dsn, joined, 2, WEIGHTS, readonly=True)
    with closing(PostgresSearch(postgres_dsn, joined, 2, WEIGHTS)) as anew:
        assert anew.cursor() == 0 and found(anew, "fog") == set()
