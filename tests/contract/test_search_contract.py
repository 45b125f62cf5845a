"""The laws of `ports.SearchIndex`, over every implementation."""

from collections.abc import Callable, Iterator
from contextlib import closing

import psycopg
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.postgres import PostgresServer

from recrawl.index.query import parse
from recrawl.index.weights import WEIGHTS
from recrawl.index.words import joined
from recrawl.model.search import Entry, Extent, Question, Shelf, Step
from recrawl.model.site import Kind
from recrawl.ports import SearchIndex
from recrawl.store.search.memory import MemorySearch
from recrawl.store.search.postgres import SPACES, PostgresSearch
from recrawl.store.search.sqlite import SqliteSearch

NOW = 1_700_000_000.0
Open = Callable[..., SearchIndex]


OPEN: dict[str, Callable[[pytest.FixtureRequest, bool, int], SearchIndex]] = {
    "memory": lambda request, history, rank_at_most: MemorySearch(joined, WEIGHTS, history),
    "sqlite": lambda request, history, rank_at_most: SqliteSearch(
        request.getfixturevalue("tmp_path") / "s.db", joined, 1, WEIGHTS, history, rank_at_most=rank_at_most
    ),
    "postgres": lambda request, history, rank_at_most: PostgresSearch(
        request.getfixturevalue("emptied_postgres"), joined, 1, WEIGHTS, history, rank_at_most=rank_at_most
    ),
}


@pytest.fixture(scope="module")
def search_postgres(postgres_server: PostgresServer) -> Iterator[str]:
    dsn = postgres_server.fresh()
    yield dsn
    postgres_server.drop(dsn)


@pytest.fixture
def emptied_postgres(search_postgres: str) -> str:
    """An index can be thrown away: cheaper than a new database."""
    with psycopg.connect(search_postgres, autocommit=True) as connection:
        for space in SPACES.values():
            connection.execute(f"DROP SCHEMA IF EXISTS {space} CASCADE")
    return search_postgres


@pytest.fixture(params=OPEN)
def opened(request: pytest.FixtureRequest) -> Iterator[Open]:
    made: list[SearchIndex] = []

    def make(history: bool = False, rank_at_most: int = 30_000) -> SearchIndex:
        made.append(OPEN[request.param](request, history, rank_at_most))
        return made[-1]

    yield make
    for index in made:
        index.close()


def entry(page: int, text: str, at: float = 1.0, **known: object) -> Entry:
    return Entry(page, at, f"http://a.example/{page}", text=text, changed_at=at, **known)  # type: ignore[arg-type]


def fill(index: SearchIndex, *entries: Entry) -> None:
    after = index.cursor()
    assert index.apply(Step(after, after + 1, put=entries))


def pages(index: SearchIndex, text: str, **more: object) -> list[int]:
    return [hit.entry.page for hit in index.find(parse(text, NOW), **more).hits]  # type: ignore[arg-type]


def test_it_is_an_index_and_an_empty_one_finds_nothing(opened: Open) -> None:
    index = opened()
    assert isinstance(index, SearchIndex)
    assert index.cursor() == 0 and pages(index, "x") == [] and index.shelves() == []
    assert index.extent().documents == Extent().documents


def test_a_step_from_another_place_is_refused_and_changes_nothing(opened: Open) -> None:
    index = opened()
    assert index.apply(Step(0, 7, put=(entry(1, "fog"),)))
    assert not index.apply(Step(0, 9, put=(entry(2, "fog"),), removed=(1,)))
    assert index.cursor() == 7
    assert pages(index, "fog") == [1]


def test_a_page_put_again_is_found_by_its_new_words_alone(opened: Open) -> None:
    index = opened()
    fill(index, entry(1, "old harbour 서울시장"))
    fill(index, entry(1, "new harbour 부산시장", at=2.0))
    assert pages(index, "old") == pages(index, "서울") == []
    assert pages(index, "new") == pages(index, "부산") == pages(index, "harbour") == [1]
    assert index.extent().documents == 1


