"""The laws of the `Fetcher` port, over every implementation: libcurl against a loopback server, and the twin."""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from functools import partial

import pytest
from tests.unit.fetch.fetching import AGENT, NOW, SMALL, promptly, run
from tests.unit.fetch.rough_server import PAGE, SQUEEZE, rough_server

from recrawl.engine.asking.convoy import prompt
from recrawl.fetch.client import CurlFetcher, FetchSettings
from recrawl.fetch.memory import Canned, MemoryFetcher
from recrawl.model.failure import Failure
from recrawl.model.visit import Ask, Evidence, Reply
from recrawl.ports import Fetcher

Place = tuple[Fetcher, str, tuple[str, ...]]  # a fetcher, the origin it can reach, what it owns there
HTML = ("content-type", "text/html")
VALIDATED = (HTML, ("etag", '"v1"'))


class Promptly(CurlFetcher):
    """Begins and hears, as lanes that go on together do."""

    async def fetch(self, ask: Ask) -> Reply:
        return await (promptly(self, ask) if self.ready(ask) is not None else super().fetch(ask))


@contextlib.asynccontextmanager
async def over_libcurl(kind: type[CurlFetcher] = CurlFetcher) -> AsyncIterator[Place]:
    fetcher = kind(FetchSettings(AGENT), lambda: NOW)
    async with rough_server() as server:
        try:
            yield fetcher, server.url(""), server.own
        finally:
            await fetcher.close()


@contextlib.asynccontextmanager
async def from_memory() -> AsyncIterator[Place]:
    origin = "http://127.0.0.1:8800"
    answers = {
        "/page": Canned(PAGE, headers=VALIDATED),
        "/conditional": Canned(PAGE, headers=VALIDATED),
        "/status/404": Canned(b"about the error", 404),
        "/status/503": Canned(b"", 503),
        "/status/301?Location:%20/x": Canned(b"", 301, (("location", "/x"),)),
        "/bare-status/304": Canned(b"", 304),
        "/reset-at-once": Canned(failure=Failure.RESET),
        "/endless-body": Canned(b"x" * (SMALL.body_bytes + 1)),
        "/bomb/gzip": Canned(SQUEEZE["gzip"](bytes(8 << 20)), headers=(("content-encoding", "gzip"),)),
        "/cut-coding/gzip": Canned(SQUEEZE["gzip"](PAGE)[:-5], headers=(("content-encoding", "gzip"),)),
        "/coded/br": Canned(SQUEEZE["br"](PAGE), headers=(("content-encoding", "br"),)),
    }
    yield MemoryFetcher({origin + target: canned for target, canned in answers.items()}, lambda: NOW), origin, ()


@contextlib.asynccontextmanager
async def begun_in_tasks() -> AsyncIterator[Place]:
    async with from_memory() as (fetcher, origin, own):
        prompt_one = prompt(fetcher)
        prompt_one.fetch = partial(promptly, prompt(fetcher))  # type: ignore[method-assign]
        yield prompt_one, origin, own


Opening = Callable[[], AbstractAsyncContextManager[Place]]


WAYS = {
    "libcurl": over_libcurl,
    "libcurl, begun": partial(over_libcurl, Promptly),
    "memory": from_memory,
    "memory, begun": begun_in_tasks,
}


@pytest.fixture(params=WAYS.values(), ids=WAYS.keys())
def opening(request: pytest.FixtureRequest) -> Opening:
    return request.param  # type: ignore[no-any-return]


async def ask_for(place: Place, target: str, etag: str = "") -> Reply:
    fetcher, origin, own = place
    return await fetcher.fetch(Ask(origin + target, etag=etag, own=own, limits=SMALL))


def replies(opening: Opening, *targets: str, etag: str = "") -> list[Reply]:
    got: list[Reply] = []

    async def story() -> None:
        async with opening() as place:
            got.extend([await ask_for(place, target, etag) for target in targets])

    run(story())
    return got


def test_it_is_a_fetcher(opening: Opening) -> None:
    async def story() -> None:
        async with opening() as (fetcher, _, _):
            assert isinstance(fetcher, Fetcher)

    run(story())


