"""One timer for the limits of all transfers: nearly all of them end long before it would ring for them."""

import asyncio
from math import inf
from typing import Protocol


class Watched(Protocol):
    """`due_at`: when to look; NEVER: nothing is under way."""

    due_at: float

    def check(self, now: float) -> float:
        """Act on what is overdue; when to look again."""
        ...


LATE_S = 0.1  # the loop was held up: what had come meanwhile is not read yet
NEVER = inf


class Vigil:
    """Whoever is watched is checked no earlier than it is due and soon after. Time in which the loop was held up counts
    for nobody: a server is not slow because we were. It is put off once, though: what had come meanwhile is read by
    then, and a loop that is always busy must not let everybody wait for ever."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._watched: dict[Watched, None] = {}
        self._timer: asyncio.TimerHandle | None = None
        self.rings_at = NEVER
        self._was_put_off = False

    def know(self, watched: Watched) -> None:
        """It may be watched from now on: who sets its `due_at` before this rings says so by `ring_at`. The timer stays
        as it is where somebody needs it no more, and finds out when it rings."""
        self._watched[watched] = None

    def forget(self, watched: Watched) -> None:
        self._watched.pop(watched, None)

    def close(self) -> None:
        self._watched.clear()
        self._stop()

    def ring_at(self, at: float) -> None:
        self._stop()
        if at < NEVER:
            self.rings_at = at
            self._timer = self._loop.call_at(at, self._ring)

    def _stop(self) -> None:
        self.rings_at = NEVER
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ring_for_first(self) -> None:
        self.ring_at(min((watched.due_at for watched in self._watched), default=NEVER))

    def _ring(self) -> None:
        now = self._loop.time()
        late_s = now - self.rings_at
        self._stop()
        if late_s > LATE_S and not self._was_put_off:
            self._was_put_off = True
            for watched in self._watched:
                watched.due_at += late_s
            self._ring_for_first()
            return
        self._was_put_off = False
        for watched in [watched for watched in self._watched if watched.due_at <= now]:
            watched.due_at = watched.check(now)
        self._ring_for_first()
