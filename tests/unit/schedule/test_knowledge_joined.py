"""What one worker learnt is taken over by the next owner of its pages."""

import numpy as np

from recrawl.schedule import knowledge as known
from recrawl.schedule.knowledge import Knowledge
from recrawl.schedule.knowledge_join import joined


def learnt(names: list[str], amount: float) -> Knowledge:
    knowledge = known.with_groups(known.started(0.5, 480_000), names)
    sums = np.full_like(knowledge.sums, amount)
    law = np.full_like(knowledge.law, 1.0 / knowledge.law.shape[1])
    return Knowledge(
        **{name: getattr(knowledge, name) for name in Knowledge.__dataclass_fields__ if name not in ("sums", "law")},
        sums=sums,
        law=law,
    )


def test_laws_of_unknown_groups_are_taken_over_and_known_ones_stay() -> None:
    mine, other = learnt(["a|x", "a|y"], 1.0), learnt(["a|y", "b|z"], 7.0)
    both = joined(mine, other, 500)
    sums = dict(zip(both.groups, both.sums.mean(axis=1), strict=True))
    assert sums == {"|": 1.0, "a|x": 1.0, "a|y": 1.0, "b|z": 7.0}
    assert both.sites == ("", "a", "b")
    assert np.array_equal(both.law[-1], other.law[-1])
    assert joined(both, other, 500) is both
    assert known.from_bytes(known.to_bytes(both)).groups == both.groups


def test_no_more_groups_are_taken_over_than_there_is_room_for() -> None:
    mine, other = learnt(["a|x"], 1.0), learnt([f"b|{number}" for number in range(20)], 7.0)
    assert len(joined(mine, other, 10).groups) == 10
    assert joined(mine, other, 2) is mine
