"""What S4 left open: what does it save if the server tells, and what does it cost the server?

Polling alone, notices alone and both, on the same history with the same budget. Once pages rest, the price of a request
is held where polling alone left it: requests that notices make needless are saved, not spent elsewhere. A sitemap is
read every six hours and every reading is charged; an agent's notice comes within the hour and costs the robot nothing.
"""

import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import field, replace
from pathlib import Path

import numpy as np

from recrawl.agent.place import Place
from recrawl.agent.settings import starting_text
from recrawl.agent.watch import look
from recrawl.agent.whole import write_whole
from recrawl.lab.race.history import DAY_S, HOUR_S, MONDAY_AT, History
from recrawl.lab.race.race import racer, scored
from recrawl.lab.race.racers import Value
from recrawl.lab.race.track import Track, race
from recrawl.model.belief import Bools, Floats, Ints
from recrawl.model.notice import Source
from recrawl.model.values import dataclass
from recrawl.notices import trust as trusts
from recrawl.notices.trust import Record, credit, foretold_change, rest

UNCHANGED_BYTES = 300.0  # a 304 with its headers
READ_EVERY_S = 6 * HOUR_S  # a sitemap
STEADY = 0.5  # of the time has passed before requests are counted as usual


@dataclass(frozen=True, slots=True)
class Way:
    """How a robot hears of changes. `recall` of them are announced; `false_per_day` notices a page of nothing;
    `liar`: a sitemap in which every page changed at every reading."""

    name: str
    source: Source | None = None
    recall: float = 0.0
    false_per_day: float = 0.0
    polls: bool = True
    liar: bool = False


WAYS = (
    Way("polling alone"),
    Way("agent alone", Source.AGENT, 1.0, polls=False),
    Way("agent and polling", Source.AGENT, 1.0),
    Way("agent that misses a fifth, alone", Source.AGENT, 0.8, polls=False),
    Way("agent that misses a fifth, and polling", Source.AGENT, 0.8),
    Way("honest sitemap and polling", Source.SITEMAP, 0.95, 0.002),
    Way("lying sitemap and polling", Source.SITEMAP, liar=True),
)


@dataclass(frozen=True, slots=True)
class Outcome:
    """Per day of the second half of the time, except freshness and delay, which are of all of it."""

    way: str
    trace: str
    changes_per_day: float
    requests_per_day: float
    readings_per_day: float
    megabytes_per_day: float
    freshness: float
    delay_hours: float

    @property
    def requests_per_change(self) -> float:
        return (self.requests_per_day + self.readings_per_day) / max(self.changes_per_day, 1e-9)


def compare(
    history: History,
    budget: float,
    seed: int = 1,
    tell: Callable[[str], None] | None = None,
    ways: Sequence[Way] = WAYS,
) -> list[Outcome]:
    """Every way on one history. Polling alone comes first: it sets the price."""
    outcomes, price = [], 0.0
    for way in ways:
        if tell:
            tell(f"{history.name}: {way.name}")
        told = announced(history, way, seed)
        value = racer("value", told, budget, seed)
        assert isinstance(value, Value)
        value.clearing = False  # what notices save is not spent elsewhere
        robot = Robot(told, way, value, price)
        track = race(told, robot, budget)
        if way.source is None:
            price = robot.usual_price
        outcomes.append(_outcome(track, robot, way, budget, seed))
    return outcomes


def announced(history: History, way: Way, seed: int) -> History:
    """The history with what this source says of it."""
    nothing = np.zeros(0, dtype=np.int64)
    if way.source is None:
        return replace(history, notice_page=nothing, notice_s=np.zeros(0))
    dice = np.random.default_rng([seed, 5])
    if way.liar:
        moments = np.arange(READ_EVERY_S, history.end_s, READ_EVERY_S)
        pages = np.tile(np.arange(history.pages), moments.size)
        return replace(history, notice_page=pages, notice_s=np.repeat(moments, history.pages))
    told = dice.random(history.event_page.size) < way.recall
    count = dice.poisson(way.false_per_day * history.days, history.pages)
    pages = np.concatenate([history.event_page[told], np.repeat(np.arange(history.pages), count)])
    moments = np.concatenate([history.event_s[told], dice.random(int(count.sum())) * history.end_s])
    if way.source is Source.SITEMAP:
        moments = np.ceil(moments / READ_EVERY_S) * READ_EVERY_S
    order = np.argsort(moments, kind="stable")
    return replace(history, notice_page=pages[order], notice_s=moments[order])


