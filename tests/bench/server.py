"""Serves the site from a process of its own, with bytes made beforehand: what it costs is no crawler's cost.

Understands HTTP/1.1 keep-alive, gzip where accepted, If-None-Match. SIGUSR1 turns to the next generation of the
site, SIGUSR2 back to the first. Prints one line when it is ready. Where there is a compiler `compiled_server` serves
instead, which answers the same.

    python -m tests.bench.server PAGES SHAPE PORT ADDRESS...
"""

import asyncio
import gc
import signal
import sys
from email.utils import formatdate
from typing import cast

from isal import isal_zlib

from recrawl.launch.run import new_loop
from tests.bench.site import SHAPES, Site

BEGAN_AT = 1_767_225_600.0
ROBOTS = b"User-agent: *\nDisallow: /private/\n"
ROBOTS_ANSWER = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s" % (len(ROBOTS), ROBOTS)
GZIP = 31
LEVEL = 2


class Answers:
    """All answers of one server by path: made beforehand for who takes gzip, when asked for where somebody does not."""

    def __init__(self, site: Site, server: str) -> None:
        self._site = site
        pages = {site.path(page).encode(): page for page in site.numbers(server)}
        first = {path: Answer(page, 0, site.body(page, 0)) for path, page in pages.items()}
        second = {path: Answer(page, 1, site.body(page, 1)) for path, page in pages.items() if site.version(page, 1)}
        self._generations = (first, {**first, **second})
        self.turn_to(0)

    def turn_to(self, generation: int) -> None:
        self._generation, self._answers = generation, self._generations[generation]

    def answer(self, request: bytes) -> bytes:
        path = request[4 : request.index(b" ", 4)]
        known = self._answers.get(path)
        if known is None:
            return _other(path)
        if known.etag in request:
            return known.not_modified
        if b"gzip" in request:
            return known.packed
        body = self._site.body(known.page, self._generation)
        return b"%sContent-Length: %d\r\n\r\n%s" % (known.head, len(body), body)


class Answer:
    """`packed`: the whole answer, of which the last `body_bytes` are the packed body."""

    __slots__ = ("body_bytes", "etag", "head", "not_modified", "packed", "page")

    def __init__(self, page: int, version: int, body: bytes) -> None:
        self.page, self.etag = page, b'"%d-%d"' % (page, version)
        modified = formatdate(BEGAN_AT + page + version * 86_400, usegmt=True).encode()
        validators = b"Server: bench\r\nETag: %s\r\nLast-Modified: %s\r\nVary: Accept-Encoding\r\n" % (
            self.etag,
            modified,
        )
        self.not_modified = b"HTTP/1.1 304 Not Modified\r\n" + validators + b"\r\n"
        self.head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n" + validators
        packed = bytes(isal_zlib.compress(body, LEVEL, wbits=GZIP))
        self.body_bytes = len(packed)
        self.packed = b"%sContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s" % (self.head, len(packed), packed)


class Connection(asyncio.Protocol):
    def __init__(self, answers: Answers) -> None:
        self._answers = answers
        self._waiting = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = cast(asyncio.Transport, transport)

    def data_received(self, data: bytes) -> None:
        waiting = self._waiting + data if self._waiting else data
        while (end := waiting.find(b"\r\n\r\n")) >= 0:
            self._transport.write(self._answers.answer(waiting[: end + 2]))
            waiting = waiting[end + 4 :]
        self._waiting = waiting


def _other(path: bytes) -> bytes:
    if path == b"/robots.txt":
        return ROBOTS_ANSWER
    return b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nNot found"


async def serve(pages: int, shape: str, port: int, addresses: list[str]) -> None:
    loop = asyncio.get_running_loop()
    site = Site(pages, tuple(f"{address}:{port}" for address in addresses), shape=SHAPES[shape])
    all_answers = [Answers(site, server) for server in site.servers]

    def turn_to(generation: int) -> None:
        for answers in all_answers:
            answers.turn_to(generation)

    loop.add_signal_handler(signal.SIGUSR1, turn_to, 1)
    loop.add_signal_handler(signal.SIGUSR2, turn_to, 0)
    for address, answers in zip(addresses, all_answers, strict=True):
        await loop.create_server(lambda answers=answers: Connection(answers), address, port, backlog=1024)  # type: ignore[misc]
    gc.freeze()  # the answers stay: looking through them for cycles would be a cost of every page
    print("ready", flush=True)
    await asyncio.Event().wait()


def main(words: list[str]) -> None:
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(serve(int(words[0]), words[1], int(words[2]), words[3:]))


if __name__ == "__main__":
    main(sys.argv[1:])
