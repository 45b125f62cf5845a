"""The law of a group of pages: its own pages' beliefs, shrunk to its site, the site shrunk to the world.

This is the cold start: a page never seen is expected to change as its siblings do. Sums are kept, not lists: a
page's belief is taken out of its group's sum and put back after each visit, so no scan over all pages is needed.
"""

import numpy as np

from recrawl.estimate import given
from recrawl.estimate.bayes import normalised
from recrawl.model.belief import Bools, Floats, Ints

SITE_STRENGTH = 8.0  # in pages
WORLD_STRENGTH = 4.0
_LEAST = 1e-6
MATERIAL = 0.02  # a law that moved by less stays as it is: all its pages would have to follow


def first_law() -> Floats:
    return np.array(given.first_law())


def pooled(group_sums: Floats, group_site: Ints, sites: int, young: Bools | None = None) -> Floats:
    """The law of every group from the summed beliefs of its pages. `young`: groups of new pages, which stand alone."""
    alone = np.zeros(len(group_site), dtype=np.bool_) if young is None else young
    site_sums = np.zeros((sites, group_sums.shape[1]))
    np.add.at(site_sums, group_site[~alone], group_sums[~alone])
    world = normalised((site_sums.sum(axis=0) + WORLD_STRENGTH * first_law())[None, :])
    site = normalised(site_sums + WORLD_STRENGTH * world)
    drawn_to = np.where(alone[:, None], WORLD_STRENGTH * first_law(), SITE_STRENGTH * site[group_site])
    pages = group_sums.sum(axis=1, keepdims=True)
    others = np.where(alone[:, None], 1.0, np.maximum(pages - 1.0, 0.0) / np.maximum(pages, 1.0))
    return normalised(np.maximum(normalised(group_sums * others + drawn_to), _LEAST))


def summed(group_law: Floats, group: Ints, law: Floats, belief: Floats) -> Floats:
    """What the pages of each group say about its law, as a sum over pages: their beliefs, less what their own laws
    had put into them beyond the group's. `law`: what was expected of each page before anything was seen."""
    found, expected = np.zeros_like(group_law), np.zeros_like(group_law)
    np.add.at(found, group, belief)
    np.add.at(expected, group, law)
    pages = found.sum(axis=1, keepdims=True)
    share = group_law * found / np.maximum(expected, 1e-12)
    return np.asarray(pages * share / np.maximum(share.sum(axis=1, keepdims=True), 1e-12))


def settled(before: Floats, after: Floats) -> Floats:
    """The new laws, but the old one of every group for which nothing material has changed."""
    apart = np.abs(after - before) > MATERIAL * np.maximum(before, MATERIAL)
    return np.where(apart.any(axis=1, keepdims=True), after, before)


def moved(group_sums: Floats, group: Ints, before: Floats, after: Floats, joined: Floats, first_only: Bools) -> Floats:
    """The sums when pages' beliefs change; `joined`: 1 where a page enters its group with its first evidence (a page
    of which nothing is known has nothing to say about its group). `first_only`: of these only the first counts."""
    sums = group_sums.copy()
    stays = np.where(first_only, joined, 1.0)[:, None]
    np.add.at(sums, group, (after - before * (1.0 - joined)[:, None]) * stays)
    return np.asarray(np.maximum(sums, 0.0))
