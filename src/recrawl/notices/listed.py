"""A list page read again: what its rows say of the pages they lead to.

The memory of a list is its rows in order: the page a row leads to, and its words. A row whose words are others now, or
that moved up past rows it stood below, speaks of its page. Rows that come or go say nothing: lists are turned over.
"""

import struct
from bisect import bisect_left
from collections.abc import Mapping, Sequence

from recrawl.model.mail_date import read_mail_date

MOST_ROWS = 2000
SETTLED_S = 60.0  # a date this young is the moment of the answer, not of a change
_ROW = struct.Struct("<qq")

Rows = Mapping[int, int]  # page → its words, hashed; in the order of the list


def memo_key(page: int) -> str:
    return f"list:{page}"


def read(memory: bytes | None) -> dict[int, int]:
    data = memory or b""
    return dict(_ROW.iter_unpack(data[: len(data) // _ROW.size * _ROW.size]))


def write(rows: Rows) -> bytes:
    return b"".join(_ROW.pack(page, words) for page, words in list(rows.items())[:MOST_ROWS])


def spoken_of(before: Rows, after: Rows) -> list[int]:
    """Pages of which the list says something else than before."""
    places = {page: place for place, page in enumerate(before)}
    stayed = [page for page in after if page in places]
    in_order = _longest_rising([places[page] for page in stayed])
    return [page for number, page in enumerate(stayed) if before[page] != after[page] or number not in in_order]


def moved_on(before: str, now: str, at: float) -> bool:
    """Did the list's Last-Modified move, to a moment that is not just that of the answer?"""
    try:
        old, new = read_mail_date(before).timestamp(), read_mail_date(now).timestamp()
    except (TypeError, ValueError, IndexError, OverflowError):
        return False
    return old < new <= at - SETTLED_S


def _longest_rising(numbers: Sequence[int]) -> set[int]:
    """Positions of a longest rising run of these numbers, gaps allowed: the rows that kept their order."""
    ends: list[int] = []  # of runs by length: the smallest last number
    at: list[int] = []  # and its position
    before: list[int] = []
    for position, number in enumerate(numbers):
        length = bisect_left(ends, number)
        before.append(at[length - 1] if length else -1)
        ends[length : length + 1] = [number]
        at[length : length + 1] = [position]
    kept, position = set(), at[-1] if at else -1
    while position >= 0:
        kept.add(position)
        position = before[position]
    return kept
