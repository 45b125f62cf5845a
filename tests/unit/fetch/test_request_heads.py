"""What recrawl sends: who it is, what it accepts, what it compares; and nothing else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.unit.fetch.fetching import AGENT, SMALL, a_fetcher, get, run
from tests.unit.fetch.rough_server import rough_server

from recrawl.fetch.endpoint import locate
from recrawl.fetch.request import user_agent
from recrawl.model.failure import Failure
from recrawl.model.visit import Ask, Evidence

URL_TEXT = st.text(st.characters(min_codepoint=0x20, max_codepoint=0x2FF), max_size=40)


def test_the_user_agent_names_recrawl_and_its_operator() -> None:
    assert user_agent("1.2", "mailto:ops@example.org") == "recrawl/1.2 (+mailto:ops@example.org)"
    assert user_agent("1.2", "") == "recrawl/1.2"
    assert user_agent("1.2", "a\r\nCookie: x) (b") == "recrawl/1.2 (+aCookie: x b)"


def test_the_request_is_exactly_what_the_reply_says_it_was() -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            for target in ("/page", "/page?a=1&b=%20", "/page/a|b{}^`'\"<>", "/page/~!$&()*+,;=:@[]?/?[]{}|"):
                reply = await get(fetcher, server, target)
                assert reply.raw_request == server.last.head, target
            changed = await get(fetcher, server, "/page", etag='"v1"', headers=(("X-More", "1"),))
            assert changed.raw_request == server.last.head

    run(story())


@settings(max_examples=40, deadline=None)
@given(st.lists(URL_TEXT, min_size=3, max_size=3))
def test_any_address_that_can_be_asked_is_asked_as_browsers_would(parts: list[str]) -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            url = server.url(f"/page/{parts[0]}?{parts[1]}#{parts[2]}")
            located = locate(url)
            assert located is not None
            reply = await fetcher.fetch(Ask(url, own=server.own, limits=SMALL))
            assert reply.evidence is Evidence.DOCUMENT
            assert server.last.head.startswith(f"GET {located[1]} HTTP/1.1\r\n".encode())
            assert reply.raw_request == server.last.head

    run(story())


def test_the_standing_headers_are_these() -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            await get(fetcher, server, "/page")
            names = [line.split(":")[0] for line in server.last.head.decode().split("\r\n")[1:-2]]
            assert names == ["Host", "User-Agent", "Accept", "Accept-Encoding", "Accept-Language"]
            assert server.last.header("user-agent") == AGENT
            assert server.last.header("accept-encoding") == "gzip, deflate, br, zstd"
            assert server.last.header("host") == server.authority

    run(story())


@pytest.mark.parametrize("etag", ['"v1"', 'W/"v1"', "unquoted", '"\xe9"'])
def test_a_tag_goes_back_as_it_came_and_304_is_evidence(etag: str) -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            reply = await get(fetcher, server, "/conditional", etag=etag)
            assert server.last.header("if-none-match") == etag
            assert server.last.header("if-modified-since") == ""
            assert (reply.evidence, reply.status, reply.body) == (Evidence.NOT_MODIFIED, 304, b"")

    run(story())


def test_both_validators_go_out_together() -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            modified = "Sun, 06 Nov 1994 08:49:37 GMT"
            reply = await get(fetcher, server, "/conditional", etag='"v1"', last_modified=modified)
            assert server.last.header("if-none-match") == '"v1"'
            assert server.last.header("if-modified-since") == modified
            assert reply.evidence is Evidence.NOT_MODIFIED
            only = await get(fetcher, server, "/conditional", last_modified=modified)
            assert server.last.header("if-none-match") == ""
            assert only.evidence is Evidence.NOT_MODIFIED

    run(story())


def test_a_condition_is_forgotten_by_the_next_ask_on_the_same_connection() -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            await get(fetcher, server, "/conditional", etag='"v1"')
            reply = await get(fetcher, server, "/conditional")
            assert server.last.header("if-none-match") == ""
            assert reply.evidence is Evidence.DOCUMENT
            assert server.connections == 1

    run(story())


@pytest.mark.parametrize("etag", ["*", '"a\r\nX-Evil: 1"', "a, b", '"\u20ac"'])
def test_an_unsafe_tag_is_not_sent_and_a_304_is_then_unasked(etag: str) -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            reply = await get(fetcher, server, "/bare-status/304", etag=etag)
            assert b"If-None-Match" not in server.last.head and b"X-Evil" not in server.last.head
            assert reply.failure is Failure.UNASKED_304

    run(story())


def test_no_cookie_no_credential_and_no_referrer_ever_leaves() -> None:
    secrets = (
        ("Cookie", "a=1"),
        ("Authorization", "Basic eDp5"),
        ("Proxy-Authorization", "Basic eDp5"),
        ("Referer", "http://inside.example/"),
        ("Host", "other.example"),
        ("X-Split", "a\r\nCookie: b=2"),
        ("X Bad", "1"),
    )

    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            await get(fetcher, server, "/cookie")
            await get(fetcher, server, "/cookie", headers=(*secrets, ("Accept-Language", "ko")))
            head = server.last.head.lower()
            for word in (b"cookie:", b"authorization", b"referer", b"x-split", b"x bad", b"other.example"):
                assert word not in head
            assert head.count(b"accept-language:") == 1
            assert server.last.header("accept-language") == "ko"

    run(story())


@pytest.mark.parametrize(
    "url",
    [
        "",
        "example.org",
        "/path",
        "ftp://example.org/",
        "file:///etc/passwd",
        "gopher://127.0.0.1/",
        "javascript:alert(1)",
        "http://",
        "http://user@example.org/",
        "http://user:pass@example.org/",
        "http://exa mple.org/",
        "http://example.org:99999/",
        "http://[::1/",
        "http://example.org:0/",
        "http://a\x00b/",
        "http://\ud800/",
    ],
)
def test_what_cannot_be_asked_is_a_bad_address(url: str) -> None:
    async def story() -> None:
        async with a_fetcher() as fetcher:
            reply = await fetcher.fetch(Ask(url, limits=SMALL))
            assert (reply.evidence, reply.failure) == (Evidence.FAILED, Failure.BAD_ADDRESS)
            assert reply.raw_request == b""

    run(story())


def test_the_environment_has_no_say(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "HTTP_PROXY", "https_proxy", "ALL_PROXY", "all_proxy"):
        monkeypatch.setenv(name, "http://127.0.0.1:9/")

    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            assert (await get(fetcher, server, "/page")).evidence is Evidence.DOCUMENT

    run(story())
