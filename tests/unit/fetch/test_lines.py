"""Connections of our own: who may use them, when they are given up, and how much goes over them."""

import asyncio
import socket
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.unit.fetch.fetching import AGENT, LOOPS, NOW, SMALL, a_fetcher, get, run
from tests.unit.fetch.rough_server import PAGE, rough_server

from recrawl.fetch.ballast import PATIENCE_S
from recrawl.fetch.client import CurlFetcher, FetchSettings
from recrawl.fetch.ears import NOTHING, READ, WRITE, EpollEars, LoopEars
from recrawl.fetch.lines import OLD_S
from recrawl.model.failure import Failure
from recrawl.model.swift import replace
from recrawl.model.visit import Ask, Evidence, Limits, Reply

pytestmark = pytest.mark.usefixtures("both_ways")
MEGABYTE = 1 << 20


@pytest.mark.parametrize("loop", LOOPS)
def test_a_connection_is_ours_after_its_first_answer_however_that_was_sent(loop: str) -> None:
    async def story() -> None:
        for target in ("/page", "/chunked", "/status/404", "/bare-status/304", "/interim", "/coded/gzip"):
            async with rough_server() as server, a_fetcher() as fetcher:
                await get(fetcher, server, target)
                assert fetcher._lines is not None
                [line] = fetcher._lines.all
                assert (await get(fetcher, server, "/page")).body == PAGE
                assert (fetcher._lines.all, server.connections) == ([line], 1), target

    run(story(), loop)


def test_a_connection_that_cannot_be_told_to_go_on_is_not_kept() -> None:
    async def story() -> None:
        for target in ("/until-close", "/http10", "/short-body", "/goodbye", "/switching", "/bad-status-line"):
            async with rough_server() as server, a_fetcher() as fetcher:
                await get(fetcher, server, target, limits=replace(SMALL, slow_for_s=0.3))
                assert fetcher._lines is not None and not fetcher._lines.all, target

    run(story())


@pytest.mark.parametrize("loop", LOOPS)
def test_a_server_that_speaks_unasked_is_asked_over_another_connection(loop: str) -> None:
    async def story() -> None:
        said = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"
        async with a_server(said, b"HTTP/1.1 408 Late\r\n\r\n") as (url, met), a_fetcher() as fetcher:
            ask = Ask(url, own=("127.0.0.1",), limits=SMALL)
            for count in (1, 2, 3):
                reply = await fetcher.fetch(ask)
                assert (reply.status, reply.body, len(met)) == (200, b"ok", count)
                await asyncio.sleep(0.02)  # what it says unasked arrives

    run(story(), loop)


def test_a_connection_that_has_rested_for_long_is_not_used_again() -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            await get(fetcher, server, "/page")
            assert fetcher._lines is not None
            [line] = fetcher._lines.all
            line.rested_at -= OLD_S
            assert (await get(fetcher, server, "/page")).body == PAGE
            assert line.is_spent and server.connections == 2
            assert len(fetcher._lines.all) == 1

    run(story())


def test_who_has_rested_longest_is_let_go_first() -> None:
    async def story() -> None:
        fetcher = CurlFetcher(FetchSettings(AGENT, kept_connections=2), lambda: NOW)
        async with rough_server() as server:

            async def ask(host: str) -> None:
                reply = await fetcher.fetch(Ask(f"http://{host}:{server.port}/page", own=(host,), limits=SMALL))
                assert reply.body == PAGE

            for host in ("a.localhost", "b.localhost", "a.localhost", "c.localhost"):
                await ask(host)
            assert fetcher._lines is not None
            assert sorted(line.origin.split(".")[0] for line in fetcher._lines.all) == ["http://a", "http://c"]
            assert len(fetcher._driver.vigil._watched) == 2 + len(fetcher._transfers)  # type: ignore[union-attr]
            await fetcher.close()

    run(story())


@pytest.mark.parametrize("loop", LOOPS)
def test_a_request_that_does_not_go_out_in_one_piece_goes_out_whole(loop: str) -> None:
    def narrow(family: int, kind: int, protocol: int) -> socket.socket:
        opened = socket.socket(family, kind, protocol)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 4096)
        return opened

    async def story() -> None:
        async with rough_server() as server, a_fetcher(open_socket=narrow) as fetcher:
            await get(fetcher, server, "/page")
            for letter in "ab":
                target = f"/page?{letter * 600_000}"
                reply = await get(fetcher, server, target)
                assert (reply.body, server.last.target, server.connections) == (PAGE, target, 1)

    run(story(), loop)


