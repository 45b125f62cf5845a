"""Whatever a server does becomes a reply, within the limits."""

from dataclasses import replace

import pytest
from tests.unit.fetch.fetching import LOOPS, SMALL, a_fetcher, get, run
from tests.unit.fetch.rough_server import PAGE, SQUEEZE, rough_server

from recrawl.fetch.decode import FREE_BYTES
from recrawl.model.failure import Failure
from recrawl.model.visit import Evidence, Limits

FAILURES = {
    "/silence": Failure.FIRST_BYTE_TIMEOUT,
    "/silent-body": Failure.TOO_SLOW,
    "/slow-body": Failure.TOO_SLOW,
    "/slow-head": Failure.TOO_SLOW,
    "/steady-body": Failure.TOTAL_TIMEOUT,
    "/reset-at-once": Failure.RESET,
    "/reset-in-body": Failure.RESET,
    "/reset-without-length": Failure.RESET,
    "/goodbye": Failure.RESET,
    "/short-body": Failure.TRUNCATED,
    "/cut-chunks": Failure.TRUNCATED,
    "/broken-chunks": Failure.PROTOCOL,
    "/endless-chunks": Failure.BODY_TOO_LARGE,
    "/endless-body": Failure.BODY_TOO_LARGE,
    "/announced-giant": Failure.BODY_TOO_LARGE,
    "/endless-headers": Failure.HEADERS_TOO_LARGE,
    "/endless-header-line": Failure.HEADERS_TOO_LARGE,
    "/many-headers": Failure.HEADERS_TOO_LARGE,
    "/huge-header": Failure.HEADERS_TOO_LARGE,
    "/interim-flood": Failure.HEADERS_TOO_LARGE,
    "/switching": Failure.PROTOCOL,
    "/old-http": Failure.PROTOCOL,
    "/bad-status-line": Failure.PROTOCOL,
    "/no-colon": Failure.PROTOCOL,
    "/nul-header": Failure.PROTOCOL,
    "/two-lengths": Failure.PROTOCOL,
    "/coded-transfer": Failure.UNDECODABLE,
    "/bare-status/304": Failure.UNASKED_304,
    "/said-coding/foo": Failure.UNDECODABLE,
    "/coded/gzip/br/gzip": Failure.BOMB,
    **{f"/bomb/{name}": Failure.BOMB for name in SQUEEZE},
    **{f"/said-coding/{name}": Failure.UNDECODABLE for name in SQUEEZE},
    **{f"/cut-coding/{name}": Failure.UNDECODABLE for name in SQUEEZE},
}

TIMES = {
    "/silence": replace(SMALL, first_byte_s=0.4),
    "/silent-body": replace(SMALL, slow_for_s=0.3),
    "/slow-body": replace(SMALL, slow_for_s=0.3),
    "/slow-head": replace(SMALL, slow_for_s=0.3),
    "/steady-body": replace(SMALL, total_s=1.2),
    "/switching": replace(SMALL, slow_for_s=0.3),
    "/bare-status/205": replace(SMALL, slow_for_s=0.3),
}

DOCUMENTS = [
    "/page",
    "/until-close",
    "/chunked",
    "/interim",
    "/folded",
    "/http10",
    "/cookie",
    "/said-coding/utf-8",
    "/coded/gzip/br",
    *(f"/coded/{name}" for name in SQUEEZE),
    "/once",
]

EVIDENCE = {
    "/status/200": Evidence.DOCUMENT,
    "/status/203": Evidence.DOCUMENT,
    "/status/204": Evidence.BROKEN,
    "/bare-status/205": Evidence.BROKEN,
    "/status/206": Evidence.BROKEN,
    "/status/301?Location:%20/x": Evidence.REDIRECT,
    "/status/302?Location:%20//other.example/": Evidence.REDIRECT,
    "/status/303?Location:%20/x": Evidence.REDIRECT,
    "/status/307?Location:%20/x": Evidence.REDIRECT,
    "/status/308?Location:%20/x": Evidence.REDIRECT,
    "/status/300?Location:%20/x": Evidence.REDIRECT,
    "/status/300": Evidence.BROKEN,
    "/status/301": Evidence.BROKEN,
    "/status/302?Location:": Evidence.BROKEN,
    "/status/305?Location:%20/x": Evidence.BROKEN,
    "/status/404": Evidence.MISSING,
    "/status/410": Evidence.MISSING,
    "/status/401": Evidence.REFUSED,
    "/status/403": Evidence.REFUSED,
    "/status/451": Evidence.REFUSED,
    "/status/429": Evidence.BUSY,
    "/status/503": Evidence.BUSY,
    "/status/500": Evidence.BROKEN,
    "/status/504": Evidence.BROKEN,
    "/status/999": Evidence.BROKEN,
    "/broken-error": Evidence.MISSING,
    "/giant-error": Evidence.MISSING,
}


