"""The price of a request: the Lagrange multiplier that holds the budget, found online.

A bucket fills at the budget's rate and every request takes one token out. While it is more than half full the price
falls, while it is less than half full it rises: slowly near the middle, so that the day's rhythm passes through it,
firmly towards the edges, so that nothing is lost and nothing runs dry.

A burst (a release touches every page) empties the bucket for days although the budget buys as much as ever. So the
price rises to no more than twice its own average of the last week: what is due beyond the budget waits its turn, and
when the burst is over nobody has to wait for the price to come down again. It falls freely: a full bucket is waste.

Whoever sees the worth of all pages at once need not listen to a bucket: the price is what the last request that an
hour's budget pays for buys, averaged over days (`cleared`). Half a day's budget is kept for bursts and for pages that
wait for their hour, the rest is spent as it flows in. A price that swings with its bucket makes whole cohorts of pages
due at once, and nobody looks at their site in between. Where pages are visited more often than the average is long and
some of them wait for a busy hour to pass, the bucket is the better witness: what an hour's last request buys is then a
matter of the hour, and a day's budget is best spent within a few of them.
"""

import math

from recrawl.model.values import dataclass

GENTLE, FIRM = 0.02, 0.8  # per hour: near half full, and towards the edges (third power)
LEAST, MOST = 1e-9, 1e6
APART = 2.0  # how far above its usual height a burst may carry the price
USUAL_HOURS = 7 * 24.0
CLEARED_HOURS = 4 * 24.0
SAVED = 0.5  # of a day's budget
PROVEN_HOURS = 4 * 7 * 24.0  # a site that has a rhythm has shown it by then
_LEAP = 3.0  # nats: one hour moves the average no more than if it had been so far away


@dataclass(frozen=True, slots=True)
class Usual:
    """The price as it usually is, and since how many hours it has been watched."""

    price: float = 0.0  # 0: not watched yet
    hours: float = 0.0


def moved(price: float, usual: Usual, fill: float, hours: float) -> tuple[float, Usual]:
    """The price after some hours with the bucket `fill` full (0..1), and its average: over half the time it has been
    watched at first, over a week later."""
    height = usual.price or price
    short = 0.5 - min(max(fill, 0.0), 1.0)
    step = hours * (GENTLE * short + FIRM * short**3)
    wished = price * math.exp(min(max(step, -1.0), 1.0))
    new = min(max(wished, LEAST), height * APART, MOST)
    watched = usual.hours + hours
    share = min(hours / max(min(watched / 2.0, USUAL_HOURS), 1.0), 1.0)
    return new, Usual(height + (new - height) * share, watched)


def clears(requests_per_page_day: float, usual: Usual, rhythmic: bool) -> bool:
    """Whether the price is best found by `cleared`: where pages are visited rarely, or where none has shown for weeks
    that it has an hour of its own. `rhythmic`: the visits of some page wait for their hour."""
    rarely = requests_per_page_day * CLEARED_HOURS <= 24.0
    return rarely or (usual.hours >= PROVEN_HOURS and not rhythmic)


def cleared(price: float, usual: Usual, margin: float, hours: float) -> tuple[float, Usual]:
    """The price after some hours in which the last request paid for would have bought `margin` times the price."""
    watched = usual.hours + hours
    share = min(hours / max(min(watched / 2.0, CLEARED_HOURS), 1.0), 1.0)
    step = min(max(math.log(max(margin, 1e-12)), -_LEAP), _LEAP)
    new = min(max(price * math.exp(share * step), LEAST), MOST)
    return new, Usual(new, watched)
