"""Large bodies share one room, bodies in crumbs cost no more than their bytes, and enough is enough."""

import asyncio
import gzip
import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest
from tests.unit.fetch.fetching import AGENT, NOW, run

from recrawl.fetch.ballast import PATIENCE_S, SMALL_BYTES, Ballast
from recrawl.fetch.client import CurlFetcher, FetchSettings
from recrawl.fetch.driver import Driver
from recrawl.fetch.vigil import Vigil
from recrawl.model.failure import Failure
from recrawl.model.visit import Ask, Evidence, Limits, Reply

MEGABYTE = 1024 * 1024
OWN = ("127.0.0.1",)

pytestmark = pytest.mark.usefixtures("both_ways")


class Carrier:
    def __init__(self) -> None:
        self.resumed = 0

    def resume(self) -> None:
        self.resumed += 1


def test_whoever_finds_the_room_full_waits_until_there_is_room_again() -> None:
    ballast, first, second = Ballast(10), Carrier(), Carrier()
    assert ballast.takes(first, 6)
    assert ballast.takes(second, 4)
    assert not ballast.takes(second, 5)
    assert ballast.held_bytes == 10
    ballast.release(first)
    assert (first.resumed, second.resumed) == (0, 1)
    assert ballast.takes(second, 9)


def test_the_first_may_always_go_on_so_that_somebody_comes_to_an_end() -> None:
    ballast, first, second = Ballast(10), Carrier(), Carrier()
    assert ballast.takes(first, 6)
    assert ballast.takes(second, 4)
    assert ballast.takes(first, 100)
    assert not ballast.takes(second, 5)
    ballast.release(second)  # given up while it waited
    ballast.release(first)
    assert second.resumed == 0
    assert ballast.held_bytes == 0


def reply_of(size: int) -> Reply:
    return Reply(Ask("http://a/"), NOW, Evidence.DOCUMENT, 200, body=b"x" * size)


def test_an_answer_takes_room_for_as_long_as_anybody_holds_it() -> None:
    ballast, waiting = Ballast(2 * MEGABYTE), Carrier()
    reply = reply_of(3 * MEGABYTE)
    ballast.keep(reply)
    assert ballast.is_overfull
    assert not ballast.takes(waiting, MEGABYTE)
    del reply
    assert (ballast.held_bytes, waiting.resumed) == (0, 1)
    assert ballast.takes(waiting, MEGABYTE)


def test_an_answer_let_go_by_another_thread_is_heard_of_on_the_loop() -> None:
    async def story() -> None:
        heard: asyncio.Queue[int] = asyncio.Queue()

        class Listening(Carrier):
            def resume(self) -> None:
                heard.put_nowait(threading.get_ident())

        driver, replies = Driver(asyncio.get_running_loop(), 8, MEGABYTE), [reply_of(2 * MEGABYTE)]
        driver.ballast.keep(replies[0])
        assert not driver.ballast.takes(Listening(), MEGABYTE)
        await asyncio.to_thread(replies.clear)
        assert await heard.get() == threading.get_ident()
        driver.close()

    run(story())


def test_small_answers_take_no_room() -> None:
    ballast, replies = Ballast(MEGABYTE), [reply_of(SMALL_BYTES) for _ in range(10)]
    for reply in replies:
        ballast.keep(reply)
    assert ballast.held_bytes == 0


def test_one_at_a_time_of_those_who_have_waited_for_long_goes_on() -> None:
    ballast, first, second, reply = Ballast(MEGABYTE), Carrier(), Carrier(), reply_of(3 * MEGABYTE)
    ballast.keep(reply)
    assert not ballast.takes(first, MEGABYTE)
    assert not ballast.takes(second, MEGABYTE)
    ballast.favour(first)
    ballast.favour(second)
    assert (first.resumed, second.resumed) == (1, 0)
    assert ballast.takes(first, MEGABYTE)
    ballast.release(first)
    assert second.resumed == 1
    assert not ballast.takes(second, MEGABYTE)
    ballast.favour(second)
    assert ballast.takes(second, MEGABYTE)


