"""What was spent of the budgets: counted before every request, written with every commit, read after a restart.

A kill loses what was counted since the last commit. So that this is never much, requests wait for a commit when there
are too many of these, and the next start takes as many as there may have been for spent: a day's budget is never
exceeded, whoever dies and whenever.
"""

import json
from collections.abc import Iterable, Sequence
from typing import Protocol

from recrawl.engine.scheduling.spending_memo import (
    MOST_UNCOUNTED,
    NEVER,
    Account,
    accounts_in,
    gone,
    largest,
    most,
    recalled,
    written,
)
from recrawl.model.site import Site
from recrawl.model.swift import replace
from recrawl.model.values import dataclass
from recrawl.schedule import budget as budgets
from recrawl.schedule.budget import BOTH, Budget, Spent
from recrawl.schedule.portion import Portion
from recrawl.schedule.settings import DAY_S

PARTS = 20  # of a day's budget: so much of it may be lost to a kill …
LEAST, MOST = 4, MOST_UNCOUNTED  # … but no less and no more requests than these
LARGE_PARTS = 4  # of a day's bytes
TELLING_BYTES = 1000  # a robots.txt or a 304 says nothing of the size of pages


@dataclass(frozen=True, slots=True)
class Purse:
    """What the user allows: in all, and by site; and when."""

    requests_per_day: float | None = None
    bytes_per_day: float | None = None
    windows: tuple[str, ...] = ()
    requests_per_page_day: float = 1.0 / 7.0  # implied where nothing is set: the price aims at it, nothing is refused
    target: float | None = None  # freshness to aim at instead of spending the budget whole
    max_delay_s: float | None = None


class Common(Protocol):
    """A purse that workers on many machines draw from: `CommonPurse`."""

    def allowed(self, wholes: Sequence[Budget], now: float) -> list[Budget]: ...

    def draw(self, whole: Budget, spent: Spent, expected_bytes: float, now: float, needed: int = 1) -> None: ...

    def is_empty(self, whole: Budget, spent: Spent, needed: int, now: float) -> bool: ...

    def spare(self, whole: Budget, spent: Spent, owed: int, now: float) -> None: ...


