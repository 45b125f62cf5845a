"""Counters of one run, a row a worker, in memory that parent and workers share."""

import mmap
from collections.abc import Callable
from enum import IntEnum, auto
from struct import calcsize


class Count(IntEnum):
    REQUESTS = 0
    VISITS = auto()
    NEW = auto()
    CHANGED = auto()
    SAME = auto()
    NOT_MODIFIED = auto()
    MOVED = auto()
    GONE = auto()
    FAILED = auto()  # visits without a usable answer
    REFUSED = auto()
    ENTERED = auto()
    RECEIVED_BYTES = auto()
    SPARED_BYTES = auto()  # bodies not sent thanks to 304
    LEFT = auto()  # due pages left behind at the end
    COMMITS = auto()
    WRITTEN = auto()  # pages, in all commits
    IDLE = auto()  # `IDLE`: nothing to do just now; `ENDED`: nor later
    CHECKS = auto()  # store asked while idle, nothing found
    HELD_BACK = auto()  # visits put off because the budget was spent or no window open
    ERRORS = auto()  # faults of our own, counted and shown
    NOT_FOUND = auto()  # for the first time: gone only if the next visit agrees
    ROBOTS_FAILED = auto()  # requests for robots.txt that brought none
    UNWRITTEN = auto()  # visits that the store did not take any more: they are made again
    UNDECIDED = auto()  # answers that prove nothing: all noise, a part, a redirect to itself


IDLE, ENDED = 1, 2
REQUESTS, RECEIVED_BYTES = int(Count.REQUESTS), int(Count.RECEIVED_BYTES)  # counted with every answer
_CELL = calcsize("q")


class Tally:
    """One worker's row. `when_idle`: told when it has nothing to do any more."""

    def __init__(self, cells: memoryview | None = None, when_idle: Callable[[], None] | None = None) -> None:
        self.when_idle = when_idle
        self._cells = memoryview(bytearray(len(Count) * _CELL)).cast("q") if cells is None else cells

    def add_request(self, received_bytes: int) -> None:
        """One that was sent."""
        self._cells[REQUESTS] += 1
        self._cells[RECEIVED_BYTES] += received_bytes

    def add(self, count: Count, amount: int = 1) -> None:
        self._cells[count] += amount

    def set(self, count: Count, value: int) -> None:
        self._cells[count] = value

    def set_idle(self, idle: bool) -> None:
        was_idle, self._cells[Count.IDLE] = self._cells[Count.IDLE], int(idle)
        if idle and not was_idle and self.when_idle is not None:
            self.when_idle()

    def __getitem__(self, count: Count) -> int:
        return int(self._cells[count])

    def as_dict(self) -> dict[str, int]:
        return {count.name.lower(): self[count] for count in Count}


class Board:
    """All rows; survives the fork."""

    def __init__(self, workers: int) -> None:
        self._memory = mmap.mmap(-1, max(1, workers) * len(Count) * _CELL)
        cells = memoryview(self._memory).cast("q")
        self.rows = [Tally(cells[row * len(Count) : (row + 1) * len(Count)]) for row in range(workers)]

    def total(self, count: Count) -> int:
        return sum(row[count] for row in self.rows)

    def as_dict(self) -> dict[str, int]:
        return {count.name.lower(): self.total(count) for count in Count}
