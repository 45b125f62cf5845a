"""Crawl, then find: three languages, changed words, what is gone, what was."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.flow.conftest import Ran
from tests.flow.pages import Pages, serving

Run = Callable[..., Ran]

EVIL = "&lt;script&gt;alert(1)&lt;/script&gt; lighthouse"


@pytest.fixture
def town() -> Iterator[Pages]:
    pages = Pages()
    pages.write("/ko", "부산 항구의 아침", "<h1>항구</h1><p>오늘 부산 시장에서 생선을 팔았다.</p>", language="ko")
    pages.write("/ja", "京都の朝市", "<p>図書館は朝から開いている。京都の市場は近い。</p>", language="ja")
    pages.write("/en", "Harbour notes", "<h2>Fog</h2><p>The ferry was late because of the fog.</p>")
    pages.write("/evil", EVIL, f"<p>{EVIL} &lt;b&gt;bold&lt;/b&gt;</p>")
    pages.write("/hidden", "Hidden ferry", "<p>ferry</p>", '<meta name="robots" content="noindex">')
    pages.link()
    with serving(pages):
        yield pages


@pytest.fixture
def crawl(town: Pages, recrawl: Run) -> Callable[[], None]:
    recrawl("add", town.url, "--own", "--folder", "D")

    def again() -> None:
        recrawl("run", "D", "--once", "--all")

    again()
    return again


def paths(ran: Ran) -> list[str]:
    return [str(line["url"]).partition("/")[2].partition("/")[2].partition("/")[2] for line in ran.lines]


def test_words_of_three_languages_are_found_with_the_hit_marked(crawl: Callable[[], None], recrawl: Run) -> None:
    for asked, path, hit in (("시장", "ko", "시장"), ("図書", "ja", "図書"), ("FERRY", "en", "ferry")):
        [line] = recrawl("search", asked, "-C", "D", "--json").lines
        assert str(line["url"]).endswith("/" + path)
        assert [line["snippet"][start:end] for start, end in line["snippet_marks"]] == [hit]
        assert line["checked_at"] and line["changed_at"] and line["site"]
    assert paths(recrawl("search", "title:harbour lang:en", "-C", "D", "--json")) == ["en"]
    assert sorted(paths(recrawl("search", "headings:항구 OR headings:fog", "-C", "D", "--json"))) == ["en", "ko"]
    assert recrawl("search", "nowhere", "-C", "D").out == "nothing found\n"


def test_markup_in_titles_and_texts_stays_text(crawl: Callable[[], None], recrawl: Run) -> None:
    [line] = recrawl("search", "lighthouse", "-C", "D", "--json").lines
    assert line["title"] == "<script>alert(1)</script> lighthouse"
    assert "<b>bold</b>" in line["snippet"]


def test_a_changed_word_is_found_at_once_and_a_deleted_page_is_not(
    town: Pages, crawl: Callable[[], None], recrawl: Run
) -> None:
    before = datetime.now(UTC).isoformat()
    town.write("/en", "Harbour notes", "<p>The sloop was early because of the wind, and everybody cheered.</p>")
    del town.html["/ja"]
    crawl()
    assert paths(recrawl("search", "sloop", "-C", "D", "--json")) == ["en"]
    assert paths(recrawl("search", "ferry", "-C", "D", "--json")) == []
    crawl()  # the second 404 proves it gone
    assert paths(recrawl("search", "京都", "-C", "D", "--json")) == []
    assert paths(recrawl("search", "ferry", "-C", "D", "--as-of", before, "--json")) == ["en"]
    assert paths(recrawl("search", "京都", "-C", "D", "--as-of", before, "--json")) == ["ja"]
    assert paths(recrawl("search", "sloop", "-C", "D", "--as-of", before, "--json")) == []


def test_the_index_may_be_thrown_away(crawl: Callable[[], None], recrawl: Run, tmp_path: Path) -> None:
    first = recrawl("search", "ferry", "-C", "D", "--json").lines
    for file in (tmp_path / "D").glob("search.db*"):
        file.unlink()
    assert recrawl("search", "ferry", "-C", "D", "--json").lines == first


def test_a_wrong_filter_is_an_error_with_its_place(crawl: Callable[[], None], recrawl: Run) -> None:
    assert "kind:book is no kind of page" in recrawl("search", "x kind:book", "-C", "D", expect=2).err
