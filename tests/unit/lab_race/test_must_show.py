"""What the scheduler must show, on small worlds: relief, notices, cold start, plan, ceiling."""

import numpy as np
import pytest

from recrawl.lab.race import one, racer, scored
from recrawl.lab.race_history import DAY_S, GONE, History
from recrawl.lab.race_racers import ORACLES, Value
from recrawl.lab.race_track import Track, race
from recrawl.lab.worlds import Size, births, lognormal, lying, perfect, polite
from recrawl.model.belief import Bools, Ints
from recrawl.schedule.plan import Plan
from recrawl.schedule.settings import Settings

BUDGET = 1 / 7


def _value(history: History, settings: Settings | None = None) -> Value:
    found = racer("value", history, BUDGET, 0, settings)
    assert isinstance(found, Value)
    return found


@pytest.fixture(scope="module")
def plain() -> tuple[Value, Track]:
    history = lognormal(0, Size(300, 56))
    runner = _value(history)
    return runner, race(history, runner, BUDGET)


def _stale(track: Track) -> float:
    return scored(track, "value", BUDGET, 0, 0.0).stale


def test_value_beats_the_policies_that_do_not_know_the_rates_and_not_the_one_that_does(
    plain: tuple[Value, Track],
) -> None:
    history = lognormal(0, Size(300, 56))
    ours = _stale(plain[1])
    for name in ("static", "lambdacrawl", "proportional", "stormcrawler", "nutch", "poisson"):
        assert ours < one(history, name, BUDGET, 0).stale


def test_the_plan_predicts_the_realised_freshness_within_two_points(plain: tuple[Value, Track]) -> None:
    runner, track = plain
    point = Plan(runner.ahead, runner.history.importance).for_budget(300 * BUDGET)
    assert abs(point.freshness - (1.0 - _stale(track))) < 0.02


def _stale_late(history: History) -> float:
    """Stale page-seconds after two weeks."""
    track = race(history, _value(history), BUDGET, cold_days=14.0)
    return float(track.tally.stale_s.sum()) - track.tally.cold_stale_s


def test_a_lying_source_costs_at_most_one_percent_after_two_weeks() -> None:
    size, seeds = Size(160, 35), (1, 2)
    liar, silent = (sum(_stale_late(world(seed, size)) for seed in seeds) for world in (lying, lognormal))
    assert liar <= 1.01 * silent


@pytest.mark.parametrize("oracle", sorted(ORACLES))
def test_a_perfect_source_brings_us_below_every_oracle_without_one(oracle: str, informed: float) -> None:
    assert informed < one(perfect(0, Size(200, 42)), oracle, BUDGET, 0).stale


@pytest.fixture(scope="module")
def informed() -> float:
    return one(perfect(0, Size(200, 42)), "value", BUDGET, 0).stale


def test_due_times_solved_for_as_in_a_crawl_keep_as_much_fresh_as_looking_at_every_page_every_hour(
    plain: tuple[Value, Track],
) -> None:
    solved = one(lognormal(0, Size(300, 56)), "value-due", BUDGET, 0)
    assert solved.stale <= 1.03 * _stale(plain[1])


def test_relief_keeps_more_fresh_than_dropping_what_is_late_and_is_never_impolite() -> None:
    history = polite(0, Size(300, 56))
    relieved, naive = _Watched(_value(history), history), _Watched(_value(history), history)
    naive.inner.relieved = False
    ours, theirs = race(history, relieved, BUDGET), race(history, naive, BUDGET)
    assert _stale(ours) < _stale(theirs)
    per_hour = np.array(list(relieved.asked.values()))
    assert per_hour.max() <= np.ceil(history.allowed_per_hour[0])
    assert sum(relieved.asked.values()) <= history.allowed_per_hour[0] * 24 * history.days + 1
    assert relieved.inner.server_price[0] > 0.0 and (relieved.inner.server_price[1:] == 0.0).all()


class _Watched:
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


def test_no_page_waits_beyond_the_ceiling() -> None:
    history = lognormal(0, Size(150, 40))
    settings = Settings(ceiling_s=15 * DAY_S, spread_from_s=12 * DAY_S)
    track = race(history, _value(history, settings), BUDGET)
    assert track.tally.longest_s <= 16 * DAY_S  # pages that reach it together share the day's budget


def test_new_pages_of_a_known_pattern_are_soon_as_fresh_as_ever() -> None:
    """Stale share of late-born pages after their second visit: two weeks of it against the rest of their lives."""
    history = births(1, Size(500, 84))
    runner = _Visits(_value(history))
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
    assert soon[0] / soon[1] <= 1.1 * ever[0] / ever[1]


class _Visits(_Watched):
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


def _stale_within(track: Track, page: int, moments: list[float], low: float, high: float) -> tuple[float, float]:
    history = track.book.history
    events = history.event_s[track.book.first[page] : track.book.last[page]]
    stale = 0.0
    for begin, end in zip(moments, [*moments[1:], history.end_s], strict=True):
        changed = events[(events > begin) & (events <= end)]
        if changed.size:
            stale += max(0.0, min(end, high) - max(float(changed[0]), low))
    return stale, max(high - low, 0.0)
