"""What is given before anything is seen: the rates that a page may have, its first law, the clocks, and the numbers
that beliefs are folded by. Plain numbers: the compiled part goes by them, and who has it need not load NumPy."""

import math
from collections.abc import Sequence

from recrawl.model.belief import RATES
from recrawl.model.notice import Source
from recrawl.model.values import dataclass

SLOWEST_PER_DAY, FASTEST_PER_DAY = 1.0 / 1500.0, 24.0
SWITCH_PER_DAY = 1.0 / 1000.0
MOST_NATS = 16.0  # what a byte can hold: a rate e^16 times less likely than the likeliest is out of the question
MEDIAN_PER_DAY = 1.0 / 30.0  # before anything is known: log-normal around once a month
SPREAD = 2.2

REACH = 3.0  # of what a page's size says

HOURS_KEPT = 12 * 7 * 24
COLUMNS = HOURS_KEPT + 7 * 24
AHEAD = 72  # hours to come that are laid out beforehand
CLOCK_FORGETS = 0.998  # per outcome
OUTCOMES_PER_SITE = 16384
FRESH_HEAPS, LARGE_BESIDE = 256, 8
RHYTHM_DOUBT, ACTIVITY_DOUBT = 4.0, 2.0  # nats: in its first weeks a small site often shows what is not there
RHYTHM_SURE = 0.98  # weight of the clocks with a rhythm from which on visits are placed by it: a false one costs most

SOURCES = len(Source)
SOURCE_FORGETS = 0.9995  # per visit of the site
MOST_RECALL = 0.98
DEVIATIONS = 3.0
PROVEN_NATS = 6.0
SPEAKING, TELLING = 0.1, 0.8  # shares of the changes
FIRST_CHANGES = 4.0  # expected changes without a notice that every source starts with
FIRST_DAYS = 30.0
NEXT_TO_NOTHING = 1e-9


@dataclass(frozen=True, slots=True)
class Clock:
    """`rhythm`: share of the rhythm used. `strength`: of the activity's prior in expected changes (infinite: no
    activity). `hours`: width of the activity's bins."""

    rhythm: float = 0.0
    strength: float = math.inf
    hours: int = 1

    @property
    def doubt(self) -> float:
        """Nats by which it is less likely than the plain clock before anything is seen."""
        return RHYTHM_DOUBT if self.rhythm else 0.0 if math.isinf(self.strength) else ACTIVITY_DOUBT


CLOCKS = (
    Clock(),
    Clock(rhythm=0.9),
    Clock(strength=1.0, hours=24),
    Clock(strength=0.3, hours=24),
    Clock(rhythm=0.9, strength=0.3, hours=24),
    Clock(rhythm=0.9, strength=0.3),
    Clock(rhythm=0.9, strength=0.1),
)


def _rates() -> tuple[float, ...]:
    """Log-spaced, the ends exact."""
    low, high = math.log10(SLOWEST_PER_DAY), math.log10(FASTEST_PER_DAY)
    step = (high - low) / (RATES - 1)
    return (SLOWEST_PER_DAY, *(10.0 ** (place * step + low) for place in range(1, RATES - 1)), FASTEST_PER_DAY)


def total(row: Sequence[float]) -> float:
    """Of twelve, added up in the order in which NumPy and the compiled part do it."""
    sums = ((row[0] + row[1]) + (row[2] + row[3])) + ((row[4] + row[5]) + (row[6] + row[7]))
    for one in row[8:]:
        sums += one
    return sums


RATES_PER_DAY = _rates()
_LOGARITHMS = tuple(map(math.log, RATES_PER_DAY))
_MIDDLE = total(_LOGARITHMS) / RATES
LOG_RATES = tuple(one - _MIDDLE for one in _LOGARITHMS)
DECODED = tuple(math.exp(-MOST_NATS * (byte / 255.0) ** 2) for byte in range(256))


def first_law() -> tuple[float, ...]:
    distances = ((one - math.log(MEDIAN_PER_DAY)) / SPREAD for one in _LOGARITHMS)
    law = [math.exp(-0.5 * distance**2) for distance in distances]
    whole = total(law)
    return tuple(one / whole for one in law)
