"""The constants of every policy, in one value; the defaults are those of the papers and of the shipped peers."""

from recrawl.model.values import dataclass

HOUR_S = 3600.0
DAY_S = 86400.0
WEEK_S = 7 * DAY_S
REFIT_HOURS, POOL_HOURS = 3, 24  # how often clocks are fitted anew, and laws pooled


@dataclass(frozen=True, slots=True)
class Settings:
    """`floor_s` and `ceiling_s` bound every policy's gaps; a gap above the ceiling becomes a random one between
    `spread_from_s` and the ceiling, so that dead servers are still noticed and do not come back all at once."""

    floor_s: float = 60.0
    ceiling_s: float = 400 * DAY_S
    spread_from_s: float = 300 * DAY_S
    first_from_s: float = DAY_S  # S1: the first revisit is drawn from a range
    first_to_s: float = 14 * DAY_S
    grow: float = 2.0  # S1, never changed so far
    shrink: float = 0.5  # S1, changed every time
    every_s: float = DAY_S  # static
    faster: float = 0.5  # multiplicative, after a change
    slower: float = 1.2  # multiplicative, after none
    least_s: float = DAY_S  # multiplicative, bounds of the interval: it has none of its own, and without any a small
    most_s: float = 30 * DAY_S  # budget goes to the pages that change at every visit
    classes: int = 16  # S0: 16, 6 or any number of groups
    harmonic: float = 0.1  # ε of SCHEDULING.md section 4
    requests_per_page_day: float = 1.0 / 7.0  # what a policy that prices visits aims at before the budget has spoken
    bytes_weight: float = 0.0  # what the bytes of a mean page cost, in requests
    response_weight: float = 0.0  # S3's p·g: what a second of a server's time for a mean page costs, in requests
    mean_size_bytes: float = 20_000.0
