"""Budgets that all workers of a cluster share: each draws a small part of the day's whole when it needs one.

The store hands out no more than the whole, so however many workers come and go their spending together never exceeds
it; what a worker that died had drawn and not spent is lost for the day. No request waits for another worker.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from recrawl.schedule import budget as budgets
from recrawl.schedule.budget import Budget, Spent
from recrawl.schedule.settings import DAY_S
from recrawl.store.shared.leases import Leases

PARTS = 100  # into which a day's whole is cut
ASK_AGAIN_S = 30.0  # an empty purse may get something back from a worker that leaves


@dataclass(slots=True)
class _Drawn:
    day: int = -1
    requests: int = 0
    bytes: int = 0
    empty_at: float = 0.0


class CommonPurse:
    def __init__(self, leases: Leases) -> None:
        self._leases = leases
        self._drawn: dict[str, _Drawn] = {}

    def allowed(self, wholes: Sequence[Budget], now: float) -> list[Budget]:
        """What this worker may spend today of each budget: what it has drawn."""
        return [self._allowed(whole, self._of_day(whole.site, now)) for whole in wholes]

    def draw(self, whole: Budget, spent: Spent, expected_bytes: float, now: float) -> None:
        """Take another part where what was drawn does not suffice for one more request."""
        drawn = self._of_day(whole.site, now)
        if budgets.may_spend(self._allowed(whole, drawn), spent, now, expected_bytes):
            return
        if drawn.empty_at and now < drawn.empty_at + ASK_AGAIN_S:
            return
        got = self._leases.draw(
            whole.site, drawn.day, _limits(whole, now), _wishes(whole, drawn, spent, expected_bytes, now)
        )
        drawn.requests, drawn.bytes = drawn.requests + got[0], drawn.bytes + got[1]
        drawn.empty_at = 0.0 if any(got) else now

    def give_back(self, wholes: Sequence[Budget], spent: Sequence[Spent], now: float) -> None:
        """What was drawn today and not spent."""
        for whole, one in zip(wholes, spent, strict=True):
            drawn, today = self._of_day(whole.site, now), budgets.on_day(one, now)
            left = max(0, drawn.requests - today.requests), max(0, drawn.bytes - today.bytes)
            if any(left):
                self._leases.give_back_drawn(whole.site, drawn.day, left)
            self._drawn.pop(whole.site, None)

    def _of_day(self, site: str, now: float) -> _Drawn:
        day = int(now // DAY_S)
        drawn = self._drawn.get(site)
        if drawn is None or drawn.day < day:
            drawn = self._drawn[site] = _Drawn(day)
        return drawn

    def _allowed(self, whole: Budget, drawn: _Drawn) -> Budget:
        requests = None if whole.requests_per_day is None else float(drawn.requests)
        return Budget(whole.site, requests, None if whole.bytes_per_day is None else float(drawn.bytes))


def _limits(whole: Budget, now: float) -> tuple[int, int]:
    """The day's whole, in requests and bytes; 0 where nothing limits."""
    return budgets.requests_left(whole, Spent(), now) or 0, int(whole.bytes_per_day or 0)


def _wishes(whole: Budget, drawn: _Drawn, spent: Spent, expected_bytes: float, now: float) -> tuple[int, int]:
    """A part large enough for the next request, and for what the last ones took beyond what was expected."""
    today, (requests, most_bytes) = budgets.on_day(spent, now), _limits(whole, now)
    lacking = max(0, today.bytes - drawn.bytes) + int(expected_bytes)
    return (
        max(1, requests // PARTS) if requests and today.requests >= drawn.requests else 0,
        min(max(lacking, most_bytes // PARTS), most_bytes) if most_bytes else 0,
    )
