"""What two versions of something begin and end with alike: most of the time nearly all of it."""

from collections.abc import Callable, Sequence
from itertools import compress, count
from operator import eq, is_, not_
from typing import Any

from recrawl.native import compiled

_BY_VALUE = {eq: True, is_: False}


def ends(old: Sequence[Any], new: Sequence[Any], same: Callable[[Any, Any], bool] = eq) -> tuple[int, int]:
    """How many items both begin with, and how many of the others both end with."""
    if compiled is not None and (by_value := _BY_VALUE.get(same)) is not None:
        found: tuple[int, int] | None = compiled.ends(old, new, by_value)
        if found is not None:
            return found
    return ends_of_any(old, new, same)


def ends_of_any(old: Sequence[Any], new: Sequence[Any], same: Callable[[Any, Any], bool] = eq) -> tuple[int, int]:
    """The same by whatever makes two items alike, in Python."""
    shorter = min(len(old), len(new))
    head = next(compress(count(), map(not_, map(same, old, new))), shorter)
    rest = shorter - head
    tail = next(compress(count(), map(not_, map(same, reversed(old), reversed(new)))), rest) if rest else 0
    return head, min(tail, rest)
