"""What can be done from the browser, by whom, and what it does."""

import json
from contextlib import closing
from urllib.parse import urlencode

import pytest
from tests.unit.web.conftest import NOW, TOKEN, Answer, Get, Small

from recrawl.config import Settings
from recrawl.folder.opening import open_store

BEARER = {"Authorization": f"Bearer {TOKEN}"}


def post(ask: Get, path: str, body: object, **headers: str) -> Answer:
    return ask(path, json.dumps(body).encode(), Content_Type="application/json", **headers)


def form(ask: Get, path: str, **fields: str) -> Answer:
    return ask(path, urlencode(fields).encode(), Content_Type="application/x-www-form-urlencoded")


def due_at(small: Small, page: int) -> float | None:
    with closing(open_store(small.folder, Settings())) as store:
        return store.pages([page])[0].due_at


def test_without_a_token_everything_is_read_only(ask: Get, small: Small) -> None:
    assert post(ask, "/api/due", {"site": "harbour"}, **BEARER).status == 403
    assert form(ask, "/do/due", site="harbour", token="").status == 403
    assert '<form class="act"' not in ask("/sites/harbour").text


def test_a_wrong_or_missing_token_writes_nothing(writable: tuple[Small, Get]) -> None:
    small, ask = writable
    before = due_at(small, small.ferry.id)
    assert post(ask, "/api/due", {"site": "harbour"}).status == 401
    assert post(ask, "/api/due", {"site": "harbour"}, Authorization="Bearer wrong").status == 401
    assert form(ask, "/do/due", site="harbour", token="wrong").status == 403
    assert due_at(small, small.ferry.id) == before


def test_the_password_dialogue_does_not_suffice_for_a_write(writable: tuple[Small, Get]) -> None:
    _, ask = writable
    assert post(ask, "/api/due", {"site": "harbour"}, Authorization="Basic bWU6YSB0b2tlbg==").status == 401


def test_pages_of_a_site_become_due(writable: tuple[Small, Get]) -> None:
    small, ask = writable
    answer = post(ask, "/api/due", {"site": "harbour"}, **BEARER)
    assert answer.status == 200 and answer.json == {"pages": 1}
    assert due_at(small, small.ferry.id) == NOW


def test_a_slip_in_a_name_does_not_make_a_whole_site_due(writable: tuple[Small, Get]) -> None:
    small, ask = writable
    before = due_at(small, small.ferry.id)
    answer = post(ask, "/api/due", {"site": "harbour", "page": str(small.quiet.id)}, **BEARER)
    assert answer.status == 422 and "page" in answer.text
    assert due_at(small, small.ferry.id) == before


def test_one_page_becomes_due_by_a_form_without_javascript(writable: tuple[Small, Get]) -> None:
    small, ask = writable
    answer = form(ask, "/do/due", page=str(small.ferry.id), token=TOKEN)
    assert (answer.status, answer.headers["location"]) == (303, f"/page/{small.ferry.id}")
    assert due_at(small, small.ferry.id) == NOW


def test_a_site_is_added_and_cannot_own_private_addresses(writable: tuple[Small, Get]) -> None:
    small, ask = writable
    assert post(ask, "/api/sites", {"url": "Example.org/news", "own": ["127.0.0.1"]}, **BEARER).status == 422
    answer = post(ask, "/api/sites", {"url": "Example.org/news"}, **BEARER)
    assert answer.status == 201 and answer.json == {"name": "example.org", "paused": False}
    [site] = [one for one in small.folder.sites() if one.name == "example.org"]
    assert site.seeds == ("https://example.org/news",) and site.own == ()
    assert post(ask, "/api/sites", {"url": "https://example.org/"}, **BEARER).status == 400  # it is there already


@pytest.mark.parametrize(
    "wish",
    [{"url": "nonsense::"}, {"url": "javascript:alert(1)"}, {"url": "https://a.example", "name": "../../etc"}, {}],
)
def test_a_wish_that_cannot_be_is_refused(writable: tuple[Small, Get], wish: dict[str, str]) -> None:
    small, ask = writable
    assert post(ask, "/api/sites", wish, **BEARER).status in (400, 422)
    assert [site.name for site in small.folder.sites()] == ["harbour", "island"]


def test_a_site_is_paused_and_resumed(writable: tuple[Small, Get]) -> None:
    small, ask = writable
    assert post(ask, "/api/sites/harbour/pause", {}, **BEARER).json == {"name": "harbour", "paused": True}
    assert [site.paused for site in small.folder.sites()] == [True, False]
    assert form(ask, "/do/pause", site="harbour", paused="no", token=TOKEN).status == 303
    assert [site.paused for site in small.folder.sites()] == [False, False]
    assert post(ask, "/api/sites/nobody/pause", {}, **BEARER).status == 404


def test_a_form_too_large_or_unknown_is_refused(writable: tuple[Small, Get]) -> None:
    _, ask = writable
    assert form(ask, "/do/due", token="x" * 30_000).status == 413
    assert form(ask, "/do/everything", token=TOKEN).status == 404
    assert form(ask, "/do/due", token=TOKEN).status == 400


@pytest.mark.parametrize("url", ["nope", "mailto:me@example.org", "http://"])
def test_what_the_command_line_takes_for_no_address_is_none_here(writable: tuple[Small, Get], url: str) -> None:
    small, ask = writable
    before = sorted(small.folder.sites_folder.iterdir())
    told = post(ask, "/api/sites", {"url": url}, **BEARER)
    assert told.status == 400 and "not a web address" in told.text
    assert sorted(small.folder.sites_folder.iterdir()) == before
