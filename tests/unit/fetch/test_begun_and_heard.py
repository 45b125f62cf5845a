"""Requests that are begun and heard: who began one is told once for each time there is something to hear."""

import asyncio

from tests.unit.fetch.fetching import SMALL, a_fetcher, run
from tests.unit.fetch.rough_server import PAGE, rough_server

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
