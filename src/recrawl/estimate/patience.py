"""How much longer pages rest of which nobody speaks, by what is known of the sources of their site (`trust`)."""

import math
from collections.abc import Sequence

from recrawl.estimate import given


def patience(
    quiet_days: Sequence[float],
    quiet_notices: Sequence[float],
    found_changes: Sequence[float],
    found_days: Sequence[float],
    found_notices: Sequence[float],
) -> float:
    """Who announces a share r of the changes leaves a page that changes 1 − r times as often, and for the same price
    the gap grows with the root of that (V(x) is about λx²/2). One number a source each: the sums of `trust.Trust`."""
    if not any(found_notices):
        return 1.0
    columns = zip(quiet_days, quiet_notices, found_changes, found_days, found_notices, strict=True)
    recall = max(_recall(*sums) for sums in columns)
    return 1.0 / math.sqrt(1.0 - recall) if recall >= given.SPEAKING else 1.0


def _recall(
    quiet_days: float, quiet_notices: float, found_changes: float, found_days: float, found_notices: float
) -> float:
    """See `trust.Trust.recall`."""
    notices, days = quiet_notices + found_notices, quiet_days + found_days
    nats = _nats(quiet_notices, quiet_days, notices, days) + _nats(found_notices, found_days, notices, days)
    if nats < given.PROVEN_NATS:
        return 0.0
    any_per_day = (notices + 0.1) / (days + 1.0)
    false_per_day = (quiet_notices + given.FIRST_DAYS * any_per_day) / (quiet_days + given.FIRST_DAYS)
    by_chance = false_per_day * found_days
    true_notices = found_notices - by_chance - given.DEVIATIONS * math.sqrt(by_chance + 1.0)
    return min(max(true_notices / (found_changes + given.FIRST_CHANGES), 0.0), given.MOST_RECALL)


def _nats(spoke: float, lasted: float, notices: float, days: float) -> float:
    by_chance = notices * lasted / max(days, given.NEXT_TO_NOTHING)
    return spoke * math.log(max(spoke, given.NEXT_TO_NOTHING) / max(by_chance, given.NEXT_TO_NOTHING))
