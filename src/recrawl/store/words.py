"""Texts that many rows share, kept once and referred to by number."""

from collections.abc import Callable, Iterable, Mapping

REMEMBERED = 100_000  # beyond this the memory is emptied, not the table


class Words:
    """Number 0 is the empty text. `learn` and `recall` ask the table about what is not remembered."""

    def __init__(
        self,
        learn: Callable[[list[str]], Iterable[tuple[int, str]]],
        recall: Callable[[list[int]], Iterable[tuple[int, str]]],
    ) -> None:
        self._learn, self._recall = learn, recall
        self._number: dict[str, int] = {"": 0}
        self._text: dict[int | None, str] = {0: "", None: ""}

    def numbers(self, texts: Iterable[str]) -> Mapping[str, int]:
        """A mapping that answers for these texts; new ones are given numbers."""
        wanted = set(texts)
        if len(self._number) > REMEMBERED:
            self._number = {"": 0}
        number = self._number
        missing = sorted(text for text in wanted if text not in number)
        if missing:
            number.update((text, known) for known, text in self._learn(missing))
        return number

    def texts(self, numbers: Iterable[int | None]) -> Mapping[int | None, str]:
        """A mapping that answers for these numbers."""
        wanted = set(numbers)
        if len(self._text) > REMEMBERED:
            self._text = {0: "", None: ""}
        text = self._text
        missing = sorted(number for number in wanted if number is not None and number not in text)
        if missing:
            text.update(self._recall(missing))
        return text
