"""A small HTTP/1.1 server on loopback that carries out answers, faults included, and logs what it saw.

It exists to be asked by a crawler under test: keep-alive and pipelining, one answer after the other on each
connection, and nothing a test would not use.
"""

import asyncio
import socket
import struct
from collections.abc import Callable
from http import HTTPStatus
from pathlib import Path

from recrawl.lab.faults import FaultKind
from recrawl.lab.http_answers import Answer, whole_answer
from recrawl.lab.requests_log import Request, render_line
from recrawl.model.values import dataclass
from recrawl.ports import Clock

HEAD_BYTES = 64 * 1024
CLIENT_LEFT = "client_left"  # logged as the fault of a request whose client did not wait for the answer

_SILENT = (FaultKind.STALL, FaultKind.CONNECT_TIMEOUT)
_CUT = (FaultKind.RESET, FaultKind.CONNECT, FaultKind.NO_HOST)
_REASONS = {status.value: status.phrase for status in HTTPStatus}


@dataclass(frozen=True, slots=True)
class Heard:
    """A request as it was read. Header names are lower-cased; of repeated headers the last one stands."""

    server: str
    method: str
    path: str
    headers: dict[str, str]
    body: bytes = b""


Site = Callable[[Heard], tuple[Answer, float]]  # the answer, and the world's time it belongs to


class RequestLog:
    """Filled by the connections, emptied by nobody. With a file, each turn of the loop writes what it brought."""

    def __init__(self, file: Path | None = None) -> None:
        self.requests: list[Request] = []
        self._out = file.open("a", encoding="utf-8") if file else None
        self._waiting = False

    def add(self, request: Request) -> None:
        self.requests.append(request)
        if self._out is None:
            return
        self._out.write(render_line(request))
        if not self._waiting:
            self._waiting = True
            asyncio.get_running_loop().call_soon(self._flush)

    def close(self) -> None:
        if self._out:
            self._out.close()
            self._out = None

    def _flush(self) -> None:
        self._waiting = False
        if self._out:
            self._out.flush()


