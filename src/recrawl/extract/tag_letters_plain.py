"""What `tag_letters` says, with NumPy: where tags may begin in a source, and the letters behind each `<`."""

from functools import cached_property

import numpy as np

from recrawl.extract.tag_letters import FORMATTING

Bytes = np.ndarray[tuple[int], np.dtype[np.uint8]]
Words = np.ndarray[tuple[int], np.dtype[np.uint64]]
Places = np.ndarray[tuple[int], np.dtype[np.intp]]

_BEHIND = bytes(16)  # so that there are letters behind the last `<`, too
_SMALL = np.uint8(0x20)
_SMALL_LETTERS = np.uint64(0x2020202020202020)


def _first_letters() -> "np.ndarray[tuple[int, int], np.dtype[np.bool_]]":
    """Which two bytes behind a `<` may begin a tag of formatting."""
    table = np.zeros((256, 256), dtype=np.bool_)
    others = [byte for byte in range(256) if not chr(byte).isalnum()]
    for first, second in (("b", "i"), ("c", "o"), ("e", "m"), ("f", "o"), ("s", "m"), ("s", "t"), ("t", "t")):
        for one in (first, first.upper()):
            table[ord(one), [ord(second), ord(second.upper())]] = True
    for first in "bisuBISU":
        table[ord(first), others] = True
    return table


_MAY_FORMAT = _first_letters()
_BARE = [(len(name) + 1, name.encode() + b">") for name in FORMATTING.split("|")]  # and its length


class Letters:
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


def counted(source: str) -> tuple[int, int, int, int, int]:
    letters = Letters(source)
    opened = np.flatnonzero(_MAY_FORMAT[letters.first, letters.second])
    return (
        len(letters.places), letters.beginning_with("ht"), letters.beginning_with("bo"), len(opened),
        _bare(letters, opened) if len(opened) else 0,
    )  # fmt: skip


def _bare(letters: Letters, opened: Places) -> int:
    data, places = letters.data, letters.places
    following = places[np.minimum(opened + 1, len(places) - 1)]
    begins, ends = letters.words(places[opened] + 1), letters.words(following + 2)
    closed = np.zeros(len(opened), dtype=np.bool_)
    for length, name in _BARE:
        mask, word = np.uint64((1 << 8 * length) - 1), np.uint64(int.from_bytes(name, "little"))
        closed |= (begins & mask == word) & (ends & mask == word)
    closed &= data[following + 1] == ord("/")
    return int(np.count_nonzero(closed))
