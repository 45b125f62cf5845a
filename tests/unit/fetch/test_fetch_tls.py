"""TLS and HTTP/2 against a loopback server with a certificate of its own authority."""

import asyncio
import contextlib
import socket
import ssl
import threading
from collections.abc import AsyncIterator, Iterator

import pytest
import trustme
from tests.unit.fetch.fetching import LOOPS, SMALL, a_fetcher, get, run
from tests.unit.fetch.rough_server import PAGE, RoughServer, rough_server

from recrawl.model.failure import Failure
from recrawl.model.visit import Ask, Evidence, Limits

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
DATA, HEADERS, SETTINGS = 0, 1, 4
HELLO_REQUEST = b"\x16\x03\x03\x00\x04\x00\x00\x00\x00"


@pytest.fixture(scope="module")
def authority() -> trustme.CA:
    return trustme.CA()


@pytest.fixture(scope="module")
def ca_file(authority: trustme.CA) -> Iterator[str]:
    with authority.cert_pem.tempfile() as path:
        yield path


def context(authority: trustme.CA, name: str = "127.0.0.1", *protocols: str) -> ssl.SSLContext:
    made = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert(name).configure_cert(made)
    if protocols:
        made.set_alpn_protocols(list(protocols))
    return made


@pytest.mark.parametrize("loop", LOOPS)
def test_a_page_comes_over_tls_and_its_connection_is_kept(authority: trustme.CA, ca_file: str, loop: str) -> None:
    async def story() -> None:
        async with rough_server(tls=context(authority)) as server, a_fetcher(ca_file=ca_file) as fetcher:
            first, second = [await get(fetcher, server, "/page") for _ in range(2)]
            assert first.body == second.body == PAGE
            assert 0 < first.times.connect_s < first.times.tls_s < first.times.first_byte_s
            assert second.times.tls_s == 0
            assert server.connections == 1

    run(story(), loop)


def test_a_tls_connection_the_server_dropped_meanwhile_is_replaced(authority: trustme.CA, ca_file: str) -> None:
    async def story() -> None:
        async with rough_server(tls=context(authority)) as server, a_fetcher(ca_file=ca_file) as fetcher:
            for count in range(1, 4):
                reply = await get(fetcher, server, "/once-and-later")
                assert (reply.failure, server.connections) == (None, count)
                await asyncio.gather(*server.tasks)

    run(story())


@pytest.mark.parametrize("target", ["/goodbye", "/reset-at-once"])
def test_a_kept_tls_connection_that_ends_without_an_answer_is_told_from_a_new_one(
    authority: trustme.CA, ca_file: str, target: str
) -> None:
    async def story() -> None:
        async with rough_server(tls=context(authority)) as server, a_fetcher(ca_file=ca_file) as fetcher:
            assert (await get(fetcher, server, "/page")).body == PAGE
            reply = await get(fetcher, server, target)
            assert (reply.failure, reply.unanswered, server.connections) == (Failure.RESET, True, 1)
            reply = await get(fetcher, server, target, fresh=True)
            assert (reply.failure, reply.unanswered, server.connections) == (Failure.RESET, False, 2)
            assert (await get(fetcher, server, "/page")).body == PAGE

    run(story())


def test_a_handshake_of_words_without_meaning_holds_the_loop_up_for_a_moment_only() -> None:
    """OpenSSL passes over every HelloRequest, within one call, for as long as there is another."""

    def flood(door: socket.socket) -> None:
        wire, _ = door.accept()
        with wire, contextlib.suppress(OSError):
            while True:
                wire.sendall(HELLO_REQUEST * 8000)

    async def story() -> None:
        with socket.create_server(("127.0.0.1", 0)) as door:
            flooding = threading.Thread(target=flood, args=(door,))
            flooding.start()
            async with a_fetcher() as fetcher:
                url = f"https://127.0.0.1:{door.getsockname()[1]}/"
                reply = await fetcher.fetch(Ask(url, own=("127.0.0.1",), limits=Limits(connect_s=8.0)))
                assert reply.failure in (Failure.TLS, Failure.CONNECT_TIMEOUT)  # the latter where the flood is slow
            flooding.join()

    run(story())


def test_an_unknown_authority_is_a_tls_failure(authority: trustme.CA) -> None:
    async def story() -> None:
        async with rough_server(tls=context(authority)) as server, a_fetcher() as fetcher:
            reply = await get(fetcher, server, "/page")
            assert (reply.evidence, reply.failure) == (Evidence.FAILED, Failure.TLS)
            assert server.requests == []

    run(story())