class Connection(asyncio.Protocol):
    """One kept-alive connection: reads requests, asks the site, carries out its answers in order."""

    def __init__(self, server: str, site: Site, clock: Clock, log: RequestLog) -> None:
        self._server, self._site, self._clock, self._log = server, site, clock, log
        self._buffer = b""
        self._transport: asyncio.Transport | None = None
        self._pending: tuple[Heard, float, Answer, float] | None = None  # being answered; the next one waits

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        wire = transport.get_extra_info("socket")
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        self._proceed()

    def connection_lost(self, exc: Exception | None) -> None:
        if self._pending:
            heard, start_at, answer, world_at = self._pending
            fault = answer.fault if answer.fault in _SILENT else CLIENT_LEFT
            self._write_down(heard, start_at, world_at, 0, 0, answer, fault or "")
        self._transport = self._pending = None

    def _proceed(self) -> None:
        while self._transport and not self._pending and (heard := self._read()):
            start_at = self._clock.now()
            answer, world_at = self._site(heard)
            self._pending = (heard, start_at, answer, world_at)
            if answer.fault in _SILENT:
                return
            if answer.delay_s > 0:
                asyncio.get_running_loop().call_later(answer.delay_s, self._carry_out_late)
                return
            self._carry_out()

    def _carry_out_late(self) -> None:
        if self._transport:
            self._carry_out()
            self._proceed()

    def _read(self) -> Heard | None:
        """The next request, once it is there whole."""
        end = self._buffer.find(b"\r\n\r\n")
        if end < 0:
            if len(self._buffer) > HEAD_BYTES:
                self._refuse(431)
            return None
        lines = self._buffer[:end].decode("latin-1").split("\r\n")
        words = lines[0].split(" ")
        headers = {
            name.strip().lower(): value.strip() for name, _, value in (line.partition(":") for line in lines[1:])
        }
        length = headers.get("content-length", "0")
        if len(words) != 3 or not words[2].startswith("HTTP/1.") or not length.isdigit():
            self._refuse(400)
            return None
        stop = end + 4 + int(length)
        if len(self._buffer) < stop:
            return None
        body, self._buffer = self._buffer[end + 4 : stop], self._buffer[stop:]
        if words[2] == "HTTP/1.0":
            headers.setdefault("connection", "close")
        return Heard(self._server, words[0], words[1], headers, body)

    def _carry_out(self) -> None:
        assert self._pending and self._transport
        heard, start_at, answer, world_at = self._pending
        self._pending = None
        sent = self._send(heard, answer)
        status = 0 if answer.fault in _CUT or answer.fault is FaultKind.GIBBERISH else answer.status
        self._write_down(heard, start_at, world_at, status, sent, answer, answer.fault or "")

    def _send(self, heard: Heard, answer: Answer) -> int:
        assert self._transport
        if answer.fault in _CUT:
            self._cut()
            return 0
        data = response_bytes(heard, answer)
        self._transport.write(data)
        ends = answer.fault in (FaultKind.TRUNCATED, FaultKind.GIBBERISH)
        if ends or heard.headers.get("connection", "").lower() == "close":
            self._transport.close()
        return len(data)

    def _cut(self) -> None:
        """Reset rather than close: the peer shall see an error, not an end."""
        assert self._transport
        wire = self._transport.get_extra_info("socket")
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._transport.abort()

    def _refuse(self, status: int) -> None:
        assert self._transport
        self._transport.write(f"HTTP/1.1 {status} {_REASONS[status]}\r\nContent-Length: 0\r\n\r\n".encode())
        self._transport.close()

    def _write_down(
        self, heard: Heard, start_at: float, world_at: float, status: int, sent: int, answer: Answer, fault: str
    ) -> None:
        said = heard.headers.get
        retry_after = next((value for name, value in answer.headers if name == "Retry-After"), "") if status else ""
        self._log.add(
            Request(
                start_at, self._clock.now(), heard.server, heard.method, heard.path, status, sent,
                said("if-none-match", ""), said("if-modified-since", ""), said("user-agent", ""),
                retry_after, fault, world_at,
            )
        )  # fmt: skip


def response_bytes(heard: Heard, answer: Answer) -> bytes:
    if answer.fault is FaultKind.GIBBERISH:
        return b"220 this is not the protocol you are looking for\r\n\r\n"
    body = b"" if heard.method == "HEAD" else answer.body
    if answer.fault is FaultKind.TRUNCATED:
        body = body[: len(body) // 2]
    lines = [f"HTTP/1.1 {answer.status} {_REASONS[answer.status]}"]
    lines += [f"{name}: {value}" for name, value in answer.headers]
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def method_not_allowed(at: float) -> Answer:
    return whole_answer(405, "text/plain", b"only GET and HEAD here\n", at, (("Allow", "GET, HEAD"),))


class Door:
    """One loopback port that can be opened and closed. While it is closed the port stays ours and refuses."""

    def __init__(self, host: str = "127.0.0.1", port: int = 0) -> None:
        self._held = _bound(host, port)
        self._server: asyncio.Server | None = None
        self.authority = "{}:{}".format(*self._held.getsockname())
        self.is_open = False

    async def open(self, site: Site, clock: Clock, log: RequestLog) -> None:
        self.is_open = True  # before the first wait, so that nobody opens it twice
        wire = _bound(*self._held.getsockname())
        loop = asyncio.get_running_loop()
        server = await loop.create_server(lambda: Connection(self.authority, site, clock, log), sock=wire, backlog=1024)
        if self.is_open:
            self._server = server
        else:
            server.close()

    def shut(self) -> None:
        """New connections are refused; kept ones end with their next request."""
        self.is_open = False
        if self._server:
            self._server.close()
            self._server = None

    def close(self) -> None:
        self.shut()
        self._held.close()


def _bound(host: str, port: int) -> socket.socket:
    wire = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    wire.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        wire.bind((host, port))
    except OSError:
        wire.close()
        raise
    return wire