@pytest.mark.parametrize("kept", [False, True], ids=["new", "kept"])
@pytest.mark.parametrize("loop", LOOPS)
@pytest.mark.parametrize(("target", "failure"), FAILURES.items())
def test_a_broken_answer_is_a_failure_with_its_name(target: str, failure: Failure, loop: str, kept: bool) -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            if kept:
                assert (await get(fetcher, server, "/page")).body == PAGE
            reply = await get(fetcher, server, target, limits=TIMES.get(target, SMALL))
            assert (reply.failure, reply.evidence) == (failure, Evidence.FAILED)
            assert reply.detail
            assert reply.body == reply.sent_body == b""
            after = await get(fetcher, server, "/page")
            assert after.body == PAGE  # and the fetcher goes on as if nothing had been

    run(story(), loop)


@pytest.mark.parametrize("loop", LOOPS)
def test_a_whole_answer_is_a_document_however_it_was_sent(loop: str) -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            for target in DOCUMENTS:
                reply = await get(fetcher, server, target)
                assert (reply.evidence, reply.failure, reply.status) == (Evidence.DOCUMENT, None, 200), target
                assert reply.body == PAGE, target

    run(story(), loop)


def test_a_status_proves_what_the_table_says() -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            for target, evidence in EVIDENCE.items():
                reply = await get(fetcher, server, target, limits=TIMES.get(target, SMALL))
                assert (reply.evidence, reply.failure) == (evidence, None), target

    run(story())


def test_bytes_beyond_the_announced_length_are_not_the_body() -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            assert (await get(fetcher, server, "/long-body")).body == b"only"
            assert (await get(fetcher, server, "/line-feeds")).body == b"hello"

    run(story())


def test_the_body_of_an_error_is_kept_when_it_is_small_and_whole() -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            assert (await get(fetcher, server, "/status/404")).body == b"about the error"
            broken = await get(fetcher, server, "/broken-error")
            assert broken.body == b"" and "missing" in broken.detail
            giant = await get(fetcher, server, "/giant-error", limits=Limits())
            assert giant.body == b"" and giant.received_bytes < 2 * FREE_BYTES

    run(story())


def test_what_came_over_the_wire_is_kept_as_it_came() -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            for name, squeeze in SQUEEZE.items():
                reply = await get(fetcher, server, f"/coded/{name}")
                assert reply.body == PAGE
                assert reply.sent_body == squeeze(PAGE)
                assert reply.raw_head.endswith(b"\r\n\r\n") and reply.raw_head.startswith(b"HTTP/1.1 200 OK\r\n")
                assert reply.received_bytes == len(reply.raw_head) + len(reply.sent_body)

    run(story())


def test_headers_come_in_order_lower_cased_unfolded_without_interim_answers_and_trailers() -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            folded = await get(fetcher, server, "/folded")
            length = ("content-length", str(len(PAGE)))
            assert folded.headers == (("x-folded", "one two"), ("x-space", "three"), length)
            early = await get(fetcher, server, "/interim")
            assert [name for name, _ in early.headers] == ["content-type", "etag", "content-length"]
            assert early.raw_head.startswith(b"HTTP/1.1 200 OK\r\n")
            chunked = await get(fetcher, server, "/chunked")
            assert chunked.headers == (("transfer-encoding", "chunked"),)

    run(story())


def test_limits_are_those_of_the_ask_even_on_a_kept_connection() -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            tight = Limits(body_bytes=10)
            outcomes = []
            for limits in (SMALL, tight, SMALL, Limits(header_count=1), SMALL, Limits(header_bytes=20), SMALL):
                outcomes.append((await get(fetcher, server, "/page", limits=limits)).failure)
            headers, body = Failure.HEADERS_TOO_LARGE, Failure.BODY_TOO_LARGE
            assert outcomes == [None, body, None, headers, None, headers, None]

    run(story())


def test_a_body_of_exactly_the_limit_is_read() -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            assert (await get(fetcher, server, "/page", limits=Limits(body_bytes=len(PAGE)))).body == PAGE
            over = await get(fetcher, server, "/chunked", limits=Limits(body_bytes=len(PAGE) - 1))
            assert over.failure is Failure.BODY_TOO_LARGE

    run(story())


def test_times_grow_from_phase_to_phase_and_vanish_on_a_kept_connection() -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            first, second = [(await get(fetcher, server, "/page")).times for _ in range(2)]
            assert 0 < first.connect_s <= first.first_byte_s <= first.total_s
            assert first.tls_s == 0 and first.resolve_s == 0
            assert second.connect_s == 0 < second.first_byte_s <= second.total_s

    run(story())
