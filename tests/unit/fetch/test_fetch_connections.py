"""Connections: kept, shared, given up, closed; on either kind of loop."""

import asyncio
import os
import select
import socket
from collections.abc import Sequence

import pytest
from tests.unit.fetch.fetching import LOOPS, SMALL, a_fetcher, get, run
from tests.unit.fetch.rough_server import PAGE, rough_server

from recrawl.fetch.client import CurlFetcher, FetchSettings
from recrawl.fetch.connections import Connections
from recrawl.fetch.driver import Driver
from recrawl.fetch.sockets import READY, EpollWatcher, LoopWatcher, watcher_for
from recrawl.model.failure import Failure, LeaseLost
from recrawl.model.visit import Ask, Evidence, Limits

pytestmark = pytest.mark.usefixtures("both_ways")


@pytest.mark.parametrize("loop", LOOPS)
def test_one_connection_serves_one_server_again_and_again(loop: str) -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            for target in ("/page", "/status/404", "/chunked", "/coded/br", "/status/302?Location:%20/", "/page"):
                await get(fetcher, server, target)
            assert (len(server.requests), server.connections) == (6, 1)

    run(story(), loop)


@pytest.mark.parametrize("loop", LOOPS)
def test_many_asks_at_once_all_get_their_own_answer(loop: str) -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            codes = [200 + number for number in range(4)] + [400 + number for number in range(60)]
            for _ in range(3):
                replies = await asyncio.gather(*(get(fetcher, server, f"/status/{code}") for code in codes))
                assert [reply.status for reply in replies] == codes
            assert server.connections <= len(codes)

    run(story(), loop)


@pytest.mark.parametrize("loop", LOOPS)
def test_a_connection_the_server_dropped_meanwhile_is_replaced_without_a_failure(loop: str) -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            for count in range(1, 5):
                reply = await get(fetcher, server, "/once")
                assert (reply.failure, server.connections) == (None, count)
                await asyncio.gather(*server.tasks)

    run(story(), loop)


@pytest.mark.parametrize("target", ["/goodbye", "/reset-at-once"])
@pytest.mark.parametrize("loop", LOOPS)
def test_a_request_is_never_sent_twice_because_a_kept_connection_broke_under_it(loop: str, target: str) -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            assert (await get(fetcher, server, "/page")).body == PAGE
            reply = await get(fetcher, server, target)
            assert (reply.evidence, reply.failure) == (Evidence.FAILED, Failure.RESET)
            assert [exchange.target for exchange in server.requests] == ["/page", target]
            assert (reply.unanswered, server.connections) == (True, 1)

    run(story(), loop)


@pytest.mark.parametrize("target", ["/goodbye", "/reset-at-once"])
@pytest.mark.parametrize("loop", LOOPS)
def test_a_new_connection_that_breaks_leaves_nothing_that_might_be_asked_again(loop: str, target: str) -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            for count in range(1, 3):
                reply = await get(fetcher, server, target, fresh=True)
                assert (reply.failure, reply.unanswered, server.connections) == (Failure.RESET, False, count)

    run(story(), loop)


@pytest.mark.parametrize(
    "word", ["H", "HTTP/1.1%20200%20O", "HTTP/1.1%20200%20OK%0D%0A", "HTTP/1.1%20100%20Wait%0D%0A%0D%0A"]
)
@pytest.mark.parametrize("loop", LOOPS)
def test_a_kept_connection_that_broke_after_a_first_byte_was_not_silent(loop: str, word: str) -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            assert (await get(fetcher, server, "/page")).body == PAGE
            reply = await get(fetcher, server, f"/first-word?{word}")
            assert (reply.evidence, reply.unanswered) == (Evidence.FAILED, False)
            assert len(server.requests) == 2

    run(story(), loop)


@pytest.mark.parametrize("loop", LOOPS)
def test_a_new_connection_is_made_where_one_is_asked_for(loop: str) -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            for count, fresh in enumerate((False, True, True), 1):
                assert (await get(fetcher, server, "/page", fresh=fresh)).body == PAGE
                assert server.connections == count
            await get(fetcher, server, "/page")
            assert server.connections == 3

    run(story(), loop)


@pytest.mark.parametrize("loop", LOOPS)
def test_a_cancelled_ask_leaves_nothing_behind(loop: str) -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            task = asyncio.ensure_future(get(fetcher, server, "/silence", limits=Limits()))
            while not server.requests:
                await asyncio.sleep(0)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert (await get(fetcher, server, "/page")).body == PAGE

    run(story(), loop)


