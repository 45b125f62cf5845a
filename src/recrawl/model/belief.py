"""What is believed of a page's changing: 64 packed bytes a page, handled by the thousand as one NumPy array or, by the
compiled part, as they are.

The paper's letters (S1.1), once:

    T          watched_s     sum of all gaps between visits that were evidence
    U          quiet_s       sum of the gaps that ended in "same"
    m          changes       gaps that ended in "changed"
    n          gaps          all gaps
    min t_c    shortest_s    shortest gap that ended in "changed"
    1/λ                      the change interval that `estimate/` works out from these
"""

import struct
from array import array
from collections.abc import Iterable
from functools import cache
from typing import Any

from recrawl.model.numpy_late import Bools as Bools
from recrawl.model.numpy_late import Floats as Floats
from recrawl.model.numpy_late import Ints as Ints
from recrawl.model.numpy_late import States as States
from recrawl.model.numpy_late import np
from recrawl.model.values import dataclass

RATES = 12  # K of SCHEDULING.md section 2

STATE_BYTES = 64
FIELDS = [
    ("seen_at", "<f8"),  # last visit that was evidence; 0: none yet
    ("watched_s", "<f8"),
    ("quiet_s", "<f8"),
    ("gap_s", "<f4"),  # the revisit interval chosen last
    ("shortest_s", "<f4"),
    ("size_bytes", "<f4"),
    ("response_s", "<f4"),
    ("gaps", "<u4"),
    ("changes", "<u4"),
    ("weights", "u1", (RATES,)),  # belief over the rate grid, scaled to 255; all 0: the group's prior
    ("memory", "<u4"),  # a policy's own four bytes
]


_WATCHED_AND_CHANGES = struct.Struct("<8xd28xI")
Column = Any  # whatever lends its bytes: one number a page, as an array, as NumPy's or as the bytes themselves


@cache
def state_type() -> "np.dtype[np.void]":
    return np.dtype(FIELDS)


def unknown(pages: int) -> States:
    """The state of pages never visited."""
    return np.zeros(pages, dtype=state_type())


def pack(states: States) -> list[bytes]:
    data = states.tobytes()
    return [data[at : at + STATE_BYTES] for at in range(0, len(data), STATE_BYTES)]


def unpack(beliefs: Iterable[bytes]) -> States:
    blank = bytes(STATE_BYTES)
    return np.frombuffer(b"".join(belief or blank for belief in beliefs), dtype=state_type()).copy()


def numbers(column: Column) -> "array[float]":
    return column if isinstance(column, array) else array("d", bytes(column))


def watched_and_changes(belief: bytes) -> tuple[float, int]:
    watched_s, changes = _WATCHED_AND_CHANGES.unpack_from(belief)
    return watched_s, changes


@dataclass(frozen=True, slots=True)
class Sightings:
    """A batch of visits that were evidence, one entry a page, aligned with the states they update.
    `changed_ago_s`: age of the change by an honest Last-Modified, NaN where unknown."""

    at: Floats
    changed: Bools
    first: Bools  # a first visit is no evidence of change
    changed_ago_s: Floats
    size_bytes: Floats
    response_s: Floats


@dataclass(frozen=True, slots=True)
class Sights:
    """The same as plain bytes, in the order of `Sightings`, with the states as they were before."""

    columns: tuple[Column, ...]
    states: bytes

    @property
    def at(self) -> Column:
        return self.columns[0]

    @property
    def latest_at(self) -> float:
        return max(numbers(self.at))

    @property
    def revisits(self) -> int:
        first: bytes = self.columns[2]
        return first.count(0)

    def arrays(self) -> tuple[Sightings, States]:
        """For NumPy."""
        changed, first = (np.frombuffer(one, dtype=np.bool_) for one in self.columns[1:3])
        at, ago_s, size_bytes, response_s = (np.frombuffer(one) for one in (self.columns[0], *self.columns[3:]))
        seen = Sightings(at, changed, first, ago_s, size_bytes, response_s)
        return seen, np.frombuffer(self.states, dtype=state_type()).copy()


@dataclass(frozen=True, slots=True)
class Context:
    """What lies around a batch of pages, aligned with their states. `group`: the number the policy gave to the page's
    site and pattern. `server_price`: what relief of an overloaded server adds to the common price. `notices`: pages ×
    sources (in the order of `model.notice.Source`), how many came since the page's last visit that was evidence."""

    group: Ints
    server_price: Floats
    notices: Ints
