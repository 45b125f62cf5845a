"""What is believed of a page's changing: 64 packed bytes a page, handled by the thousand as one NumPy array.

The paper's letters (S1.1), once:

    T          watched_s     sum of all gaps between visits that were evidence
    U          quiet_s       sum of the gaps that ended in "same"
    m          changes       gaps that ended in "changed"
    n          gaps          all gaps
    min t_c    shortest_s    shortest gap that ended in "changed"
    1/λ                      the change interval that `estimate/` works out from these
"""

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt

from recrawl.model.values import dataclass

RATES = 12  # K of SCHEDULING.md section 2

STATE = np.dtype(
    [
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
)
assert STATE.itemsize <= 64

States = npt.NDArray[np.void]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ints = npt.NDArray[np.int64]


def unknown(pages: int) -> States:
    """The state of pages never visited."""
    return np.zeros(pages, dtype=STATE)


def pack(states: States) -> list[bytes]:
    data = states.tobytes()
    return [data[at : at + STATE.itemsize] for at in range(0, len(data), STATE.itemsize)]


def unpack(beliefs: Iterable[bytes]) -> States:
    blank = bytes(STATE.itemsize)
    return np.frombuffer(b"".join(belief or blank for belief in beliefs), dtype=STATE).copy()


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
class Context:
    """What lies around a batch of pages, aligned with their states. `group`: the number the policy gave to the page's
    site and pattern. `server_price`: what relief of an overloaded server adds to the common price. `notices`: pages ×
    sources (in the order of `model.notice.Source`), how many came since the page's last visit that was evidence."""

    group: Ints
    server_price: Floats
    notices: Ints
