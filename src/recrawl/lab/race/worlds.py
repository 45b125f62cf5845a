"""Worlds for the race: ways in which pages may change, each a history by seed.

Ten sites of two patterns; a pattern's pages are alike but not equal (that is what a shared prior can find). Every
world is 2,000 pages and 210 days unless told otherwise, and knows its true rates.
"""

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType

import numpy as np

from recrawl.lab.race.history import APPEARED, CHANGED, DAY_S, GONE, HOUR_S, History
from recrawl.model.belief import Floats, Ints
from recrawl.model.values import dataclass

SITES, PATTERNS = 10, 2
MEDIAN_PER_DAY = 1.0 / 14.0
Dice = np.random.Generator
Make = Callable[[int], History]


@dataclass(frozen=True, slots=True)
class Size:
    pages: int = 2000
    days: int = 210


def _rates(dice: Dice, group: Ints, spread: float = 0.9, between: float = 0.9) -> Floats:
    """Log-normal: between patterns, and within them."""
    centre = dice.normal(0.0, between, SITES * PATTERNS)
    return np.clip(MEDIAN_PER_DAY * np.exp(centre[group] + dice.normal(0.0, spread, group.size)), 1e-4, 24.0)


def _poisson(dice: Dice, rate: Floats, days: float) -> tuple[Ints, Floats]:
    """Pages and moments (seconds, unsorted) of independent Poisson processes."""
    count = dice.poisson(rate * days)
    return np.repeat(np.arange(rate.size), count), dice.random(int(count.sum())) * days * DAY_S


def _history(name: str, dice: Dice, size: Size, group: Ints, page: Ints, at_s: Floats, rate: Floats | None) -> History:
    order = np.lexsort((at_s, page))
    site = group // PATTERNS
    return History(
        name=name,
        days=size.days,
        site_names=tuple(f"site{n}" for n in range(SITES)),
        group_names=tuple(f"site{g // PATTERNS}|pattern{g % PATTERNS}" for g in range(SITES * PATTERNS)),
        site=site,
        group=group,
        server=site,
        here_at_start=np.ones(size.pages, dtype=np.bool_),
        importance=np.ones(size.pages),
        size_bytes=np.exp(dice.normal(9.5, 1.0, size.pages)),
        event_page=page[order],
        event_s=at_s[order],
        event_kind=np.full(page.size, CHANGED, dtype=np.int64),
        allowed_per_hour=np.full(SITES, np.inf),
        true_rate=rate,
    )


def _groups(dice: Dice, size: Size) -> Ints:
    return np.sort(dice.integers(0, SITES * PATTERNS, size.pages)).astype(np.int64)


def lognormal(seed: int, size: Size = Size()) -> History:
    """Rates log-normal, changes Poisson: the plain case."""
    dice = np.random.default_rng(seed)
    group = _groups(dice, size)
    rate = _rates(dice, group)
    return _history("lognormal", dice, size, group, *_poisson(dice, rate, size.days), rate)


def pareto(seed: int, size: Size = Size()) -> History:
    """Most pages hardly change, a few all the time."""
    dice = np.random.default_rng(seed)
    group = _groups(dice, size)
    rate = np.clip((1.0 / 120.0) * (1.0 + dice.pareto(0.8, size.pages)), 1e-4, 24.0)
    return _history("pareto", dice, size, group, *_poisson(dice, rate, size.days), rate)


def weekly(seed: int, size: Size = Size()) -> History:
    """Sites change in their own working hours, on working days, hardly else."""
    dice = np.random.default_rng(seed)
    group = _groups(dice, size)
    rate = _rates(dice, group) * 3.0
    page, at_s = _poisson(dice, rate, size.days)
    opening = dice.integers(0, 24, SITES)
    warped = np.stack([_unwarp(_working_week(int(hour))) for hour in opening])
    week_s = 7 * DAY_S
    part = (at_s % week_s) / week_s * (warped.shape[1] - 1)
    place = np.minimum(part.astype(np.int64), warped.shape[1] - 2)
    site = group[page] // PATTERNS
    low, high = warped[site, place], warped[site, place + 1]
    return _history(
        "weekly", dice, size, group, page, at_s // week_s * week_s + low + (high - low) * (part - place), rate
    )


