"""How much of the copy is expected to be as the servers have it, from what is believed of each page."""

from collections.abc import Sequence

import numpy as np

from recrawl.estimate.bayes import Prospects, survival
from recrawl.model.page import Page, Status
from recrawl.model.verdict import Change
from recrawl.web.sample import Sample

PROOF = frozenset({Change.NEW.value, Change.SAME.value, Change.CHANGED.value})
DAY_S = 86_400.0


def is_kept(page: Page) -> bool:
    return page.status is Status.LIVE and page.checked_at is not None


def kept_rows(pages: Sequence[Page]) -> list[int]:
    return [row for row, page in enumerate(pages) if is_kept(page)]


def fresh_share(pages: Sequence[Page], ahead: Prospects, now: float) -> float | None:
    """Of the pages kept, the expected share still as it is kept; None where nothing is kept."""
    rows = kept_rows(pages)
    if not rows:
        return None
    seen_at = np.array([pages[row].checked_at for row in rows], dtype=float)
    days = np.maximum(0.0, now - seen_at) / DAY_S
    return float(np.mean(survival(ahead.rows(np.array(rows)), days)))


def fresh_over_time(sample: Sample, moments: Sequence[float]) -> list[float | None]:
    """The same at earlier moments, with the beliefs of today and the visits made until then."""
    at = np.asarray(moments, dtype=float)
    total, counted = np.zeros(len(at)), np.zeros(len(at))
    for row in kept_rows(sample.pages):
        proofs = np.sort(np.array([visit.at for visit in sample.visits[row] if visit.change in PROOF], dtype=float))
        if not len(proofs):
            continue
        last = np.searchsorted(proofs, at, side="right") - 1
        seen_then = last >= 0
        days = np.maximum(0.0, at - proofs[np.maximum(last, 0)]) / DAY_S
        expected = np.exp(np.outer(days, sample.ahead.decay[row])) @ sample.ahead.share[row]
        total += np.where(seen_then, expected, 0.0)
        counted += seen_then
    return [float(total[n] / counted[n]) if counted[n] else None for n in range(len(at))]
