"""Relief of an overloaded server: S1's open problem, solved as a price.

A server whose pages want more visits (load index Σ1/T) than politeness allows gets a price of its own on top of the
common one; its pages see the sum, so the least valuable visits are thinned first and none starves (the ceiling
holds). What the server does not spend lowers the common price, so other servers' pages get it.
"""

from recrawl.model.belief import Bools, Floats
from recrawl.model.numpy_late import np
from recrawl.model.values import dataclass
from recrawl.schedule.load import needed_gap_s

_MOST_STEP = 4.0
_HOURLY = 1.03
_CALM = 0.9  # below this share of what is allowed the price may fall


@dataclass(frozen=True, slots=True)
class Relief:
    """What `why` and `status` say: how much was wanted, how much is allowed, what is thinned away."""

    wanted_per_day: float
    allowed_per_day: float
    price: float

    @property
    def thinned_share(self) -> float:
        return max(0.0, 1.0 - self.allowed_per_day / self.wanted_per_day) if self.wanted_per_day > 0 else 0.0

    @property
    def overloaded(self) -> bool:
        return self.wanted_per_day > self.allowed_per_day


def server_price(common: float, own: float, load_per_s: float, polite_gap_s: float) -> float:
    """The server's own price after its load was seen at `common + own`. Slow pages' gaps grow as the root of the price,
    so a load that is q times too high asks for q² times the price; it falls again when there is room."""
    if load_per_s <= 0.0:
        return 0.0
    excess = polite_gap_s / needed_gap_s(load_per_s)
    if excess > 1.0:
        total = (common + own) * min(excess**2, _MOST_STEP)
        return max(total - common, 0.0)
    if own > 0.0 and excess < _CALM:
        total = (common + own) * max(excess / _CALM, 1.0 / _MOST_STEP) ** 2
        return max(total - common, 0.0)
    return own


def relieved_hourly(common: float, own: Floats, backlogged: Bools) -> Floats:
    """The servers' own prices an hour later: up while due pages are left waiting, down to nothing when none are."""
    total = (common + own) * np.where(backlogged, _HOURLY, 1.0 / _HOURLY)
    return np.asarray(np.maximum(total - common, 0.0))


def relief(load_without_price_per_s: float, polite_gap_s: float, own_price: float) -> Relief:
    """`load_without_price_per_s`: what the pages would want at the common price alone."""
    allowed = 86400.0 / polite_gap_s if polite_gap_s > 0 else float("inf")
    return Relief(load_without_price_per_s * 86400.0, allowed, own_price)
