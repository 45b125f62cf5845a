"""The belief about one page: a weight for each of twelve change rates, and a regime that may switch.

    λ_k     RATES_PER_DAY      twelve rates, log-spaced from 1/1500 to 24 a day
    κ       SWITCH_PER_DAY     with this rate a page draws a new rate from its group's law
    π       law                the group's law over the rates: the prior of its pages
    Q − Λ                      generator of "rate so far, and no change yet"; symmetric after scaling by √π
    d, V    decay, modes       its eigenvalues and eigenvectors: e^{(Q−Λ)x} is a small matrix product
    S(x)    survival           P(no change within x days) = Σ_j c_j e^{d_j x}

What is stored of a page is not the weight but the likelihood ratio weight/law, as the square root of the logarithm in
one byte a rate (finest where it matters). Zero everywhere means "the group's law", so a page never visited needs no
special case, and when the law is learnt better every page of the group follows without being touched. The byte is
rounded up or down by a hash of the visit, so that many small pieces of evidence are not lost between two steps.
"""

import numpy as np
import numpy.typing as npt

from recrawl.estimate import given, sizes
from recrawl.model.belief import RATES, Bools, Floats, Ints, States
from recrawl.model.swift import replace
from recrawl.model.values import dataclass

RATES_PER_DAY: Floats = np.array(given.RATES_PER_DAY)
LOG_RATES: Floats = np.array(given.LOG_RATES)
SWITCH_PER_DAY = given.SWITCH_PER_DAY
DAY_S = 86400.0
MOST_NATS = given.MOST_NATS
TOGETHER = 64  # rows a group: with fewer, a matrix for each row costs less than a product for each group
DECODED: Floats = np.array(given.DECODED)


@dataclass(frozen=True, slots=True)
class Laws:
    """The laws of all groups with what follows from them; one row a group."""

    law: Floats
    root: Floats
    decay: Floats
    modes: Floats
    mass: Floats  # Vᵀ√π: what each mode adds to a probability
    centre: Floats  # of ln size, and by how much a page's law leans on its size (`sizes`)
    slope: Floats


@dataclass(frozen=True, slots=True)
class Prospects:
    """S(x) of pages as sums of exponentials, one row a page."""

    share: Floats
    decay: Floats

    def rows(self, index: npt.NDArray[np.intp]) -> "Prospects":
        return Prospects(self.share[index], self.decay[index])


@dataclass(frozen=True, slots=True)
class InModes:
    """Beliefs as sums of their groups' modes, one row a page: worked out once for all that is asked of them."""

    belief: Floats
    group: Ints
    amount: Floats


def prepare(law: Floats, centre: Floats | None = None, slope: Floats | None = None) -> Laws:
    flat = np.zeros(len(law))
    root = np.sqrt(law)
    generator = SWITCH_PER_DAY * root[:, :, None] * root[:, None, :]
    diagonal = np.arange(RATES)
    generator[:, diagonal, diagonal] -= RATES_PER_DAY + SWITCH_PER_DAY
    decay, modes = np.linalg.eigh(generator)
    return Laws(
        law, root, decay, modes, np.einsum("gkj,gk->gj", modes, root),
        flat if centre is None else centre, flat if slope is None else slope,
    )  # fmt: skip


def prepared_anew(laws: Laws, law: Floats, centre: Floats, slope: Floats) -> Laws:
    """As `prepare`, working out only what differs from the laws of before."""
    if law.shape != laws.law.shape:
        return prepare(law, centre, slope)
    moved = (centre != laws.centre) | (slope != laws.slope)
    if moved.any():
        laws = replace(laws, centre=centre, slope=slope)
    rows = np.flatnonzero((law != laws.law).any(axis=1))
    if not rows.size:
        return laws
    fresh = prepare(law[rows], centre[rows], slope[rows])
    parts = []
    for name in Laws.__dataclass_fields__:
        part = getattr(laws, name).copy()
        part[rows] = getattr(fresh, name)
        parts.append(part)
    return Laws(*parts)


def weights(states: States, group: Ints, laws: Laws) -> Floats:
    """The belief itself: law times ratio, normalised."""
    return normalised(own_law(states["size_bytes"], group, laws) * DECODED[states["weights"]])


def own_law(size_bytes: Floats, group: Ints, laws: Laws) -> Floats:
    """The law of each page's group, tilted by the page's size; not normalised."""
    slope = laws.slope[group]
    if not slope.any():
        return np.asarray(laws.law[group])
    lean = slope * sizes.relative(size_bytes, laws.centre[group])
    return np.asarray(laws.law[group] * np.exp(lean[:, None] * LOG_RATES))


def normalised(rows: Floats) -> Floats:
    return np.asarray(rows / rows.sum(axis=1, keepdims=True))


def encoded(belief: Floats, law: Floats, salt: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint8]:
    """Ratios to the law as bytes; `salt` decides which way a remainder is rounded."""
    ratio = belief / law
    nats = -np.log(np.maximum(ratio / ratio.max(axis=1, keepdims=True), np.exp(-MOST_NATS)))
    exact = 255.0 * np.sqrt(nats / MOST_NATS)
    return np.asarray(np.minimum(np.floor(exact + _dither(salt)), 255.0), dtype=np.uint8)