class Spending:
    """The ledger of one worker. `budgets` and what was spent of each stand in the same order."""

    def __init__(self, wanted: Sequence[Budget], memo: bytes | None = None, common: Common | None = None) -> None:
        self._common = common
        self.budgets = self._mine(wanted)
        self.spent = recalled(memo, wanted)
        self._gone = gone(accounts_in(memo), wanted)
        self._under_way = [0] * len(self.spent)
        self.promised: dict[str, tuple[str, int]] = {}  # by server: for which site, and how many requests
        self._promised_day = NEVER
        self._largest_bytes = largest(memo)  # answer so far: what one may bring of which nothing is known
        self._begun = 0
        self._kept, self._kept_day = 0, NEVER  # as far as the last commit knows

    def know(self, wanted: Sequence[Budget]) -> None:
        """The wishes changed. What was spent of a budget stays spent, also when its site has got another name."""
        accounts = self._accounts()
        self._gone = gone(accounts, wanted)
        nameless = most(one.spent for name, one in self._gone.items() if name)
        under_way = dict(zip((one.site for one in self.budgets), self._under_way, strict=True))
        self.budgets = self._mine(wanted)
        self.spent = [accounts[one.site].spent if one.site in accounts else nameless for one in wanted]
        self._under_way = [under_way.get(one.site, 0) for one in wanted]

    def _mine(self, wanted: Sequence[Budget]) -> list[Budget]:
        return [replace(one, common=self._common is not None) for one in wanted]

    def _accounts(self) -> dict[str, Account]:
        known = zip(self.budgets, self.spent, strict=True)
        return {one.site: Account(spent, spent.day + budgets.span_days(one)) for one, spent in known} | self._gone

    def has_room(self, site: str, now: float, expected_bytes: float = 0.0, unread: str = "") -> bool:
        """For one more request, if those under way bring nothing more. `unread`: the server, where its robots.txt must
        be asked for first; one request drawn from a common purse would be lost on it, two are drawn or none."""
        if not self.budgets:
            return True
        if self._common is not None and unread and not self.can_promise(site, now, unread):
            return False
        expected_bytes = expected_bytes or self._each_bytes
        if budgets.all_allow(self._allowed(now), self.spent, site, now, expected_bytes):
            return True
        if self._common is None:
            return False
        for budget, spent in zip(self.budgets, self.spent, strict=True):
            if budget.covers(site):  # another part of the common purse, if there is enough left in it
                self._common.draw(budget, spent, expected_bytes, now)
        return budgets.all_allow(self._allowed(now), self.spent, site, now, expected_bytes)

    def _has_room_beside(self, site: str, now: float) -> bool:
        """For one more request, even if those under way are as large as any so far. While no answer has ever come,
        nothing is known of that: then one goes alone."""
        each_bytes = self._each_bytes
        for budget, spent, under_way in zip(self._allowed(now), self.spent, self._under_way, strict=True):
            if budget.covers(site):
                likely = budgets.weighed(budget, spent, now, under_way, each_bytes)
                blind = budget.bytes_per_day is not None and under_way and not each_bytes
                if blind or not budgets.may_spend(budget, likely, now, each_bytes):
                    return False
        return True

    def _allowed(self, now: float) -> Sequence[Budget]:
        return self.budgets if self._common is None else self._common.allowed(self.budgets, now)

    @property
    def _each_bytes(self) -> float:
        """What an answer may bring of which nothing is known: as much as the largest so far, but not so much that one
        of unusual size would keep the others from their budget."""
        shares = (one.bytes_per_day / LARGE_PARTS for one in self.budgets if one.bytes_per_day is not None)
        return min((self._largest_bytes, *shares))

    def begin(self, site: str, now: float) -> bool | None:
        """Count one request that is about to be sent. False: there is no room for it; None: there will be, unless those
        under way bring too much."""
        if not self.has_room(site, now):
            return False
        if self.budgets and not self._has_room_beside(site, now):
            return None
        self._begun += 1
        for place, budget in enumerate(self.budgets):
            if budget.covers(site):
                self.spent[place] = budgets.begun(budget, self.spent[place], now)
                self._under_way[place] += 1
        if site in self._gone:  # meanwhile
            one = self._gone[site]
            self._gone[site] = replace(one, spent=replace(one.spent, requests=one.spent.requests + 1))
        return True

    def promise(self, server: str, site: str, now: float) -> bool:
        """Set aside a request for robots.txt of a server, and one for a page after it: a budget smaller than the number
        of servers would go wholly into robots.txt. False: there is no room for both. What was not called for in its
        day is forgotten: the pages may be wanted no more."""
        if not self.can_promise(site, now, server):
            return False
        self.promised[server] = (site, BOTH)
        return True

    def can_promise(self, site: str, now: float, server: str = "") -> bool:
        """Whether both fit beside what is set aside for other servers, or are set aside for this one."""
        if self._promised_day != (day := int(now // DAY_S)):
            self._promised_day, self.promised = day, {}
        if server in self.promised:
            return True
        needs = [
            (place, self._owed(budget) + min(BOTH, budgets.requests_of_span(budget, now) or BOTH))
            for place, budget in enumerate(self.budgets)
            if budget.covers(site) and budget.requests_per_day is not None
        ]
        fits = not any(self._is_empty(*need, now) for need in needs) and all(
            self._has_left(*need, now) for need in needs
        )
        if not fits:
            self._spare(site, now)
        return fits

    def _spare(self, site: str, now: float) -> None:
        """What this worker cannot use is there for others."""
        for budget, spent in zip(self.budgets, self.spent, strict=True):
            if self._common is not None and budget.covers(site):
                self._common.spare(budget, spent, self._owed(budget), now)

    def _owed(self, budget: Budget) -> int:
        return sum(count for site, count in self.promised.values() if budget.covers(site))

    def _is_empty(self, place: int, requests: int, now: float) -> bool:
        """As the common purse was a moment ago: then nothing need be drawn from others only to be given back."""
        return self._common is not None and self._common.is_empty(self.budgets[place], self.spent[place], requests, now)

    def _has_left(self, place: int, requests: int, now: float) -> bool:
        """So many; where the purse is common, those that are drawn, and some more if there are enough."""
        budget, spent = self.budgets[place], self.spent[place]
        if self._common is not None:
            self._common.draw(budget, spent, 0.0, now, requests)
        return (budgets.requests_left(self._allowed(now)[place], spent, now) or 0) >= requests

    def keep_promise(self, server: str) -> None:
        """One of the requests is counted now."""
        site, count = self.promised.pop(server, ("", 0))
        if count > 1:
            self.promised[server] = (site, count - 1)

    def forget_promise(self, server: str) -> bool:
        """It may not be asked for pages. Whether anything was set aside for it."""
        return self.promised.pop(server, None) is not None

    def take_back(self, site: str, begun_at: float, now: float) -> None:
        """A request that was counted was not sent. What was counted the day before stays: it may be forgotten today."""
        if int(begun_at // DAY_S) != int(now // DAY_S):
            return
        for place, budget in enumerate(self.budgets):
            if budget.covers(site):
                self.spent[place] = budgets.not_sent(budget, self.spent[place], now)

    def end(self, site: str, now: float, got_bytes: int) -> None:
        if got_bytes >= TELLING_BYTES:
            self._largest_bytes = max(self._largest_bytes, got_bytes)
        for place, budget in enumerate(self.budgets):
            if budget.covers(site):
                self.spent[place] = budgets.received(budget, self.spent[place], now, got_bytes)
                self._under_way[place] = max(0, self._under_way[place] - 1)

    def must_be_written(self, now: float) -> bool:
        """Before another request may be sent: a kill would lose too much, or nothing is written of this day yet."""
        if not self.budgets or self._common is not None:
            return False
        return self._kept_day < int(now // DAY_S) or self._begun - self._kept >= uncounted(self.budgets)

    def memo(self, now: float, closing: bool = False) -> bytes:
        day = int(now // DAY_S)
        self.spent = [budgets.so_far(*one, now) for one in zip(self.budgets, self.spent, strict=True)]
        self._gone = {name: one for name, one in self._gone.items() if day < one.until}
        return written(
            self._accounts(),
            clean=closing,
            uncounted=uncounted(self.budgets),
            begun=self._begun,
            day=day,
            largest=self._largest_bytes,
        )

    def kept(self, memo: bytes) -> None:
        """This memo is in the store now."""
        facts = json.loads(memo)
        self._kept, self._kept_day = facts["begun"], facts["day"]


def spent_memo(worker: str) -> str:
    return f"spent:{worker}"


def uncounted(wanted: Sequence[Budget]) -> int:
    """How many requests a kill may leave uncounted."""
    smallest = min((one.requests_per_day for one in wanted if one.requests_per_day is not None), default=MOST * PARTS)
    return int(min(max(smallest / PARTS, LEAST), MOST))


def budgets_of(purse: Purse, sites: Iterable[Site], portion: Portion = Portion()) -> list[Budget]:
    limits = [("", purse.requests_per_day, purse.bytes_per_day)]
    limits += [(one.name, one.requests_per_day, one.bytes_per_day) for one in sites]
    found = [portion.of(Budget(name, requests, size)) for name, requests, size in limits]
    return [one for one in found if one.requests_per_day is not None or one.bytes_per_day is not None]
