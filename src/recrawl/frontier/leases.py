"""Who owns which partitions of a cluster, and until when: the decisions alone.

A worker holds a *lease* that it renews; with it it owns partitions. Every worker sees the same seats (they stand in the
store), so each one can decide for itself what to claim and what to give back, and no coordinator is needed.

What always holds: the shares of all seats together are all partitions; a worker claims at most what it lacks and gives
back at most what it has too much, so that what moves when somebody comes or goes is what must move; once everybody
holds a share nothing moves; a lease that ran out is never taken up again.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from types import MappingProxyType

from recrawl.model.cluster import Seat
from recrawl.model.values import dataclass

RENEWALS = 3  # within one lease: two of them may fail
LOOK_S, LOOK_SEAT_S = 0.3, 0.01
SPREAD_S, SPREAD_SEAT_S = 1.0, 0.01  # heirs do not come all at once: the store would feel it
NOWHERE: Mapping[int, str] = MappingProxyType({})  # no partition was moved by an operator
MARGIN = 0.05  # of a lease: its holder stops this much early, for clocks that do not run alike


@dataclass(frozen=True, slots=True)
class Lease:
    """`granted_at` is read from the holder's own steady clock before the store is asked: whatever the clocks of both
    say, the holder's end is never after the store's."""

    granted_at: float
    lease_s: float

    @property
    def ends_at(self) -> float:
        return self.granted_at + self.lease_s * (1.0 - MARGIN)

    @property
    def renew_at(self) -> float:
        return self.granted_at + self.lease_s / RENEWALS

    def runs(self, now: float) -> bool:
        """Only while this is true may a request be sent."""
        return self.granted_at <= now < self.ends_at


def look_every_s(lease_s: float, seats: int) -> float:
    """How often a worker looks who came and who went: often enough that the dead are missed soon, and the more seldom
    the more there are to look."""
    return min(lease_s / RENEWALS, LOOK_S + LOOK_SEAT_S * seats)


def silent_s(seats: Iterable[Seat]) -> list[float]:
    """How long the leases still run of those who have let half of one pass without renewing it: they may be dead."""
    return [seat.left_s for seat in seats if seat.quiet_s > seat.left_s]


def next_look_s(lease_s: float, seats: int, silent: Collection[float], luck: float) -> float:
    """When to look again: as ever, or soon after the first lease of the silent ones runs out if that is earlier. What
    the dead held is then owned again within two seconds however many workers there are. `luck` is in [0, 1)."""
    every_s = look_every_s(lease_s, seats)
    if not silent:
        return every_s
    return min(every_s, max(0.0, min(silent)) + LOOK_S + luck * min(SPREAD_S, SPREAD_SEAT_S * seats))


def shares(seats: Iterable[Seat], partitions: int, moved: Mapping[int, str] = NOWHERE) -> dict[str, int]:
    """How many partitions each seat ought to hold: all of them given out, by weight, but nobody less than an operator
    moved there; what that leaves is shared by the others."""
    seats, pinned = list(seats), Counter(moved.values())
    staying = [seat for seat in seats if not seat.leaving]
    fixed = {seat.worker: pinned[seat.worker] for seat in staying if seat.weight <= 0}
    while True:
        found = _by_weight([seat for seat in staying if seat.worker not in fixed], partitions - sum(fixed.values()))
        beyond = {worker: pinned[worker] for worker, share in found.items() if pinned[worker] > share}
        if not beyond:
            return {seat.worker: 0 for seat in seats} | fixed | found
        fixed |= beyond


def _by_weight(seats: Sequence[Seat], partitions: int) -> dict[str, int]:
    """In whole numbers. What does not divide goes to those who would lose it otherwise, so that nothing moves for the
    sake of rounding."""
    whole, partitions = sum(seat.weight for seat in seats), max(0, partitions)
    exact = {seat.worker: partitions * seat.weight / whole for seat in seats}
    found = {worker: int(share) for worker, share in exact.items()}
    left = partitions - sum(found.values())
    by_claim = sorted(seats, key=lambda seat: (found[seat.worker] - exact[seat.worker], -seat.held, seat.worker))
    for seat in by_claim[:left]:
        found[seat.worker] += 1
    return found


def claims(worker: str, seats: Sequence[Seat], free: int, partitions: int, moved: Mapping[int, str] = NOWHERE) -> int:
    """How many of the free partitions this worker takes now."""
    held = {seat.worker: seat.held for seat in seats}
    return max(0, min(free, shares(seats, partitions, moved).get(worker, 0) - held.get(worker, 0)))


def surplus(worker: str, seats: Sequence[Seat], partitions: int, moved: Mapping[int, str] = NOWHERE) -> int:
    """How many partitions this worker gives back now. All surpluses and what is free are together what others lack."""
    held = {seat.worker: seat.held for seat in seats}
    return max(0, held.get(worker, 0) - shares(seats, partitions, moved).get(worker, 0))


def given_back(
    worker: str, held: Collection[int], wanted: Mapping[int, str], count: int, busy: Collection[int], leaving: bool
) -> list[int]:
    """Which partitions to give back: those that an operator moved to somebody else, and `count` more, idle ones
    first. What was moved here stays unless the worker leaves."""
    if leaving:
        return sorted(held)
    moved = [number for number in held if wanted.get(number, worker) != worker]
    loose = [number for number in held if number not in wanted]
    loose.sort(key=lambda number: (number in busy, -number))
    return sorted({*moved, *loose[: max(0, count - len(moved))]})


def is_over(before: Sequence[Seat], now: Sequence[Seat]) -> bool:
    """Whether a crawl that goes round once is done: the same workers as before, all idle, none has committed since,
    and each has looked into the store twice. Links under way to others are the caller's to look for."""
    then = {seat.worker: seat for seat in before}
    if not now or then.keys() != {seat.worker for seat in now}:
        return False
    return all(_rested(then[seat.worker], seat) for seat in now)


def _rested(before: Seat, now: Seat) -> bool:
    then, report = before.report, now.report
    return report.idle and report.commits == then.commits and report.checks >= then.checks + 2
