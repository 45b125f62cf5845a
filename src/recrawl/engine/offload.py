"""Where a worker's writing and reading back is done: on the loop as long as it does not wait there, else in a thread.

Two threads take turns at one interpreter, and every turn costs: a writer's thread beside the loop made a whole crawl a
quarter dearer. So what computes stays on the loop; what waits (for a slow disk, another writer, a network) leaves it.
"""

import asyncio
import resource
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from time import monotonic, monotonic_ns, thread_time
from typing import Any, NamedTuple

Offload = Callable[..., Awaitable[Any]]

THREAD: int | None = getattr(resource, "RUSAGE_THREAD", None)
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
        began_at, before = monotonic(), spent()
        try:
            return work(*arguments)
        finally:
            self._standstill.add(waited_s(monotonic() - began_at, before, spent()))


class Spent(NamedTuple):
    """What a thread has spent so far: time of a processor, and how often it went to sleep of its own accord."""

    busy_s: float
    sleeps: int


def spent() -> Spent:
    """Where the system does not count the sleeps of a thread, there is one before each look."""
    if THREAD is None:
        return Spent(thread_time(), monotonic_ns())
    used = resource.getrusage(THREAD)
    return Spent(used.ru_utime + used.ru_stime, used.ru_nvcsw)


def waited_s(passed_s: float, before: Spent, after: Spent) -> float:
    """Whoever did not go to sleep has worked, or stood in line for a processor."""
    return 0.0 if after.sleeps == before.sleeps else max(0.0, passed_s - (after.busy_s - before.busy_s))


async def at_once(work: Callable[..., Any], *arguments: Any) -> Any:
    """Offload for simulations: no thread, no second order of events."""
    return work(*arguments)