def test_a_certificate_for_another_name_is_a_tls_failure(authority: trustme.CA, ca_file: str) -> None:
    async def story() -> None:
        tls = context(authority, "other.example")
        async with rough_server(tls=tls) as server, a_fetcher(ca_file=ca_file) as fetcher:
            assert (await get(fetcher, server, "/page")).failure is Failure.TLS

    run(story())


def test_the_certificate_is_that_of_the_name_and_not_of_the_address(authority: trustme.CA, ca_file: str) -> None:
    async def story() -> None:
        tls = context(authority, "site.localhost")
        async with rough_server(tls=tls) as server, a_fetcher(ca_file=ca_file) as fetcher:
            ask = Ask(f"https://site.localhost:{server.port}/page", own=("site.localhost",), limits=SMALL)
            assert (await fetcher.fetch(ask)).body == PAGE

    run(story())


def test_plain_words_on_a_tls_port_are_a_tls_failure(ca_file: str) -> None:
    async def blurt(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\n\r\n")
        await reader.read()
        writer.close()

    async def story() -> None:
        listening = await asyncio.start_server(blurt, "127.0.0.1", 0)
        port = listening.sockets[0].getsockname()[1]
        async with a_fetcher(ca_file=ca_file) as fetcher:
            ask = Ask(f"https://127.0.0.1:{port}/page", own=("127.0.0.1",), limits=SMALL)
            assert (await fetcher.fetch(ask)).failure is Failure.TLS
        listening.close()

    run(story())


def test_a_body_without_a_length_that_ends_without_goodbye_is_cut(authority: trustme.CA, ca_file: str) -> None:
    async def story() -> None:
        async with rough_server(tls=context(authority)) as server, a_fetcher(ca_file=ca_file) as fetcher:
            reply = await get(fetcher, server, "/reset-without-length")
            assert reply.failure is Failure.RESET
            assert reply.body == b""

    run(story())


# HTTP/2: enough of it to say one thing well.


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return len(payload).to_bytes(3, "big") + bytes([kind, flags]) + stream.to_bytes(4, "big") + payload


def literal(name: bytes, value: bytes) -> bytes:
    """A header field that enters no table (RFC 7541, 6.2.2), short enough for one length byte."""
    return b"\x00" + bytes([len(name)]) + name + bytes([len(value)]) + value


async def speak_http2(server: RoughServer, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    server.connections += 1
    with contextlib.suppress(asyncio.IncompleteReadError, OSError):
        assert await reader.readexactly(len(PREFACE)) == PREFACE
        writer.write(frame(SETTINGS, 0, 0))
        while True:
            head = await reader.readexactly(9)
            kind, flags, stream = head[3], head[4], int.from_bytes(head[5:], "big")
            await reader.readexactly(int.from_bytes(head[:3], "big"))
            if kind == SETTINGS and not flags & 1:
                writer.write(frame(SETTINGS, 1, 0))
            if kind == HEADERS:
                fields = b"\x88" + literal(b"content-type", b"text/html") + literal(b"etag", b'"v1"')
                writer.write(frame(HEADERS, 4, stream, fields) + frame(DATA, 1, stream, PAGE))
    writer.close()


@contextlib.asynccontextmanager
async def http2_server(tls: ssl.SSLContext) -> AsyncIterator[RoughServer]:
    server = RoughServer(scheme="https")
    listening = await asyncio.start_server(
        lambda reader, writer: speak_http2(server, reader, writer), "127.0.0.1", 0, ssl=tls
    )
    server.port = listening.sockets[0].getsockname()[1]
    try:
        yield server
    finally:
        listening.close()


@pytest.mark.parametrize("loop", LOOPS)
def test_http2_is_spoken_where_it_is_offered(authority: trustme.CA, ca_file: str, loop: str) -> None:
    async def story() -> None:
        tls = context(authority, "127.0.0.1", "h2", "http/1.1")
        async with http2_server(tls) as server, a_fetcher(ca_file=ca_file) as fetcher:
            replies = [await get(fetcher, server, "/page")]
            replies += await asyncio.gather(*(get(fetcher, server, "/page") for _ in range(5)))
            for reply in replies:
                assert (reply.evidence, reply.status, reply.body) == (Evidence.DOCUMENT, 200, PAGE)
                assert reply.headers == (("content-type", "text/html"), ("etag", '"v1"'))
                assert reply.raw_head.startswith(b"HTTP/2 200") and reply.raw_head.endswith(b"\r\n\r\n")
            assert server.connections == 1

    run(story(), loop)
