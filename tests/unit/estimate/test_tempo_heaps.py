"""Outcomes of many batches are kept as of one, and do not pile up between two fits."""

import numpy as np
import pytest

from recrawl.estimate import tempo as tempos
from recrawl.estimate.given import FRESH_HEAPS, OUTCOMES_PER_SITE
from recrawl.estimate.tempo import Outcomes, gathered, noted

BATCHES = 3 * FRESH_HEAPS + 5


def batch(number: int, origin: int, size: int) -> Outcomes:
    ends = np.full(size, origin + 5 + number // 50, dtype=np.int64)
    return Outcomes(np.zeros(size, dtype=np.int64), ends - 1, ends, np.arange(size) % 3 == 0, np.full(size, number / 7))


@pytest.mark.parametrize("size", [1, 60])
def test_what_is_kept_is_the_same_however_the_batches_were_cut_and_heaps_stay_few(size: int) -> None:
    start = tempos.started(1, 0)
    batches = [batch(number, int(start.origin), size) for number in range(BATCHES)]
    step_by_step = start
    for one in batches:
        step_by_step = noted(step_by_step, one)
        assert len(step_by_step.fresh) < FRESH_HEAPS
    names = Outcomes.__dataclass_fields__
    whole = Outcomes(*(np.concatenate([getattr(one, name) for one in batches]) for name in names))
    at_once = gathered(noted(start, whole)).outcomes
    kept = gathered(step_by_step).outcomes
    assert kept.site.size == min(size * BATCHES, OUTCOMES_PER_SITE)
    for name in names:
        assert np.array_equal(getattr(kept, name), getattr(at_once, name))
