"""What the scheduler must show, measured on a world: tests hold each figure to its limit, `make shown` prints them."""

from dataclasses import dataclass

import numpy as np

from recrawl.lab.race.history import DAY_S, GONE, History
from recrawl.lab.race.race import one, racer, scored
from recrawl.lab.race.racers import ORACLES, Value
from recrawl.lab.race.track import Track, race
from recrawl.lab.race.worlds import Size, births, lognormal, lying, perfect, polite
from recrawl.model.belief import Bools, Ints
from recrawl.schedule.plan import Plan
from recrawl.schedule.settings import Settings

BUDGET = 1 / 7


def value_racer(history: History, settings: Settings | None = None, budget: float = BUDGET) -> Value:
    found = racer("value", history, budget, 0, settings)
    assert isinstance(found, Value)
    return found


def stale_of(track: Track) -> float:
    return scored(track, "value", BUDGET, 0, 0.0).stale


def planned_and_realised(runner: Value, track: Track, budget: float = BUDGET) -> tuple[float, float]:
    """Freshness as the plan foretells it for the budget, and as it came."""
    point = Plan(runner.ahead, runner.history.importance).for_budget(runner.history.pages * budget)
    return point.freshness, 1.0 - stale_of(track)


def liars_cost(seed: int, size: Size) -> tuple[float, float]:
    """Stale page-seconds after two weeks with a source that lies, and without any."""
    return _stale_late(lying(seed, size)), _stale_late(lognormal(seed, size))


def _stale_late(history: History) -> float:
    track = race(history, value_racer(history), BUDGET, cold_days=14.0)
    return float(track.tally.stale_s.sum()) - track.tally.cold_stale_s


def informed_and_oracles(seed: int, size: Size) -> tuple[float, dict[str, float]]:
    """Stale share with a perfect source, and that of every oracle, which has none."""
    world = perfect(seed, size)
    return one(world, "value", BUDGET, 0).stale, {name: one(world, name, BUDGET, 0).stale for name in ORACLES}


@dataclass(frozen=True, slots=True)
class Relieved:
    """An overloaded server among others: with a price of its own, and with whatever is late dropped."""

    stale: float
    naive: float
    over_polite: int
    asked_most: int  # of the overloaded server, in one hour
    allowed: int
    asked: int  # of it, in all
    allowed_in_all: float
    calm_visits: int  # of the other servers
    calm_visits_alone: float  # what they would get by their share of the budget
    longest_days: float
    prices: tuple[float, ...]


def relieved(seed: int, size: Size, settings: Settings | None = None) -> Relieved:
    history = polite(seed, size)
    ours, theirs = (Watched(value_racer(history, settings), history) for _ in range(2))
    theirs.inner.relieved = False
    track, naive = race(history, ours, BUDGET), race(history, theirs, BUDGET)
    calm = int((history.server != 0).sum())
    return Relieved(
        stale_of(track), stale_of(naive), track.tally.over_polite, max(ours.asked.values(), default=0),
        int(np.ceil(history.allowed_per_hour[0])), sum(ours.asked.values()),
        float(history.allowed_per_hour[0] * 24 * history.days), track.tally.requests - sum(ours.asked.values()),
        calm * BUDGET * history.days, track.tally.longest_s / DAY_S, tuple(ours.inner.server_price.tolist()),
    )  # fmt: skip


class Watched:
    """Counts what server 0 is asked, hour by hour."""

    def __init__(self, inner: Value, history: History) -> None:
        self.inner, self.history = inner, history
        self.asked: dict[int, int] = {}

    def hold(self, pages: Ints, at_s: float) -> None:
        self.inner.hold(pages, at_s)

    def hear(self, pages: Ints) -> None:
        self.inner.hear(pages)

    def choose(self, at_s: float, room: int, held: Bools, fill: float) -> Ints:
        return self.inner.choose(at_s, room, held, fill)

    def see(self, pages: Ints, at_s: float, changed: Bools) -> None:
        self.asked[int(at_s // 3600)] = int((self.history.server[pages] == 0).sum())
        self.inner.see(pages, at_s, changed)


class Visits(Watched):
    """When each page was seen."""

    def __init__(self, inner: Value) -> None:
        super().__init__(inner, inner.history)
        self.seen: dict[int, list[float]] = {}

    def hold(self, pages: Ints, at_s: float) -> None:
        super().hold(pages, at_s)
        for page in pages:
            self.seen[int(page)] = [at_s]

    def see(self, pages: Ints, at_s: float, changed: Bools) -> None:
        super().see(pages, at_s, changed)
        for page in pages:
            self.seen[int(page)].append(at_s)


def soon_and_ever(seed: int, size: Size) -> tuple[float, float]:
    """Stale share of late-born pages in the two weeks after their second visit, and in the rest of their lives."""
    history = births(seed, size)
    runner = Visits(value_racer(history))
    track = race(history, runner, BUDGET)
    dead = history.event_kind == GONE
    gone_s = dict(zip(history.event_page[dead].tolist(), history.event_s[dead].tolist(), strict=True))
    early, late = [], []
    for page, moments in runner.seen.items():
        if history.here_at_start[page] or len(moments) < 2:
            continue
        end = gone_s.get(page, history.end_s)
        middle = min(moments[1] + 14 * DAY_S, end)
        early.append(_stale_within(track, page, moments, moments[1], middle))
        late.append(_stale_within(track, page, moments, middle, end))
    soon, ever = np.array(early).sum(axis=0), np.array(late).sum(axis=0)
    return float(soon[0] / soon[1]), float(ever[0] / ever[1])


def _stale_within(track: Track, page: int, moments: list[float], low: float, high: float) -> tuple[float, float]:
    history = track.book.history
    events = history.event_s[track.book.first[page] : track.book.last[page]]
    stale = 0.0
    for begin, end in zip(moments, [*moments[1:], history.end_s], strict=True):
        changed = events[(events > begin) & (events <= end)]
        if changed.size:
            stale += max(0.0, min(end, high) - max(float(changed[0]), low))
    return stale, max(high - low, 0.0)
