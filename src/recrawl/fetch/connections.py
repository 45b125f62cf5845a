"""What is known of libcurl's kept connections: which of them the server has closed behind our back.

libcurl looks at a kept connection at most once a second, and sends a request again on a new one when the old one
turns out to be closed. The server may have seen it, though, and must not be asked twice without its gap between; so we
look ourselves, just before the request would go out. When it closes all the same, whoever asked is told, and also
whether the first bytes of an answer had come: libcurl counts whole lines only.
"""

import select
import socket

from recrawl.model.values import dataclass

Key = tuple[str, int, int]  # peer, its port, our port

MOST = 4096


@dataclass(slots=True)
class Kept:
    poll: "select.poll"
    descriptor: int
    streams: int = 0  # requests under way over it
    has_spoken: bool = False  # since the last request; over TLS nobody can tell


class Connections:
    """Connections by their ends. One that was never learnt counts as alive."""

    def __init__(self) -> None:
        self._kept: dict[Key, Kept] = {}
        self.awaited: dict[int, Kept] = {}  # by descriptor: those whose first byte is still to come

    def learn(self, key: Key, descriptor: int) -> None:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        self._kept.pop(key, None)
        while len(self._kept) >= MOST:
            del self._kept[next(iter(self._kept))]
        self._kept[key] = Kept(poll, descriptor)

    def begin(self, key: Key, plain: bool) -> bool:
        """Whether a request may go out: a connection that nobody uses and that has something to read is closed,
        or about to be. `plain`: not over TLS."""
        kept = self._kept.get(key)
        if kept is None:
            return True
        if not kept.streams and kept.poll.poll(0):
            del self._kept[key]
            return False
        kept.streams += 1
        kept.has_spoken = False
        if plain:
            self.awaited[kept.descriptor] = kept
        return True

    def stirred(self, descriptor: int) -> None:
        """Something happened to one that is awaited, and libcurl has not seen it yet."""
        wire = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, descriptor)
        try:
            self.awaited[descriptor].has_spoken = bool(wire.recv(1, socket.MSG_PEEK | socket.MSG_DONTWAIT))
        except BlockingIOError:
            return  # it can be written to
        except OSError:
            pass  # reset
        finally:
            wire.detach()
        del self.awaited[descriptor]

    def hung_up(self, key: Key) -> bool:
        """It ended under a request: whether that was without a word. One that was never learnt may have spoken."""
        kept = self._kept.pop(key, None)
        if kept is None:
            return False
        self.awaited.pop(kept.descriptor, None)
        return not kept.has_spoken

    def end(self, key: Key) -> None:
        kept = self._kept.get(key)
        if kept is not None and kept.streams:
            kept.streams -= 1
            self.awaited.pop(kept.descriptor, None)
