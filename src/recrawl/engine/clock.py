"""Time and dice. Nothing else in recrawl asks for either.

A virtual clock runs the whole engine on an event loop whose time jumps to the next thing that will happen, so a
month passes in seconds and the same seed gives the same month.
"""

import asyncio
import random
import selectors
import time
from array import array
from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, TypeVar

from recrawl.native import compiled

T = TypeVar("T")
BOOT_TIME = getattr(time, "CLOCK_BOOTTIME", None)

# Seconds that nobody sets, suspended time included. A page asks for them seven times.
steady_s: Callable[[], float] = time.monotonic if BOOT_TIME is None else partial(time.clock_gettime, BOOT_TIME)


class SystemClock:
    """The machine's clock, read once; from then on the steady one counts, suspended time included.

    A wall clock that jumps while recrawl runs can therefore neither shorten a server's gap nor stop the crawl;
    the new time is taken up at the next start. `now_at`: what somebody else's clock says now, to go by that one; the
    workers of a cluster go by their database's.
    """

    def __init__(self, now_at: float | None = None) -> None:
        self._epoch_at = (time.time() if now_at is None else now_at) - steady_s()

    def now(self) -> float:
        return self._epoch_at + steady_s()

    def loop_s(self, seconds: float) -> float:
        return seconds

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(max(0.0, seconds))


class FastClock:
    """Runs `speed` times as fast as the machine's clock, from `start_at`: a town's week in a demo's minute."""

    def __init__(self, start_at: float, speed: float) -> None:
        self._start_at, self._speed, self._began = start_at, speed, steady_s()

    def now(self) -> float:
        return self._start_at + self._speed * (steady_s() - self._began)

    def loop_s(self, seconds: float) -> float:
        return seconds / self._speed

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(max(0.0, self.loop_s(seconds)))


class VirtualClock:
    """Follows the time of the virtual loop it is used on."""

    def __init__(self, start_at: float = 1_767_225_600.0) -> None:  # 2026-01-01
        self.start_at = start_at

    def now(self) -> float:
        return self.start_at + asyncio.get_running_loop().time()

    def loop_s(self, seconds: float) -> float:
        return seconds

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(max(0.0, seconds))


class _JumpingSelector(selectors.BaseSelector):
    """Waits by moving the loop's time instead of letting time pass."""

    def __init__(self) -> None:
        self._real = selectors.DefaultSelector()
        self.elapsed_s = 0.0

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        if timeout is None:
            raise RuntimeError("everything waits for everything: the simulated crawl is stuck")
        self.elapsed_s += max(0.0, timeout)
        return self._real.select(0)

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._real.unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.modify(fileobj, events, data)

    def close(self) -> None:
        self._real.close()

    def get_map(self) -> Any:
        return self._real.get_map()


class _VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        self._jumping = _JumpingSelector()
        super().__init__(self._jumping)

    def time(self) -> float:
        return self._jumping.elapsed_s


def run_virtually(main: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Run to the end on virtual time."""
    with asyncio.Runner(loop_factory=_VirtualLoop) as runner:
        return runner.run(main())


DRAWN = 256  # at once: there is one for every record


class Dice:
    """All chance comes from here, by seed; without one, from the machine."""

    def __init__(self, seed: int | None = None) -> None:
        self._numbers = random.Random(seed)  # NumPy's own dice take three megabytes
        self._ids = random.Random(seed)
        self._drawn: list[str] = []  # identities to come

    def luck(self, count: int) -> "array[float]":
        """Numbers in [0, 1)."""
        return array("d", [self._numbers.random() for _ in range(count)])

    def record_id(self) -> str:
        """A random UUID as WARC wants it."""
        if not self._drawn:
            self._drawn = urn_uuids(self._ids.randbytes(16 * DRAWN))
        return self._drawn.pop()


def plain_urn_uuids(random_bytes: bytes) -> list[str]:
    return [_urn_uuid(random_bytes[at : at + 16]) for at in range(0, len(random_bytes), 16)]


def _urn_uuid(random_bytes: bytes) -> str:
    bits = int.from_bytes(random_bytes, "big") & ~(0xF << 76) | (4 << 76)
    bits = bits & ~(0x3 << 62) | (0x2 << 62)
    text = f"{bits:032x}"
    return f"<urn:uuid:{text[:8]}-{text[8:12]}-{text[12:16]}-{text[16:20]}-{text[20:]}>"


urn_uuids: Callable[[bytes], list[str]] = plain_urn_uuids if compiled is None else compiled.urn_uuids
