"""What two versions of something begin and end with alike: most of the time nearly all of it."""

from collections.abc import Callable, Sequence
from itertools import compress, count
from operator import eq, not_
from typing import Any


def ends(old: Sequence[Any], new: Sequence[Any], same: Callable[[Any, Any], bool] = eq) -> tuple[int, int]:
    """How many items both begin with, and how many of the others both end with."""
    shorter = min(len(old), len(new))
    head = next(compress(count(), map(not_, map(same, old, new))), shorter)
    rest = shorter - head
    tail = next(compress(count(), map(not_, map(same, reversed(old), reversed(new)))), rest) if rest else 0
    return head, min(tail, rest)
