"""A cluster of any size, simulated: its workers decide with `frontier/leases.py`, its store is a table in virtual time.

Workers join, work, are killed, are stopped and wake up again, leave, come new; the store is away for a while. Clocks do
not run alike and every answer of the store takes its time. The same seed gives the same story, event for event.

What is watched: at no moment may two workers ask the servers of one partition (each by its own clock); how long a
partition whose worker died has no owner; how even the shares are; how many statements the store has to bear.
"""

import heapq
from collections import Counter
from collections.abc import Callable
from dataclasses import field, replace

from recrawl.frontier.leases import Lease, claims, given_back, next_look_s, surplus
from recrawl.lab.chance import between, key_of
from recrawl.lab.cluster_table import Table
from recrawl.model.cluster import Seat, Wish
from recrawl.model.values import dataclass

RETRY = 0.1  # of a lease, after a renewal that the store did not answer
ANSWER_S = (0.001, 0.02)  # what the store takes to answer
DRAIN_S = (0.05, 1.5)  # until nothing of a partition is under way


@dataclass(frozen=True, slots=True)
class Story:
    """What happens, and when. Shares are of all workers."""

    workers: int = 1000
    partitions: int = 16_384
    lease_s: float = 10.0
    lasts_s: float = 90.0
    killed_at: float = 30.0
    killed: float = 0.05
    stopped_at: float = 45.0  # and woken up two leases later
    stopped: float = 0.02
    joined_at: float = 60.0
    joined: float = 0.05
    away_at: float = 75.0
    away_s: float = 2.0
    drift: float = 0.01  # clocks run up to this much faster or slower
    seed: int = 1

    def scaled(self) -> "Story":
        """The same story at the pace of its leases: a fault is over before the next one comes."""
        times = self.lease_s / 10.0
        moments = ("lasts_s", "killed_at", "stopped_at", "joined_at", "away_at", "away_s")
        return replace(self, **{name: getattr(self, name) * times for name in moments})


@dataclass(slots=True)
class Hand:
    """One worker. `speed`: how its clock runs; `stopped_until`: nothing of it moves before that."""

    name: str
    speed: float
    lease: Lease
    held: dict[int, int] = field(default_factory=dict)
    alive: bool = True
    stopped_until: float = 0.0
    giving: bool = False
    looks: int = 0

    def clock(self, now: float) -> float:
        return now * self.speed

    def may_ask(self, now: float) -> bool:
        """Whether this worker would send a request now, or as soon as it wakes up."""
        return self.alive and self.lease.runs(self.clock(max(now, self.stopped_until)))


@dataclass(frozen=True, slots=True)
class Outcome:
    """`recovered_s`: from a fault until every partition had an owner who can ask; `orphaned_s`: the longest that one
    had none; `two_at_once`: moments at which two could ask. `rows`: what the store had to read and write in all."""

    recovered_s: dict[str, float]
    orphaned_s: float
    two_at_once: int
    lost_leases: int
    moved: int
    most_held: int
    least_held: int
    statements: dict[str, int]
    busiest_s: int  # statements in the busiest second
    rows: int
    lasts_s: float


