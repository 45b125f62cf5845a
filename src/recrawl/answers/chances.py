"""When a page can really be visited: its due time, and what stands in the way (a pause, a budget, a window, a failure).

A page is due when its visit is worth the price. Whether it is asked for then is another question, and people who wait
for it want to hear the true reason and the true time.
"""

from collections import Counter
from collections.abc import Sequence

from recrawl.answers.allowance import ledgers
from recrawl.answers.reading import Reading
from recrawl.engine.adoption import is_guest
from recrawl.engine.asking.gate import Gate
from recrawl.formats import duration
from recrawl.formats.moment import iso
from recrawl.model.directives import AGENT
from recrawl.model.page import Page, Status
from recrawl.model.server import Server
from recrawl.model.values import dataclass
from recrawl.schedule import budget as budgets
from recrawl.schedule.budget import BOTH, Budget, Spent
from recrawl.schedule.settings import DAY_S
from recrawl.schedule.windows import hours_of, is_open, opens_at

ROUNDS = 8  # a window may open after a day has ended, and then another budget
LONGEST_DAYS = 400  # a budget below one a day is saved up
SEEN = 20  # due pages of a site that are looked at
MOST_SITES = 30
SHOWN = 3  # reasons in a sentence
WIDER = (1, 8, 64)  # how much further to look where pages are not to be shown


@dataclass(frozen=True, slots=True)
class Hindrance:
    """`until_at` None: until somebody changes it."""

    kind: str  # "no_site", "paused", "budget", "window", "server", "robots", "address"
    says: str
    until_at: float | None = None


@dataclass(frozen=True, slots=True)
class Chance:
    """`at`: when the page can be visited first; None: never, as things stand."""

    at: float | None
    hindrances: tuple[Hindrance, ...] = ()


class Chances:
    """What holds now, read once."""

    def __init__(self, found: Reading, now: float) -> None:
        self._found, self._now = found, now
        self._sites = {site.name: site for site in found.folder.sites()}
        everywhere = found.settings.schedule.windows
        self._windows = {name: hours_of(everywhere, site.windows) for name, site in self._sites.items()}
        self._servers: dict[str, Server | None] = {}
        self._ledgers = ledgers(found, now)
        self._gate = Gate(AGENT, found.store.robots)

    def of(self, page: Page) -> Chance:
        if page.due_at is None:
            return Chance(None)
        if held := self._held(page):
            return Chance(None, (held,))
        at: float | None = max(page.due_at, self._now)
        met: dict[str, Hindrance] = {}
        for _ in range(ROUNDS):
            hindrance = None if at is None else self._next(page, at)
            if hindrance is None:
                break
            met.setdefault(hindrance.kind, hindrance)
            at = hindrance.until_at
        return Chance(at, tuple(met.values()))

    def _held(self, page: Page) -> Hindrance | None:
        site = self._sites.get(page.site)
        if site is None:
            guest = is_guest(self._found.store, page.site)  # its own crawler visits it
            return None if guest else Hindrance("no_site", f"{page.site!r} has no site file any more")
        if site.paused:
            return Hindrance("paused", f"{site.name} is paused (its site file says paused = true)")
        return Hindrance("robots", page.reason) if page.status is Status.REFUSED else None

    def _next(self, page: Page, at: float) -> Hindrance | None:
        """The first thing that forbids a visit at this moment."""
        for budget, spent in self._ledgers:
            if budget.covers(page.site) and not self._is_affordable(budget, spent, page, at):
                return self._unaffordable(budget, spent, page, at)
        windows = self._windows.get(page.site, ())
        if not is_open(windows, at):
            told = "; ".join(window.text for window in windows)
            return Hindrance("window", f"the window of {page.site} is closed ({told}; UTC)", opens_at(windows, at))
        said = self._gate.check(page.url, at)
        if said.unreachable:
            says = f"{page.server}: {said.reason.rstrip('.')}"
            return Hindrance("address", says) if said.unasked else Hindrance("robots", says, said.until_at)
        server = self._server(page.server)
        if server is not None and server.failures and server.free_at > at:
            often = "just now" if server.failures == 1 else f"{server.failures} times in a row"
            return Hindrance("server", f"{server.key} failed {often}", server.free_at)
        return None

    def _server(self, key: str) -> Server | None:
        if key not in self._servers:
            self._servers[key] = self._found.store.server(key)
        return self._servers[key]

    def _is_affordable(self, budget: Budget, spent: Spent, page: Page, at: float) -> bool:
        """With robots.txt before it, where that must be asked for first."""
        if not budgets.may_spend(budget, spent, at, page.size_bytes):
            return False
        left, whole = budgets.requests_left(budget, spent, at), budgets.requests_of_span(budget, at)
        first = bool(self._gate.check(page.url, at).ask_first)
        return left is None or left >= min(1 + first, whole or 1)

    def _unaffordable(self, budget: Budget, spent: Spent, page: Page, at: float) -> Hindrance:
        kind = "day's budget" if budgets.span_days(budget) == 1 else "budget"
        whose = f"the {kind} of {budget.site or 'all sites'}"
        if budget.requests_per_day is not None and budget.requests_per_day <= 0:
            return Hindrance("budget", f"{whose} is 0 requests")
        days = (budgets.next_day_at(at) + number * DAY_S for number in range(LONGEST_DAYS))
        until_at = next((day for day in days if self._is_affordable(budget, spent, page, day)), None)
        return Hindrance("budget", f"{whose} is spent ({_spent(budget, spent, at)})", until_at)


