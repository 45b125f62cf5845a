"""What a seed tells: a small world, what goes wrong in it, and the lives of the workers that crawl it.

Everything is drawn from the seed alone, so a seed is a story and telling it again gives the same story.
"""

import random
from dataclasses import dataclass, replace

from recrawl.lab.faults import FaultKind, FaultPlan, FaultRule
from recrawl.lab.tempers import DAY_S, HOUR_S, Poisson
from recrawl.lab.varied import ENDING_KINDS, KINDS, ROBOTS
from recrawl.lab.world import START_AT, World
from recrawl.lab.world_parts import Ending, PageSpec, ServerSpec, Shelf

GAP_S = 2.0
SEEDS, MONTHS = 300, 24
DAYS_A_MONTH = 365.25 / 12
LONG_EVERY, LONG_DAYS = 30, 20.0  # one seed in thirty is long: what grows or starves shows only with time
SHORT_DAYS = (MONTHS * DAYS_A_MONTH - SEEDS // LONG_EVERY * LONG_DAYS) / (SEEDS - SEEDS // LONG_EVERY)
CALM_S = 12 * HOUR_S  # at the end nothing goes wrong any more: what is lasting must have been found by then

DEATHS = ("kill", "before archive", "torn archive", "before commit", "after commit", "disk full")


@dataclass(frozen=True, slots=True)
class Life:
    """One run of the crew. `death`: how it ends ('' by itself), `at_write`: at which write of the worker.
    `jumps_s`: how far off each worker's wall clock is in this life; `down_s`: until the next life begins."""

    lasts_s: float
    death: str = ""
    at_write: int = 0
    jumps_s: tuple[float, ...] = (0.0,)
    down_s: float = 1.0
    disk_low_from_s: float = float("inf")  # a spell of a nearly full disk
    disk_low_for_s: float = 0.0


@dataclass(frozen=True, slots=True)
class Story:
    seed: int
    world: World
    faults: FaultPlan
    lives: tuple[Life, ...]
    on_disk: bool  # real WARC files and SQLite instead of their twins in memory
    requests_per_day: float | None

    @property
    def days(self) -> float:
        return sum(life.lasts_s for life in self.lives) / DAY_S

    @property
    def ends_at(self) -> float:
        return self.world.start_at + sum(life.lasts_s + life.down_s for life in self.lives)

    @property
    def clock_jumps(self) -> bool:
        return any(any(life.jumps_s) for life in self.lives)

    @property
    def workers(self) -> int:
        return max(len(life.jumps_s) for life in self.lives)


def story(seed: int) -> Story:
    dice = random.Random(seed)
    days = LONG_DAYS if seed % LONG_EVERY == 0 else SHORT_DAYS
    world = _world(seed, dice, days)
    budget = dice.choice((None, None, None, 40.0, 80.0))
    workers = dice.choice((1, 1, 2))
    lives = _lives(dice, days * DAY_S, workers)
    ends_at = START_AT + sum(life.lasts_s + life.down_s for life in lives) - CALM_S
    return Story(seed, world, _faults(seed, dice, ends_at), lives, dice.random() < 0.1, budget)


def _world(seed: int, dice: random.Random, days: float) -> World:
    servers = [
        _server(number, dice, days) for number in range(1 if days == LONG_DAYS else dice.choice((1, 1, 2, 2, 3)))
    ]
    return World(seed, tuple(servers))


def _server(number: int, dice: random.Random, days: float) -> ServerSpec:
    shelf = Shelf("/shop/", "Shop", items=4, arrivals=Poisson(DAY_S), life_s=3 * DAY_S, per_page=3)
    return ServerSpec(
        f"server-{number}",
        title=f"Town {number}",
        pages=tuple(_pages(dice, days)),
        shelves=(shelf,) if dice.random() < 0.25 and days < LONG_DAYS else (),
        robots=replace(ROBOTS, crawl_delay_s=dice.choice((None, None, 3.0)), sitemap=dice.random() < 0.3),
        delay_s=0.05,
        coding=dice.choice(("", "gzip", "br", "zstd", "deflate")),
        soft_404=dice.random() < 0.1,
    )


def _pages(dice: random.Random, days: float) -> list[PageSpec]:
    pages = []
    for number, kind in enumerate(dice.sample(KINDS, dice.randint(1, 3)) + dice.sample(ENDING_KINDS, 1)):
        moment = float(int(START_AT + dice.uniform(0.1, 0.7) * days * DAY_S))
        page = replace(kind, path=f"/{kind.path}-{number}", paragraphs=3)
        if kind in ENDING_KINDS:
            page = replace(page, ended_at=moment)
        elif dice.random() < 0.2:
            page = replace(page, born_at=moment)
        if page.ending is Ending.MOVED:
            page = replace(page, moved_to=page.path + "-new")
            pages.append(replace(kind, path=page.moved_to, ending=Ending.NOT_FOUND, born_at=moment))
        pages.append(page)
    return pages


def _lives(dice: random.Random, span_s: float, workers: int) -> tuple[Life, ...]:
    deaths = dice.choices(DEATHS, k=dice.randint(0, 3))
    cuts = sorted(dice.uniform(0.0, span_s - CALM_S) for _ in deaths)
    lengths = [after - before for before, after in zip([0.0, *cuts], [*cuts, span_s], strict=True)]
    jumpy = dice.random() < 0.25
    return tuple(
        _life(dice, lasts_s, death, workers, jumpy) for lasts_s, death in zip(lengths, [*deaths, ""], strict=True)
    )


def _life(dice: random.Random, lasts_s: float, death: str, workers: int, jumpy: bool) -> Life:
    jumps = tuple(dice.uniform(-30, 30) * HOUR_S if jumpy else 0.0 for _ in range(workers))
    low = dice.random() < 0.15
    return Life(
        lasts_s,
        death,
        int(dice.expovariate(0.15)),
        jumps,
        dice.choice((0.1, 5.0, HOUR_S)),
        dice.uniform(0.0, lasts_s) if low else float("inf"),
        dice.uniform(0.0, 6 * HOUR_S),
    )


def _faults(seed: int, dice: random.Random, until_at: float) -> FaultPlan:
    """Some of everything, each in spells of its own; flapping: refused and reached again every few minutes."""
    every = (
        FaultRule(FaultKind.ERROR, share=0.3, every_s=DAY_S, lasts_s=6 * HOUR_S),
        FaultRule(FaultKind.BAD_GATEWAY, every_s=DAY_S, lasts_s=HOUR_S),
        FaultRule(FaultKind.BUSY, every_s=DAY_S, lasts_s=HOUR_S, retry_after_s=900, spares_robots=True),
        FaultRule(FaultKind.TOO_MANY, every_s=DAY_S, lasts_s=2 * HOUR_S, retry_after_s=600, retry_as_date=True),
        FaultRule(FaultKind.RESET, share=0.3, every_s=DAY_S, lasts_s=4 * HOUR_S),
        FaultRule(FaultKind.STALL, share=0.2, every_s=DAY_S, lasts_s=2 * HOUR_S),
        FaultRule(FaultKind.CONNECT_TIMEOUT, every_s=2 * DAY_S, lasts_s=2 * HOUR_S),
        FaultRule(FaultKind.CONNECT, every_s=HOUR_S / 4, lasts_s=HOUR_S / 8),
        FaultRule(FaultKind.NO_HOST, every_s=DAY_S, lasts_s=3 * HOUR_S),
        FaultRule(FaultKind.TRUNCATED, share=0.3, every_s=DAY_S, lasts_s=6 * HOUR_S),
        FaultRule(FaultKind.GARBLED, share=0.2, every_s=DAY_S, lasts_s=6 * HOUR_S),
        FaultRule(FaultKind.GIBBERISH, share=0.2, every_s=DAY_S, lasts_s=6 * HOUR_S),
        FaultRule(FaultKind.UNASKED_304, share=0.1),
        FaultRule(FaultKind.SLOW, share=0.3, every_s=DAY_S, lasts_s=6 * HOUR_S, delay_s=20.0),
        FaultRule(FaultKind.ERROR, path="/robots.txt", every_s=DAY_S, lasts_s=8 * HOUR_S),
        FaultRule(FaultKind.RESET, path="/robots.txt", every_s=2 * DAY_S, lasts_s=4 * HOUR_S),
    )
    drawn = dice.sample(every, dice.randint(2, 7))
    return FaultPlan(seed, tuple(replace(rule, until_at=until_at) for rule in drawn))
