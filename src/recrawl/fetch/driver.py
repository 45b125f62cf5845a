"""libcurl's multi interface driven by the running asyncio loop: its sockets and its one timer."""

import asyncio
from collections.abc import Callable
from contextlib import suppress

import pycurl

from recrawl.fetch.ballast import Ballast
from recrawl.fetch.connections import Connections
from recrawl.fetch.lifeline import Lifeline
from recrawl.fetch.sockets import watcher_for
from recrawl.fetch.vigil import Vigil

Ended = Callable[[int, str], None]  # libcurl's error number (0: none) and message


class Driver:
    """Runs easy handles. `ended` is called once for each handle started, unless it is abandoned first."""

    def __init__(self, loop: asyncio.AbstractEventLoop, kept_connections: int, large_bytes: int = 32 << 20) -> None:
        self.loop = loop
        self.ballast = Ballast(large_bytes, self._later)
        self.vigil = Vigil(loop)
        self.connections = Connections()
        self._awaited = self.connections.awaited
        self._multi = multi = pycurl.CurlMulti()
        self._ended: dict[pycurl.Curl, Ended] = {}
        self._watcher = watcher_for(loop, self._act)
        self.lifeline = Lifeline(self._watcher.watched)
        self._starting = False
        self._waiting: list[pycurl.Curl] = []  # to be started
        self._timer: asyncio.TimerHandle | None = None
        self._rings_at = 0.0  # when our timer rings
        self._due_at = 0.0  # when libcurl wants to be called; 0: not at all
        multi.setopt(pycurl.M_SOCKETFUNCTION, self._watcher.watch)
        multi.setopt(pycurl.M_TIMERFUNCTION, self._on_timer)
        multi.setopt(pycurl.M_MAXCONNECTS, kept_connections)
        multi.setopt(pycurl.M_PIPELINING, pycurl.PIPE_MULTIPLEX)  # streams of one HTTP/2 connection

    def start(self, curl: pycurl.Curl, ended: Ended) -> None:
        """With all others that are started in this turn of the loop: requests that go out together wake a server once,
        and libcurl's code is at hand for all but the first."""
        self._ended[curl] = ended
        if not self._waiting:
            self.loop.call_soon(self._start_waiting)
        self._waiting.append(curl)

    def _start_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        self._starting = True
        for curl in waiting:
            self._multi.add_handle(curl)  # asks for a timer of 0 ms, which is answered right here
        self._starting = False
        if waiting:
            self._act(pycurl.SOCKET_TIMEOUT, 0)

    def stir(self) -> None:
        """Somebody was told to go on: see to it soon, outside of libcurl."""
        self.loop.call_soon(self._act, pycurl.SOCKET_TIMEOUT, 0)

    def abandon(self, curl: pycurl.Curl) -> None:
        """Stop a transfer; if it was under way, its connection is closed, or of HTTP/2 its stream."""
        if self._ended.pop(curl, None) is None:
            return
        if curl in self._waiting:
            self._waiting.remove(curl)
        else:
            self._multi.remove_handle(curl)

    def close(self) -> None:
        for curl in list(self._ended):
            self.abandon(curl)
        self._multi.close()
        self._watcher.close()
        self.lifeline.close()
        self.vigil.close()
        if self._timer is not None:
            self._timer.cancel()

    def _later(self, work: Callable[[], None]) -> None:
        """From any thread; nobody waits for anything once the loop is closed."""
        with suppress(RuntimeError):
            self.loop.call_soon_threadsafe(work)

    def _act(self, descriptor: int, events: int, speaks: bool = False) -> None:
        if descriptor in self._awaited:
            if speaks:
                self._awaited.pop(descriptor).has_spoken = True
            else:
                self.connections.stirred(descriptor)
        lifeline = self.lifeline
        lifeline.descriptor = descriptor
        lifeline.turn += 1
        try:
            _, running = self._multi.socket_action(descriptor, events)
        finally:
            lifeline.turn += 1
        if running < len(self._ended):
            self._collect()

    def _collect(self) -> None:
        _, done, failed = self._multi.info_read()
        for curl in done:
            self._end(curl, 0, "")
        for curl, code, message in failed:
            self._end(curl, code, message)

    def _end(self, curl: pycurl.Curl, code: int, message: str) -> None:
        """Told while the handle is still ours: afterwards it no longer knows its connection."""
        self._ended.pop(curl)(code, message)
        self._multi.remove_handle(curl)

    def _on_timer(self, milliseconds: int) -> None:
        """libcurl has one timer. A timer that would ring too early is left alone and set anew when it rings."""
        if self._starting:
            return
        if milliseconds < 0:
            self._due_at = 0.0
            return
        self._due_at = self.loop.time() + milliseconds / 1000.0
        if self._timer is None or self._rings_at > self._due_at:
            self._set_timer()

    def _set_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._rings_at = self._due_at
        self._timer = self.loop.call_at(self._due_at, self._ring)

    def _ring(self) -> None:
        self._timer = None
        if not self._due_at:
            return
        if self._due_at > self.loop.time():
            self._set_timer()
            return
        self._due_at = 0.0
        self._act(pycurl.SOCKET_TIMEOUT, 0)
