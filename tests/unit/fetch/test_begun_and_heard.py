"""Requests that are begun and heard: who began one is told once for each time there is something to hear."""

import asyncio

from tests.unit.fetch.fetching import SMALL, a_fetcher, run
from tests.unit.fetch.rough_server import PAGE, rough_server

from recrawl.fetch.ballast import Ballast
from recrawl.model.visit import Ask


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
