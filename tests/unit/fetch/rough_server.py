"""A raw loopback server with one route for each way a web server can misbehave, and a tiny name server."""

import asyncio
import contextlib
import gzip
import socket
import ssl
import struct
import zlib
from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import dataclass, field
from functools import partial
from urllib.parse import unquote_to_bytes

import brotli

from recrawl.fetch.decode_newer import zstd

Route = Callable[["Exchange"], Awaitable[None]]

PAGE = b"<!doctype html><title>Page</title><p>" + b"words of a page " * 40
OK = b"HTTP/1.1 200 OK\r\n"
BOMB_BYTES = 8 * 1024 * 1024


def raw_deflate(data: bytes) -> bytes:
    squeezer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
    return squeezer.compress(data) + squeezer.flush()


SQUEEZE: dict[str, Callable[[bytes], bytes]] = {
    "gzip": partial(gzip.compress, mtime=0),
    "deflate": zlib.compress,
    "br": partial(brotli.compress, quality=3),
    "zstd": zstd.compress,
}


class Hangup(Exception):
    """The client went away."""


@dataclass
class Exchange:
    """One request and the hands of the server that answers it."""

    head: bytes
    target: str
    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    keep: bool = False

    def header(self, name: str) -> str:
        for line in self.head.decode("latin-1").split("\r\n")[1:]:
            key, _, value = line.partition(":")
            if key.lower() == name:
                return value.strip()
        return ""

    async def say(self, *data: bytes) -> None:
        try:
            for piece in data:
                self.writer.write(piece)
            await self.writer.drain()
        except OSError as error:
            raise Hangup from error

    async def whole(self, body: bytes = PAGE, *headers: bytes, status: bytes = b"200 OK") -> None:
        lines = [b"HTTP/1.1 " + status, *headers, b"Content-Length: %d" % len(body)]
        self.keep = True
        await self.say(b"\r\n".join(lines) + b"\r\n\r\n" + body)

    async def until_gone(self) -> None:
        """Silent until the client hangs up."""
        while await self.reader.read(4096):
            pass
        raise Hangup

    async def pause(self, seconds: float) -> None:
        """A pause the client can end by hanging up."""
        try:
            async with asyncio.timeout(seconds):
                await self.until_gone()
        except TimeoutError:
            return

    def reset(self) -> None:
        """RST in place of FIN, and over TLS no goodbye."""
        raw = self.writer.get_extra_info("socket")
        raw.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.writer.transport.abort()


