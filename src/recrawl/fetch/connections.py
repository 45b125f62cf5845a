"""What is known of libcurl's kept connections, those over TLS: which of them the server has closed behind our back.

libcurl looks at a kept connection at most once a second, and sends a request again on a new one when the old one
turns out to be closed. The server may have seen it, though, and must not be asked twice without its gap between; so we
look ourselves, just before the request would go out. When it closes all the same, whoever asked is told.

Over HTTP/2 libcurl keeps a connection also when a request failed over it, whatever the server did to it: the next one
may wait there for its whole time, or fail for the sake of the one before. We end it, once nobody else uses it.
"""

import select
import socket
from collections.abc import Mapping
from contextlib import suppress

from recrawl.fetch.sockets import READ
from recrawl.model.values import dataclass

Key = tuple[str, int, int]  # peer, its port, our port

MOST = 4096


@dataclass(slots=True)
class Connection:
    """`descriptor`: negative until it was learnt, since only what was learnt can be looked at."""

    peer: str
    descriptor: int = -1
    poll: "select.poll | None" = None
    under_way: int = 0  # requests
    is_closed: bool = False  # though libcurl may not know yet; its descriptor may be another's by now


class Connections:
    """Connections by their ends. One that was never learnt counts as alive. `watched`: descriptors of which nothing was
    heard, and what is waited for at each."""

    def __init__(self, watched: Mapping[int, int]) -> None:
        self._watched = watched
        self._met: dict[Key, Connection] = {}

    def learn(self, connection: Connection, descriptor: int) -> None:
        connection.poll = poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        connection.descriptor = descriptor

    def begin(self, key: Key, is_new: bool) -> Connection | None:
        """Over which a request may go out. None: a kept connection that nobody uses and that has something to read is
        closed, or about to be."""
        met = self._met.get(key)
        if met is None or (is_new and (met.is_closed or not met.under_way)):
            met = self._meet(key)
        elif met.is_closed or not (met.under_way or self._watched.get(met.descriptor, 0) & READ or _is_quiet(met)):
            met.is_closed = True
            return None
        met.under_way += 1
        return met

    def _meet(self, key: Key) -> Connection:
        self._met.pop(key, None)
        while len(self._met) >= MOST:
            del self._met[next(iter(self._met))]
        met = self._met[key] = Connection(key[0])
        return met

    def hung_up(self, connection: Connection) -> bool:
        """It ended under a request: whether that may have been without a word. Not of one that was never learnt."""
        if connection.poll is None:
            return False
        connection.is_closed = True
        return True

    def part(self, connection: Connection, descriptor: int) -> None:
        """A request failed over it: it carries no other. `descriptor`: negative where it is closed already."""
        if descriptor >= 0 and connection.under_way <= 1:
            self.learn(connection, descriptor)
            connection.is_closed = True
            _shut(descriptor)

    def end(self, connection: Connection) -> None:
        connection.under_way -= 1


def _is_quiet(connection: Connection) -> bool:
    return connection.poll is None or not connection.poll.poll(0)


def _shut(descriptor: int) -> None:
    """libcurl sees it when it wants the connection the next time, and lets it go."""
    wire = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, descriptor)
    with suppress(OSError):
        wire.shutdown(socket.SHUT_RDWR)
    wire.detach()
