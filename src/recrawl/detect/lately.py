"""The last few answers of a pure function, known by the very object that was asked about.

A verdict asks several times what the content of the same document is; comparing whole documents to find that out
would cost more than answering again.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

KEPT = 6  # answers: an old and a new document, twice and a little

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")


class lately(Generic[Asked, Answer]):  # noqa: N801 — used as a decorator
    def __init__(self, answer: Callable[[Asked], Answer]) -> None:
        self._answer, self.__doc__ = answer, answer.__doc__
        self._known: tuple[tuple[Asked, Answer], ...] = ()  # the newest first

    def __call__(self, asked: Asked) -> Answer:
        for one, its_answer in self._known:
            if one is asked:
                return its_answer
        fresh = self._answer(asked)
        self.keep(asked, fresh)
        return fresh

    def keep(self, asked: Asked, answer: Answer) -> None:
        """An answer that may have been forgotten over those of others."""
        self._known = ((asked, answer), *self._known[: KEPT - 1])
