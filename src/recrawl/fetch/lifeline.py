"""A second pair of eyes on libcurl: a call that does not come back holds up every server.

A TLS handshake goes on within one call for as long as bytes come, and some of them mean nothing (HelloRequest). A
server that sends nothing else, and fast, keeps the loop there for ever; no limit is looked at meanwhile. So a thread
looks now and then whether the loop is still inside of the same call and hard at work. Then it shuts the socket down
under it: the call ends with an error like any other.
"""

import socket
import struct
import threading
import time
from collections.abc import Callable
from contextlib import suppress

LOOK_S = 0.25
BUSY_S = 0.5  # of processor time within one call; an honest one takes milliseconds
NOBODY = -1
NO_GOODBYE = struct.pack("ii", 1, 0)  # what is still under way is dropped, here and there


class Lifeline:
    """Around every call stands `turn += 1`, before and behind it: while it is odd, the loop is inside. `watched`: the
    sockets that libcurl waits for."""

    def __init__(self, watched: Callable[[], list[int]]) -> None:
        self.turn = 0
        self.descriptor = NOBODY  # the socket that stirred
        self._watched = watched
        self._over = threading.Event()
        self._thread: threading.Thread | None = None

    def hold(self) -> None:
        """From now on there may be calls that do not come back. To be called by the loop's thread."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._watch, args=(_work_clock(),), name="lifeline", daemon=True)
            self._thread.start()

    def close(self) -> None:
        self._over.set()
        if self._thread is not None:
            self._thread.join()

    def _watch(self, worked_s: Callable[[], float]) -> None:
        seen, since_s, pulls = 0, 0.0, 0
        while not self._over.wait(LOOK_S):
            turn, now_s = self.turn, worked_s()
            if turn != seen or turn % 2 == 0:
                seen, since_s, pulls = turn, now_s, 0
            elif now_s - since_s >= BUSY_S:
                self._pull(everything=pulls > 0)
                since_s, pulls = now_s, pulls + 1

    def _pull(self, everything: bool) -> None:
        """The socket the call was made for; where that does not help, or there is none, all of them."""
        known = self.descriptor != NOBODY and not everything
        for descriptor in [self.descriptor] if known else self._watched():
            wire = socket.socket(socket.AF_INET, socket.SOCK_STREAM, socket.IPPROTO_TCP, descriptor)
            with suppress(OSError):  # closed by now
                wire.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, NO_GOODBYE)
                wire.shutdown(socket.SHUT_RDWR)
            wire.detach()


def _work_clock() -> Callable[[], float]:
    """What this thread has worked so far; where that cannot be known, the time."""
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.monotonic
    clock = time.pthread_getcpuclockid(threading.get_ident())
    return lambda: time.clock_gettime(clock)
