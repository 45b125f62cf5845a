"""All policies on the same history with the same budget: who keeps the copy freshest?"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from time import process_time

import numpy as np

from recrawl.lab.race.due import Due
from recrawl.lab.race.history import DAY_S, MONDAY_AT, History
from recrawl.lab.race.racers import ORACLES, Oracle, Ranked, Ranking, Scaled, Value
from recrawl.lab.race.scaled import OwnTime, factor_for
from recrawl.lab.race.scores import Score
from recrawl.lab.race.track import Racer, Track, race
from recrawl.schedule import POLICIES, policy
from recrawl.schedule.plan import Plan
from recrawl.schedule.settings import Settings
from recrawl.schedule.value import value_policy

Progress = Callable[[str, float], None]
RANKED = ("proportional", "cho", "lambdacrawl", "likelihood", "staleness")
PLACED = "groups-placed"
OWN_TIME = ("nutch",)
DUE = "value-due"
RACED: tuple[str, ...] = (*POLICIES, DUE, PLACED, *ORACLES)


def racer(name: str, history: History, budget: float, seed: int, settings: Settings | None = None) -> Racer:
    """The policy of that name, ready to race."""
    wished = replace(settings or Settings(), requests_per_page_day=budget, every_s=DAY_S / budget)
    if name in ORACLES:
        return Oracle(history, ORACLES[name])
    if name in ("value", DUE):
        return (Due if name == DUE else Value)(history, value_policy(wished, hour=int(MONDAY_AT // 3600)))
    if name in RANKED:
        chosen = policy(name, wished)
        assert isinstance(chosen, Ranking)
        return Ranked(history, chosen)
    if name == PLACED:
        return Scaled(history, policy("groups", wished), np.random.default_rng(seed), slots=(0, 12))
    chosen = policy(name, wished)
    if name in OWN_TIME:
        return OwnTime(history, chosen, np.random.default_rng(seed), factor=factor_for(history, chosen, budget, seed))
    return Scaled(history, chosen, np.random.default_rng(seed))


def run(
    histories: Sequence[Callable[[int], History]],
    policies: Sequence[str],
    budgets: Sequence[float],
    seeds: int = 2,
    progress: Progress | None = None,
    settings: Settings | None = None,
) -> Iterator[Score]:
    """Race every policy at every budget on every history, seed by seed; a history is a function of the seed."""
    for make in histories:
        for seed in range(seeds):
            history = make(seed)
            for budget in budgets:
                for name in policies:
                    yield one(history, name, budget, seed, progress, settings)


def one(
    history: History,
    name: str,
    budget: float,
    seed: int,
    progress: Progress | None = None,
    settings: Settings | None = None,
) -> Score:
    began = process_time()
    label = f"{history.name} {budget:.3g}/day seed {seed} {name}"
    runner = racer(name, history, budget, seed, settings)
    track = race(history, runner, budget, _told(progress, label))
    score = scored(track, name, budget, seed, process_time() - began)
    return replace(score, predicted_stale=predicted(runner, track)) if isinstance(runner, Value) else score


def predicted(runner: Value, track: Track) -> float | None:
    """What a plan made from the beliefs of the last day expects of the pages that are left."""
    history, held = track.book.history, np.flatnonzero(track.held)
    if not held.size:
        return None
    plan = Plan(runner.ahead.rows(held), history.importance[held], runner.policy.settings.harmonic)
    return 1.0 - plan.for_budget(history.pages * track.budget).freshness


def _told(progress: Progress | None, label: str) -> Callable[[float], None] | None:
    return (lambda done: progress(label, done)) if progress else None


def scored(track: Track, name: str, budget: float, seed: int, cpu_s: float) -> Score:
    history, tally = track.book.history, track.tally
    pages = np.arange(history.pages)
    existed_s = track.book.existed_s(pages, np.full(history.pages, history.end_s))
    cold_s = track.book.existed_s(pages, np.full(history.pages, min(track.cold_days * DAY_S, history.end_s)))
    events = max(int((history.event_kind == 1).sum()), 1)
    site_s = np.bincount(history.site, weights=existed_s, minlength=len(history.site_names))
    site_stale = np.bincount(history.site, weights=tally.stale_s, minlength=len(history.site_names))
    weighted_s = (history.importance * existed_s).sum()
    return Score(
        policy=name,
        budget=budget,
        seed=seed,
        trace=history.name,
        stale=float(tally.stale_s.sum() / existed_s.sum()),
        stale_weighted=float((history.importance * tally.stale_s).sum() / weighted_s),
        age_days=tally.age_s2 / DAY_S / float(existed_s.sum()),
        wasted=tally.wasted / max(tally.requests, 1),
        missed=tally.missed / events,
        delay_days=tally.delay_s / max(tally.found, 1) / DAY_S,
        requests=tally.requests,
        cpu_s=cpu_s,
        longest_gap_days=tally.longest_s / DAY_S,
        cold_stale=tally.cold_stale_s / max(float(cold_s.sum()), 1.0),
        requests_per_page_day=tally.requests / history.pages / history.days,
        over_polite=tally.over_polite,
        scaled=name not in (*RANKED, *ORACLES, "value", DUE, "static"),
        by_site={
            site: round(float(stale / max(lived, 1.0)), 6)
            for site, stale, lived in zip(history.site_names, site_stale, site_s, strict=True)
        },
    )
