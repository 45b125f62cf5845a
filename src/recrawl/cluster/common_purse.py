"""Budgets that all workers of a cluster share: each draws a small part of the day's whole when it needs one.

The store hands out no more than the whole, so however many workers come and go their spending together never exceeds
it; what a worker that died had drawn and not spent is lost for the day. No request waits for another worker.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from recrawl.engine.scheduling.spending_memo import Account
from recrawl.model.values import dataclass
from recrawl.schedule import budget as budgets
from recrawl.schedule.budget import BOTH, Budget, Spent
from recrawl.schedule.settings import DAY_S
from recrawl.store.shared.leases import Leases

PARTS = 100  # into which a day's whole is cut
ASK_AGAIN_S = 30.0  # an empty purse may get something back from a worker that leaves


@dataclass(slots=True)
class _Drawn:
    day: int = -1  # the last of its span: the store forgets what was drawn on days long past
    days: int = 1
    requests: int = 0
    bytes: int = 0
    empty_at: float = 0.0  # then so many more requests were not to be had:
    empty_for: int = 0


class CommonPurse:
    """`alone`: what was spent of these budgets before there was a cluster: the day goes on when a store is copied."""

    def __init__(self, leases: Leases, alone: Mapping[str, Account] | None = None) -> None:
        self._leases, self._alone = leases, alone or {}
        self._drawn: dict[str, _Drawn] = {}

    def allowed(self, wholes: Sequence[Budget], now: float) -> list[Budget]:
        """What this worker may spend today of each budget: what it has drawn."""
        return [self._allowed(whole, self._of_span(whole, now)) for whole in wholes]

    def draw(self, whole: Budget, spent: Spent, expected_bytes: float, now: float, needed: int = 1) -> None:
        """Take another part where what was drawn does not suffice for so many more requests: enough for all of them, or
        nothing. `whole` is a common one."""
        drawn = self._of_span(whole, now)
        lacking = self._lacking(whole, drawn, spent, now, needed)
        if not lacking and budgets.may_spend(self._allowed(whole, drawn), spent, now, expected_bytes):
            return
        if _was_empty(drawn, lacking, now):
            return
        wishes = _wishes(whole, drawn, spent, expected_bytes, now, lacking)
        limits = self._left_to_all(whole, now)
        got = self._leases.draw(whole.site, drawn.day, limits, wishes, int(now // DAY_S), lacking)
        drawn.requests, drawn.bytes = drawn.requests + got[0], drawn.bytes + got[1]
        drawn.empty_at, drawn.empty_for = (0.0, 0) if any(got) else (now, lacking)

    def is_empty(self, whole: Budget, spent: Spent, needed: int, now: float) -> bool:
        """So many more requests are not drawn, and a moment ago they were not to be had."""
        drawn = self._of_span(whole, now)
        lacking = self._lacking(whole, drawn, spent, now, needed)
        return lacking > 0 and _was_empty(drawn, lacking, now)

    def spare(self, whole: Budget, spent: Spent, owed: int, now: float) -> None:
        """Give back the requests that were drawn and are neither spent nor owed: others may have a use for them."""
        drawn, today = self._of_span(whole, now), budgets.so_far(whole, spent, now)
        if (left := drawn.requests - today.requests - owed) > 0:
            self._leases.give_back_drawn(whole.site, drawn.day, (left, 0))
            drawn.requests -= left

    def give_back(self, wholes: Sequence[Budget], spent: Sequence[Spent], now: float) -> None:
        """What was drawn today and not spent."""
        for whole, one in zip(wholes, spent, strict=True):
            drawn, today = self._of_span(whole, now), budgets.so_far(whole, one, now)
            left = max(0, drawn.requests - today.requests), max(0, drawn.bytes - today.bytes)
            if any(left):
                self._leases.give_back_drawn(whole.site, drawn.day, left)
            self._drawn.pop(whole.site, None)

    def _of_span(self, whole: Budget, now: float) -> _Drawn:
        day, days = budgets.last_of_span(whole, int(now // DAY_S)), budgets.span_days(whole)
        drawn = self._drawn.get(whole.site)
        if drawn is None or drawn.day < day or drawn.days != days:
            drawn = self._drawn[whole.site] = _Drawn(day, days)
        return drawn

    def _left_to_all(self, whole: Budget, now: float) -> tuple[int, int]:
        names = self._alone if not whole.site and "" not in self._alone else {whole.site} & self._alone.keys()
        spent = [budgets.so_far(whole, self._alone[name].spent, now) for name in names]
        requests, most_bytes = _limits(whole, now)
        return (
            max(0, requests - sum(one.requests for one in spent)),
            max(0, most_bytes - sum(one.bytes for one in spent)),
        )

    def _lacking(self, whole: Budget, drawn: _Drawn, spent: Spent, now: float, needed: int) -> int:
        left = budgets.requests_left(self._allowed(whole, drawn), spent, now)
        return 0 if left is None else max(0, needed - left)

    def _allowed(self, whole: Budget, drawn: _Drawn) -> Budget:
        size = None if whole.bytes_per_day is None else float(drawn.bytes)
        return replace(whole, bytes_per_day=size, drawn=drawn.requests)


def _was_empty(drawn: _Drawn, lacking: int, now: float) -> bool:
    return bool(drawn.empty_at) and now < drawn.empty_at + ASK_AGAIN_S and lacking >= drawn.empty_for


def _limits(whole: Budget, now: float) -> tuple[int, int]:
    """The day's whole, in requests and bytes; 0 where nothing limits."""
    return budgets.requests_of_span(whole, now) or 0, int(budgets.bytes_of_span(whole) or 0)


def _wishes(
    whole: Budget, drawn: _Drawn, spent: Spent, expected_bytes: float, now: float, lacking: int
) -> tuple[int, int]:
    """A part large enough for the next requests, and for what the last ones took beyond what was expected. Only what
    lacks: whoever finds too few requests again and again would else draw all the bytes that others have a use for."""
    today, (requests, most_bytes) = budgets.so_far(whole, spent, now), _limits(whole, now)
    missing_bytes = max(0, today.bytes - drawn.bytes) + int(expected_bytes)
    lacks_bytes = today.bytes >= drawn.bytes or drawn.bytes - today.bytes < expected_bytes
    least = BOTH if budgets.span_days(whole) > 1 else 1  # with one a worker would get no further than robots.txt
    return (
        max(least, lacking, requests // PARTS) if lacking else 0,
        min(max(missing_bytes, most_bytes // PARTS), most_bytes) if most_bytes and lacks_bytes else 0,
    )
