"""What a policy made of a history: one row a race, and the means with their spread over seeds."""

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict, field
from statistics import fmean, stdev

from recrawl.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Score:
    """Shares are of the time pages existed (0..1). `missed`: versions never seen, of all. `cold_stale`: of the first
    eight weeks. `by_site`: stale share of each. `over_polite`: requests beyond what a server allows (must be 0)."""

    policy: str
    budget: float
    seed: int
    trace: str
    stale: float
    stale_weighted: float
    age_days: float
    wasted: float
    missed: float
    delay_days: float
    requests: int
    cpu_s: float
    longest_gap_days: float
    cold_stale: float
    requests_per_page_day: float
    predicted_stale: float | None = None
    over_polite: int = 0
    scaled: bool = False  # intervals under one common factor, so that the policy spends the same budget
    by_site: dict[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Summary:
    policy: str
    budget: float
    trace: str
    seeds: int
    stale: float
    stale_spread: float
    stale_weighted: float
    cold_stale: float
    age_days: float
    wasted: float
    missed: float
    delay_days: float
    requests: float
    longest_gap_days: float
    cpu_s: float
    scaled: bool


def json_line(score: Score) -> str:
    return json.dumps(asdict(score), separators=(",", ":"))


def summarised(scores: Iterable[Score]) -> list[Summary]:
    """Means over seeds, best first within a trace and budget."""
    grouped: dict[tuple[str, float, str], list[Score]] = {}
    for score in scores:
        grouped.setdefault((score.trace, score.budget, score.policy), []).append(score)
    found = [_summary(group) for group in grouped.values()]
    return sorted(found, key=lambda one: (one.trace, one.budget, one.stale))


def _summary(group: list[Score]) -> Summary:
    first = group[0]
    stale = [one.stale for one in group]
    return Summary(
        first.policy, first.budget, first.trace, len(group), fmean(stale), stdev(stale) if len(stale) > 1 else 0.0,
        fmean(one.stale_weighted for one in group), fmean(one.cold_stale for one in group),
        fmean(one.age_days for one in group), fmean(one.wasted for one in group), fmean(one.missed for one in group),
        fmean(one.delay_days for one in group), fmean(one.requests for one in group),
        max(one.longest_gap_days for one in group), fmean(one.cpu_s for one in group), first.scaled,
    )  # fmt: skip


COLUMNS: tuple[tuple[str, Callable[[Summary], str]], ...] = (
    ("stale %", lambda one: f"{100 * one.stale:.3f}"),
    ("±", lambda one: f"{100 * one.stale_spread:.3f}"),
    ("weighted", lambda one: f"{100 * one.stale_weighted:.3f}"),
    ("cold", lambda one: f"{100 * one.cold_stale:.2f}"),
    ("age d", lambda one: f"{one.age_days:.3f}"),
    ("delay d", lambda one: f"{one.delay_days:.3f}"),
    ("wasted", lambda one: f"{one.wasted:.3f}"),
    ("missed", lambda one: f"{one.missed:.3f}"),
    ("requests", lambda one: f"{one.requests:.0f}"),
    ("gap d", lambda one: f"{one.longest_gap_days:.0f}"),
    ("cpu s", lambda one: f"{one.cpu_s:.1f}"),
)
_WIDTH = 10


def table(scores: Iterable[Score]) -> str:
    """Plain text, one block a trace and budget; `~` marks policies whose intervals were scaled to the budget; `cold` is
    the stale share of the first eight weeks, `gap d` the longest that a page waited."""
    lines: list[str] = []
    block: tuple[str, float] | None = None
    for one in summarised(scores):
        if (one.trace, one.budget) != block:
            block = (one.trace, one.budget)
            lines += ["", f"{one.trace}, {one.budget:.4g} visits per page and day, {one.seeds} seed(s)"]
            lines.append(f"{'policy':<20}" + "".join(f"{name:>{_WIDTH}}" for name, _ in COLUMNS))
        mark = "~" if one.scaled else " "
        lines.append(f"{one.policy:<19}{mark}" + "".join(f"{shown(one):>{_WIDTH}}" for _, shown in COLUMNS))
    return "\n".join(lines[1:])
