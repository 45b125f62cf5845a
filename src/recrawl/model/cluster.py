"""Workers that share a store, as the store knows them."""

from collections.abc import Mapping
from dataclasses import field
from enum import IntEnum

from recrawl.model.values import dataclass


class Wish(IntEnum):
    """What a worker is asked to do."""

    WORK = 0
    LEAVE = 1  # give everything back, then end
    END = 2  # all is done: those that were to go round once end


@dataclass(frozen=True, slots=True)
class Report:
    """What a worker says of itself when it renews its lease. `checks`: how often it found nothing to do."""

    idle: bool = False
    commits: int = 0
    checks: int = 0


@dataclass(frozen=True, slots=True)
class Seat:
    """A worker with its lease. `left_s`: how long that runs; below zero it has run out. `quiet_s`: since its last
    renewal. `slot`: a small number that no other has."""

    worker: str
    weight: float = 1.0
    held: int = 0
    slot: int = 0
    wish: Wish = Wish.WORK
    report: Report = field(default_factory=Report)
    left_s: float = 0.0
    quiet_s: float = 0.0

    @property
    def leaving(self) -> bool:
        return self.wish is Wish.LEAVE


@dataclass(frozen=True, slots=True)
class Partition:
    """`epoch` rises with every new owner; `wanted`: the worker that an operator moved it to; `store`: the shard
    that its rows live in, 0 for the home."""

    number: int
    owner: str = ""
    epoch: int = 0
    wanted: str = ""
    store: int = 0


@dataclass(frozen=True, slots=True)
class Shard:
    """One of a store's databases. `letters`: how many wait in it, by partition; None: it cannot be reached."""

    number: int
    where: str
    partitions: int = 0
    letters: Mapping[int, int] | None = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Look:
    """The cluster at one moment, as one worker needs to know it. `seats`: workers whose lease runs; `free`: partitions
    without an owner; `held`: its own with their epochs; `wanted`: those that were moved, and to whom; `at`: by the
    database's clock."""

    seats: tuple[Seat, ...] = ()
    free: frozenset[int] = frozenset()
    held: Mapping[int, int] = field(default_factory=dict)
    wanted: Mapping[int, str] = field(default_factory=dict)
    letters: bool = False  # something waits in an outbox
    at: float = 0.0
