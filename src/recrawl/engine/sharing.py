"""Work that changes hands within a folder's crew: who has nothing left to do is given servers of one who has too much.

Nobody coordinates. Which worker owns a partition stands in memory that all of them share; only its owner writes there,
when nothing of it is under way or unwritten. A worker started anew after it died owns what stands there.
"""

import mmap
from collections.abc import Collection, Iterable, Mapping, Sequence
from struct import calcsize

from recrawl.engine.hearsay import Hearsay, Listener
from recrawl.engine.tally import IDLE, Board, Count, Tally
from recrawl.frontier.split import split

LOOK_S = 0.01  # how often a worker looks whether another one is idle
LOOKS = 2  # in a row at which it was
FEWEST = 100  # pages that wait: fewer are done sooner than they are handed over
_CELL = calcsize("q")


class Owners:
    """Survives the fork. `changes` grows with every partition that changed hands."""

    def __init__(self, shares: Sequence[Collection[int]]) -> None:
        self._partitions = sum(map(len, shares))
        self._memory = mmap.mmap(-1, (self._partitions + len(shares)) * _CELL)
        self._cells = memoryview(self._memory).cast("q")  # an owner a partition; then what each worker has given away
        for worker, share in enumerate(shares):
            for partition in share:
                self._cells[partition] = worker

    @property
    def changes(self) -> int:
        return sum(self._cells[self._partitions :])

    def of(self, worker: int) -> set[int]:
        owners = self._cells[: self._partitions].tolist()
        return {partition for partition, owner in enumerate(owners) if owner == worker}

    def give(self, giver: int, partitions: Iterable[int], taker: int) -> None:
        for partition in partitions:
            self._cells[partition] = taker
        self.look_again(giver)

    def look_again(self, giver: int) -> None:
        """What this one gave away may not have been seen by those who own it now."""
        self._cells[self._partitions + giver] += 1


class Mates:
    """What a worker sees of the others."""

    def __init__(self, owners: Owners, board: Board, number: int, hearsay: Hearsay | None = None) -> None:
        self._owners, self._board, self.number = owners, board, number
        self.ears = Listener(hearsay, number) if hearsay is not None else None
        owners.look_again(number)  # the one before it may have died while it gave something away
        self._seen = -1
        self._idle: dict[int, int] = {}  # how often in a row each was
        self._look_at = 0.0

    @property
    def crew(self) -> int:
        """How many they are, this one included."""
        return len(self._board.rows)

    @property
    def own_tally(self) -> Tally:
        return self._board.rows[self.number]

    @property
    def are_all_idle(self) -> bool:
        """This one included."""
        return all(row[Count.IDLE] for row in self._board.rows)

    def owned(self) -> set[int]:
        """All partitions of this worker."""
        self._seen = self._owners.changes  # first: what changes hands meanwhile is seen once more
        return self._owners.of(self.number)

    def owned_anew(self) -> set[int]:
        """The same, if any have changed hands since it was last asked; else nothing."""
        return set() if self._owners.changes == self._seen else self.owned()

    def idle_one(self, now: float) -> int | None:
        """Another worker that has had nothing to do for a moment."""
        if now < self._look_at:
            return None
        self._look_at = now + LOOK_S
        others = [row for row in range(len(self._board.rows)) if row != self.number]
        rows = self._board.rows
        self._idle = {row: self._idle.get(row, 0) + 1 for row in others if rows[row][Count.IDLE] == IDLE}
        return next((row for row, looks in self._idle.items() if looks >= LOOKS), None)

    def give(self, partitions: Iterable[int], taker: int) -> None:
        self._idle.pop(taker, None)
        self._owners.give(self.number, partitions, taker)


def spared(waiting: Mapping[int, int]) -> frozenset[int]:
    """Of the partitions with so many pages that wait those to give away: about half of the work. None where it is
    little, or lies in one."""
    if len(waiting) < 2 or sum(waiting.values()) < FEWEST:
        return frozenset()
    _, other = split(waiting, max(waiting) + 1, 2)
    return other & waiting.keys()
