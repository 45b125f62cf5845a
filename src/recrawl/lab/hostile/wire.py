"""The other end of a connection, for those who mean no good: bytes as they are, when they are wanted."""

import asyncio
import socket
import struct
from collections.abc import Iterable
from dataclasses import field

from recrawl.model.values import dataclass

HTML = ("Content-Type", "text/html; charset=utf-8")
HEAD_BYTES = 64 * 1024
HANDSHAKE = b"\x16"  # the first byte of a connection over TLS
REASONS = {200: "OK", 301: "Moved Permanently", 302: "Found", 304: "Not Modified", 404: "Not Found"}

Header = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Question:
    """A request as it came. Header names are lower-cased."""

    host: str  # the address that was asked
    port: int
    path: str  # with query
    headers: dict[str, str] = field(default_factory=dict)
    times: int = 1  # how often this path was asked for, this time included
    scheme: str = "http"

    @property
    def origin(self) -> str:
        return f"{self.scheme}://{self.host}:{self.port}"


class Gone(Exception):
    """The client left, or the connection was ended on purpose."""


class Wire:
    scheme = "http"

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader, self._writer = reader, writer
        self._first = b""
        self.sent_bytes = 0

    @property
    def here(self) -> tuple[str, int]:
        """The address and port that were asked."""
        host, port = self._writer.get_extra_info("sockname")[:2]
        return host, port

    async def speaks_tls(self) -> bool:
        self._first = await self._reader.read(1)
        return self._first == HANDSHAKE

    async def question(self, times: dict[tuple[str, str], int]) -> Question | None:
        """The next request; None when the client has no more."""
        try:
            head = (self._first + await self._reader.readuntil(b"\r\n\r\n")).decode("latin-1")
        except (asyncio.IncompleteReadError, asyncio.LimitOverrunError, ConnectionError):
            return None
        self._first = b""
        first, *lines = head.split("\r\n")
        words = first.split(" ")
        path = words[1] if len(words) > 1 else "/"
        pairs = (line.partition(":")[::2] for line in lines if ":" in line)
        return self.asked(path, {name.lower(): value.strip() for name, value in pairs}, times)

    def asked(self, path: str, headers: dict[str, str], times: dict[tuple[str, str], int]) -> Question:
        host, port = self.here
        times[host, path] = times.get((host, path), 0) + 1
        return Question(host, port, path, headers, times[host, path], self.scheme)

    async def some(self) -> bytes:
        """What comes next; empty when nothing does any more."""
        taken = self._first or await self._reader.read(HEAD_BYTES)
        self._first = b""
        return taken

    async def goodbye(self) -> None:
        """What is said before an honest end: over plain TCP nothing."""

    async def exactly(self, count: int) -> bytes:
        try:
            return await self._reader.readexactly(count)
        except (asyncio.IncompleteReadError, ConnectionError) as error:
            raise Gone from error

    async def send(self, data: bytes) -> None:
        try:
            self._writer.write(data)
            self.sent_bytes += len(data)
            await self._writer.drain()
        except (ConnectionError, RuntimeError) as error:
            raise Gone from error

    async def head(self, status: int, *headers: Header, length: int | None = None) -> None:
        await self.send(head_of(status, *headers, length=length))

    async def answer(self, body: bytes, *headers: Header, status: int = 200, behind: bytes = b"") -> None:
        """`behind`: what nobody asked for; it goes out with the answer, so it is there before the next question."""
        head = head_of(status, *(headers or (HTML,)), length=len(body))
        await self.send(head + body + behind)

    async def chunks(self, pieces: Iterable[bytes], *headers: Header) -> None:
        """A chunked body without its end."""
        await self.head(200, *(headers or (HTML,)), ("Transfer-Encoding", "chunked"))
        for piece in pieces:
            await self.send(b"%x\r\n%b\r\n" % (len(piece), piece))

    async def endless(self, piece: bytes, pause_s: float = 0.0) -> None:
        """The same bytes until the client has had enough."""
        while True:
            await self.send(piece)
            if pause_s:
                await self.idle(pause_s)

    async def idle(self, seconds: float) -> None:
        """Do nothing for so long, or until the client leaves."""
        try:
            await asyncio.wait_for(self._until_gone(), seconds)
        except TimeoutError:
            return
        raise Gone

    async def _until_gone(self) -> None:
        while await self._reader.read(4096):
            pass

    def end_sending(self) -> None:
        """Half-close: our side is silent from now on, the other may go on."""
        self._writer.write_eof()

    def reset(self) -> None:
        """Cut off without a goodbye."""
        taken = self._writer.get_extra_info("socket")
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()
        raise Gone

    def drop(self) -> None:
        """As `hang_up`, from beside the answer."""
        self._writer.close()

    def hang_up(self) -> None:
        """A plain end of the connection."""
        raise Gone


def head_of(status: int, *headers: Header, length: int | None = None) -> bytes:
    said = [f"HTTP/1.1 {status} {REASONS.get(status, 'Said')}", *(f"{name}: {value}" for name, value in headers)]
    said += [] if length is None else [f"Content-Length: {length}"]
    head = "\r\n".join([*said, "", ""])
    return head.encode("latin-1" if max(head) <= "\xff" else "utf-8")
