"""One timer for the limits of all transfers: nearly all of them end long before it would ring for them."""

import asyncio
from typing import Protocol


class Watched(Protocol):
    def check(self, now: float) -> float:
        """Act on what is overdue; when to look again."""
        ...


LATE_S = 0.1  # the loop was held up: what had come meanwhile is not read yet


class Vigil:
    """Whoever is watched is checked no earlier than it is due and soon after. Time in which the loop was held up counts
    for nobody: a server is not slow because we were. It is put off once, though: what had come meanwhile is read by
    then, and a loop that is always busy must not let everybody wait for ever."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._watched: dict[Watched, float] = {}  # and when each is due
        self._timer: asyncio.TimerHandle | None = None
        self._rings_at = 0.0
        self._was_put_off = False

    def add(self, watched: Watched, due_at: float) -> None:
        self._watched[watched] = due_at
        if self._timer is None or due_at < self._rings_at:
            self._set_timer(due_at)

    def drop(self, watched: Watched) -> None:
        """The timer stays as it is and finds out when it rings."""
        self._watched.pop(watched, None)

    def close(self) -> None:
        self._watched.clear()
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _set_timer(self, at: float) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._rings_at = at
        self._timer = self._loop.call_at(at, self._ring)

    def _put_off(self, late_s: float) -> None:
        for watched in self._watched:
            self._watched[watched] += late_s
        if self._watched:
            self._set_timer(min(self._watched.values()))

    def _ring(self) -> None:
        self._timer = None
        now = self._loop.time()
        late_s = now - self._rings_at
        if late_s > LATE_S and not self._was_put_off:
            self._was_put_off = True
            self._put_off(late_s)
            return
        self._was_put_off = False
        for watched in [watched for watched, due_at in self._watched.items() if due_at <= now]:
            self._watched[watched] = watched.check(now)
        if self._watched:
            self._set_timer(min(self._watched.values()))