def _spent(budget: Budget, spent: Spent, at: float) -> str:
    today, days = budgets.so_far(budget, spent, at), budgets.span_days(budget)
    told = []
    if days > 1:
        told.append(f"{today.requests:,} of {BOTH} requests in {days:,} days")
    elif budget.requests_per_day is not None:
        told.append(f"{today.requests:,} of {budget.requests_per_day:,g} requests")
        if 0 < budget.requests_per_day < BOTH:
            told.append("a page takes two, robots.txt and itself")
    if (whole_bytes := budgets.bytes_of_span(budget)) is not None:
        told.append(f"{today.bytes:,} of {whole_bytes:,.0f} bytes")
    return ", ".join(told)


def coming(found: Reading, limit: int, site: str = "") -> list[Page]:
    """The pages that come next, without those that are only looked at again in case robots.txt has changed."""
    pages: list[Page] = []
    for wider in WIDER:
        ahead = found.store.next_due(limit * wider, site)
        pages = [page for page in ahead if page.status is not Status.REFUSED]
        if len(pages) >= limit or len(ahead) < limit * wider:
            break
    return pages[:limit]


@dataclass(frozen=True, slots=True)
class Waiting:
    """`due`: pages that are due now and were not asked for. `at`: when the first of them can be."""

    due: int = 0
    at: float | None = None
    hindrances: tuple[Hindrance, ...] = ()  # most frequent first

    @property
    def is_for_the_guard(self) -> bool:
        """Nothing but servers that the address guard refuses."""
        return bool(self.hindrances) and all(one.kind == "address" for one in self.hindrances)

    def sentence(self, now: float) -> str:
        """What holds them back, and when it goes on."""
        pages = "1 page is" if self.due == 1 else f"{self.due:,} pages are"
        says = list(dict.fromkeys(one.says for one in self.hindrances))
        why = "; ".join(says[:SHOWN]) or "nothing holds them back"
        more = f"; {len(says) - SHOWN} reasons more" if len(says) > SHOWN else ""
        return f"{pages} due and not asked for: {why}{more}; {self._outlook(now)}"

    def _outlook(self, now: float) -> str:
        if self.at is None:
            return "nothing will be asked for until that is changed"
        if self.at <= now:
            return "run again to go on"
        return f"run again from {iso(float(int(self.at)))} on (in {duration.render(self.at - now)})"


def waiting(found: Reading, now: float) -> Waiting:
    """What is due and waits, of all sites, and why."""
    due = found.store.totals("", now).due
    chances = Chances(found, now)
    met = [chances.of(page) for page in _sample(found, now)] if due else []
    counts = Counter(one for chance in met for one in chance.hindrances)
    at = min((chance.at for chance in met if chance.at is not None), default=None)
    return Waiting(due, at, tuple(one for one, _ in counts.most_common()))


def _sample(found: Reading, now: float) -> list[Page]:
    """Some of every site, so that one that is paused does not hide the others; of very many sites, the first due."""
    sites = found.store.sites()
    if len(sites) > MOST_SITES:
        return _due_now(coming(found, SEEN * MOST_SITES), now)
    return [page for site in sites for page in _due_now(coming(found, SEEN, site), now)]


def _due_now(pages: Sequence[Page], now: float) -> list[Page]:
    return [page for page in pages if page.due_at is not None and page.due_at <= now]
