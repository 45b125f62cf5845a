"""The bench site is served by C where it compiles, by Python elsewhere: both give the same answer to every question."""

import gzip
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from typing import BinaryIO

import pytest
from tests.bench.compiled_server import compiled
from tests.bench.crawl import addresses
from tests.bench.site import SHAPES, Site

PAGES = 60
SERVED_BY = addresses(2)
MODULES = ("tests.bench.server", "tests.bench.compiled_server")
PATIENCE_S = 20.0
LOOKS = 1000
CHANGED, STEADY = 30, 32  # both on the first server; the first is one of those that the next generation changes


class Served:
    """One of the two servers, at a port of its own; bodies hold the port, so answers are compared without it."""

    def __init__(self, module: str) -> None:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = int(probe.getsockname()[1])
        words = [sys.executable, "-m", module, str(PAGES), "articles", str(self.port), *SERVED_BY]
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
        assert self.process.stdout is not None
        assert self.process.stdout.readline() == "ready\n"
        self.site = Site(PAGES, tuple(f"{address}:{self.port}" for address in SERVED_BY), shape=SHAPES["articles"])

    def turn_to(self, generation: int) -> None:
        """A signal may be heard after a request that came later: whoever asks next must find it heard."""
        self.process.send_signal(signal.SIGUSR1 if generation else signal.SIGUSR2)
        etag = b'ETag: "%d-%d"' % (CHANGED, generation)
        assert any(etag in self.ask(question(page(CHANGED)))[0][0] for _ in range(LOOKS))

    def ask(self, *pieces: bytes, answers: int = 1, at: int = 0) -> list[tuple[bytes, bytes]]:
        """Heads and bodies, over one connection; each piece is sent when the kernel has taken the one before."""
        with socket.create_connection((SERVED_BY[at], self.port), PATIENCE_S) as connection:
            for piece in pieces:
                connection.sendall(piece)
            with connection.makefile("rb") as stream:
                return [self._one(stream) for _ in range(answers)]

    def _one(self, stream: BinaryIO) -> tuple[bytes, bytes]:
        lines = list(iter(stream.readline, b"\r\n"))
        length = next((int(line.split()[1]) for line in lines if line.startswith(b"Content-Length")), 0)
        body = stream.read(length)
        if b"Content-Encoding: gzip\r\n" in lines:
            body = gzip.decompress(body)
        lines = [line for line in lines if not line.startswith(b"Content-Length")]  # of bytes that hold the port
        return b"".join(lines), body.replace(b":%d" % self.port, b"")


@pytest.fixture(scope="module")
def both() -> Iterator[tuple[Served, Served]]:
    program = compiled()
    if program is None:
        pytest.skip("no compiler")
    os.close(program)
    servers = [Served(module) for module in MODULES]
    yield servers[0], servers[1]
    for served in servers:
        served.process.kill()
        served.process.wait()


def question(path: str, *fields: str, method: str = "GET") -> bytes:
    return "\r\n".join((f"{method} {path} HTTP/1.1", "Host: bench", *fields, "", "")).encode()


def page(number: int) -> str:
    return Site(PAGES, SERVED_BY).path(number)


QUESTIONS = {
    "packed": question(page(STEADY), "Accept-Encoding: gzip, br"),
    "plain": question(page(STEADY)),
    "home": question("/", "accept-encoding: gzip"),
    "known": question(page(STEADY), f'If-None-Match: "{STEADY}-0"', "Accept-Encoding: gzip"),
    "known in another letter case": question(page(STEADY), f'if-none-match: "{STEADY}-0"'),
    "another's tag": question(page(STEADY), 'If-None-Match: "3-0"', "Accept-Encoding: gzip"),
    "one of the next generation": question(page(CHANGED), f'If-None-Match: "{CHANGED}-1"'),
    "one of the first generation": question(page(CHANGED), f'If-None-Match: "{CHANGED}-0"'),
    "since": question(page(STEADY), "If-Modified-Since: Thu, 01 Jan 2026 00:00:32 GMT"),
    "robots": question("/robots.txt", "Accept-Encoding: gzip"),
    "no page": question("/nothing", "Accept-Encoding: gzip"),
    "a page of the other server": question(page(STEADY + 1)),
    "head": question(page(STEADY), method="HEAD"),
}


@pytest.mark.parametrize("generation", (1, 0))
@pytest.mark.parametrize("asked", QUESTIONS.values(), ids=QUESTIONS)
def test_both_give_the_same_answer(both: tuple[Served, Served], asked: bytes, generation: int) -> None:
    for served in both:
        served.turn_to(generation)
    python, compiled = (served.ask(asked) for served in both)
    assert compiled == python


def test_a_changed_page_is_sent_to_who_knows_the_first_and_the_first_again_when_turned_back(
    both: tuple[Served, Served],
) -> None:
    asked, served = question(page(CHANGED), f'If-None-Match: "{CHANGED}-0"'), both[1]
    statuses = []
    for generation in (1, 0):
        served.turn_to(generation)
        statuses.append(served.ask(asked)[0][0].split(b" ", 2)[1])
    assert statuses == [b"200", b"304"]


def test_each_server_has_its_own_pages(both: tuple[Served, Served]) -> None:
    asked = question(page(STEADY + 1))
    for served in both:
        [(head, body)] = served.ask(asked, at=1)
        assert head.startswith(b"HTTP/1.1 200")
        assert body == served.site.body(STEADY + 1, 0).replace(b":%d" % served.port, b"")


def test_a_request_may_come_in_pieces_and_several_at_once(both: tuple[Served, Served]) -> None:
    several = question("/robots.txt") + question(page(STEADY)) + question("/nothing") + question(page(CHANGED))
    python, compiled = (served.ask(several[:30], several[30:70], several[70:], answers=4) for served in both)
    assert compiled == python


def test_who_reads_slowly_still_gets_every_answer_in_order(both: tuple[Served, Served]) -> None:
    """Together they are more than a socket holds, so the rest has to wait for room."""
    numbers = [number for number in range(0, PAGES, 2) if number] * 20
    several = b"".join(question(page(number)) for number in numbers)
    answers = both[1].ask(several, answers=len(numbers))
    assert [body for _, body in answers] == [
        both[1].site.body(number, 0).replace(b":%d" % both[1].port, b"") for number in numbers
    ]


def test_a_request_without_an_end_is_not_kept_for_ever(both: tuple[Served, Served]) -> None:
    with socket.create_connection((SERVED_BY[0], both[1].port), PATIENCE_S) as connection, pytest.raises(OSError):
        for _ in range(4096):
            connection.sendall(b"x" * 1024)
    assert both[1].ask(question("/robots.txt"))