def _dither(salt: npt.NDArray[np.uint64]) -> Floats:
    """Numbers in [0, 1), a fixed function of the salt and the rate's place."""
    place = np.arange(1, RATES + 1, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (salt[:, None] ^ place) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(31))) * np.uint64(0x94D049BB133111EB)
    return (mixed >> np.uint64(40)).astype(np.float64) / float(1 << 24)


def salted(watched_s: Floats, at: Floats) -> npt.NDArray[np.uint64]:
    """A visit's own number, from when it was and what had been seen before."""
    seen = np.ascontiguousarray(watched_s).view(np.uint64)
    return seen * np.uint64(0xD6E8FEB86659FD93) ^ np.ascontiguousarray(at, dtype=np.float64).view(np.uint64)


def in_modes(belief: Floats, group: Ints, laws: Laws) -> InModes:
    return InModes(belief, group, _times(belief / laws.root[group], group, laws.modes))


def _times(rows: Floats, group: Ints, matrices: Floats) -> Floats:
    """Each row times the matrix of its group; together for all rows of a group, unless there are nearly as many groups:
    a matrix for each row would be a kilobyte a page, copied."""
    groups = np.flatnonzero(np.bincount(group))
    if groups.size * TOGETHER > len(rows):
        return np.asarray(np.einsum("nk,nkj->nj", rows, matrices[group]))
    if groups.size == 1:
        return np.asarray(rows @ matrices[groups[0]])
    product = np.empty_like(rows)
    for one in groups:
        members = np.flatnonzero(group == one)
        product[members] = rows[members] @ matrices[one]
    return product


def prospects(belief: Floats, group: Ints, laws: Laws) -> Prospects:
    return expected(in_modes(belief, group, laws), laws)


def expected(pages: InModes, laws: Laws) -> Prospects:
    return Prospects(pages.amount * laws.mass[pages.group], laws.decay[pages.group])


def survival(ahead: Prospects, days: Floats) -> Floats:
    """S(x); `days` may have more axes before that of the pages, as when several clocks are compared. As long as nothing
    is known of a site's hours, its clocks agree."""
    if days.ndim > 1 and (days == days[:1]).all():
        return np.broadcast_to(survival(ahead, days[0]), days.shape)
    faded = ahead.decay * days[..., None]
    np.exp(faded, out=faded)
    faded *= ahead.share
    return np.asarray(faded.sum(axis=-1))


def survival_and_area(ahead: Prospects, days: Floats) -> tuple[Floats, Floats]:
    """S(x), and its integral from 0 to x."""
    faded = np.exp(ahead.decay * days[:, None])
    return (ahead.share * faded).sum(axis=1), (ahead.share * (faded - 1.0) / ahead.decay).sum(axis=1)


def unchanged_part(pages: InModes, days: Floats, laws: Laws) -> Floats:
    """Joint weight of each rate and "no change within x"; its row sum is S(x)."""
    faded = pages.amount * np.exp(laws.decay[pages.group] * days[:, None])
    back = _times(faded, pages.group, laws.modes.transpose(0, 2, 1))
    return np.asarray(np.maximum(back * laws.root[pages.group], 1e-300))


def drifted(belief: Floats, days: Floats, law: Floats) -> Floats:
    """Where the rate may be by now, whatever was seen: w e^{Qx}."""
    kept = np.exp(-SWITCH_PER_DAY * days)[:, None]
    return belief * kept + (1.0 - kept) * law


def updated(
    pages: InModes, days: Floats, changed: Bools, changed_ago_days: Floats, laws: Laws
) -> tuple[Floats, Floats]:
    """The belief after a gap and its verdict, and S(x) as it was predicted. `changed_ago_days`: NaN where unknown."""
    same = unchanged_part(pages, days, laws)
    after, predicted = same.copy(), same.sum(axis=1)
    found = np.flatnonzero(changed)
    if found.size:
        anything = drifted(pages.belief[found], days[found], laws.law[pages.group[found]])
        after[found] = np.maximum(anything - same[found], 1e-12)
        told = np.flatnonzero(np.isfinite(changed_ago_days[found]))
        if told.size:
            ago = np.clip(changed_ago_days[found[told]], 0.0, days[found[told]])[:, None]
            after[found[told]] = anything[told] * RATES_PER_DAY * np.exp(-RATES_PER_DAY * ago)
    return normalised(after), predicted


def rate_interval(belief: Floats, mass: float = 0.9) -> tuple[Floats, Floats, Floats]:
    """Mean rate per day and the bounds between which the belief puts `mass`."""
    running = np.cumsum(belief, axis=1)
    tail = (1.0 - mass) / 2.0
    low = RATES_PER_DAY[np.argmax(running >= tail, axis=1)]
    high = RATES_PER_DAY[np.argmax(running >= 1.0 - tail - 1e-12, axis=1)]
    return belief @ RATES_PER_DAY, low, high
