"""libcurl's multi interface driven by the running asyncio loop: its sockets and its one timer."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Protocol

import pycurl

from recrawl.fetch.ballast import Ballast
from recrawl.fetch.connections import Connections
from recrawl.fetch.lifeline import Lifeline
from recrawl.fetch.sockets import READY, watcher_for
from recrawl.fetch.vigil import Vigil

NOTHING_STIRRED = ((int(pycurl.SOCKET_TIMEOUT), 0),)


class Driven(Protocol):
    def on_end(self, code: int, message: str) -> None:
        """libcurl's error number (0: none) and message."""
        ...


class Driver:
    """Runs easy handles. Who drives one is told once for each time it is started, unless it is abandoned first."""

    def __init__(self, loop: asyncio.AbstractEventLoop, kept_connections: int, large_bytes: int = 32 << 20) -> None:
        self.loop = loop
        self.ballast = Ballast(large_bytes, self._later)
        self.vigil = Vigil(loop)
        self._multi = multi = pycurl.CurlMulti()
        self._driven: dict[pycurl.Curl, Driven] = {}
        self._started = 0  # of them
        self._watcher = watcher_for(loop, self._act)
        self.connections = Connections(self._watcher.masks)
        self.opened, self.passing = self._watcher.opened, self._watcher.passing
        self.lifeline = Lifeline(self._watcher.watched)
        self._waiting: list[pycurl.Curl] = []  # to be started
        self._timer: asyncio.TimerHandle | None = None
        self._rings_at = 0.0  # when our timer rings
        self._due_at = 0.0  # when libcurl wants to be called; 0: not at all
        self._is_closed = False
        multi.setopt(pycurl.M_SOCKETFUNCTION, self._watcher.watch)
        multi.setopt(pycurl.M_MAXCONNECTS, kept_connections)
        multi.setopt(pycurl.M_PIPELINING, pycurl.PIPE_MULTIPLEX)  # streams of one HTTP/2 connection

    def take_up(self, curl: pycurl.Curl, driven: Driven) -> None:
        self._driven[curl] = driven

    def start(self, curl: pycurl.Curl) -> None:
        """With all others that are started in this turn of the loop: requests that go out together wake a server once,
        and libcurl's code is at hand for all but the first."""
        self._started += 1
        if not self._waiting:
            self.loop.call_soon(self._start_waiting)
        self._waiting.append(curl)

    def _start_waiting(self) -> None:
        waiting, self._waiting = self._waiting, []
        if not waiting:
            return
        self._watcher.look()
        for curl in waiting:
            self._multi.add_handle(curl)
        self._act(NOTHING_STIRRED)

    def stir(self) -> None:
        """Somebody was told to go on: see to it soon, outside of libcurl."""
        self.loop.call_soon(self._see_to_stirred)

    def _see_to_stirred(self) -> None:
        if not self._is_closed:
            self._act(NOTHING_STIRRED)

    def abandon(self, curl: pycurl.Curl) -> None:
        """Stop a transfer that was started; if it was under way, its connection is closed, or of HTTP/2 its stream."""
        self._started -= 1
        if curl in self._waiting:
            self._waiting.remove(curl)
        else:
            self._multi.remove_handle(curl)

    def close(self) -> None:
        """Nothing is under way any more."""
        self._is_closed = True
        self._multi.close()
        self._watcher.close()
        self.lifeline.close()
        self.vigil.close()
        self._driven.clear()
        if self._timer is not None:
            self._timer.cancel()

    def _later(self, work: Callable[[], None]) -> None:
        """From any thread; nobody waits for anything once the loop is closed."""
        with suppress(RuntimeError):
            self.loop.call_soon_threadsafe(work)

    def _act(self, stirred: Sequence[tuple[int, int]]) -> None:
        """Have libcurl see to what stirred; then, once for all of it, to what ended and to its timer."""
        lifeline, socket_action, running = self.lifeline, self._multi.socket_action, 0
        for descriptor, events in stirred:
            lifeline.descriptor = descriptor
            lifeline.turn += 1
            try:
                _, running = socket_action(descriptor, READY[events & 0x1F])
            finally:
                lifeline.turn += 1
        if running < self._started:
            self._collect()
        self._see_to_timer()

    def _collect(self) -> None:
        """Each is told while its handle is still ours: afterwards it no longer knows its connection."""
        _, done, failed = self._multi.info_read()
        driven, remove_handle = self._driven, self._multi.remove_handle
        for curl, code, message in [*((curl, 0, "") for curl in done), *failed]:
            self._started -= 1
            driven[curl].on_end(code, message)
            remove_handle(curl)

    def _see_to_timer(self) -> None:
        """libcurl has one timer. Ours is left alone where it would ring too early, and set anew when it rings."""
        milliseconds = self._multi.timeout()
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
        self._act(NOTHING_STIRRED)
