"""Requests that are begun and heard: who began one is told once for each time there is something to hear."""

import asyncio

from tests.unit.fetch.fetching import SMALL, a_fetcher, run
from tests.unit.fetch.rough_server import PAGE, rough_server

from recrawl.fetch.ballast import Ballast
from recrawl.fetch.client import CurlFetcher, Trip
from recrawl.fetch.line import Line
from recrawl.model.failure import Failure
from recrawl.model.swift import replace
from recrawl.model.visit import Ask, Limits, Reply


def test_an_answer_that_nobody_has_come_for_yet_is_not_given_up_nor_told_twice() -> None:
    async def story() -> None:
        loop, told = asyncio.get_running_loop(), list[str]()
        async with rough_server() as server, a_fetcher() as fetcher:
            trip = fetcher.ready(Ask(server.url("/page"), own=server.own, limits=SMALL))
            assert trip is not None
            ended = asyncio.Event()

            def tell() -> None:
                told.append("ended")
                ended.set()

            fetcher.begin(trip, tell)
            await ended.wait()
            trip.transfer.check(loop.time() + 10 * SMALL.slow_for_s)  # the loop was held up: its timer rings with it
            reply = fetcher.hear(trip)
            assert reply is not None
            assert (reply.failure, reply.body, told) == (None, PAGE, ["ended"])

    run(story())


def test_who_comes_before_there_is_an_answer_hears_nothing_and_takes_nothing_away() -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            trip = fetcher.ready(Ask(server.url("/page"), own=server.own, limits=SMALL))
            assert trip is not None
            ended = asyncio.Event()
            fetcher.begin(trip, ended.set)
            assert fetcher.hear(trip) is None
            await ended.wait()
            reply = fetcher.hear(trip)
            assert reply is not None
            assert (reply.failure, reply.body) == (None, PAGE)

    run(story())


def test_who_is_cut_off_while_it_waits_for_room_is_told_once_though_there_is_room_again() -> None:
    async def story() -> None:
        told, faults = list[str](), list[object]()
        asyncio.get_running_loop().set_exception_handler(lambda _, fault: faults.append(fault))
        async with rough_server() as server, a_fetcher(large_bytes=2 << 20) as fetcher:

            def begun(target: str) -> Trip:
                trip = fetcher.ready(Ask(server.url(target), own=server.own, limits=Limits()))
                assert trip is not None
                fetcher.begin(trip, lambda: told.append(target))
                return trip

            first = begun("/one-megabyte-of/2")  # may go on, however full the room is, but no more comes
            assert fetcher._driver is not None
            while fetcher._driver.ballast.held_bytes < 1 << 20:
                await asyncio.sleep(0)
            others = [begun("/megabytes/2"), begun("/megabytes/3")]
            while len(fetcher._driver.ballast._waiting) < 2:
                await asyncio.sleep(0)
            for trip in others:
                trip.transfer.cut("nobody wants it any more")
            replies = [fetcher.hear(trip) for trip in others]  # taking the one leaves room for the other
            assert [reply and reply.failure for reply in replies] == [Failure.RESET] * 2
            assert sorted(told) == ["/megabytes/2", "/megabytes/3"]
            fetcher.leave(first)
        await asyncio.sleep(0)
        assert not faults

    run(story())


def test_what_is_left_as_soon_as_it_goes_on_takes_no_room_any_more() -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            trip = fetcher.ready(Ask(server.url("/page"), own=server.own, limits=SMALL))
            assert trip is not None
            ended = asyncio.Event()
            fetcher.begin(trip, ended.set)
            trip.transfer.ballast = Ballast(0)
            trip.transfer.ballast.takes(trip.transfer, 1)
            trip.transfer._has_ballast = True
            await ended.wait()
            assert fetcher.hear(trip) is None
            fetcher.leave(trip)
            while trip.going_on is not None and not trip.going_on.done():
                await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert not trip.transfer.ballast.held_bytes
            assert not fetcher._busy

    run(story())


async def heard(fetcher: CurlFetcher, ask: Ask) -> Reply | None:
    """Over a connection that was kept."""
    trip, ended = fetcher.ready(ask), asyncio.Event()
    assert trip is not None
    fetcher.begin(trip, ended.set)
    await ended.wait()
    assert isinstance(trip.transfer, Line)
    return fetcher.hear(trip)


def test_over_a_kept_connection_too_a_small_document_waits_while_large_ones_leave_no_room() -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            ask = Ask(server.url("/page"), own=server.own, limits=SMALL)
            assert (await fetcher.fetch(ask)).body == PAGE
            reply = await heard(fetcher, ask)
            assert reply is not None and reply.body == PAGE
            assert fetcher._lines is not None
            [line] = fetcher._lines.all
            line.ballast = Ballast(0)
            line.ballast.takes(line, 1)
            assert await heard(fetcher, ask) is None

    run(story())


def test_over_a_kept_connection_too_no_more_is_read_than_is_enough() -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            ask = Ask(server.url("/page"), own=server.own, limits=SMALL)
            await fetcher.fetch(ask)
            reply = await heard(fetcher, replace(ask, enough_bytes=3))
            assert reply is not None
            assert (reply.failure, reply.body) == (None, PAGE[:3])

    run(story())


def test_a_handle_serves_any_address_rather_than_there_being_one_for_each_and_connections_are_kept_by_address() -> None:
    async def story() -> None:
        async with (
            rough_server("127.0.0.1") as one,
            rough_server("127.0.0.2", one.port) as two,
            a_fetcher() as fetcher,
        ):
            urls = [server.url("/page") for server in (one, two, one)]
            for url in urls:
                await fetcher.fetch(Ask(url, own=("127.0.0.0/8",), limits=SMALL))
            assert (len(fetcher._transfers), one.connections, two.connections) == (1, 1, 1)
            first, second = (fetcher.ready(Ask(url, own=("127.0.0.0/8",), limits=SMALL)) for url in urls[:2])
            assert first is not None
            assert second is not None
            ended = asyncio.Semaphore(0)
            for trip in (second, first):
                fetcher.begin(trip, ended.release)
            assert [trip.transfer.address for trip in (first, second)] == ["127.0.0.1", "127.0.0.2"]
            for _ in range(2):
                await ended.acquire()
            assert [reply and reply.body for reply in (fetcher.hear(first), fetcher.hear(second))] == [PAGE, PAGE]
            line = first.transfer
            fetcher.begin(first, ended.release)
            assert first.transfer is line
            await ended.acquire()
            fetcher.hear(first)
            assert (len(fetcher._transfers), one.connections, two.connections) == (1, 1, 1)
            assert not fetcher._busy

    run(story())