@pytest.mark.parametrize("loop", LOOPS)
def test_large_bodies_that_had_to_wait_arrive_whole_over_kept_connections_too(loop: str) -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher(large_bytes=2 * MEGABYTE) as fetcher:
            for rounds in range(2):
                replies = await asyncio.gather(
                    *(get(fetcher, server, "/megabytes/3", limits=Limits()) for _ in range(2))
                )
                assert [len(reply.body) for reply in replies] == [3 * MEGABYTE] * 2, rounds
                del replies
            assert server.connections == 2
            assert fetcher._driver is not None
            async with asyncio.timeout(60):  # what is let go is told to the loop
                while fetcher._driver.ballast.held_bytes:
                    await asyncio.sleep(0)

    run(story(), loop)


def test_time_in_which_we_let_a_server_wait_does_not_count_against_it() -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher(large_bytes=MEGABYTE) as fetcher:
            await get(fetcher, server, "/page")
            assert fetcher._driver is not None
            before = Reply(Ask("http://a/"), NOW, Evidence.DOCUMENT, 200, body=bytes(2 * MEGABYTE))
            fetcher._driver.ballast.keep(before)  # so the next one goes on only after it has waited for long
            limits = Limits(total_s=PATIENCE_S / 2, slow_for_s=PATIENCE_S / 4)
            reply = await get(fetcher, server, "/megabytes/1", limits=limits)
            assert (reply.failure, reply.detail, len(reply.body)) == (None, "", MEGABYTE)
            assert server.connections == 1

    run(story())


def test_the_limits_of_time_hold_over_a_kept_connection_too() -> None:
    async def story() -> None:
        for target, limits, failure in (
            ("/silence", replace(SMALL, total_s=0.3), Failure.TOTAL_TIMEOUT),
            ("/silence", replace(SMALL, first_byte_s=0.3), Failure.FIRST_BYTE_TIMEOUT),
            ("/steady-body", replace(SMALL, total_s=0.6), Failure.TOTAL_TIMEOUT),
            ("/silent-body", replace(SMALL, slow_for_s=0.3), Failure.TOO_SLOW),
        ):
            async with rough_server() as server, a_fetcher() as fetcher:
                await get(fetcher, server, "/page")
                reply = await get(fetcher, server, target, limits=limits)
                assert (reply.failure, reply.unanswered, server.connections) == (failure, False, 1)
                assert fetcher._lines is not None and not fetcher._lines.all

    run(story())


@pytest.mark.parametrize("loop", LOOPS)
def test_who_leaves_leaves_no_connection_behind(loop: str) -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            await get(fetcher, server, "/page")
            task = asyncio.ensure_future(get(fetcher, server, "/silence", limits=Limits()))
            while len(server.requests) < 2:
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert fetcher._lines is not None
            assert not fetcher._lines.all and not fetcher._lines.busy
            assert (await get(fetcher, server, "/page")).body == PAGE
            assert server.connections == 2

    run(story(), loop)


@asynccontextmanager
async def a_server(answer: bytes, afterwards: bytes) -> AsyncIterator[tuple[str, list[int]]]:
    """Says something more after each answer. Who connected."""
    met: list[int] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        met.append(1)
        try:
            while True:
                await reader.readuntil(b"\r\n\r\n")
                writer.write(answer)
                await asyncio.sleep(0.005)
                writer.write(afterwards)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/", met
    finally:
        server.close()


@pytest.mark.parametrize("kind", [EpollEars, LoopEars])
@pytest.mark.parametrize("loop", LOOPS)
def test_each_kind_of_ears_hears_what_it_listens_to(loop: str, kind: type[EpollEars] | type[LoopEars]) -> None:
    async def story() -> None:
        here, there = socket.socketpair()
        here.setblocking(False)
        heard: asyncio.Queue[bool] = asyncio.Queue()
        ears = kind(asyncio.get_running_loop())
        ears.listen(here.fileno(), READ, heard.put_nowait)
        there.send(b"x")
        assert await heard.get() is False
        here.recv(1)
        ears.listen(here.fileno(), READ | WRITE, heard.put_nowait)
        while await heard.get() is not True:
            pass  # the last words of before
        ears.listen(here.fileno(), NOTHING, heard.put_nowait)
        there.send(b"y")
        while not heard.empty():
            heard.get_nowait()
        for _ in range(5):
            await asyncio.sleep(0)
        assert heard.empty()
        ears.listen(here.fileno(), READ, heard.put_nowait)
        assert await heard.get() is False
        ears.close()
        here.close()
        there.close()

    run(story(), loop)


def test_lines_work_where_the_loop_has_to_watch_each_of_them() -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            await get(fetcher, server, "/until-close")  # is not kept
            lines = fetcher._lines
            assert lines is not None and not lines.all
            lines._ears.close()
            lines._ears = LoopEars(asyncio.get_running_loop())
            for _ in range(3):
                assert (await get(fetcher, server, "/page")).body == PAGE
            assert (await get(fetcher, server, "/once")).body == PAGE
            await asyncio.gather(*server.tasks)
            await asyncio.sleep(0.01)
            assert (await get(fetcher, server, "/page")).body == PAGE
            assert server.connections == 3

    run(story())
