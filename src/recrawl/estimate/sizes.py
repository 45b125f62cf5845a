"""What a page's size says about how often it changes: large pages change more often than small ones.

That holds on nearly every site (Fetterly et al. 2003 found it over 150 million pages), and a page's size is known
from its first visit, before there is any evidence about the page itself. So the law of its group is tilted by it:

    π_k(page) ∝ π_k · λ_k^(β·z)        z = ln size − its site's mean, within ±REACH;  β = the site's slope

At the likeliest slope the beliefs about a site's pages lean on their sizes just as much as their tilted laws do; one
step towards it is made whenever the laws are pooled. A slope is drawn to the mean of all sites, and that to none at
all, so a site whose pages' sizes mean nothing soon goes without.
"""

import numpy as np

from recrawl.estimate import given
from recrawl.model.belief import Floats, Ints
from recrawl.model.values import dataclass

REACH = given.REACH
STRENGTH = 200.0  # of the draw to the other sites, in summed z² times the variance of ln λ: some fifty pages' worth
WORLD_STRENGTH = 1.0  # of the draw to no leaning at all, in sites
STEEPEST = 1.0
_MATERIAL_SLOPE, _MATERIAL_CENTRE = 0.01, 0.1


@dataclass(frozen=True, slots=True)
class Leaning:
    """By site: the mean of ln size, and the slope."""

    centre: Floats
    slope: Floats


def none(sites: int) -> Leaning:
    return Leaning(np.zeros(sites), np.zeros(sites))


def with_sites(leaning: Leaning, sites: int) -> Leaning:
    """Room for more sites: a new one leans as the others do in the mean."""
    more = sites - leaning.slope.size
    if more <= 0:
        return leaning
    centre = np.concatenate([leaning.centre, np.full(more, leaning.centre.mean())])
    return Leaning(centre, np.concatenate([leaning.slope, np.full(more, leaning.slope.mean())]))


def relative(size_bytes: Floats, centre: Floats) -> Floats:
    """z; 0 where the size is not known."""
    nats = np.log(np.maximum(size_bytes, 1.0), dtype=np.float64) - centre
    return np.asarray(np.where(size_bytes > 0.0, np.minimum(np.maximum(nats, -REACH), REACH), 0.0))


def centred(leaning: Leaning, site: Ints, size_bytes: Floats) -> Leaning:
    """With the mean of ln size of these pages; a site of which none is among them keeps its own."""
    known = np.flatnonzero(size_bytes > 0.0)
    sites = leaning.centre.size
    pages = np.bincount(site[known], minlength=sites)
    total = np.bincount(site[known], weights=np.log(np.maximum(size_bytes[known], 1.0)), minlength=sites)
    return Leaning(np.where(pages > 0, total / np.maximum(pages, 1), leaning.centre), leaning.slope)


def learnt(leaning: Leaning, site: Ints, z: Floats, before: Floats, after: Floats, log_rates: Floats) -> Leaning:
    """One step towards the likeliest slopes. `before`: the tilted laws, `after`: the beliefs, page × rate."""
    sites = leaning.slope.size
    expected = before @ log_rates
    variance = before @ log_rates**2 - expected**2
    pull = np.bincount(site, weights=z * (after @ log_rates - expected), minlength=sites)
    weight = np.bincount(site, weights=z**2 * variance, minlength=sites)
    share = weight / (weight + STRENGTH)
    world = (share * leaning.slope).sum() / (share.sum() + WORLD_STRENGTH)
    slope = leaning.slope + (pull - STRENGTH * (leaning.slope - world)) / (weight + STRENGTH)
    return Leaning(leaning.centre, np.clip(slope, -STEEPEST, STEEPEST))


def settled(before: Leaning, after: Leaning) -> Leaning:
    """The new one, but the old one if nothing material has changed: all pages would have to follow."""
    steeper = np.abs(after.slope - before.slope) > _MATERIAL_SLOPE
    elsewhere = np.abs(after.centre - before.centre) > _MATERIAL_CENTRE
    return after if (steeper | elsewhere).any() else before