def test_what_is_removed_is_not_found(opened: Open) -> None:
    index = opened()
    fill(index, entry(1, "fog", title="Fog"), entry(2, "fog"))
    index.apply(Step(1, 2, removed=(1, 99)))
    assert pages(index, "fog") == [2]
    assert pages(index, "title:fog") == []
    assert index.extent().documents == 1


def test_every_field_of_an_entry_comes_back(opened: Open) -> None:
    index = opened()
    whole = Entry(
        5, 3.5, "http://x/?q=<b>", "town", Kind.DETAIL, "a/b", "ko", 3.5, None, "T <script>", "H", "E", "A", "X", "R"
    )
    fill(index, whole)
    assert [hit.entry for hit in index.find(Question()).hits] == [whole]


@pytest.mark.parametrize(
    ("asked", "found"),
    [
        ("harbour", {1, 2}),
        ("HARBOUR", {1, 2}),
        ("harbour fog", {1}),
        ('"harbour fog"', set()),
        ('"fog in the harbour"', {1}),
        ("fog OR cafe", {1, 3}),
        ("café", {3}),
        ("harb*", {1, 2}),
        ("harb", set()),
        ("harbour -fog", {2}),
        ("-harbour", {3, 4}),
        ("title:notes", {2}),
        ("title:harbour", set()),
        ("site:one", {1, 2}),
        ("-site:one", {3, 4}),
        ("site:one site:two", {1, 2, 3, 4}),
        ("kind:detail", {2}),
        ("category:news", {1, 2}),
        ("category:news/local", {2}),
        ("category:new", set()),
        ("lang:en", {1, 2}),
        ("url:EXAMPLE/3", {3}),
        ("since:1970-01-01T00:00:03", {3, 4}),
        ("before:1970-01-01T00:00:03", {1, 2}),
        ("harbour site:two", set()),
        ("!!!", set()),
        ("", {1, 2, 3, 4}),
        ("시장", {4}),
        ("서울시장", {4}),
        ("울시", {4}),
        ("장", {4}),
        ("시", {4}),
        ("시장서울", set()),
        ('fog" OR title:x', set()),
    ],
)
def test_a_question_finds_exactly_what_fits(opened: Open, asked: str, found: set[int]) -> None:
    index = opened()
    fill(
        index,
        entry(1, "Fog in the harbour", 1.0, site="one", category="news", language="en"),
        entry(
            2, "The harbour", 2.0, site="one", kind=Kind.DETAIL, category="news/local", language="en-gb", title="Notes"
        ),
        entry(3, "A Cafe\u0301", 3.0, site="two", category="newest", language="fr"),
        entry(4, "서울시장", 4.0, site="two", language="ko"),
    )
    answer = index.find(parse(asked, NOW))
    assert {hit.entry.page for hit in answer.hits} == found
    assert answer.total == len(found)


def test_a_title_counts_more_than_a_heading_and_that_more_than_the_text(opened: Open) -> None:
    index = opened()
    rest = [entry(number, "other words here") for number in range(10, 20)]
    fill(index, entry(1, "a b fog"), entry(2, "a b", headings="fog"), entry(3, "a b", title="fog"), *rest)
    assert pages(index, "fog") == [3, 2, 1]


def test_without_words_the_newest_change_comes_first(opened: Open) -> None:
    index = opened()
    fill(index, entry(1, "x", 1.0), entry(2, "x", 3.0), entry(3, "x", 2.0))
    assert pages(index, "") == [2, 3, 1]


@pytest.mark.parametrize("rank_at_most", [30_000, 10])
def test_pages_of_an_answer_are_one_answer_cut(opened: Open, rank_at_most: int) -> None:
    index = opened(rank_at_most=rank_at_most)
    titles = ["fog" if number % 3 == 0 else "other" for number in range(40)]
    fill(
        index,
        *(entry(number, f"fog {'fog ' * (number % 5)} word{number}", title=titles[number]) for number in range(40)),
    )
    whole = pages(index, "fog", limit=100)
    assert sorted(whole) == list(range(40))
    assert [page for at in range(0, 40, 7) for page in pages(index, "fog", limit=7, offset=at)] == whole
    assert {titles[page] for page in whole[:14]} == {"fog"}


