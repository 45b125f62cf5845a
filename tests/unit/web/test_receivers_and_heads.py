"""Receivers of notices inside the dashboard, and requests for the head alone."""

import http.client
import json
from pathlib import Path

import pytest
from tests.unit.web.conftest import NOW, TOKEN, asking, make_small

from recrawl.config import starting_text
from recrawl.folder.folder import Folder
from recrawl.messages.push import pushing
from recrawl.web.guard import refusal
from recrawl.web.serving import beside
from recrawl.web.settings import WebSettings

OPEN = WebSettings(bind="0.0.0.0", token=TOKEN)


def _head(base: str, path: str) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection(base.split("/")[2], timeout=60)
    connection.request("HEAD", path)
    answer = connection.getresponse()
    found = answer.status, {name.lower(): value for name, value in answer.getheaders()}, answer.read()
    connection.close()
    return found


def test_every_page_that_can_be_got_has_a_head(tmp_path: Path) -> None:
    small = make_small(tmp_path / "folder")
    with beside(small.folder, WebSettings(port=0, log=False), lambda: NOW) as base:
        ask = asking(base)
        for path in ("/", "/sites", f"/pages/{small.ferry.id}", "/api/pages", "/changes.atom", "/health", "/nowhere"):
            status, headers, body = _head(base, path)
            whole = ask(path)
            assert (status, body) == (whole.status, b""), path
            assert headers["content-type"] == whole.headers["content-type"]
            assert headers.get("etag") == whole.headers.get("etag")
        assert _head(base, "/live")[0] == 200  # a stream without an end has an end for who wants its head
        assert _head(base, "/indexnow?url=http://harbour.example/x&key=0123456789")[0] == 405  # a notice is no question


def test_notices_come_in_by_their_own_keys_where_reading_needs_the_token(tmp_path: Path) -> None:
    small = make_small(tmp_path / "folder")
    with pushing(small.folder) as push:
        token = push.new_token("harbour")
    body = json.dumps({"urls": ["http://harbour.example/ferry", "http://elsewhere.example/x"]}).encode()
    with beside(small.folder, WebSettings(port=0, log=False), lambda: NOW) as base:
        ask = asking(base)
        assert ask("/webhook", body, authorization=f"Bearer {token}", host="told.example").status == 200
        assert ask("/webhook", body, authorization="Bearer guessed").status == 401
        assert ask("/webhook", body, authorization=f"Bearer {token}", origin="http://evil.example").status == 403
        assert ask("/websub/unknown", b"<feed/>").status == 410
        assert ask("/indexnow?url=http://elsewhere.example/&key=0123456789").status == 422
    with pushing(small.folder) as push:
        [notice] = push.hearing.store.notices(limit=10)
        assert (notice.url, notice.source.value) == ("http://harbour.example/ferry", "webhook")
        assert push.robot.book().counts["webhook: no valid token"] == 1


def test_a_body_that_is_too_large_is_refused_before_it_is_read(tmp_path: Path) -> None:
    folder = Folder(tmp_path)
    folder.create(starting_text("") + "\n[receive]\nbody_bytes = 1000\n")
    with beside(folder, WebSettings(port=0, log=False)) as base:
        ask = asking(base)
        assert ask("/webhook", b"x" * 1001, authorization="Bearer x").status == 413
        assert ask("/webhook", b"x" * 1000, authorization="Bearer x").status == 401


def test_receivers_can_be_left_out(tmp_path: Path) -> None:
    small = make_small(tmp_path / "folder")
    with beside(small.folder, WebSettings(port=0, log=False, receive=False), lambda: NOW) as base:
        assert asking(base)("/webhook", b"{}").status == 404


@pytest.mark.parametrize("path", ["/indexnow", "/webhook", "/webhook/a/b", "/websub/x"])
def test_the_token_of_the_dashboard_and_its_names_do_not_stand_before_receivers(path: str) -> None:
    assert refusal("POST", path, {"host": "told.example"}, OPEN) is None
    assert refusal("POST", f"/api{path}", {"host": "10.0.0.1"}, OPEN) is not None
    closed = WebSettings(bind="0.0.0.0", token=TOKEN, receive=False)
    assert refusal("POST", path, {"host": "10.0.0.1"}, closed) is not None
