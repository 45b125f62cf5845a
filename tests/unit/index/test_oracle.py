"""Two-character words of a bundled Korean and Japanese corpus, judged by plain substring search."""

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

import pytest

from recrawl.index.query import parse
from recrawl.index.weights import WEIGHTS
from recrawl.index.words import joined
from recrawl.lab.prose import SENTENCES
from recrawl.model.search import Entry, Step
from recrawl.store.search.sqlite import SqliteSearch

HERE = Path(__file__).parent / "corpus"
RUN = {"ko": re.compile(r"[가-힣]{2,}"), "ja": re.compile(r"[ぁ-ゖァ-ヺー々一-鿿]{2,}")}
DOCUMENTS = 400


def sentences(language: str) -> list[str]:
    written = (HERE / f"{language}.txt").read_text("utf-8").splitlines()
    return [*written, *(one.replace("{n}", "7") for one in SENTENCES[language])]


def documents(language: str) -> list[str]:
    chance, every = Random(language), sentences(language)
    return [" ".join(chance.sample(every, 6)) for _ in range(DOCUMENTS)]


def frequent_words(texts: list[str], language: str) -> list[str]:
    counts = Counter(
        run[at : at + 2] for text in texts for run in RUN[language].findall(text) for at in range(len(run) - 1)
    )
    return [word for word, _ in counts.most_common(200)]


@pytest.fixture(params=["ko", "ja"])
def filled(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[str, list[str], SqliteSearch]]:
    texts = documents(request.param)
    index = SqliteSearch(tmp_path / "search.db", joined, 1, WEIGHTS)
    entries = tuple(Entry(page, 1.0, f"http://x/{page}", text=text) for page, text in enumerate(texts))
    assert index.apply(Step(0, 1, put=entries))
    yield request.param, texts, index
    index.close()


def found(index: SqliteSearch, word: str) -> set[int]:
    return {hit.entry.page for hit in index.find(parse(word, 0.0), limit=DOCUMENTS).hits}


def test_the_200_most_frequent_words_of_two_characters_are_found_wherever_they_stand_and_nowhere_else(
    filled: tuple[str, list[str], SqliteSearch],
) -> None:
    language, texts, index = filled
    words = frequent_words(texts, language)
    assert len(words) == 200
    hits = misses = wrong = 0
    for word in words:
        oracle = {page for page, text in enumerate(texts) if word in text}
        answer = found(index, word)
        hits, misses, wrong = hits + len(answer & oracle), misses + len(oracle - answer), wrong + len(answer - oracle)
    print(f"{language}: recall {hits / (hits + misses):.4f}, precision {hits / (hits + wrong):.4f} over {hits} hits")
    assert misses == 0
    assert hits / (hits + wrong) >= 0.99


def test_single_characters_and_longer_words_are_found_as_exactly(
    filled: tuple[str, list[str], SqliteSearch],
) -> None:
    language, texts, index = filled
    runs = sorted({run for text in texts for run in RUN[language].findall(text)})
    chance = Random(1)
    words = {run[0] for run in runs} | {run[-1] for run in runs}
    for run in chance.sample(runs, 40):
        start = chance.randrange(len(run))
        words.add(run[start : start + chance.randint(3, 6)])
    for word in sorted(words):
        assert found(index, word) == {page for page, text in enumerate(texts) if word in text}, word
