"""How much of the copy is expected to be as the servers have it, from what is believed of each page.

A page whose changes come at rate λ is still unchanged after x seconds with probability e^{−λx}. The rate is S1's
estimate; where S1 is singular: half a change in all the time watched for a page never seen to change; the estimate of
Cho and Garcia-Molina for one that changed at every visit; one change an interval for a page seen only once.
"""

from collections.abc import Sequence

import numpy as np

from recrawl.estimate.poisson import always_changed, change_interval_s, never_changed
from recrawl.model.belief import Floats, unpack
from recrawl.model.page import Page, Status
from recrawl.model.verdict import Change
from recrawl.model.visit import Visit
from recrawl.web.sample import Sample

PROOF = frozenset({Change.NEW.value, Change.SAME.value, Change.CHANGED.value})
DAY_S = 86_400.0


def rates_per_s(pages: Sequence[Page]) -> Floats:
    """Changes a second, one for each page; finite and never negative."""
    if not pages:
        return np.zeros(0)
    states = unpack(page.belief for page in pages)
    gaps, changes = states["gaps"].astype(float), states["changes"].astype(float)
    watched_s = np.maximum(states["watched_s"], 1.0)
    interval_s = np.array([page.interval_s if page.interval_s > 0 else DAY_S for page in pages])
    mean_gap_s = watched_s / np.maximum(gaps, 1.0)
    at_each_visit = -np.log((gaps - changes + 0.5) / (gaps + 0.5)) / mean_gap_s
    rate = 1.0 / np.maximum(np.nan_to_num(change_interval_s(states), nan=1.0), 1e-3)
    rate = np.where(always_changed(states), at_each_visit, rate)
    rate = np.where(never_changed(states), 0.5 / watched_s, rate)
    return np.where(gaps == 0, 1.0 / interval_s, rate)


def is_kept(page: Page) -> bool:
    return page.status is Status.LIVE and page.checked_at is not None


def fresh_share(pages: Sequence[Page], now: float) -> float | None:
    """Of the pages kept, the expected share still as it is kept; None where nothing is kept."""
    kept = [page for page in pages if is_kept(page)]
    if not kept:
        return None
    age_s = np.maximum(0.0, now - np.array([page.checked_at for page in kept], dtype=float))
    return float(np.mean(np.exp(-rates_per_s(kept) * age_s)))


def fresh_over_time(sample: Sample, moments: Sequence[float]) -> list[float | None]:
    """The same at earlier moments, with the beliefs of today and the visits made until then."""
    kept = [(page, seen) for page, seen in zip(sample.pages, sample.visits, strict=True) if is_kept(page)]
    at = np.asarray(moments, dtype=float)
    total, counted = np.zeros(len(at)), np.zeros(len(at))
    for (_, seen), rate in zip(kept, rates_per_s([page for page, _ in kept]), strict=True):
        proofs = np.sort(np.array([visit.at for visit in seen if visit.change in PROOF], dtype=float))
        if not len(proofs):
            continue
        last = np.searchsorted(proofs, at, side="right") - 1
        seen_then = last >= 0
        age_s = np.maximum(0.0, at - proofs[np.maximum(last, 0)])
        total += np.where(seen_then, np.exp(-rate * age_s), 0.0)
        counted += seen_then
    return [float(total[n] / counted[n]) if counted[n] else None for n in range(len(at))]


def first_proof_at(visits: Sequence[Visit]) -> float | None:
    return min((visit.at for visit in visits if visit.change in PROOF), default=None)
