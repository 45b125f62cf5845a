"""The policy by value as it comes: lean as long as that will do, else in full."""

from collections.abc import Mapping, Sequence

from recrawl.model.late import late_module
from recrawl.ports import Policy
from recrawl.schedule import plain
from recrawl.schedule.lean import LeanPolicy, in_full
from recrawl.schedule.lean import begun as lean_begun
from recrawl.schedule.settings import HOUR_S

MOST_GROUPS = 500
_KNOWLEDGE = late_module("recrawl.schedule.knowledge")


def with_room(policy: LeanPolicy, names: Sequence[str]) -> LeanPolicy:
    return policy.with_groups(names) if len(policy.knowledge.groups) < MOST_GROUPS else policy


def bursts(policy: Policy) -> Mapping[str, float]:
    if isinstance(policy, LeanPolicy):
        return plain.bursts(policy.knowledge)
    ours = in_full(policy)
    found: Mapping[str, float] = {} if ours is None else _KNOWLEDGE.bursts(ours.knowledge)
    return found


def set_right(policy: Policy, now: float) -> Policy:
    """What was learnt by a clock that ran ahead."""
    if isinstance(policy, LeanPolicy) and not policy.is_ahead_of(now):
        return policy
    ours = in_full(policy)
    return policy if ours is None else ours.knowing(_KNOWLEDGE.set_right(ours.knowledge, int(now // HOUR_S)))


def begun(policy: Policy, hour: int) -> Policy:
    """Before anything is seen."""
    if isinstance(policy, LeanPolicy):
        return lean_begun(policy, hour)
    ours = in_full(policy)
    return policy if ours is None else ours.knowing(_KNOWLEDGE.started(ours.price, hour))
