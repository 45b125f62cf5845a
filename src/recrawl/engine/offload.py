"""Where a worker's writing and reading back is done: on the loop as long as it does not wait there, else in a thread.

Two threads take turns at one interpreter, and every turn costs: a writer's thread beside the loop made a whole crawl a
quarter dearer. So what computes stays on the loop; what waits (for a slow disk, another writer, a network) leaves it.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from time import monotonic, thread_time
from typing import Any

Offload = Callable[..., Awaitable[Any]]

SHARE = 0.05  # of its time that the loop may stand still
MOST_S = 0.05  # that it has stood still beyond that share before the thread takes over


class Standstill:
    """How long the loop has waited, less the share that it may wait."""

    def __init__(self) -> None:
        self._waited_s = self._seen_at = 0.0
        self._too_much = False

    def too_much(self, now: float) -> bool:
        """Until all of it has been made good."""
        self._waited_s = max(0.0, self._waited_s - SHARE * (now - self._seen_at))
        self._seen_at = now
        self._too_much = self._waited_s > (0.0 if self._too_much else MOST_S)
        return self._too_much

    def add(self, waited_s: float) -> None:
        self._waited_s += max(0.0, waited_s)


class OffTheLoop:
    """What is given first is done first. `at_hand` says whether work given now would find nobody in its way."""

    def __init__(self, name: str, at_hand: Callable[[], bool] = lambda: False) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._at_hand = at_hand
        self._standstill = Standstill()
        self._last: Future[Any] | None = None  # that was given to the thread

    async def __call__(self, work: Callable[..., Any], *arguments: Any) -> Any:
        is_idle = self._last is None or self._last.done()
        if not is_idle or self._standstill.too_much(monotonic()) or not self._at_hand():
            self._last = self._thread.submit(work, *arguments)
            return await asyncio.wrap_future(self._last)
        began_at, busy_s = monotonic(), busy_for_s()
        try:
            return work(*arguments)
        finally:
            self._standstill.add((monotonic() - began_at) - (busy_for_s() - busy_s))


def busy_for_s() -> float:
    """How long this thread has worked or stood in line for a processor: the rest of its time it waited. Where the
    system does not tell of the line, that counts as waiting, too."""
    return thread_time() + _in_line_s()


def _in_line_s() -> float:
    """Beside it stands how long the thread ran, but that only grows with the kernel's ticks of some milliseconds:
    what computes for less than a tick would seem to wait."""
    try:
        told = os.open("/proc/thread-self/schedstat", os.O_RDONLY)
    except OSError:
        return 0.0
    try:
        return int(os.read(told, 100).split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0
    finally:
        os.close(told)


async def at_once(work: Callable[..., Any], *arguments: Any) -> Any:
    """Offload for simulations: no thread, no second order of events."""
    return work(*arguments)
