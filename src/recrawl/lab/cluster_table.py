"""The store's side of a simulated cluster: seats with leases by its own clock, partitions with owner and epoch.

As `store/shared/leases.py` does it in SQL: a lease that ran out is never renewed; a partition has one owner at most,
and its epoch rises with every new one. Every statement is counted, with the rows it has to read or write.
"""

from collections import Counter

from recrawl.model.cluster import Seat


class Table:
    def __init__(self, partitions: int, lease_s: float) -> None:
        self._lease_s = lease_s
        self._until: dict[str, float] = {}
        self._held: dict[str, dict[int, int]] = {}
        self._free: dict[int, None] = dict.fromkeys(range(partitions))
        self._epoch = [0] * partitions
        self._seats: tuple[Seat, ...] | None = None  # until something changes
        self.statements: Counter[str] = Counter()
        self.seconds: Counter[int] = Counter()
        self.rows = 0

    @property
    def free_count(self) -> int:
        return len(self._free)

    def join(self, worker: str, now: float) -> None:
        self._count("join", now, 1)
        self._until[worker] = now + self._lease_s
        self._held[worker] = {}
        self._seats = None

    def renew(self, worker: str, now: float) -> bool:
        """False: the lease had run out, or somebody buried it."""
        self._count("renew", now, 1)
        if self._until.get(worker, 0.0) < now:
            return False
        self._until[worker] = now + self._lease_s
        return True

    def bury(self, now: float) -> list[int]:
        """Take their partitions from those whose lease ran out; which."""
        freed: list[int] = []
        for worker in [name for name, until_at in self._until.items() if until_at < now]:
            freed += self._held.pop(worker)
            del self._until[worker]
        self._free.update(dict.fromkeys(freed))
        if freed:
            self._seats = None
        return freed

    def look(self, now: float) -> tuple[Seat, ...]:
        """All workers with what they hold; the database reads a row a worker and one a partition."""
        self._count("look", now, len(self._until) + len(self._epoch))
        if self._seats is None:
            self._seats = tuple(Seat(name, held=len(self._held[name])) for name in sorted(self._until))
        return self._seats

    def silent_s(self, now: float) -> list[float]:
        """What `frontier.leases.silent_s` makes of the seats of this moment."""
        return [until_at - now for until_at in self._until.values() if until_at - now < self._lease_s / 2]

    def held(self, worker: str) -> dict[int, int]:
        return self._held.get(worker, {})

    def claim(self, worker: str, most: int, now: float) -> dict[int, int]:
        if most <= 0 or self._until.get(worker, 0.0) < now:
            return {}
        taken = [partition for partition, _ in zip(self._free, range(most), strict=False)]
        self._count("claim", now, len(taken))
        for partition in taken:
            del self._free[partition]
            self._epoch[partition] += 1
            self._held[worker][partition] = self._epoch[partition]
        self._seats = None
        return {partition: self._epoch[partition] for partition in taken}

    def give_back(self, worker: str, partitions: list[int], now: float) -> None:
        self._count("give back", now, len(partitions))
        for partition in partitions:
            if self._held.get(worker, {}).pop(partition, None) is not None:
                self._free[partition] = None
        self._seats = None

    def _count(self, statement: str, now: float, rows: int) -> None:
        self.statements[statement] += 1
        self.seconds[int(now)] += 1
        self.rows += rows
