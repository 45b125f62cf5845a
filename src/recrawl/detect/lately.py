"""The last few answers of a pure function, known by the very object that was asked about.

A verdict asks several times what the content of the same document is; comparing whole documents to find that out
would cost more than answering again.
"""

from collections.abc import Callable
from functools import wraps
from typing import TypeVar

KEPT = 6  # answers: an old and a new document, twice and a little

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


def lately(answer: Callable[[Asked], Answer]) -> Callable[[Asked], Answer]:
    known: tuple[tuple[Asked, Answer], ...] = ()  # the newest first

    @wraps(answer)
    def remembered(asked: Asked) -> Answer:
        nonlocal known
        for one, its_answer in known:
            if one is asked:
                return its_answer
        fresh = answer(asked)
        known = ((asked, fresh), *known[: KEPT - 1])
        return fresh

    return remembered