def test_what_is_packed_small_waits_to_be_unpacked_until_there_is_room() -> None:
    async def story() -> None:
        packed = gzip.compress(bytes(2 * MEGABYTE))
        head = b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n" % len(packed)
        async with a_server(head, packed) as url, a_fetcher(MEGABYTE) as fetcher:
            ask = Ask(url, own=OWN, limits=Limits(decoded_ratio=5000))
            first = await fetcher.fetch(ask)
            assert fetcher._driver is not None
            ballast, second = fetcher._driver.ballast, asyncio.ensure_future(fetcher.fetch(ask))
            while not ballast._waiting:
                await asyncio.sleep(0)
            assert ballast.held_bytes == len(first.body) + len(packed)
            del first
            assert len((await second).body) == 2 * MEGABYTE

    run(story())


@asynccontextmanager
async def a_server(*pieces: bytes) -> AsyncIterator[str]:
    """Sends the pieces, whatever is asked."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            for piece in pieces:
                writer.write(piece)
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    finally:
        server.close()


@asynccontextmanager
async def a_fetcher(large_bytes: int) -> AsyncIterator[CurlFetcher]:
    fetcher = CurlFetcher(FetchSettings(AGENT, large_bytes=large_bytes), lambda: NOW)
    try:
        yield fetcher
    finally:
        await fetcher.close()


def test_large_bodies_that_had_to_wait_arrive_whole() -> None:
    async def story() -> None:
        body = b"x" * (3 * MEGABYTE)
        head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body)
        async with a_server(head, body) as url, a_fetcher(2 * MEGABYTE) as fetcher:

            async def is_whole() -> bool:
                return (await fetcher.fetch(Ask(url, own=OWN))).body == body

            assert await asyncio.gather(*(is_whole() for _ in range(5))) == [True] * 5

    run(story())
    run(story(), "uvloop")


def test_time_in_which_we_let_a_server_wait_does_not_count_against_it() -> None:
    async def story() -> None:
        body = b"x" * MEGABYTE
        head = b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n" % len(body)
        async with a_server(head, body) as url, a_fetcher(MEGABYTE) as fetcher:
            ask = Ask(url, own=OWN, limits=Limits(total_s=PATIENCE_S / 2))
            assert (await fetcher.fetch(ask)).body == body
            assert fetcher._driver is not None
            before = reply_of(2 * MEGABYTE)
            fetcher._driver.ballast.keep(before)  # so the next one goes on only after it has waited for long
            reply = await fetcher.fetch(ask)
            assert (reply.failure, reply.detail, len(reply.body)) == (None, "", MEGABYTE)

    run(story())
    run(story(), "uvloop")


def test_who_had_to_wait_has_no_more_time_than_others_for_the_rest_nor_has_the_next_one() -> None:
    async def story() -> None:
        head, gate = b"HTTP/1.1 200 OK\r\n\r\n", asyncio.Event()
        limits = Limits(total_s=0.5, slow_bytes_per_s=0)
        async with a_dripping_server(head + b"x" * MEGABYTE) as url, a_fetcher(MEGABYTE) as fetcher:
            ask = Ask(url, own=OWN, limits=limits)
            assert (await fetcher.fetch(ask)).failure is Failure.TOTAL_TIMEOUT
            assert fetcher._driver is not None
            ballast, before = fetcher._driver.ballast, reply_of(2 * MEGABYTE)
            ballast.keep(before)
            second = asyncio.ensure_future(fetcher.fetch(ask))
            while not ballast._waiting and not second.done():
                await asyncio.sleep(0)
            asyncio.get_running_loop().call_later(2 * limits.total_s, gate.set)
            await gate.wait()
            assert not second.done()
            del before
            late, next_one = await second, await fetcher.fetch(ask)
            assert late.failure is next_one.failure is Failure.TOTAL_TIMEOUT
            assert next_one.times.total_s < late.times.total_s - limits.total_s

    run(story())


@asynccontextmanager
async def a_dripping_server(begin: bytes) -> AsyncIterator[str]:
    """Sends that, then a byte now and then, for ever."""

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await reader.readuntil(b"\r\n\r\n")
            writer.write(begin)
            while True:
                await writer.drain()
                await asyncio.sleep(0.02)
                writer.write(b"x")
        except (ConnectionError, asyncio.IncompleteReadError):
            pass
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
    finally:
        server.close()


def test_bodies_that_had_to_wait_and_then_have_brought_enough_do_not_keep_the_others_waiting() -> None:
    async def story() -> None:
        head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        crowd = [b"3e8\r\n" + b"x" * 1000 + b"\r\n"] * 3000
        async with a_server(head, *crowd) as url, a_fetcher(MEGABYTE) as fetcher:
            await fetcher.fetch(Ask(url, own=OWN, enough_bytes=1000))
            assert fetcher._driver is not None
            ballast, before = fetcher._driver.ballast, reply_of(2 * MEGABYTE)
            ballast.keep(before)
            ask = Ask(url, own=OWN, enough_bytes=SMALL_BYTES + 3000)
            asked = [asyncio.ensure_future(fetcher.fetch(ask)) for _ in range(3)]
            while not ballast._waiting and not all(one.done() for one in asked):
                await asyncio.sleep(0)
            del before
            replies = await asyncio.wait_for(asyncio.gather(*asked), 60)
            assert [(len(reply.body), reply.failure) for reply in replies] == [(SMALL_BYTES + 3000, None)] * 3

    run(story())
    run(story(), "uvloop")


def test_a_body_in_crumbs_is_put_together_but_not_for_ever() -> None:
    async def story() -> None:
        head = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
        crumbs = b"1\r\nx\r\n" * 40_000
        async with a_server(head, crumbs, b"0\r\n\r\n") as url, a_fetcher(MEGABYTE) as fetcher:
            assert (await fetcher.fetch(Ask(url, own=OWN))).body == b"x" * 40_000
        async with a_server(head, *([crumbs] * 14), b"0\r\n\r\n") as url, a_fetcher(MEGABYTE) as fetcher:
            reply = await fetcher.fetch(Ask(url, own=OWN, limits=Limits(total_s=60)))
            assert (reply.failure, reply.body) == (Failure.BODY_TOO_LARGE, b"")
            assert "pieces" in reply.detail

    run(story())


def test_who_asked_for_so_many_bytes_gets_them_and_no_failure() -> None:
    async def story() -> None:
        endless = [b"HTTP/1.1 200 OK\r\n\r\n", *([b"y" * 100_000] * 300)]
        async with a_server(*endless) as url, a_fetcher(MEGABYTE) as fetcher:
            reply = await fetcher.fetch(Ask(url, own=OWN, enough_bytes=250_000))
            assert (reply.evidence, reply.failure, reply.body) == (Evidence.DOCUMENT, None, b"y" * 250_000)
            whole = await fetcher.fetch(Ask(url, own=OWN))
            assert whole.failure is Failure.BODY_TOO_LARGE

    run(story())


class Clock(asyncio.SelectorEventLoop):
    """A loop whose time is set by hand."""

    moment = 0.0

    def time(self) -> float:
        return self.moment


class Watched:
    def __init__(self, due_at: float) -> None:
        self.due_at = due_at
        self.checked_at: list[float] = []

    def check(self, now: float) -> float:
        self.checked_at.append(now)
        return now + 100.0


def test_nobody_is_called_late_for_time_in_which_our_own_loop_was_held_up() -> None:
    loop, watched = Clock(), Watched(5.0)
    vigil = Vigil(loop)
    vigil.know(watched)
    vigil.ring_at(5.0)
    loop.moment = 9.0  # held up for four seconds beyond the moment
    loop.call_soon(loop.stop)
    loop.run_forever()
    assert watched.checked_at == []
    loop.call_soon(loop.stop)
    loop.run_forever()  # what had come meanwhile has been read by now
    assert watched.checked_at == [9.0]
    vigil.close()
    loop.close()


def test_a_loop_that_is_always_late_puts_nobody_off_for_ever() -> None:
    loop, watched = Clock(), Watched(5.0)
    vigil = Vigil(loop)
    vigil.know(watched)
    vigil.ring_at(5.0)
    for late_at in (6.0, 8.0):  # a second late, then late again
        loop.moment = late_at
        loop.call_soon(loop.stop)
        loop.run_forever()
    assert watched.checked_at == [8.0]
    vigil.close()
    loop.close()