@dataclass(slots=True)
class Robot:
    """The value policy with ears, as the engine has them: believed notices are followed at once (`notices.apply`), and
    where a source has proved to announce its changes, silent pages rest longer (`notices.trust.rest`)."""

    history: History
    way: Way
    inner: Value
    least_price: float
    heard: Bools = field(init=False)
    believed: Bools = field(init=False)
    trust: list[dict[Source, Record]] = field(init=False)
    requests: Floats = field(init=False)
    bytes: Floats = field(init=False)
    prices: list[float] = field(default_factory=list)
    ripe_s: Floats = field(init=False)  # how long after its last visit a page was first worth another

    def __post_init__(self) -> None:
        self.heard = np.zeros(self.history.pages, dtype=np.bool_)
        self.believed = np.zeros(self.history.pages, dtype=np.bool_)
        self.trust = [{} for _ in self.history.site_names]
        self.requests, self.bytes = np.zeros(self.history.days), np.zeros(self.history.days)
        self.ripe_s = np.full(self.history.pages, np.inf)

    @property
    def usual_price(self) -> float:
        return float(np.median(self.prices[len(self.prices) // 2 :]))

    def hold(self, pages: Ints, at_s: float) -> None:
        self.inner.hold(pages, at_s)
        self._charge(pages, at_s, np.ones(len(pages), dtype=np.bool_)) if at_s else None

    def hear(self, pages: Ints) -> None:
        """Of each site as many announced pages are followed as its source has credit for."""
        assert self.way.source is not None
        self.heard[pages] = True
        for site in np.unique(self.history.site[pages]):
            here = pages[self.history.site[pages] == site]
            self.trust[site] = trusts.heard(self.trust[site], self.way.source, len(here))
            self.believed[here[: credit(self.way.source, self.trust[site][self.way.source])]] = True

    def choose(self, at_s: float, room: int, held: Bools, fill: float) -> Ints:
        told = np.flatnonzero(self.believed & held)
        if not self.way.polls:
            return told[:room]
        saving = any(rest(trust) > 1.0 for trust in self.trust)
        cheap = saving and self.inner.policy.knowledge.price <= self.least_price
        wanted = self.inner.choose(at_s, self.history.pages, held, min(fill, 0.5) if cheap else fill)
        self.prices.append(self.inner.policy.knowledge.price)
        return np.concatenate([told, self._rested(wanted[~self.believed[wanted]], at_s)])[:room]

    def _rested(self, wanted: Ints, at_s: float) -> Ints:
        """Those that have rested long enough beyond the moment they became worth a visit."""
        passed_s = MONDAY_AT + at_s - self.inner.states["seen_at"][wanted]
        self.ripe_s[wanted] = np.minimum(self.ripe_s[wanted], passed_s)
        longer = np.array([rest(trust) for trust in self.trust])[self.history.site[wanted]]
        return np.asarray(wanted[passed_s >= self.ripe_s[wanted] * longer])

    def see(self, pages: Ints, at_s: float, changed: Bools) -> None:
        states = self.inner.states[pages]
        for page, state, is_changed in zip(pages, states, changed, strict=True):
            site = int(self.history.site[page])
            by = {self.way.source} if self.heard[page] and self.way.source else set()
            gap_s = MONDAY_AT + at_s - float(state["seen_at"])
            foretold = foretold_change(int(state["changes"]), float(state["watched_s"]), gap_s)
            self.trust[site] = trusts.fold(self.trust[site], by, bool(is_changed), foretold)
        self.inner.see(pages, at_s, changed)
        self.heard[pages] = self.believed[pages] = False
        self.ripe_s[pages] = np.inf
        self._charge(pages, at_s, changed)

    def _charge(self, pages: Ints, at_s: float, changed: Bools) -> None:
        day = min(int(at_s // DAY_S), self.history.days - 1)
        self.requests[day] += len(pages)
        self.bytes[day] += float(np.where(changed, self.history.size_bytes[pages], UNCHANGED_BYTES).sum())


def _outcome(track: Track, robot: Robot, way: Way, budget: float, seed: int) -> Outcome:
    history = robot.history
    score = scored(track, way.name, budget, seed, 0.0)
    start = int(history.days * STEADY)
    days = history.days - start
    changes = int((history.event_s >= start * DAY_S).sum())
    readings = len(history.site_names) * DAY_S / READ_EVERY_S if way.source is Source.SITEMAP else 0.0
    listed = np.bincount(history.site, minlength=len(history.site_names)).sum() * 100.0  # bytes of an entry
    return Outcome(
        way=way.name,
        trace=history.name,
        changes_per_day=changes / days,
        requests_per_day=float(robot.requests[start:].sum()) / days,
        readings_per_day=readings,
        megabytes_per_day=(float(robot.bytes[start:].sum()) / days + (listed * DAY_S / READ_EVERY_S if readings else 0))
        / 1e6,
        freshness=1.0 - score.stale,
        delay_hours=score.delay_days * 24.0,
    )


@dataclass(frozen=True, slots=True)
class AgentCost:
    """What watching costs the server."""

    documents: int
    first_cpu_s: float
    quiet_cpu_s: float  # a look at a tree in which nothing changed

    @property
    def cpu_s_per_100_000(self) -> float:
        return self.quiet_cpu_s * 100_000 / self.documents


def agent_cost(documents: int) -> AgentCost:
    """A real tree of small files, a hundred a folder, looked at twice by the real agent."""
    with tempfile.TemporaryDirectory() as folder:
        root, place = Path(folder) / "root", Place(Path(folder) / "agent")
        for number in range(documents):
            if number % 100 == 0:
                (root / str(number // 100)).mkdir(parents=True)
            handle = os.open(root / str(number // 100) / f"{number}.html", os.O_WRONLY | os.O_CREAT, 0o644)
            os.write(handle, b"<html><body>document %d</body></html>" % number)
            os.close(handle)
        write_whole(place.settings_file, starting_text(str(root), "http://localhost/").encode())
        first = look(place, place.settings(), MONDAY_AT)
        again = look(place, place.settings(), MONDAY_AT + HOUR_S)
        return AgentCost(documents, first.cpu_s, again.cpu_s)
