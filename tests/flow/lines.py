"""Lines from machines to their database that a test may cut, one for each machine.

Where we are root and may make network namespaces, a line is a pair of virtual network cards with its far end in a
namespace, and a cut takes that end down: packets vanish, nobody is told. Elsewhere it is a relay on loopback, and a cut
stops the relay: what is sent waits, nobody is told.
"""

import os
import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import urlsplit, urlunsplit

from tests.postgres import PostgresServer

RELAY = Path(__file__).with_name("relay.py")
LOOPBACK = "127.0.0.1"


@dataclass(frozen=True)
class Line:
    """`dsn` leads to the database over this line. `is_cable`: after a cut nothing arrives any more, so that who sends
    can see it; a relay that stands still takes everything and says nothing."""

    dsn: str
    is_cable: bool
    cut: Callable[[], None]
    mend: Callable[[], None]


@contextmanager
def lines(server: PostgresServer, dsn: str, count: int) -> Iterator[list[Line]]:
    assert server.folder is not None
    socket = str(server.folder / f".s.PGSQL.{server.port}")
    with ExitStack() as ends:
        name = f"recrawl-{os.getpid()}"
        spaces = _ran("ip", "netns", "add", name) and _ran("ip", "-n", name, "link", "set", "lo", "up")
        if spaces:
            ends.callback(_ran, "ip", "netns", "delete", name)
        made = [_wired(ends, dsn, socket, name, one) if spaces else None for one in range(count)]
        yield [one or _relayed(ends, dsn, socket) for one in made]


def _wired(ends: ExitStack, dsn: str, socket: str, name: str, number: int) -> Line | None:
    """None: we may not."""
    near, far = f"rc{os.getpid()}n{number}", f"rc{os.getpid()}f{number}"
    net = f"10.{random.randrange(200, 250)}.{random.randrange(250)}"
    if not _ran("ip", "link", "add", near, "type", "veth", "peer", "name", far, "netns", name):
        return None
    ends.callback(_ran, "ip", "link", "delete", near)
    for words in (
        ("address", "add", f"{net}.1/30", "dev", near),
        ("link", "set", near, "up"),
        ("-n", name, "address", "add", f"{net}.2/30", "dev", far),
        ("-n", name, "link", "set", far, "up"),
    ):
        assert _ran("ip", *words), words
    port = _relay(ends, ["ip", "netns", "exec", name], f"{net}.2", socket)[1]

    def far_end(state: str) -> None:
        assert _ran("ip", "-n", name, "link", "set", far, state)

    return Line(_over(dsn, f"{net}.2", port), True, lambda: far_end("down"), lambda: far_end("up"))


def _relayed(ends: ExitStack, dsn: str, socket: str) -> Line:
    process, port = _relay(ends, [], LOOPBACK, socket)
    stop, go = lambda: process.send_signal(signal.SIGSTOP), lambda: process.send_signal(signal.SIGCONT)
    ends.callback(go)  # a stopped process does not end
    return Line(_over(dsn, LOOPBACK, port), False, stop, go)


def _relay(ends: ExitStack, before: list[str], host: str, socket: str) -> tuple[subprocess.Popen[str], int]:
    words = [*before, sys.executable, str(RELAY), host, socket]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True)
    ends.callback(process.wait)
    ends.callback(process.kill)
    assert process.stdout is not None
    return process, int(process.stdout.readline())


def _over(dsn: str, host: str, port: int) -> str:
    parts = urlsplit(dsn)
    return urlunsplit(parts._replace(netloc=f"{parts.username}@{host}:{port}"))


def _ran(*words: str) -> bool:
    try:
        return subprocess.run(words, capture_output=True, check=False).returncode == 0
    except FileNotFoundError:  # no such program
        return False
