"""The lines of a head as libcurl hands them over, within bounds."""

from collections.abc import Callable
from typing import Protocol

from recrawl.native import compiled


class HeadLines(Protocol):
    """`lines` as they came, `size_bytes` of all of them. `is_over`: they were more than they may be."""

    @property
    def lines(self) -> list[bytes]: ...

    @property
    def size_bytes(self) -> int: ...

    @property
    def is_over(self) -> bool: ...

    def begin(self, most_bytes: int, most_lines: int, /) -> None:
        """A new head."""

    def __call__(self, line: bytes, /) -> int | None:
        """What libcurl wants to hear: None, or -1 to stop."""


class PlainHeadLines:
    def __init__(self) -> None:
        self.begin(0, 0)

    def begin(self, most_bytes: int, most_lines: int, /) -> None:
        self.lines: list[bytes] = []
        self.size_bytes, self.is_over = 0, False
        self._most_bytes, self._most_lines = most_bytes, most_lines

    def __call__(self, line: bytes, /) -> int | None:
        self.lines.append(line)
        self.size_bytes += len(line)
        if self.size_bytes <= self._most_bytes and len(self.lines) <= self._most_lines:
            return None
        self.is_over = True
        return -1


new_head_lines: Callable[[], HeadLines] = PlainHeadLines if compiled is None else compiled.HeadLines
