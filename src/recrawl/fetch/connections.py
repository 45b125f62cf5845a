"""What is known of libcurl's kept connections: which of them the server has closed behind our back.

libcurl looks at a kept connection at most once a second, and sends a request again on a new one when the old one
turns out to be closed. The server may have seen it, though, and must not be asked twice; so we look ourselves, just
before the request would go out.
"""

import select
from dataclasses import dataclass

Key = tuple[str, int, int]  # peer, its port, our port

MOST = 4096


@dataclass(slots=True)
class Kept:
    poll: "select.poll"
    streams: int = 0  # requests under way over it


class Connections:
    """Connections by their ends. One that was never learnt counts as alive."""

    def __init__(self) -> None:
        self._kept: dict[Key, Kept] = {}

    def learn(self, key: Key, descriptor: int) -> None:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        self._kept.pop(key, None)
        while len(self._kept) >= MOST:
            del self._kept[next(iter(self._kept))]
        self._kept[key] = Kept(poll)

    def begin(self, key: Key) -> bool:
        """Whether a request may go out: a connection that nobody uses and that has something to read is closed,
        or about to be."""
        kept = self._kept.get(key)
        if kept is None:
            return True
        if not kept.streams and kept.poll.poll(0):
            del self._kept[key]
            return False
        kept.streams += 1
        return True

    def end(self, key: Key) -> None:
        kept = self._kept.get(key)
        if kept is not None and kept.streams:
            kept.streams -= 1
