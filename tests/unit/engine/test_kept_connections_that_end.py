"""A server may close a kept connection at any moment, also under a request: a crawl over real sockets."""

import asyncio
import contextlib
import socket
import struct
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from recrawl.config import Settings
from recrawl.engine.assembly import assemble
from recrawl.engine.tally import Count, Tally
from recrawl.engine.worker import Order, Worker
from recrawl.folder.folder import Folder
from recrawl.folder.opening import open_store
from recrawl.model.page import Status
from recrawl.model.site import Site

HEAD_BYTES = 65_536
PAGES = ("/a", "/b")
ROBOTS = b"User-agent: *\nAllow: /\n"


def unread(wire: socket.socket) -> None:
    """Closed before the request is read, which the kernel makes a reset."""


def read(wire: socket.socket) -> None:
    wire.recv(HEAD_BYTES)


def read_and_reset(wire: socket.socket) -> None:
    wire.recv(HEAD_BYTES)
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


def read_and_begun(wire: socket.socket) -> None:
    wire.recv(HEAD_BYTES)
    wire.send(b"HT")


Moment = Callable[[socket.socket], None]


@dataclass(frozen=True)
class Asked:
    path: str
    connection: int
    at: float
    was_kept: bool


@dataclass
class Closing:
    """Answers the first request of a connection and ends it under the second; `never`: what it does not answer even
    then. Requests are looked at before they are read."""

    moment: Moment
    never: str = ""
    port: int = 0
    asked: list[Asked] = field(default_factory=list)
    _connections: Iterator[int] = field(default_factory=lambda: iter(range(10_000)))

    @property
    def paths(self) -> list[str]:
        return [one.path for one in self.asked]

    def gaps(self) -> list[float]:
        return [after.at - before.at for before, after in zip(self.asked, self.asked[1:], strict=False)]

    async def serve(self, door: socket.socket) -> None:
        loop = asyncio.get_running_loop()
        async with asyncio.TaskGroup() as tasks:
            while True:
                wire, _ = await loop.sock_accept(door)
                tasks.create_task(self._connected(wire))

    async def _connected(self, wire: socket.socket) -> None:
        number = next(self._connections)
        with wire:
            answers = 0
            while (path := await _looked_at(wire)) is not None:
                self.asked.append(Asked(path, number, time.monotonic(), answers > 0))
                if answers or path == self.never:
                    self.moment(wire)
                    return
                read(wire)
                wire.send(_answer(path))
                answers += 1


async def _looked_at(wire: socket.socket) -> str | None:
    """The path of the request that lies there; None: the client has left."""
    wire.setblocking(False)
    loop, readable = asyncio.get_running_loop(), asyncio.Event()
    loop.add_reader(wire, readable.set)
    try:
        await readable.wait()
    finally:
        loop.remove_reader(wire)
    try:
        head = wire.recv(HEAD_BYTES, socket.MSG_PEEK)
    except ConnectionError:
        return None
    return head.split(b" ")[1].decode() if head else None


def _answer(path: str) -> bytes:
    links = "".join(f'<a href="{link}">{link}</a>' for link in PAGES)
    body = ROBOTS if path == "/robots.txt" else f"<title>{path}</title><p>Page {path} tells.</p>{links}".encode()
    kind = b"text/plain" if path == "/robots.txt" else b"text/html"
    return b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nContent-Length: %d\r\n\r\n%b" % (kind, len(body), body)


@contextlib.asynccontextmanager
async def serving(server: Closing) -> AsyncIterator[None]:
    with socket.create_server(("127.0.0.1", 0)) as door:
        door.setblocking(False)
        server.port = door.getsockname()[1]
        task = asyncio.create_task(server.serve(door))
        try:
            yield
        finally:
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task


def crawl(place: Path, server: Closing, gap_s: float) -> tuple[Tally, int]:
    """Once round; the run's counters, and how often the lease was looked at."""
    folder, tally, leases = Folder(place), Tally(), Counter[str]()
    folder.create("")

    async def run() -> None:
        async with serving(server):
            seed = f"http://127.0.0.1:{server.port}/"
            folder.put_site(Site("closing", seeds=(seed,), own=("127.0.0.1",), gap_s=gap_s))
            async with assemble(folder, Settings(), "0") as parts:
                parts.need_lease = lambda: leases.update(("looked at",))
                await Worker(parts, Order(once=True), range(parts.store.partitions), tally).run()

    asyncio.run(run())
    return tally, leases["looked at"]


def kept(place: Path) -> set[str]:
    with closing(open_store(Folder(place), Settings())) as store:
        return {"/" + page.url.split("/", 3)[3] for page in store.scan(limit=100) if page.status is Status.LIVE}


@pytest.mark.parametrize("moment", [unread, read, read_and_reset])
@pytest.mark.parametrize("gap_s", [0.0, 0.15])
def test_what_a_closed_kept_connection_left_unanswered_is_asked_for_once_more_after_the_gap(
    tmp_path: Path, moment: Moment, gap_s: float
) -> None:
    server = Closing(moment)
    tally, leases = crawl(tmp_path, server, gap_s)
    assert kept(tmp_path) == {"/", *PAGES}
    for path in ("/robots.txt", "/", *PAGES):
        assert [one.was_kept for one in server.asked if one.path == path] in ([False], [True, False])
    assert server.paths.count("/") == 2
    assert tally[Count.REQUESTS] == leases == len(server.asked)
    assert tally[Count.FAILED] == 0
    assert all(between >= gap_s for between in server.gaps())


@pytest.mark.parametrize("moment", [unread, read, read_and_reset])
def test_a_page_that_is_never_answered_is_asked_for_twice_and_has_failed(tmp_path: Path, moment: Moment) -> None:
    server = Closing(moment, never="/a")
    tally, _ = crawl(tmp_path, server, 0.0)
    assert kept(tmp_path) == {"/", "/b"}
    assert server.paths.count("/a") <= 2
    assert tally[Count.REQUESTS] == len(server.asked)
    assert tally[Count.FAILED] == 1


def test_a_page_whose_answer_had_begun_is_not_asked_for_again(tmp_path: Path) -> None:
    server = Closing(read_and_begun)
    crawl(tmp_path, server, 0.0)
    assert server.paths == ["/robots.txt", "/"]
    assert kept(tmp_path) == set()
