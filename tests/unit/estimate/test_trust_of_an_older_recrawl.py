"""What was learnt of sources before there were others."""

import numpy as np

from recrawl.estimate import trust as trusts
from recrawl.estimate.given import SOURCES
from recrawl.estimate.trust import Trust


def test_sources_that_an_older_recrawl_did_not_know_start_with_nothing_and_the_others_keep_what_they_had() -> None:
    old = Trust(*(np.full((2, SOURCES - 1), float(number)) for number in range(1, 6)))
    now = trusts.fitting(old)
    for name in Trust.__dataclass_fields__:
        before, after = getattr(old, name), getattr(now, name)
        assert after.shape == (2, SOURCES)
        assert (after[:, :-1] == before).all()
        assert not after[:, -1].any()
    assert trusts.fitting(now) is now
    assert now.recall.shape == (2, SOURCES)
