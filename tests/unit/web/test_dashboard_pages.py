"""Every page of the dashboard over a real socket: right numbers, text stays text, nothing from elsewhere."""

import re

import pytest
from tests.unit.web.conftest import HOSTILE, Get, Small

from recrawl.model.page import Page

VIEWS = ("/", "/sites", "/sites/harbour", "/sites/harbour/pages", "/changes", "/week", "/figures", "/plan", "/errors")


def views_of(page: Page) -> list[str]:
    of_page = ["", "/difference/1/2", "/version/2", "/records"]
    return [*VIEWS, "/records", "/search?q=ferry", *(f"/page/{page.id}{end}" for end in of_page)]


def value(text: str, name: str) -> str:
    found = re.search(rf'id="{name}"[^>]*>([^<]*)<', text)
    assert found, name
    return found.group(1)


def test_the_overview_counts_what_the_store_holds(ask: Get) -> None:
    text = ask("/").text
    assert value(text, "pages") == "2"
    assert value(text, "requests") == "3"  # visits of the last 24 hours
    assert value(text, "changes") == "0"
    assert value(text, "failed") == "1"
    assert value(text, "due") == "1"
    assert value(text, "budget") == "3.0%"


def test_every_view_answers_with_the_strict_headers(ask: Get, small: Small) -> None:
    for path in views_of(small.ferry):
        answer = ask(path)
        assert answer.status == 200, path
        policy = answer.headers["content-security-policy"]
        assert "default-src 'none'" in policy and "unsafe" not in policy, path
        assert "frame-ancestors 'none'" in policy, path
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "same-origin"
        assert "set-cookie" not in answer.headers


def test_a_page_titled_script_stays_text_everywhere(ask: Get, small: Small) -> None:
    seen = 0
    for path in [*views_of(small.ferry), "/feed.atom", "/search?q=%3Cscript%3E"]:
        text = ask(path).text
        assert "<script>alert" not in text, path
        seen += HOSTILE.replace("<", "&lt;").replace(">", "&gt;") in text
    assert seen >= 3  # the page itself, its version, the search result


def test_no_view_carries_inline_script_style_or_foreign_addresses(ask: Get, small: Small) -> None:
    for path in views_of(small.ferry):
        text = ask(path).text
        assert not re.search(r"<script(?![^>]*src=\"/static/)", text), path
        assert not re.search(r"<[^>]+\s(style|on[a-z]+)=", text), path
        loaded = re.findall(r"<(?:script|img|link|iframe)[^>]*(?:src|href)=\"([^\"]*)\"", text)
        assert all(address.startswith("/") and not address.startswith("//") for address in loaded), path


def test_the_site_view_tells_load_gaps_robots_and_notices(ask: Get) -> None:
    text = ask("/sites/harbour").text
    assert "The harbour" in text and "overloaded" in text and "0.2/s" in text
    assert "Allow: /" in text and "Nobody has announced" in text


def test_the_page_view_says_when_it_is_due_and_why(ask: Get, small: Small) -> None:
    text = ask(f"/page/{small.ferry.id}").text
    assert "in 1h" in text and "times a day" in text and "of its price; at 1 it is due" in text
    assert value(text, "visits") == "4" and value(text, "page-changes") == "1"


def test_the_difference_marks_what_went_and_what_came(ask: Get, small: Small) -> None:
    text = ask(f"/page/{small.ferry.id}/difference/1/2").text
    assert "<del>nine.</del>" in text and "<ins>ten.</ins>" in text and "No service in fog." in text


def test_a_change_in_the_feed_leads_to_its_difference(ask: Get, small: Small) -> None:
    [link] = re.findall(r'href="(/page/[^"]*/change/\d+)"', ask("/changes").text)
    answer = ask(link)
    assert (answer.status, answer.headers["location"]) == (303, f"/page/{small.ferry.id}/difference/1/2")
    for cursor in (1, 999):  # the first version, and an event that is not there
        assert ask(f"/page/{small.ferry.id}/change/{cursor}").headers["location"] == f"/page/{small.ferry.id}"


def test_an_address_leads_to_its_page_however_it_is_spelled(ask: Get, small: Small) -> None:
    answer = ask("/page?url=HTTP%3A%2F%2FHarbour.example%3A80%2Fferry")
    assert (answer.status, answer.headers["location"]) == (303, f"/page/{small.ferry.id}")


@pytest.mark.parametrize(
    "words, title", [("ferry", "alert(1)"), ("%EB%B6%80%EC%82%B0", "부산"), ("%E6%9D%B1%E4%BA%AC", "섬")]
)
def test_search_finds_words_of_two_characters(ask: Get, words: str, title: str) -> None:
    text = ask(f"/search?q={words}").text
    assert value(text, "total") == "1" and title in text and "<mark>" in text


def test_search_as_of_an_earlier_day_finds_what_was_said_then(ask: Get) -> None:
    now, then = ask("/search?q=nine").text, ask("/search?q=nine&as_of=2026-02-03").text
    assert (value(now, "total"), value(then, "total")) == ("0", "1")


def test_a_question_that_cannot_be_is_answered_with_a_sentence(ask: Get) -> None:
    answer = ask("/search?q=since%3Awhenever")
    assert answer.status == 200 and 'role="alert"' in answer.text


def test_browsing_shows_categories_as_a_tree_with_counts(ask: Get) -> None:
    ask("/search?q=ferry")  # the index takes up what there is
    text = ask("/search").text
    assert re.search(r"category=boats\"[^>]*>boats</a>.*category=boats/ferries\"[^>]*>ferries</a>", text, re.DOTALL)


def test_records_are_a_table_and_a_price_has_its_history(ask: Get, small: Small) -> None:
    text = ask("/records?kind=Crossing").text
    assert "<td>6.0</td>" in text and "Crossing" in text
    history = ask(f"/page/{small.ferry.id}/records").text
    assert "From 4.5 to 6." in history and 'aria-label="price over time"' in history


def test_errors_are_grouped_by_cause(ask: Get) -> None:
    text = ask("/errors").text
    assert "404 on consecutive visits" in text and "harbour.example" in text


@pytest.mark.parametrize("path", ["/nothing", "/page/1", "/page/99999999999999999999", "/sites/nobody", "/page/x"])
def test_what_is_not_there_is_said_so_on_a_page_of_its_own(ask: Get, path: str) -> None:
    answer = ask(path)
    assert answer.status in (404, 422) and "<h1>" in answer.text


def test_the_feed_of_changes_can_be_filtered(ask: Get) -> None:
    text = ask("/changes?kind=removed").text
    assert "harbour.example/<wbr>old" in text and "island.example" not in text
    assert "island.example" in ask("/changes?site=island").text
