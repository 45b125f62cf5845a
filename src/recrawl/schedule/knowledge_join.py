"""Taking over what somebody else learnt."""

from dataclasses import replace

import numpy as np

from recrawl.schedule.knowledge import Knowledge, with_groups


def joined(mine: Knowledge, other: Knowledge, most: int) -> Knowledge:
    """Mine, with the laws of groups that only the other one knows; at most so many groups in all. What both know stays
    as I know it, so nothing is counted twice; rhythm and trust of a site are learnt by whoever visits it."""
    known = set(mine.groups)
    rows = [row for row, name in enumerate(other.groups) if name not in known][: max(0, most - len(mine.groups))]
    if not rows:
        return mine
    grown = with_groups(mine, [other.groups[row] for row in rows])
    sums, law = grown.sums.copy(), np.array(grown.law)
    sums[-len(rows) :], law[-len(rows) :] = other.sums[rows], other.law[rows]
    return replace(grown, sums=sums, law=law)
