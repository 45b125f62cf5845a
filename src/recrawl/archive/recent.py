"""Where the index lines of the file being written lie, found by a number that stands for address and second.

A file may hold a million records before it is full, and this lives as long as the file: lines are held as 24 bytes each
in one sorted table, and only the youngest few thousand as Python's own objects.
"""

from recrawl.archive.open_file import Span
from recrawl.model.numpy_late import np
from recrawl.native import compiled

YOUNG = 4096


class Recent:
    def __init__(self) -> None:
        self.clear()

    def __bool__(self) -> bool:
        return bool(self._young) or bool(self._settled)

    def clear(self) -> None:
        self._young: dict[int, list[Span]] = {}
        self._count = 0
        self._settled = b""

    def add(self, key: int, span: Span) -> None:
        self._young.setdefault(key, []).append(span)
        self._count += 1
        if self._count >= YOUNG:
            self._settle()

    def find(self, key: int) -> list[Span]:
        """In order of writing."""
        young = self._young.get(key, [])
        return found(self._settled, key) + young if self._settled else young

    def _settle(self) -> None:
        young = sorted((key, *span) for key, spans in self._young.items() for span in spans)
        self._settled = joined(self._settled, young)
        self._young, self._count = {}, 0


def joined(settled: bytes, young: list[tuple[int, int, int]]) -> bytes:
    """Sorted lines with more of them, these behind their equals."""
    if compiled is None:
        return plain_joined(settled, young)
    lines: bytes = compiled.joined_lines(settled, young)
    return lines


def found(settled: bytes, key: int) -> list[Span]:
    if compiled is None:
        return plain_found(settled, key)
    spans: list[Span] = compiled.lines_of(settled, key)
    return spans


def plain_joined(settled: bytes, young: list[tuple[int, int, int]]) -> bytes:
    lines, more = _lines(settled), np.array(young, dtype=np.int64)
    return np.insert(lines, lines[:, 0].searchsorted(more[:, 0], "right"), more, axis=0).tobytes()


def plain_found(settled: bytes, key: int) -> list[Span]:
    lines = _lines(settled)
    start, end = lines[:, 0].searchsorted(key), lines[:, 0].searchsorted(key, "right")
    return [(at, length) for _, at, length in lines[start:end].tolist()]


def _lines(settled: bytes) -> "np.ndarray[tuple[int, int], np.dtype[np.int64]]":
    return np.frombuffer(settled, dtype=np.int64).reshape(-1, 3)
