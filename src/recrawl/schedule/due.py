"""When a page's turn comes: the first hour at which its worth reaches the price.

The lab can look at every page every hour; a crawl cannot. It solves for the hour instead, puts it into the queue, and
solves again when prices have moved (`material`), for what comes soon at once and for the rest bit by bit (`turn`).
Without a rhythm that is V(x) = price. With one the moment counts too (`placement`): a visit just after the busy hour
may be worth four times V, one just before it nothing. So the day is sought by halving at the hour after which a copy
stays fresh longest, and then the hours of the day before it are looked through.
"""

import numpy as np

from recrawl.estimate import tempo as tempos
from recrawl.estimate.bayes import Prospects, survival_and_area
from recrawl.model.belief import Floats, Ints
from recrawl.model.values import dataclass
from recrawl.schedule import placement
from recrawl.schedule.index import days_until, value
from recrawl.schedule.material import TURN_HOURS

LATEST_HOURS = float(placement.WAITS_HOURS[-1])
SOON_HOURS = 72.0  # further ahead the hour is sought when the day has come near


def turn(fingerprints: Ints, step: int) -> Ints:
    """Places of the pages whose turn it is in hour `step` of solving all of them again."""
    return np.flatnonzero(fingerprints % TURN_HOURS == step % TURN_HOURS)


@dataclass(frozen=True, slots=True)
class Wanted:
    """Pages, what is expected of them, the value at which each is due, and when each was seen last."""

    ahead: Prospects
    asked: Floats
    seen_hour: Floats
    site: Ints
    harmonic: float
    most_days: float

    def rows(self, index: Ints) -> "Wanted":
        return Wanted(
            self.ahead.rows(index), self.asked[index], self.seen_hour[index], self.site[index], self.harmonic,
            self.most_days,
        )  # fmt: skip


def worth_at(wanted: Wanted, tempo: tempos.Tempo, places: placement.Placement, hour: Floats) -> Floats:
    """Value of a visit at an hour of each page's own, in units of the price."""
    days = np.maximum(tempos.operational_days(tempo, wanted.site, wanted.seen_hour, hour), 1e-6)
    survival, area = survival_and_area(wanted.ahead, days)
    plain = value(survival, area, days, wanted.harmonic) / wanted.asked
    return plain * placement.factor(places, wanted.site, hour.astype(np.int64) % 24, survival, area, days)


def placed_hour(
    wanted: Wanted, tempo: tempos.Tempo, places: placement.Placement, plain_hour: Floats, now_hour: float
) -> Floats:
    """The first hour at which a visit is worth its price; `plain_hour`: when it would be without a rhythm."""
    soonest = days_until(wanted.ahead, wanted.asked / placement.MOST, wanted.harmonic, wanted.most_days)
    begin = np.ceil(tempos.moment_after(tempo, wanted.site, wanted.seen_hour, soonest, now_hour))
    rate = placement.believed_rate(*_fading(wanted, soonest))
    first = begin + (placement.best_hour(places, wanted.site, rate) - begin) % 24.0
    found = first + 24.0 * _first_day(wanted, tempo, places, first, plain_hour + LATEST_HOURS)
    near = np.flatnonzero(found - now_hour < SOON_HOURS)
    if near.size:
        found[near] = _first_hour(wanted.rows(near), tempo, places, begin[near], found[near])
    return np.asarray(np.maximum(found, now_hour))


def _fading(wanted: Wanted, days: Floats) -> tuple[Floats, Floats]:
    return survival_and_area(wanted.ahead, days)[0], days


def _first_day(wanted: Wanted, tempo: tempos.Tempo, places: placement.Placement, first: Floats, last: Floats) -> Floats:
    low, high = np.zeros(first.shape), np.maximum(np.ceil((last - first) / 24.0), 0.0)
    while (low < high).any():
        middle = np.floor((low + high) / 2.0)
        enough = worth_at(wanted, tempo, places, first + 24.0 * middle) >= 1.0
        low, high = np.where(enough | (low >= high), low, middle + 1.0), np.where(enough, middle, high)
    return low


def _first_hour(
    wanted: Wanted, tempo: tempos.Tempo, places: placement.Placement, begin: Floats, found: Floats
) -> Floats:
    """Within the day before `found`, which is good enough itself."""
    pages = np.repeat(np.arange(found.size), 24)
    hours = np.maximum(found[pages] - 23.0 + np.tile(np.arange(24.0), found.size), begin[pages])
    enough = (worth_at(wanted.rows(pages), tempo, places, hours) >= 1.0).reshape(-1, 24)
    enough[:, -1] = True
    return np.asarray(hours.reshape(-1, 24)[np.arange(found.size), enough.argmax(axis=1)])
