"""Serves the site from a process of its own, with bytes made beforehand: what it costs is no crawler's cost.

Understands HTTP/1.1 keep-alive, gzip where accepted, If-None-Match. SIGUSR1 turns to the next generation of the
site, SIGUSR2 back to the first. Prints one line when it is ready.

    python -m tests.bench.server PAGES SHAPE PORT ADDRESS...
"""

import asyncio
import signal
import sys
from email.utils import formatdate
from typing import cast

from isal import isal_zlib

from recrawl.launch.run import new_loop
from tests.bench.site import SHAPES, Site

BEGAN_AT = 1_767_225_600.0
ROBOTS = b"User-agent: *\nDisallow: /private/\n"
GZIP = 31
LEVEL = 2


class Answers:
    """All answers of one server by path, for both generations, gzipped or plain."""

    def __init__(self, site: Site, server: str) -> None:
        self.generation = 0
        self._site = site
        self._pages = {site.path(page).encode(): page for page in site.numbers(server)}
        self._packed: dict[tuple[int, int], bytes] = {}
        for page in self._pages.values():
            self._packed[page, 0] = _packed(site.body(page, 0))
        for page in self._pages.values():
            if site.version(page, 1):
                self._packed[page, 1] = _packed(site.body(page, 1))
        self._heads: dict[tuple[int, int], tuple[bytes, bytes, bytes]] = {}

    def answer(self, request: bytes) -> bytes:
        path = request[4 : request.index(b" ", 4)]
        page = self._pages.get(path)
        if page is None:
            return _other(path)
        version = self._site.version(page, self.generation)
        etag, validators, head = self._head(page, version)
        if etag in request:
            return b"HTTP/1.1 304 Not Modified\r\n" + validators + b"\r\n"
        if b"gzip" in request:
            body = self._packed[page, version]
            return b"%sContent-Encoding: gzip\r\nContent-Length: %d\r\n\r\n%s" % (head, len(body), body)
        body = self._site.body(page, self.generation)
        return b"%sContent-Length: %d\r\n\r\n%s" % (head, len(body), body)

    def _head(self, page: int, version: int) -> tuple[bytes, bytes, bytes]:
        known = self._heads.get((page, version))
        if known is None:
            etag = b'"%d-%d"' % (page, version)
            modified = formatdate(BEGAN_AT + page + version * 86_400, usegmt=True).encode()
            validators = b"Server: bench\r\nETag: %s\r\nLast-Modified: %s\r\nVary: Accept-Encoding\r\n" % (
                etag,
                modified,
            )
            head = b"HTTP/1.1 200 OK\r\nContent-Type: text/html; charset=utf-8\r\n" + validators
            known = self._heads[page, version] = (etag, validators, head)
        return known


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


def _packed(body: bytes) -> bytes:
    return bytes(isal_zlib.compress(body, LEVEL, wbits=GZIP))


def _other(path: bytes) -> bytes:
    if path == b"/robots.txt":
        return b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: %d\r\n\r\n%s" % (len(ROBOTS), ROBOTS)
    return b"HTTP/1.1 404 Not Found\r\nContent-Type: text/plain\r\nContent-Length: 9\r\n\r\nNot found"


async def serve(pages: int, shape: str, port: int, addresses: list[str]) -> None:
    loop = asyncio.get_running_loop()
    site = Site(pages, tuple(f"{address}:{port}" for address in addresses), shape=SHAPES[shape])
    all_answers = [Answers(site, server) for server in site.servers]

    def turn_to(generation: int) -> None:
        for answers in all_answers:
            answers.generation = generation

    loop.add_signal_handler(signal.SIGUSR1, turn_to, 1)
    loop.add_signal_handler(signal.SIGUSR2, turn_to, 0)
    for address, answers in zip(addresses, all_answers, strict=True):
        await loop.create_server(lambda answers=answers: Connection(answers), address, port, backlog=1024)  # type: ignore[misc]
    print("ready", flush=True)
    await asyncio.Event().wait()


def main(words: list[str]) -> None:
    with asyncio.Runner(loop_factory=new_loop) as runner:
        runner.run(serve(int(words[0]), words[1], int(words[2]), words[3:]))


if __name__ == "__main__":
    main(sys.argv[1:])
