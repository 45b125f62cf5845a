"""Where tags may begin in a source, and the letters behind each `<`: seen in one look, however long the source is."""

from functools import cached_property

import numpy as np

Bytes = np.ndarray[tuple[int], np.dtype[np.uint8]]
Words = np.ndarray[tuple[int], np.dtype[np.uint64]]
Places = np.ndarray[tuple[int], np.dtype[np.intp]]

_BEHIND = bytes(16)  # so that there are letters behind the last `<`, too
_SMALL = np.uint8(0x20)
_SMALL_LETTERS = np.uint64(0x2020202020202020)


class TagLetters:
    """`data` is the source in UTF-8, `places` are those of its `<`."""

    def __init__(self, source: str) -> None:
        self.data: Bytes = np.frombuffer(source.encode("utf-8", "replace") + _BEHIND, dtype=np.uint8)
        self.places: Places = np.flatnonzero(self.data == ord("<"))

    @cached_property
    def first(self) -> Bytes:
        return self.data[self.places + 1]

    @cached_property
    def second(self) -> Bytes:
        return self.data[self.places + 2]

    def beginning_with(self, letters: str) -> int:
        """How many tags begin with these two small letters, large or small."""
        one, other = map(ord, letters)
        return int(np.count_nonzero(((self.first | _SMALL) == one) & ((self.second | _SMALL) == other)))

    def words(self, places: Places) -> Words:
        """Eight bytes from each place on, in small letters."""
        windows = np.lib.stride_tricks.sliding_window_view(self.data, 8)[places]
        return np.ascontiguousarray(windows).view("<u8").reshape(-1) | _SMALL_LETTERS
