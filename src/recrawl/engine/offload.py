"""Where a worker's writing and reading back is done: on the loop as long as it does not wait there, else in a thread.

Two threads take turns at one interpreter, and every turn costs: a writer's thread beside the loop made a whole crawl a
quarter dearer. So what computes stays on the loop; what waits (for a slow disk, another writer, a network) leaves it.
"""

import asyncio
import os
import resource
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from time import monotonic, monotonic_ns, thread_time
from typing import Any, NamedTuple

Offload = Callable[..., Awaitable[Any]]

THREAD: int | None = getattr(resource, "RUSAGE_THREAD", None)
SHARE = 0.05  # of its time that the loop may stand still
MOST_S = 0.05  # that it has stood still beyond that share before the thread takes over
TURN_S = 0.05  # another worker of the folder has written by then …
AGAIN_S = 0.002  # … and so often this one looks whether it has


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
    """What is given first is done first. `at_hand` says whether work given now would find nobody in its way, and
    `patient_s` how long that is worth waiting for, while everything else goes on."""

    def __init__(self, name: str, at_hand: Callable[[], bool] = lambda: False, patient_s: float = 0.0) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)
        self._at_hand, self._patient_s = at_hand, patient_s
        self._line = asyncio.Lock()
        self._standstill = Standstill()
        self._last: Future[Any] | None = None  # that was given to the thread

    async def __call__(self, work: Callable[..., Any], *arguments: Any) -> Any:
        async with self._line:
            if await self._is_for_the_loop():
                return self._done_here(work, arguments)
            self._last = self._thread.submit(work, *arguments)
            handed_over = asyncio.wrap_future(self._last)
        return await handed_over

    async def _is_for_the_loop(self) -> bool:
        is_idle = self._last is None or self._last.done()
        if not is_idle or self._standstill.too_much(monotonic()):
            return False
        until_at = monotonic() + self._patient_s
        while not self._at_hand():
            if monotonic() >= until_at:
                return False
            await asyncio.sleep(AGAIN_S)
        return True

    def _done_here(self, work: Callable[..., Any], arguments: tuple[Any, ...]) -> Any:
        began_at, before = monotonic(), spent()
        try:
            return work(*arguments)
        finally:
            self._standstill.add(waited_s(monotonic() - began_at, before, spent()))


class Spent(NamedTuple):
    """What a thread has spent so far: time of a processor, how often it went to sleep of its own accord, and time in
    line for a processor."""

    busy_s: float
    sleeps: int
    queued_s: float = 0.0


def spent() -> Spent:
    """Where the system does not count the sleeps of a thread, there is one before each look."""
    if THREAD is None:
        return Spent(thread_time(), monotonic_ns())
    used = resource.getrusage(THREAD)
    return Spent(used.ru_utime + used.ru_stime, used.ru_nvcsw, _queued_s())


def _queued_s() -> float:
    """Nothing where the system does not tell."""
    try:
        statistics = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return 0.0
    try:
        return int(os.read(statistics, 100).split()[1]) / 1e9
    except (OSError, IndexError, ValueError):
        return 0.0
    finally:
        os.close(statistics)


def waited_s(passed_s: float, before: Spent, after: Spent) -> float:
    """Whoever did not go to sleep has worked, or stood in line for a processor; whoever did may have done so, too: on a
    busy machine one short sleep would else make a wait of all that time, and the thread takes over where there is least
    to spare for it."""
    if after.sleeps == before.sleeps:
        return 0.0
    return max(0.0, passed_s - (after.busy_s - before.busy_s) - (after.queued_s - before.queued_s))


async def at_once(work: Callable[..., Any], *arguments: Any) -> Any:
    """Offload for simulations: no thread, no second order of events."""
    return work(*arguments)
