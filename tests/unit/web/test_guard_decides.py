"""Who may ask what."""

import base64

import pytest

from recrawl.model.failure import UsageError
from recrawl.web.guard import refusal
from recrawl.web.settings import WebSettings

HERE = WebSettings()
TOKEN = "0123456789abcdef"
OUTSIDE = WebSettings(bind="192.0.2.7", token=TOKEN, names=("crawl.example",))
BASIC = "Basic " + base64.b64encode(f"me:{TOKEN}".encode()).decode()


@pytest.mark.parametrize("host", ["127.0.0.1:8800", "localhost:8800", "LOCALHOST", "[::1]:8800", "127.9.9.9"])
def test_loopback_names_are_answered(host: str) -> None:
    assert refusal("GET", "/", {"host": host}, HERE) is None


@pytest.mark.parametrize(
    "host",
    ["evil.example", "evil.example:8800", "", "127.0.0.1.evil.example", "localhost@evil.example", "192.0.2.7", "a b"],
)
def test_other_names_are_refused_so_that_rebinding_gains_nothing(host: str) -> None:
    found = refusal("GET", "/", {"host": host}, HERE)
    assert found is not None and found.status == 421


@pytest.mark.parametrize(
    "headers",
    [
        {"origin": "https://evil.example"},
        {"origin": "null"},
        {"sec-fetch-site": "cross-site"},
        {"sec-fetch-site": "same-site"},
        {"origin": "http://localhost:9999"},
    ],
)
def test_a_write_from_another_sites_page_is_refused(headers: dict[str, str]) -> None:
    found = refusal("POST", "/api/due", {"host": "localhost:8800", **headers}, HERE)
    assert found is not None and found.status == 403


def test_a_write_from_our_own_page_or_a_program_passes_the_gate() -> None:
    own = {"host": "localhost:8800", "origin": "http://localhost:8800", "sec-fetch-site": "same-origin"}
    assert refusal("POST", "/do/due", own, HERE) is None
    assert refusal("POST", "/api/due", {"host": "localhost:8800"}, HERE) is None


@pytest.mark.parametrize(
    "authorization", ["", "Bearer wrong", "Basic wrong", "Basic " + "=" * 5, f"Digest {TOKEN}", "Bearer"]
)
def test_outside_loopback_reading_needs_the_token(authorization: str) -> None:
    found = refusal("GET", "/", {"host": "192.0.2.7:8800", "authorization": authorization}, OUTSIDE)
    assert found is not None and found.status == 401


@pytest.mark.parametrize("authorization", [f"Bearer {TOKEN}", f"bearer {TOKEN}", BASIC])
def test_outside_loopback_the_token_opens(authorization: str) -> None:
    for host in ("192.0.2.7:8800", "crawl.example", "127.0.0.1"):
        assert refusal("GET", "/", {"host": host, "authorization": authorization}, OUTSIDE) is None


def test_outside_loopback_health_is_open_to_all_but_metrics_are_not() -> None:
    assert refusal("GET", "/health", {"host": "192.0.2.7"}, OUTSIDE) is None
    assert refusal("GET", "/metrics", {"host": "192.0.2.7"}, OUTSIDE) is not None


@pytest.mark.parametrize("bind, token", [("0.0.0.0", ""), ("::", ""), ("192.0.2.7", "short"), ("example.org", "")])
def test_binding_elsewhere_without_a_good_token_is_refused(bind: str, token: str) -> None:
    with pytest.raises(UsageError, match="--token"):
        WebSettings(bind=bind, token=token).check()


@pytest.mark.parametrize("bind", ["127.0.0.1", "::1", "localhost", "127.1.2.3"])
def test_loopback_needs_no_token(bind: str) -> None:
    WebSettings(bind=bind).check()


def test_a_token_that_cannot_travel_in_a_header_is_refused() -> None:
    with pytest.raises(UsageError, match="ASCII"):
        WebSettings(token="schlüssel").check()
