"""Archived documents are shown so that they can do nothing."""

import pytest
from tests.unit.web.conftest import Get, Small

from recrawl.web.replay import replayed


def test_a_replay_is_a_sandbox_without_scripts_or_loading(ask: Get, small: Small) -> None:
    answer = ask(f"/replay/{small.ferry.id}/2")
    policy = answer.headers["content-security-policy"]
    assert answer.status == 200 and b"<script>" in answer.body  # byte for byte what was seen
    assert policy.startswith("sandbox; default-src 'none'") and "allow-scripts" not in policy
    assert "script-src" not in policy and "img-src data:" in policy and "frame-ancestors 'self'" in policy


@pytest.mark.parametrize(
    "kept, answered",
    [
        ("text/html; charset=EUC-KR", "text/html; charset=EUC-KR"),
        ("TEXT/HTML", "text/html"),
        ("", "text/html"),
        ("text/plain", "text/plain"),
        ("text/javascript", "text/plain"),
        ("application/rss+xml; charset=utf-8", "text/plain; charset=utf-8"),
        ("image/svg+xml", "text/plain"),
        ("image/png", "image/png"),
        ("application/pdf", "application/octet-stream"),
        ('text/html; charset="utf-8\r\nx: y"', "text/html; charset=utf-8"),
        ("text/html; charset=<b>", "text/html"),
    ],
)
def test_only_harmless_kinds_are_shown_as_they_are(kept: str, answered: str) -> None:
    answer = replayed(b"body", kept)
    assert answer.headers["content-type"] == answered
    assert answer.headers["content-security-policy"].startswith("sandbox;")
    assert ("content-disposition" in answer.headers) == (answered == "application/octet-stream")