def _working_week(opening: int) -> Floats:
    hours = np.arange(168)
    busy = ((hours - opening) % 24 < 6) & ((hours - opening) // 24 % 7 < 5)
    weight = np.where(busy, 1.0, 0.02)
    return np.asarray(weight / weight.sum())


def _unwarp(weight: Floats, steps: int = 2001) -> Floats:
    """Operational share of the week → seconds into it."""
    running = np.concatenate([[0.0], np.cumsum(weight)])
    return np.asarray(np.interp(np.linspace(0.0, 1.0, steps), running, np.arange(169) * HOUR_S))


def bursty(seed: int, size: Size = Size()) -> History:
    """Half of all changes come in releases: a share of a site's pages within one hour."""
    dice = np.random.default_rng(seed)
    group = _groups(dice, size)
    rate = _rates(dice, group)
    page, at_s = _poisson(dice, rate / 2.0, size.days)
    pages, moments = [page], [at_s]
    for site in range(SITES):
        own = np.flatnonzero(group // PATTERNS == site)
        for moment in np.sort(dice.random(dice.poisson(size.days / 12.0))) * size.days * DAY_S:
            hit = own[dice.random(own.size) < np.minimum(rate[own] / 2.0 * 12.0, 1.0)]
            pages.append(hit)
            moments.append(np.minimum(moment + dice.random(hit.size) * HOUR_S, size.days * DAY_S - 1.0))
    return _history("bursty", dice, size, group, np.concatenate(pages), np.concatenate(moments), rate)


def regime(seed: int, size: Size = Size()) -> History:
    """Every hundred days or so a page gets another rate."""
    dice = np.random.default_rng(seed)
    group = _groups(dice, size)
    switch = dice.random(size.pages) * 100.0
    before, after = _rates(dice, group), _rates(dice, group)
    page, at_s = _poisson(dice, before, size.days)
    later_page, later_s = _poisson(dice, after, size.days)
    early, late = at_s < switch[page] * DAY_S, later_s >= switch[later_page] * DAY_S
    share = np.minimum(switch / size.days, 1.0)
    return _history(
        "regime", dice, size, group, np.concatenate([page[early], later_page[late]]),
        np.concatenate([at_s[early], later_s[late]]), before * share + after * (1.0 - share),
    )  # fmt: skip


def _with_notices(history: History, dice: Dice, recall: float, false_per_day: float, name: str) -> History:
    """Some changes announced within the hour, and notices of nothing."""
    told = dice.random(history.event_page.size) < recall
    page, at_s = _poisson(dice, np.full(history.pages, false_per_day), history.days)
    pages = np.concatenate([history.event_page[told], page])
    moments = np.concatenate([history.event_s[told] + dice.random(int(told.sum())) * HOUR_S, at_s])
    order = np.argsort(moments, kind="stable")
    return replace(history, name=name, notice_page=pages[order], notice_s=moments[order])


def noisy(seed: int, size: Size = Size()) -> History:
    """A source announces two changes in three, and cries wolf every fifty days a page."""
    return _with_notices(lognormal(seed, size), np.random.default_rng([seed, 1]), 0.67, 0.02, "noisy")


def lying(seed: int, size: Size = Size()) -> History:
    """A source that announces changes at random."""
    return _with_notices(lognormal(seed, size), np.random.default_rng([seed, 2]), 0.0, 0.3, "lying")


def perfect(seed: int, size: Size = Size()) -> History:
    """A source that announces every change and nothing else."""
    return _with_notices(lognormal(seed, size), np.random.default_rng([seed, 3]), 1.0, 0.0, "perfect")


def births(seed: int, size: Size = Size()) -> History:
    """Half of the pages appear later, a third go away."""
    dice = np.random.default_rng(seed)
    plain = lognormal(seed, size)
    end_s = size.days * DAY_S
    born_s = np.where(dice.random(size.pages) < 0.5, dice.random(size.pages) * end_s * 0.9, 0.0)
    gone_s = np.where(dice.random(size.pages) < 0.33, born_s + (end_s - born_s) * dice.random(size.pages), 2 * end_s)
    keep = (plain.event_s > born_s[plain.event_page]) & (plain.event_s < gone_s[plain.event_page])
    new, dead = np.flatnonzero(born_s > 0), np.flatnonzero(gone_s < end_s)
    page = np.concatenate([plain.event_page[keep], new, dead])
    at_s = np.concatenate([plain.event_s[keep], born_s[new], gone_s[dead]])
    kind = np.repeat([CHANGED, APPEARED, GONE], [int(keep.sum()), new.size, dead.size])
    order = np.lexsort((at_s, page))
    return replace(
        plain, name="births", here_at_start=born_s <= 0, event_page=page[order], event_s=at_s[order],
        event_kind=kind[order],
    )  # fmt: skip


def polite(seed: int, size: Size = Size()) -> History:
    """The pages of three sites live on one slow server that allows a fifth of an equal share."""
    plain = lognormal(seed, size)
    server = np.where(plain.site < 3, 0, plain.site)
    crowd = float((server == 0).sum())
    allowed = np.full(SITES, np.inf)
    allowed[0] = crowd / 7.0 / 24.0 / 5.0
    return replace(plain, name="polite", server=server, allowed_per_hour=allowed)


WORLDS: Mapping[str, Make] = MappingProxyType(
    {
        "lognormal": lognormal,
        "pareto": pareto,
        "weekly": weekly,
        "bursty": bursty,
        "regime": regime,
        "noisy": noisy,
        "lying": lying,
        "perfect": perfect,
        "births": births,
        "polite": polite,
    }
)
