"""What is known of libcurl's kept connections: which of them the server has closed behind our back.

libcurl looks at a kept connection at most once a second, and sends a request again on a new one when the old one
turns out to be closed. The server may have seen it, though, and must not be asked twice without its gap between; so we
look ourselves, just before the request would go out. When it closes all the same, whoever asked is told, and also
whether the first bytes of an answer had come: libcurl counts whole lines only.

Over HTTP/2 libcurl keeps a connection also when a request failed over it, whatever the server did to it: the next one
may wait there for its whole time, or fail for the sake of the one before. We end it, once nobody else uses it.
"""

import select
import socket
from contextlib import suppress

from recrawl.model.values import dataclass

Key = tuple[str, int, int]  # peer, its port, our port

MOST = 4096


@dataclass(slots=True)
class Kept:
    poll: "select.poll"
    descriptor: int
    is_closed: bool = False  # though libcurl may not know yet; its descriptor may be another's by now
    has_spoken: bool = False  # since the last request; over TLS nobody can tell


class Connections:
    """Connections by their ends. One that was never learnt counts as alive."""

    def __init__(self) -> None:
        self._kept: dict[Key, Kept] = {}
        self._under_way: dict[Key, int] = {}  # requests
        self.awaited: dict[int, Kept] = {}  # by descriptor: those whose first byte is still to come

    def learn(self, key: Key, descriptor: int) -> None:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        self._kept.pop(key, None)
        while len(self._kept) >= MOST:
            del self._kept[next(iter(self._kept))]
        self._kept[key] = Kept(poll, descriptor)

    def begin(self, key: Key, plain: bool, is_new: bool) -> bool:
        """Whether a request may go out: a kept connection that nobody uses and that has something to read is closed,
        or about to be. `plain`: not over TLS."""
        under_way = self._under_way.get(key, 0)
        kept = None if is_new else self._kept.get(key)
        if kept is not None:
            if kept.is_closed or (not under_way and kept.poll.poll(0)):
                kept.is_closed = True
                return False
            kept.has_spoken = False
            if plain:
                self.awaited[kept.descriptor] = kept
        self._under_way[key] = under_way + 1
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
        kept = self._kept.get(key)
        if kept is None:
            return False
        kept.is_closed = True
        self._await_no_more(kept)
        return not kept.has_spoken

    def part(self, key: Key, descriptor: int) -> None:
        """A request failed over it: it carries no other. `descriptor`: negative where it is closed already."""
        if descriptor >= 0 and self._under_way.get(key, 0) <= 1:
            self.learn(key, descriptor)
            self._kept[key].is_closed = True
            _shut(descriptor)

    def end(self, key: Key) -> None:
        under_way = self._under_way.pop(key, 1) - 1
        if under_way > 0:
            self._under_way[key] = under_way
        if self.awaited and (kept := self._kept.get(key)) is not None:
            self._await_no_more(kept)

    def _await_no_more(self, kept: Kept) -> None:
        if self.awaited.get(kept.descriptor) is kept:
            del self.awaited[kept.descriptor]


def _shut(descriptor: int) -> None:
    """libcurl sees it when it wants the connection the next time, and lets it go."""
    wire = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, descriptor)
    with suppress(OSError):
        wire.shutdown(socket.SHUT_RDWR)
    wire.detach()
