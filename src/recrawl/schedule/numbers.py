"""The compiled part, told by which numbers beliefs are folded and gaps found; None where there is none."""

from array import array

from recrawl.estimate import given
from recrawl.native import compiled as compiled

STAGGERED = 0.6  # nats, both ways
EXPLORED = 0.15  # share of visits placed without regard to the rhythm: whoever always comes at six never learns of five

if compiled is not None:
    compiled.estimating(
        *(array("d", one) for one in (given.RATES_PER_DAY, given.LOG_RATES, given.DECODED)),
        array("d", [clock.rhythm for clock in given.CLOCKS]),
        (
            given.SWITCH_PER_DAY, given.MOST_NATS, given.REACH, given.CLOCK_FORGETS, given.SOURCE_FORGETS,
            given.MOST_RECALL, given.DEVIATIONS, given.PROVEN_NATS, given.FIRST_CHANGES, given.FIRST_DAYS,
            given.NEXT_TO_NOTHING, given.SPEAKING, given.TELLING, given.RHYTHM_SURE, STAGGERED, EXPLORED,
        ),
    )  # fmt: skip
