"""Where the index lines of the file being written lie, found by a number that stands for address and second.

A file may hold a million records before it is full, and this lives as long as the file: lines are held as 24 bytes each
in sorted arrays, and only the youngest few thousand as Python's own objects.
"""

import numpy as np

from recrawl.archive.open_file import Span

YOUNG = 4096


class Recent:
    def __init__(self) -> None:
        self.clear()

    def __bool__(self) -> bool:
        return bool(self._young) or len(self._keys) > 0

    def clear(self) -> None:
        self._young: dict[int, list[Span]] = {}
        self._count = 0
        self._keys = np.empty(0, dtype=np.int64)
        self._spans = np.empty((0, 2), dtype=np.int64)

    def add(self, key: int, span: Span) -> None:
        self._young.setdefault(key, []).append(span)
        self._count += 1
        if self._count >= YOUNG:
            self._settle()

    def find(self, key: int) -> list[Span]:
        """In order of writing."""
        if not len(self._keys):
            return self._young.get(key, [])
        start, end = self._keys.searchsorted(key), self._keys.searchsorted(key, "right")
        found = [(at, length) for at, length in self._spans[start:end].tolist()]
        return found + self._young.get(key, [])

    def _settle(self) -> None:
        young = sorted((key, *span) for key, spans in self._young.items() for span in spans)
        lines = np.array(young, dtype=np.int64)
        places = self._keys.searchsorted(lines[:, 0], "right")
        self._keys = np.insert(self._keys, places, lines[:, 0])
        self._spans = np.insert(self._spans, places, lines[:, 1:], axis=0)
        self._young, self._count = {}, 0