def test_an_index_of_all_versions_answers_as_of_a_moment(opened: Open) -> None:
    index = opened(history=True)
    fill(index, entry(1, "old fog", 10.0))
    index.apply(Step(1, 2, put=(entry(1, "new fog", 20.0),), closed=((1, 20.0),)))
    index.apply(Step(2, 3, closed=((1, 30.0),)))
    index.apply(Step(3, 4, put=(entry(1, "last fog", 40.0), entry(2, "fog", 15.0)), closed=((1, 40.0),)))

    def texts(at: float) -> set[str]:
        question = Question(parse("fog", NOW).groups, as_of_at=at)
        return {hit.entry.text for hit in index.find(question).hits}

    assert texts(9.0) == set()
    assert texts(10.0) == {"old fog"}
    assert texts(25.0) == {"new fog", "fog"}
    assert texts(30.0) == {"fog"}
    assert texts(99.0) == {"last fog", "fog"}


def test_a_version_that_comes_late_ends_where_the_next_begins(opened: Open) -> None:
    index = opened(history=True)
    fill(index, entry(1, "second", 20.0))
    index.apply(Step(1, 2, put=(entry(1, "first", 10.0),), closed=((1, 10.0),)))
    found = index.find(Question(as_of_at=15.0)).hits
    assert [(hit.entry.text, hit.entry.until_at) for hit in found] == [("first", 20.0)]


def test_shelves_count_documents_by_site_and_category(opened: Open) -> None:
    index = opened()
    fill(
        index,
        entry(1, "x", site="s", category="b"),
        entry(2, "x", site="s", category="a"),
        entry(3, "x", site="s", category="b"),
    )
    assert index.shelves() == [Shelf("s", "a", 1), Shelf("s", "b", 2)]


LETTERS = st.text(st.sampled_from("ab cd서울시장市場は\n-'\"*3é"), max_size=12)


def answers_alike(other: SearchIndex, texts: list[tuple[str, str]], asked: list[str]) -> None:
    """An index with the same documents as the twin in memory gives the same answers with the same scores."""
    memory = MemorySearch(joined, WEIGHTS)
    put = tuple(entry(n % 4, text, float(n), title=title) for n, (text, title) in enumerate(texts))
    assert memory.apply(Step(0, 1, put=put))
    after = other.cursor()
    assert other.apply(Step(after, after + 1, put=put, removed=(0, 1, 2, 3)))
    for one in asked:
        theirs, ours = memory.find(parse(one, NOW)), other.find(parse(one, NOW))
        assert theirs.total == ours.total
        scores = {hit.entry.page: (hit.entry, hit.score) for hit in ours.hits}
        assert scores == {hit.entry.page: (hit.entry, pytest.approx(hit.score)) for hit in theirs.hits}


alike = given(texts=st.lists(st.tuples(LETTERS, LETTERS), max_size=6), asked=st.lists(LETTERS, min_size=1, max_size=4))


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@alike
def test_the_index_in_a_file_answers_like_its_twin_with_the_same_scores(
    texts: list[tuple[str, str]], asked: list[str], tmp_path_factory: pytest.TempPathFactory
) -> None:
    with closing(SqliteSearch(tmp_path_factory.mktemp("s") / "s.db", joined, 1, WEIGHTS)) as index:
        answers_alike(index, texts, asked)


@settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@alike
def test_the_index_in_postgresql_answers_like_its_twin_with_the_same_scores(
    texts: list[tuple[str, str]], asked: list[str], emptied_postgres: str
) -> None:
    with closing(PostgresSearch(emptied_postgres, joined, 1, WEIGHTS)) as index:
        answers_alike(index, texts, asked)
