"""What the tests that fetch share: small limits, a fetcher on a loop of either kind, an opener that opens nothing."""

import asyncio
import contextlib
import errno
import socket
from collections.abc import AsyncIterator, Callable, Coroutine
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import uvloop
from tests.unit.fetch.rough_server import RoughServer

from recrawl.fetch.client import CurlFetcher, FetchSettings
from recrawl.fetch.exchange import Permit
from recrawl.fetch.request import user_agent
from recrawl.fetch.transfer import OpenSocket
from recrawl.model.visit import Ask, Limits, Reply
from recrawl.ports import PromptFetcher

AGENT = user_agent("0.0", "https://example.org/crawler")
NOW = 1_750_000_000.0

# Small enough that nothing waits long; every one is reached by some route of the rough server.
SMALL = Limits(  # in size; in time a test says which limit it means, or a busy machine would meet another one first
    connect_s=60.0,
    first_byte_s=60.0,
    total_s=120.0,
    slow_bytes_per_s=4000,
    slow_for_s=60.0,
    header_bytes=8 * 1024,
    header_count=60,
    body_bytes=200_000,
    decoded_bytes=1024 * 1024,
)

LOOPS: dict[str, Callable[[], asyncio.AbstractEventLoop]] = {
    "asyncio": asyncio.new_event_loop,
    "uvloop": uvloop.new_event_loop,
}


def run(story: Coroutine[Any, Any, None], loop: str = "asyncio") -> None:
    with asyncio.Runner(loop_factory=LOOPS[loop]) as runner:
        runner.run(story)


@contextlib.asynccontextmanager
async def a_fetcher(
    resolver: str = "",
    ca_file: str = "",
    now: Callable[[], float] = lambda: NOW,
    open_socket: OpenSocket = socket.socket,
    permit: Permit = lambda: None,
    large_bytes: int = 32 << 20,
) -> AsyncIterator[CurlFetcher]:
    settings = FetchSettings(AGENT, resolver=resolver, ca_file=ca_file, large_bytes=large_bytes)
    fetcher = CurlFetcher(settings, now, open_socket, permit)
    try:
        yield fetcher
    finally:
        await fetcher.close()


PROMPT = ContextVar("PROMPT", default=False)  # whether `get` begins and hears, as lanes that go on together do


async def get(fetcher: CurlFetcher, server: RoughServer, target: str, **changes: Any) -> Reply:
    wanted: dict[str, Any] = {"own": server.own, "limits": SMALL, **changes}
    return await (promptly if PROMPT.get() else CurlFetcher.fetch)(fetcher, Ask(server.url(target), **wanted))


async def promptly(fetcher: PromptFetcher, ask: Ask) -> Reply:
    """By `begin` and `hear` where that is possible, else by `fetch`."""
    trip = fetcher.ready(ask)
    if trip is None:
        return await fetcher.fetch(ask)
    ended, reply = asyncio.Event(), None
    fetcher.begin(trip, ended.set)
    try:
        while reply is None:
            await ended.wait()
            ended.clear()
            reply = fetcher.hear(trip)
        return reply
    except asyncio.CancelledError:
        fetcher.leave(trip)
        raise


@dataclass
class ClosedDoor:
    """Where sockets come from in tests that must never reach the network: it counts the asks and opens none."""

    asked: list[int] = field(default_factory=list)

    def __call__(self, family: int, kind: int, protocol: int) -> socket.socket:
        self.asked.append(family)
        raise OSError(errno.ENETUNREACH, "this door stays shut")