@dataclass
class RoughServer:
    port: int = 0
    address: str = "127.0.0.1"
    scheme: str = "http"
    connections: int = 0
    requests: list[Exchange] = field(default_factory=list)
    tasks: set[asyncio.Task[None]] = field(default_factory=set)

    @property
    def authority(self) -> str:
        return f"[{self.address}]:{self.port}" if ":" in self.address else f"{self.address}:{self.port}"

    @property
    def own(self) -> tuple[str, ...]:
        return (self.authority,)

    def url(self, target: str = "/page") -> str:
        return f"{self.scheme}://{self.authority}{target}"

    @property
    def last(self) -> Exchange:
        return self.requests[-1]

    async def connected(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        task = asyncio.current_task()
        assert task is not None
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)
        with contextlib.suppress(Hangup, OSError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while await self._answer(reader, writer):
                pass
        writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
        head = await reader.readuntil(b"\r\n\r\n")
        target = head.split(b" ", 2)[1].decode("ascii")
        exchange = Exchange(head, target, reader, writer)
        self.requests.append(exchange)
        name = target.partition("?")[0].strip("/").replace("-", "_").split("/")[0]
        await ROUTES.get(name, page)(exchange)
        return exchange.keep


@contextlib.asynccontextmanager
async def rough_server(
    address: str = "127.0.0.1", port: int = 0, tls: ssl.SSLContext | None = None
) -> AsyncIterator[RoughServer]:
    server = RoughServer(address=address, scheme="https" if tls else "http")
    listening = await asyncio.start_server(server.connected, address, port, ssl=tls, limit=1 << 20)
    server.port = listening.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listening.close()
        for task in list(server.tasks):
            task.cancel()
        await asyncio.gather(*server.tasks)
        await asyncio.sleep(0)  # the loop closes what they left


# The routes. `/name-of-route?argument`


async def page(exchange: Exchange) -> None:
    await exchange.whole(PAGE, b"Content-Type: text/html", b'ETag: "v1"')


async def status(exchange: Exchange) -> None:
    """/status/404?Location:%20/x"""
    code = exchange.target.split("/")[2].partition("?")[0]
    extra = exchange.target.partition("?")[2].encode().replace(b"%20", b" ")
    await exchange.whole(b"about the error", *([extra] if extra else []), status=code.encode() + b" Said")


async def bare_status(exchange: Exchange) -> None:
    code = exchange.target.split("/")[2]
    exchange.keep = True
    await exchange.say(b'HTTP/1.1 %s Said\r\nETag: "v2"\r\n\r\n' % code.encode())


async def conditional(exchange: Exchange) -> None:
    if exchange.header("if-none-match") or exchange.header("if-modified-since"):
        exchange.keep = True
        await exchange.say(b'HTTP/1.1 304 Not Modified\r\nETag: "v1"\r\n\r\n')
    else:
        await page(exchange)


async def silence(exchange: Exchange) -> None:
    await exchange.until_gone()


async def silent_body(exchange: Exchange) -> None:
    await exchange.say(OK + b"Content-Length: 100\r\n\r\nsome")
    await exchange.until_gone()


async def slow_body(exchange: Exchange) -> None:
    await exchange.say(OK + b"Content-Length: 100000\r\n\r\n")
    while True:
        await exchange.say(b"x")
        await exchange.pause(0.02)


async def slow_head(exchange: Exchange) -> None:
    await exchange.say(OK)
    while True:
        await exchange.say(b"X-Slow: 1\r\n")
        await exchange.pause(0.02)


async def steady_body(exchange: Exchange) -> None:
    """Fast enough never to be too slow, and without an end."""
    await exchange.say(OK + b"\r\n")
    while True:
        await exchange.say(b"x" * 200)
        await exchange.pause(0.01)


async def reset_at_once(exchange: Exchange) -> None:
    exchange.reset()


async def reset_in_body(exchange: Exchange) -> None:
    await exchange.say(OK + b"Content-Length: 1000\r\n\r\nsome")
    await exchange.pause(0.05)
    exchange.reset()


async def reset_without_length(exchange: Exchange) -> None:
    await exchange.say(OK + b"\r\nsome")
    await exchange.pause(0.05)
    exchange.reset()


async def goodbye(exchange: Exchange) -> None:
    """Closes without a word."""


async def first_word(exchange: Exchange) -> None:
    """/first-word?HTTP: says so much of an answer, and closes."""
    await exchange.say(unquote_to_bytes(exchange.target.partition("?")[2]))


async def short_body(exchange: Exchange) -> None:
    await exchange.say(OK + b"Content-Length: 1000\r\n\r\nonly this")


async def long_body(exchange: Exchange) -> None:
    await exchange.say(OK + b"Content-Length: 4\r\n\r\nonly the first four")


async def until_close(exchange: Exchange) -> None:
    await exchange.say(OK + b"\r\n" + PAGE)


async def chunked(exchange: Exchange) -> None:
    exchange.keep = True
    half = len(PAGE) // 2
    pieces = (PAGE[:half], PAGE[half:])
    body = b"".join(b"%x\r\n%s\r\n" % (len(piece), piece) for piece in pieces)
    await exchange.say(OK + b"Transfer-Encoding: chunked\r\n\r\n" + body + b"0\r\nX-Trailer: late\r\n\r\n")


async def cut_chunks(exchange: Exchange) -> None:
    await exchange.say(OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n")


async def broken_chunks(exchange: Exchange) -> None:
    await exchange.say(OK + b"Transfer-Encoding: chunked\r\n\r\n5\r\nhello\r\nzz not hex\r\n")
    await exchange.until_gone()


async def endless_chunks(exchange: Exchange) -> None:
    await exchange.say(OK + b"Transfer-Encoding: chunked\r\n\r\n")
    while True:
        await exchange.say(b"1000\r\n" + b"x" * 4096 + b"\r\n")


async def endless_body(exchange: Exchange) -> None:
    await exchange.say(OK + b"\r\n")
    while True:
        await exchange.say(b"x" * 4096)


async def megabytes(exchange: Exchange) -> None:
    """/megabytes/2"""
    await exchange.whole(b"x" * (int(exchange.target.split("/")[2]) << 20))


async def one_megabyte_of(exchange: Exchange) -> None:
    """/one-megabyte-of/2: no more comes."""
    size = int(exchange.target.split("/")[2]) << 20
    await exchange.say(OK + b"Content-Length: %d\r\n\r\n" % size + b"x" * (1 << 20))
    await exchange.until_gone()


async def announced_giant(exchange: Exchange) -> None:
    await exchange.say(OK + b"Content-Length: 99999999999\r\n\r\nx")
    await exchange.until_gone()


async def endless_headers(exchange: Exchange) -> None:
    await exchange.say(OK)
    while True:
        await exchange.say(b"X-More: and more\r\n" * 16)


async def endless_header_line(exchange: Exchange) -> None:
    await exchange.say(OK + b"X-Long: ")
    while True:
        await exchange.say(b"x" * 4096)


async def many_headers(exchange: Exchange) -> None:
    await exchange.whole(PAGE, *(b"X-%d: 1" % number for number in range(300)))


async def huge_header(exchange: Exchange) -> None:
    await exchange.whole(PAGE, b"X-Huge: " + b"x" * 70_000)


async def interim_flood(exchange: Exchange) -> None:
    while True:
        await exchange.say(b"HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n" * 8)


async def interim(exchange: Exchange) -> None:
    await exchange.say(b"HTTP/1.1 103 Early Hints\r\nLink: </style.css>\r\n\r\n")
    await page(exchange)


async def switching(exchange: Exchange) -> None:
    await exchange.say(b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n\r\n")
    await exchange.until_gone()


async def old_http(exchange: Exchange) -> None:
    """HTTP/0.9: a body and nothing else."""
    await exchange.say(PAGE)


async def bad_status_line(exchange: Exchange) -> None:
    await exchange.say(b"HTTP/1.1 abc OK\r\n\r\nhello")


async def no_colon(exchange: Exchange) -> None:
    await exchange.say(OK + b"this is no header\r\nContent-Length: 0\r\n\r\n")


async def nul_header(exchange: Exchange) -> None:
    await exchange.say(OK + b"X-Nul: a\0b\r\nContent-Length: 0\r\n\r\n")


async def two_lengths(exchange: Exchange) -> None:
    await exchange.say(OK + b"Content-Length: 5\r\nContent-Length: 7\r\n\r\nhello..")
    await exchange.until_gone()


async def folded(exchange: Exchange) -> None:
    await exchange.whole(PAGE, b"X-Folded: one\r\n  two", b"X-Space : three")


async def line_feeds(exchange: Exchange) -> None:
    await exchange.say(b"HTTP/1.1 200 OK\nContent-Type: text/html\nContent-Length: 5\n\nhello")


async def http10(exchange: Exchange) -> None:
    await exchange.say(b"HTTP/1.0 200 OK\r\nContent-Type: text/html\r\n\r\n" + PAGE)


async def cookie(exchange: Exchange) -> None:
    await exchange.whole(PAGE, b"Set-Cookie: session=1; Path=/", b'WWW-Authenticate: Basic realm="x"')


async def coded(exchange: Exchange) -> None:
    """/coded/gzip: the page in that coding; /coded/gzip/br: nested, in this order."""
    names = exchange.target.split("/")[2:]
    body = PAGE
    for name in names:
        body = SQUEEZE[name](body)
    await exchange.whole(body, b"Content-Encoding: " + ", ".join(names).encode())


async def bomb(exchange: Exchange) -> None:
    name = exchange.target.split("/")[2]
    await exchange.whole(SQUEEZE[name](bytes(BOMB_BYTES)), b"Content-Encoding: " + name.encode())


async def said_coding(exchange: Exchange) -> None:
    """/said-coding/gzip: a plain page that claims to be coded."""
    await exchange.whole(PAGE, b"Content-Encoding: " + exchange.target.split("/")[2].encode())


async def cut_coding(exchange: Exchange) -> None:
    name = exchange.target.split("/")[2]
    await exchange.whole(SQUEEZE[name](PAGE)[:-5], b"Content-Encoding: " + name.encode())


async def coded_transfer(exchange: Exchange) -> None:
    body = gzip.compress(PAGE)
    head = OK + b"Transfer-Encoding: gzip, chunked\r\n\r\n"
    await exchange.say(head + b"%x\r\n%s\r\n0\r\n\r\n" % (len(body), body))


async def broken_error(exchange: Exchange) -> None:
    """A 404 whose body breaks off."""
    await exchange.say(b"HTTP/1.1 404 Not Found\r\nContent-Length: 1000\r\n\r\nonly this")


async def giant_error(exchange: Exchange) -> None:
    await exchange.say(b"HTTP/1.1 404 Not Found\r\n\r\n")
    while True:
        await exchange.say(b"x" * 65536)


async def once(exchange: Exchange) -> None:
    """Promises to keep the connection and closes it after the answer."""
    await exchange.whole()
    exchange.keep = False


async def once_and_later(exchange: Exchange) -> None:
    """Closes an idle connection after a while, as servers do."""
    await exchange.whole()
    await exchange.pause(0.05)
    exchange.keep = False


ROUTES: dict[str, Route] = {
    name: thing for name, thing in list(globals().items()) if asyncio.iscoroutinefunction(thing) and name.islower()
}


@dataclass
class NameServer(asyncio.DatagramProtocol):
    """Answers A questions from a table; each name has a list of answers, used up one by one but for the last."""

    answers: dict[str, list[list[str]]]
    port: int = 0
    asked: list[str] = field(default_factory=list)
    ttl_s: int = 0
    silent: bool = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport

    def datagram_received(self, data: bytes, sender: tuple[str, int]) -> None:
        name, end = self._question(data)
        kind = struct.unpack("!H", data[end : end + 2])[0]
        if kind == 1:
            self.asked.append(name)
        if not self.silent:
            self._transport.sendto(self._reply(data, end + 4, name, kind), sender)  # type: ignore[attr-defined]

    def _question(self, data: bytes) -> tuple[str, int]:
        labels, at = [], 12
        while data[at]:
            labels.append(data[at + 1 : at + 1 + data[at]].decode())
            at += data[at] + 1
        return ".".join(labels).lower(), at + 1

    def _reply(self, data: bytes, end: int, name: str, kind: int) -> bytes:
        known = self.answers.get(name)
        addresses = [] if known is None or kind != 1 else (known.pop(0) if len(known) > 1 else known[0])
        flags = 0x8180 | (3 if known is None else 0)
        head = data[:2] + struct.pack("!HHHHH", flags, 1, len(addresses), 0, 0)
        records = b"".join(
            b"\xc0\x0c" + struct.pack("!HHIH", 1, 1, self.ttl_s, 4) + socket.inet_aton(address) for address in addresses
        )
        return head + data[12:end] + records


@contextlib.asynccontextmanager
async def name_server(answers: dict[str, list[list[str]]], **how: bool | int) -> AsyncIterator[NameServer]:
    server = NameServer(answers, **how)  # type: ignore[arg-type]
    transport, _ = await asyncio.get_running_loop().create_datagram_endpoint(
        lambda: server, local_addr=("127.0.0.1", 0)
    )
    server.port = transport.get_extra_info("sockname")[1]
    try:
        yield server
    finally:
        transport.close()