@pytest.mark.parametrize("loop", LOOPS)
def test_closing_ends_what_is_under_way_with_a_reply(loop: str) -> None:
    async def story() -> None:
        async with rough_server() as server:
            fetcher = CurlFetcher(FetchSettings("recrawl/0"), lambda: 0.0)
            tasks = [asyncio.ensure_future(get(fetcher, server, "/silence", limits=Limits())) for _ in range(3)]
            while len(server.requests) < 3:
                await asyncio.sleep(0)
            await fetcher.close()
            replies = await asyncio.gather(*tasks)
            assert [(reply.evidence, reply.failure) for reply in replies] == [(Evidence.FAILED, Failure.RESET)] * 3
            assert all("closed" in reply.detail for reply in replies)
            await fetcher.close()
            with pytest.raises(RuntimeError, match="closed"):
                await get(fetcher, server, "/page")

    run(story(), loop)


def test_a_fetcher_that_never_asked_closes_too() -> None:
    async def story() -> None:
        await CurlFetcher(FetchSettings("recrawl/0"), lambda: 0.0).close()

    run(story())


@pytest.mark.parametrize("loop", LOOPS)
def test_what_may_not_be_sent_any_more_once_the_connection_stands_is_not_sent(loop: str) -> None:
    async def story() -> None:
        refusals: list[LeaseLost] = []

        def permit() -> None:
            if refusals:
                raise refusals[0]

        async with rough_server() as server, a_fetcher(permit=permit) as fetcher:
            for fresh in (True, False):  # over a new connection, and over one that was kept
                await get(fetcher, server, "/page")
                asked, refusals[:] = len(server.requests), [LeaseLost("it ran out while we connected")]
                with pytest.raises(LeaseLost, match="ran out"):
                    await get(fetcher, server, "/page", fresh=fresh)
                assert len(server.requests) == asked
                refusals.clear()
            assert (await get(fetcher, server, "/page")).body == PAGE

    run(story(), loop)


@pytest.mark.parametrize("loop", LOOPS)
def test_a_slow_ask_holds_up_nobody(loop: str) -> None:
    async def story() -> None:
        async with rough_server() as server, a_fetcher() as fetcher:
            slow = asyncio.ensure_future(get(fetcher, server, "/silence", limits=Limits()))
            for _ in range(20):
                assert (await get(fetcher, server, "/page")).body == PAGE
            assert not slow.done()
            slow.cancel()

    run(story(), loop)


def test_a_connection_that_never_stands_is_a_connect_timeout() -> None:
    async def story() -> None:
        with socket.socket() as deaf:
            deaf.bind(("127.0.0.1", 0))
            deaf.listen(0)
            port = deaf.getsockname()[1]
            fillers = [socket.socket() for _ in range(4)]  # the queue of one is full after these
            for filler in fillers:
                filler.setblocking(False)
                filler.connect_ex(("127.0.0.1", port))
            async with a_fetcher() as fetcher:
                limits = Limits(connect_s=0.3, first_byte_s=0.1)
                reply = await fetcher.fetch(Ask(f"http://127.0.0.1:{port}/", own=("127.0.0.1",), limits=limits))
                assert reply.failure is Failure.CONNECT_TIMEOUT
            for filler in fillers:
                filler.close()

    run(story())


def test_idle_connections_are_bounded() -> None:
    async def story() -> None:
        fetcher = CurlFetcher(FetchSettings("recrawl/0", kept_connections=2), lambda: 0.0)
        async with rough_server() as server:
            hosts = [f"h{number}.localhost" for number in range(5)]
            for _ in range(2):
                for host in hosts:
                    ask = Ask(f"http://{host}:{server.port}/page", own=(host,), limits=SMALL)
                    assert (await fetcher.fetch(ask)).body == PAGE
            assert server.connections == 10  # none of five hosts is still open when its turn comes again
            await fetcher.close()

    run(story())