class Cluster:
    """Runs a story from its first event to its last."""

    def __init__(self, story: Story) -> None:
        self.story, self.table = story, Table(story.partitions, story.lease_s)
        self.hands: dict[str, Hand] = {}
        self._events: list[tuple[float, int, Callable[[float], None]]] = []
        self._number = 0
        self._key = key_of("cluster", story.seed)
        self._last_asker: dict[int, Hand] = {}
        self._two_at_once = self._lost = self._moved = 0
        self._free_since: dict[int, float] = dict.fromkeys(range(story.partitions), 0.0)
        self._orphaned_s = 0.0
        self._faults = {"start": 0.0}  # not yet recovered from, and since when
        self._recovered: dict[str, float] = {}

    def run(self) -> Outcome:
        story = self.story
        for number in range(story.workers):
            self._at(self._drawn(0.0, 2.0, number), self._joiner(f"w{number:05}"))
        self._at(story.killed_at, self._kill)
        self._at(story.stopped_at, self._stop)
        self._at(story.joined_at, self._join_more)
        while self._events and self._events[0][0] <= story.lasts_s:
            now, _, act = heapq.heappop(self._events)
            act(now)
        return self._outcome()

    # what happens to workers

    def _joiner(self, name: str) -> Callable[[float], None]:
        def join(now: float) -> None:
            if self._away(now):
                self._at(now + 1.0, join)
                return
            hand = Hand(name, 1.0 + self._drawn(-self.story.drift, self.story.drift, len(self.hands)), Lease(0.0, 0.0))
            hand.lease = Lease(hand.clock(now), self.story.lease_s)
            self.hands[name] = hand
            self.table.join(name, now + self._answer_s())
            self._at(now + self.story.lease_s / 3, lambda at: self._beat(hand, at))
            self._at(now + self._answer_s(), lambda at: self._look(hand, at))

        return join

    def _chosen(self, share: float, salt: str) -> list[Hand]:
        there = [hand for hand in self.hands.values() if hand.alive]
        key = key_of(self._key, salt)
        return sorted(there, key=lambda hand: key_of(key, hand.name))[: round(share * self.story.workers)]

    def _kill(self, now: float) -> None:
        self._faults["kill"] = now
        for hand in self._chosen(self.story.killed, "kill"):
            hand.alive = False
            for partition in hand.held:
                self._free_since.setdefault(partition, now)

    def _stop(self, now: float) -> None:
        """SIGSTOP: nothing moves, and what was meant for now happens when it wakes up."""
        self._faults["stop"] = now
        for hand in self._chosen(self.story.stopped, "stop"):
            hand.stopped_until = now + 2 * self.story.lease_s
            for partition in hand.held:
                self._free_since.setdefault(partition, now)

    def _join_more(self, now: float) -> None:
        for number in range(round(self.story.joined * self.story.workers)):
            self._at(now + self._drawn(0.0, 1.0, number), self._joiner(f"late{number:05}"))

    # what a worker does, as `cluster/heart.py` and `cluster/membership.py` do

    def _beat(self, hand: Hand, now: float) -> None:
        if not hand.alive or self._later(hand, now, self._beat):
            return
        asked_at = hand.clock(now)
        if not hand.lease.runs(asked_at):
            return self._lose(hand, now)
        if self._away(now):
            self._at(now + RETRY * self.story.lease_s, lambda at: self._beat(hand, at))
            return
        if not self.table.renew(hand.name, now + self._answer_s()):
            return self._lose(hand, now)
        hand.lease = Lease(asked_at, self.story.lease_s)
        self._at(now + self.story.lease_s / 3 / hand.speed, lambda at: self._beat(hand, at))

    def _look(self, hand: Hand, now: float) -> None:
        if not hand.alive or self._later(hand, now, self._look):
            return
        if not hand.lease.runs(hand.clock(now)):
            return self._lose(hand, now)
        seats: tuple[Seat, ...] = ()
        silent: list[float] = []
        if not self._away(now):
            for partition in self.table.bury(now):
                self._free_since.setdefault(partition, now)
            seats, silent = self.table.look(now), self.table.silent_s(now)
            if self.table.held(hand.name) != hand.held:
                return self._lose(hand, now)
            self._even_out(hand, seats, now)
        hand.looks += 1
        wait_s = next_look_s(self.story.lease_s, len(seats), silent, self._drawn(0.0, 1.0, hand.looks))
        self._at(now + wait_s, lambda at: self._look(hand, at))

    def _even_out(self, hand: Hand, seats: tuple[Seat, ...], now: float) -> None:
        if hand.giving:
            return
        count = surplus(hand.name, seats, self.story.partitions)
        giving = given_back(hand.name, hand.held, {}, count, (), leaving=False) if count else []
        if giving:
            hand.giving = True
            self._at(now + self._drawn(*DRAIN_S, hand.looks), lambda at: self._give(hand, giving, at))
            return
        most = claims(hand.name, seats, self.table.free_count, self.story.partitions)
        for partition, epoch in self.table.claim(hand.name, most, now).items():
            self._take(hand, partition, epoch, now)

    def _take(self, hand: Hand, partition: int, epoch: int, now: float) -> None:
        before = self._last_asker.get(partition)
        if before is not None and before is not hand and partition in before.held and before.may_ask(now):
            self._two_at_once += 1
        self._last_asker[partition] = hand
        hand.held[partition] = epoch
        self._moved += before is not None
        free_s = now - self._free_since.pop(partition, now)
        self._orphaned_s = max(self._orphaned_s, 0.0 if before is None else free_s)
        if not self._free_since:
            self._recovered |= {fault: round(now - since, 3) for fault, since in self._faults.items()}
            self._faults.clear()

    def _give(self, hand: Hand, partitions: list[int], now: float) -> None:
        hand.giving = False
        if not hand.may_ask(now) or self._away(now):
            return
        for partition in partitions:
            hand.held.pop(partition, None)
            self._free_since.setdefault(partition, now)
        self.table.give_back(hand.name, partitions, now)

    def _lose(self, hand: Hand, now: float) -> None:
        """A lease that ran out is never taken up again: the worker joins anew, under another name."""
        self._lost += 1
        hand.alive = False
        for partition in hand.held:
            self._free_since.setdefault(partition, now)
        self._at(now + 1.0, self._joiner(f"{hand.name}+"))

    # time and chance

    def _later(self, hand: Hand, now: float, act: Callable[[Hand, float], None]) -> bool:
        if now >= hand.stopped_until:
            return False
        self._at(hand.stopped_until, lambda at: act(hand, at))
        return True

    def _away(self, now: float) -> bool:
        return self.story.away_at <= now < self.story.away_at + self.story.away_s

    def _at(self, moment: float, act: Callable[[float], None]) -> None:
        self._number += 1
        heapq.heappush(self._events, (moment, self._number, act))

    def _answer_s(self) -> float:
        return self._drawn(*ANSWER_S, self._number)

    def _drawn(self, low: float, high: float, index: int) -> float:
        return between(low, high, self._key, self._number, index)

    def _outcome(self) -> Outcome:
        held = [seat.held for seat in self.table.look(self.story.lasts_s) if seat.wish is Wish.WORK]
        seconds = Counter(self.table.seconds)
        return Outcome(
            recovered_s=dict(self._recovered),
            orphaned_s=round(self._orphaned_s, 3),
            two_at_once=self._two_at_once,
            lost_leases=self._lost,
            moved=self._moved,
            most_held=max(held, default=0),
            least_held=min(held, default=0),
            statements=dict(sorted(self.table.statements.items())),
            busiest_s=max(seconds.values(), default=0),
            rows=self.table.rows,
            lasts_s=self.story.lasts_s,
        )


def simulated(story: Story) -> Outcome:
    return Cluster(story).run()
