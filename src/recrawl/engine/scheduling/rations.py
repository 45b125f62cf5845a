"""What may be asked for now: room in every budget over a site, and an open window; and if not now, when."""

from array import array
from collections.abc import Collection, Iterable, Mapping, Sequence

from recrawl.engine.scheduling.spending import Common, Purse, Spending, budgets_of, spent_memo
from recrawl.model.belief import Column, numbers, state_type
from recrawl.model.numpy_late import np
from recrawl.model.page import Page
from recrawl.model.site import Site
from recrawl.native import compiled
from recrawl.schedule import budget as budgets
from recrawl.schedule.portion import Portion
from recrawl.schedule.settings import DAY_S
from recrawl.schedule.windows import Window, hours_of, is_open, moved_into, opens_at

QUEUE_S = 60.0  # those who waited for a new day or a window come one after another within this time
TO_THE_SECOND_S = 60.0


class Rations(Spending):
    """What was spent of the budgets, and the windows beside them. `portion`: this worker's part of the budgets, where
    there is no `common` purse to draw from."""

    def __init__(
        self,
        sites: Iterable[Site],
        purse: Purse,
        worker: str,
        portion: Portion,
        memo: bytes | None,
        common: Common | None,
    ) -> None:
        self._purse, self._portion, self._memo_name = purse, portion, spent_memo(worker)
        self._windows: dict[str, tuple[Window, ...]] = {}
        self.closing = False  # nobody is asked any more, and whatever is written says so
        sites = list(sites)
        super().__init__(budgets_of(purse, sites, portion), memo, common)
        self._open_windows(sites)

    def take_up(self, sites: Collection[Site], gone: Collection[str]) -> None:
        """Site files changed while the crawl runs. What was spent of a budget stays spent; that of a site whose file is
        gone may be the budget of another name now."""
        self._open_windows(sites)
        self.know(budgets_of(self._purse, [one for one in sites if one.name not in gone], self._portion))

    def _open_windows(self, sites: Iterable[Site]) -> None:
        self._windows = {site.name: hours_of(self._purse.windows, site.windows) for site in sites}

    def allows(self, page: Page, now: float, unread: bool = False) -> bool:
        """Room in every budget over this site, and an open window. `unread`: robots.txt comes before the page."""
        windows = self._windows.get(page.site)
        if windows and not is_open(windows, now):
            return False
        return self.has_room(page.site, now, page.size_bytes, page.server if unread else "")

    def are_endless(self, site: str) -> bool:
        """Neither a budget nor a window is over this site."""
        return not self.budgets and not self._windows.get(site)

    def is_shut(self, site: str, now: float) -> bool:
        """No page of this site may be asked for, however small. Of a common purse nobody can tell without drawing."""
        if not is_open(self._windows.get(site, ()), now):
            return True
        return self._common is None and not self.has_room(site, now, 1.0)

    def holds_back(self, page: Page, now: float) -> bool:
        """For today, or until its window opens. Of a common purse nobody can tell without drawing."""
        return self._common is None and not self.allows(page, now)

    def pays_for_one(self, site: str, now: float) -> bool:
        """One request a day: for robots.txt or for a page."""
        if not self.budgets:
            return False  # as nearly always, and asked for every page
        budgets_over = (one for one in self.budgets if one.covers(site))
        return any(budgets.requests_of_span(one, now) == 1 for one in budgets_over)

    def again_at(self, page: Page, now: float) -> float:
        """When a page that may not be asked for now may be: within a minute, so that whoever was seen longest ago comes
        first. Where the budget is small, the same servers would be served every day."""
        windows = self._windows.get(page.site, ())
        at = opens_at(windows, now) if not is_open(windows, now) else moved_into(windows, budgets.next_day_at(now))
        at = at or budgets.next_day_at(now)
        seen_at = page.checked_at or page.found_at
        turn_at = at + QUEUE_S / (1.0 + max(0.0, now - seen_at) / DAY_S)
        return turn_at if is_open(windows, turn_at) else at

    def due_at(self, page: Page, at: float, gap_s: float) -> float:
        """To the second, but for gaps so short that it matters: whole seconds take half the bytes in the store."""
        due_at = moved_into(self._windows.get(page.site, ()), at + gap_s)
        return due_at if gap_s < TO_THE_SECOND_S else float(int(due_at))

    def due_times(self, pages: Sequence[Page], states: Column, at: Column, gaps_s: Column) -> "array[float]":
        """`due_at` of many. The gaps are noted in their states."""
        due_at = due_again(states, gaps_s, at)
        if any(self._windows.values()):
            return array("d", [self.due_at(*one) for one in zip(pages, numbers(at), numbers(gaps_s), strict=True)])
        return numbers(due_at)

    def begin(self, site: str, now: float) -> bool | None:
        """Also False where its window has closed."""
        windows = self._windows.get(site)
        if windows and not is_open(windows, now):
            return False
        return super().begin(site, now)

    def take(self, site: str, server: str, now: float) -> bool:
        """Count one request that is about to be sent, if that can be done without waiting."""
        if not self.budgets and not self._windows.get(site) and site not in self._gone:
            self._begun += 1
        elif self.must_be_written(now) or not self.begin(site, now):
            return False
        if self.promised:
            self.keep_promise(server)
        return True

    def memos(self, now: float) -> dict[str, bytes]:
        counted = self.budgets and self._common is None
        return {self._memo_name: self.memo(now, self.closing)} if counted else {}

    def stored(self, memos: Mapping[str, bytes]) -> None:
        """These memos are in the store now."""
        if memo := memos.get(self._memo_name):
            self.kept(memo)


def due_again(states: Column, gaps_s: Column, at: Column) -> Column:
    """To the second, but for short gaps; these are noted in the states."""
    if compiled is None:
        return plain_due_again(states, gaps_s, at)
    return compiled.due_again(states, gaps_s, at, TO_THE_SECOND_S)


def plain_due_again(states: Column, gaps_s: Column, at: Column) -> Column:
    gaps = np.frombuffer(gaps_s)
    np.frombuffer(states, dtype=state_type())["gap_s"] = gaps
    due_at = np.frombuffer(at) + gaps
    return np.where(gaps < TO_THE_SECOND_S, due_at, np.trunc(due_at))