@pytest.mark.parametrize("kind", [LoopWatcher, EpollWatcher])
@pytest.mark.parametrize("loop", LOOPS)
def test_each_way_of_watching_sockets_tells_of_reading_and_writing(
    loop: str, kind: type[LoopWatcher] | type[EpollWatcher]
) -> None:
    async def story() -> None:
        here, there = socket.socketpair()
        seen: asyncio.Queue[tuple[int, int]] = asyncio.Queue()

        def note(stirred: Sequence[tuple[int, int]]) -> None:
            for descriptor, events in stirred:
                seen.put_nowait((descriptor, READY[events & 0x1F]))

        watcher = kind(asyncio.get_running_loop(), note)
        watcher.watch(2, here.fileno(), None, None)
        assert await seen.get() == (here.fileno(), 2)
        watcher.watch(1, here.fileno(), None, None)
        there.send(b"x")
        while await seen.get() != (here.fileno(), 1):
            pass  # the last words of the writable socket
        watcher.watch(4, here.fileno(), None, None)
        there.send(b"y")
        for _ in range(5):
            await asyncio.sleep(0)
        assert seen.empty()
        watcher.close()
        here.close()
        there.close()

    run(story(), loop)


def test_a_socket_that_passes_is_not_left_registered_when_it_is_let_go() -> None:
    async def story() -> None:
        seen: asyncio.Queue[Sequence[tuple[int, int]]] = asyncio.Queue()
        watcher = EpollWatcher(asyncio.get_running_loop(), seen.put_nowait)
        here, there = socket.socketpair()
        kept = here.dup()  # the connection lives on: the kernel would not forget the descriptor by itself
        watcher.passing(here.fileno())
        watcher.watch(1, here.fileno(), None, None)
        there.send(b"x")
        assert await seen.get() == [(here.fileno(), 1)]
        assert kept.recv(1) == b"x"
        while not seen.empty():
            seen.get_nowait()
        watcher.watch(4, here.fileno(), None, None)
        here.close()
        there.send(b"y")
        for _ in range(5):
            await asyncio.sleep(0)
        assert seen.empty()
        assert not watcher._epoll.poll(0)
        watcher.close()
        kept.close()
        there.close()

    run(story())


def test_a_descriptor_of_another_connection_is_registered_anew() -> None:
    async def story() -> None:
        seen: asyncio.Queue[Sequence[tuple[int, int]]] = asyncio.Queue()
        watcher = EpollWatcher(asyncio.get_running_loop(), seen.put_nowait)
        here, there = socket.socketpair()
        descriptor = here.fileno()
        watcher.watch(1, descriptor, None, None)
        watcher.watch(4, descriptor, None, None)
        here.close()
        other, beyond = socket.socketpair()
        watcher.opened()
        if other.fileno() != descriptor:
            other = socket.socket(fileno=os.dup2(other.detach(), descriptor))
        watcher.watch(1, descriptor, None, None)
        beyond.send(b"x")
        assert await asyncio.wait_for(seen.get(), 5) == [(descriptor, 1)]
        watcher.close()
        for end in (other, there, beyond):
            end.close()

    run(story())


def test_an_idle_connection_that_stirs_is_seen_before_the_next_request() -> None:
    async def story() -> None:
        watcher = EpollWatcher(asyncio.get_running_loop(), lambda _: None)
        connections = Connections(watcher.masks)
        here, there = socket.socketpair()
        first = connections.begin(("127.0.0.1", 80, 4000), True)
        assert first is not None
        watcher.watch(1, here.fileno(), None, None)
        connections.learn(first, here.fileno())
        connections.end(first)
        watcher.watch(4, here.fileno(), None, None)
        watcher.look()
        assert connections.begin(("127.0.0.1", 80, 4000), False) is first
        connections.end(first)
        there.close()
        watcher.look()
        assert connections.begin(("127.0.0.1", 80, 4000), False) is None
        watcher.close()
        here.close()

    run(story())


def test_a_connection_that_nobody_watches_is_looked_at_itself() -> None:
    connections = Connections({})
    here, there = socket.socketpair()
    first = connections.begin(("127.0.0.1", 80, 4000), True)
    assert first is not None
    connections.learn(first, here.fileno())
    connections.end(first)
    there.close()
    assert connections.begin(("127.0.0.1", 80, 4000), False) is None
    here.close()


def test_epoll_is_used_where_it_exists() -> None:
    async def story() -> None:
        watcher = watcher_for(asyncio.get_running_loop(), lambda _: None)
        assert isinstance(watcher, EpollWatcher if hasattr(select, "epoll") else LoopWatcher)
        watcher.close()

    run(story())


def test_a_driver_without_transfers_closes() -> None:
    async def story() -> None:
        Driver(asyncio.get_running_loop(), 4).close()

    run(story())
