"""Why a page is visited when it is: belief, value, price, and what every other policy would have done."""

from collections.abc import Iterable, Sequence

import numpy as np

from recrawl.estimate import bayes
from recrawl.model.belief import Context, Sightings, States, unknown
from recrawl.model.values import dataclass
from recrawl.schedule import POLICIES, policy
from recrawl.schedule.settings import Settings
from recrawl.schedule.value import ValuePolicy

# a rate of the grid stands for those around it
_HALF_STEP = float((bayes.RATES_PER_DAY[1] / bayes.RATES_PER_DAY[0]) ** 0.5)


@dataclass(frozen=True, slots=True)
class Reasons:
    """`worth`: value in units of what is asked for it; at 1 the page is due. Rates per day, bounds of nine tenths."""

    rate: float
    rate_low: float
    rate_high: float
    unchanged: float
    worth: float
    price: float
    server_price: float
    visits: int
    changes: int


@dataclass(frozen=True, slots=True)
class Seen:
    """One judged visit of a page, oldest first."""

    at: float
    changed: bool
    size_bytes: float = 0.0
    response_s: float = 0.0


def reasons(chosen: ValuePolicy, state: States, importance: float, now: float, context: Context) -> Reasons:
    """For one page (arrays of length 1)."""
    belief = bayes.weights(state, context.group, chosen.laws)
    mean, low, high = bayes.rate_interval(belief)
    ahead = chosen.prospects(state, context)
    days = np.maximum(now - state["seen_at"], 0.0) / 86400.0
    since_at = max(now, float(state["seen_at"][0]))  # a clock that ran ahead may have written it
    worth = chosen.worth(ahead, state, np.array([importance]), since_at, context)
    return Reasons(
        float(mean[0]), float(low[0]) / _HALF_STEP, float(high[0]) * _HALF_STEP,
        float(bayes.survival(ahead, days)[0]), float(worth[0]),
        chosen.knowledge.price, float(context.server_price[0]), int(state["gaps"][0]) + 1, int(state["changes"][0]),
    )  # fmt: skip


def rates_after(chosen: ValuePolicy, visits: Sequence[Seen], context: Context) -> list[float]:
    """The mean rate per day as it is believed after each of these visits, with what the policy knows today of the
    page's kind: which visit moved the belief, and how far."""
    state, found = unknown(1), []
    for number, visit in enumerate(visits):
        state = chosen.observe(state, _sighting(visit, number == 0), context)
        mean, _, _ = bayes.rate_interval(bayes.weights(state, context.group, chosen.laws))
        found.append(float(mean[0]))
    return found


def _sighting(visit: Seen, first: bool) -> Sightings:
    return Sightings(
        np.array([visit.at]), np.array([visit.changed]), np.array([first]), np.array([np.nan]),
        np.array([visit.size_bytes]), np.array([visit.response_s]),
    )  # fmt: skip


def gaps_by_policy(
    visits: Sequence[Seen],
    importance: float = 1.0,
    luck: float = 0.5,
    settings: Settings | None = None,
    names: Iterable[str] = tuple(POLICIES),
) -> dict[str, float]:
    """The gap each policy would have chosen after these visits, from the same start."""
    return {name: _replayed(name, visits, importance, luck, settings or Settings()) for name in names}


def _replayed(name: str, visits: Sequence[Seen], importance: float, luck: float, settings: Settings) -> float:
    chosen = policy(name, settings)
    state = unknown(1)
    gap_s = np.zeros(1)
    for number, visit in enumerate(visits):
        state = chosen.observe(state, _sighting(visit, number == 0))
        gap_s = chosen.next_gap_s(state, np.array([importance]), visit.at, np.array([luck]))
        state["gap_s"] = gap_s
    return float(gap_s[0])
