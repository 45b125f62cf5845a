import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.detect.living_pages import PROSE, document_of, words

from recrawl.detect.soft404 import _PHRASES, _may_be, error_page, is_soft_404, leads_home
from recrawl.model.document import Block, Document

URL = "http://site.example/articles/17"
LONG = [Block(9, " ".join(PROSE))] * 8


@pytest.mark.parametrize(
    "title",
    [
        "404",
        "404 Not Found",
        "Error 404",
        "Page not found",
        "Page Not Found | The Keeper",
        "The Keeper - Page not found",
        "404: This page could not be found.",
        "Oops! The page you requested was not found",
        "Not Found",
        "Seite nicht gefunden – Leuchtturm",
        "Page introuvable",
        "Página no encontrada",
        "Страница не найдена",
        "페이지를 찾을 수 없습니다",
        "ページが見つかりません",
        "页面不存在",
    ],
)
def test_a_short_page_titled_not_found_is_a_soft_404(title: str) -> None:
    assert is_soft_404(document_of([Block(1, "Try the search."), Block(2, "Home")], title=title), URL)


@pytest.mark.parametrize("heading", ["Page not found", "We can’t find that page", "This page doesn't exist."])
def test_a_very_short_page_with_such_a_heading_is_a_soft_404(heading: str) -> None:
    assert is_soft_404(document_of([Block(1, heading), Block(2, "Back to home")], title="The Keeper"), URL)


@pytest.mark.parametrize(
    "title", ["HTTP 404 explained", "How to design a good 404 page", "Peugeot 404", "Lost and found", "Page found"]
)
def test_a_page_about_404_is_not_one(title: str) -> None:
    assert not is_soft_404(document_of([Block(1, "It was built in France."), Block(2, "Fine.")], title=title), URL)


def test_a_long_page_is_not_a_soft_404_whatever_it_says_first() -> None:
    assert not is_soft_404(document_of([Block(1, "Page not found"), *LONG], title="Page not found"), URL)


def test_the_home_page_is_never_a_soft_404() -> None:
    assert not is_soft_404(document_of([Block(1, "Not found")], title="404"), "http://site.example/")


LOST = document_of([Block(1, f"We looked everywhere in the tower for {words(1)} and the lamp room is empty too")])


def test_a_page_nearly_like_the_answer_to_an_impossible_address_is_a_soft_404() -> None:
    known = error_page(LOST, home=document_of(LONG))
    assert known is not None
    assert is_soft_404(LOST, URL, known)
    assert not is_soft_404(document_of([Block(1, PROSE[0]), Block(1, PROSE[1])]), URL, known)


def test_a_server_that_makes_up_a_page_for_every_address_has_no_soft_404() -> None:
    def made_up(name: str) -> Document:
        return document_of([Block(1, f"This is {name}. " + " ".join(PROSE))], title=name)

    known = error_page(made_up("page no-such-thing"), home=document_of(LONG))
    assert known is not None
    assert not is_soft_404(made_up("page seventeen"), URL, known)


def test_a_server_that_shows_its_home_page_for_everything_gives_no_fingerprint() -> None:
    assert error_page(LOST, home=LOST) is None


def test_an_error_page_of_few_words_gives_no_fingerprint() -> None:
    assert error_page(document_of([Block(1, "Nope")]), home=None) is None


def test_only_a_page_below_home_sent_to_home_of_the_same_server_leads_home() -> None:
    assert leads_home(URL, "http://www.site.example/")
    assert not leads_home(URL, "http://other.example/")
    assert not leads_home(URL, "http://site.example/articles/")
    assert not leads_home("http://site.example/index.html", "http://site.example/")


@given(st.from_regex(re.compile("|".join(_PHRASES), re.I), fullmatch=True))
def test_no_error_phrase_is_passed_over_at_a_glance(phrase: str) -> None:
    assert _may_be(phrase)