def test_a_document_comes_whole_with_its_head_and_its_request(opening: Opening) -> None:
    (reply,) = replies(opening, "/page")
    assert (reply.evidence, reply.status, reply.failure, reply.at) == (Evidence.DOCUMENT, 200, None, NOW)
    assert reply.body == reply.sent_body == PAGE
    assert reply.headers[:2] == VALIDATED
    assert reply.header("etag") == '"v1"'
    assert reply.raw_head.startswith(b"HTTP/1.1 200 OK\r\n") and reply.raw_head.endswith(b"\r\n\r\n")
    assert reply.raw_request.startswith(b"GET /page HTTP/1.1\r\nHost: 127.0.0.1:")
    assert reply.raw_request.endswith(b"\r\n\r\n")
    assert reply.peer == "127.0.0.1"
    assert reply.received_bytes == len(reply.raw_head) + len(PAGE)


def test_a_coded_body_is_kept_as_sent_and_decoded(opening: Opening) -> None:
    (reply,) = replies(opening, "/coded/br")
    assert (reply.sent_body, reply.body) == (SQUEEZE["br"](PAGE), PAGE)


def test_an_unchanged_page_is_not_modified_only_to_an_ask_with_a_condition(opening: Opening) -> None:
    (changed,) = replies(opening, "/conditional")
    (same,) = replies(opening, "/conditional", etag='"v1"')
    (unasked,) = replies(opening, "/bare-status/304")
    assert changed.evidence is Evidence.DOCUMENT
    assert (same.evidence, same.status, same.body) == (Evidence.NOT_MODIFIED, 304, b"")
    assert b'If-None-Match: "v1"\r\n' in same.raw_request
    assert (unasked.evidence, unasked.failure) == (Evidence.FAILED, Failure.UNASKED_304)


def test_a_redirect_is_told_and_not_followed(opening: Opening) -> None:
    (reply,) = replies(opening, "/status/301?Location:%20/x")
    assert (reply.evidence, reply.status, reply.header("location")) == (Evidence.REDIRECT, 301, "/x")


def test_errors_are_evidence_and_keep_their_small_body(opening: Opening) -> None:
    missing, busy = replies(opening, "/status/404", "/status/503")
    assert (missing.evidence, missing.body) == (Evidence.MISSING, b"about the error")
    assert busy.evidence is Evidence.BUSY


def test_no_answer_raises_and_no_broken_one_has_a_body(opening: Opening) -> None:
    wanted = {
        "/reset-at-once": Failure.RESET,
        "/endless-body": Failure.BODY_TOO_LARGE,
        "/bomb/gzip": Failure.BOMB,
        "/cut-coding/gzip": Failure.UNDECODABLE,
    }
    for reply, failure in zip(replies(opening, *wanted), wanted.values(), strict=True):
        assert (reply.evidence, reply.failure) == (Evidence.FAILED, failure)
        assert reply.body == reply.sent_body == b""
        assert reply.detail


def test_what_is_no_address_is_a_failure_too(opening: Opening) -> None:
    async def story() -> None:
        async with opening() as (fetcher, _, _):
            for url in ("", "ftp://example.org/", "http://user:secret@127.0.0.1/"):
                reply = await fetcher.fetch(Ask(url))
                assert (reply.evidence, reply.failure) == (Evidence.FAILED, Failure.BAD_ADDRESS)

    run(story())


def test_no_secret_is_ever_sent(opening: Opening) -> None:
    async def story() -> None:
        async with opening() as (fetcher, origin, own):
            ask = Ask(origin + "/page", own=own, headers=(("Cookie", "a=1"), ("Authorization", "x"), ("X-Fine", "1")))
            sent = (await fetcher.fetch(ask)).raw_request
            assert b"X-Fine: 1\r\n" in sent and b"Cookie" not in sent and b"Authorization" not in sent

    run(story())


def test_asks_may_overlap_and_each_gets_its_own_reply(opening: Opening) -> None:
    async def story() -> None:
        async with opening() as place:
            targets = ["/page", "/status/404", "/coded/br", "/status/503"] * 5
            got = await asyncio.gather(*(ask_for(place, target) for target in targets))
            assert [reply.ask.url.partition(place[1])[2] for reply in got] == targets
            assert [reply.status for reply in got] == [200, 404, 200, 503] * 5

    run(story())


def test_the_same_ask_twice_gives_the_same_answer(opening: Opening) -> None:
    first, second = replies(opening, "/page", "/page")
    assert replace(first, times=second.times) == second
