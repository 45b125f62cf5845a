"""An even sample of the pages with their visits: whole for small folders, enough for a good estimate of large ones.

Page ids are fingerprints, so the pages after any id are a fair sample of all pages.
"""

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np

from recrawl.answers.outlook import by_rate, outlook
from recrawl.answers.reading import Reading
from recrawl.estimate.bayes import Prospects
from recrawl.model.page import Page
from recrawl.model.visit import Visit

MOST_PAGES = 600
MOST_VISITS = 200  # of one page, newest first


@dataclass(frozen=True, slots=True)
class Sample:
    """`known` is how many pages there are; `scale` what one sampled page stands for; `ahead` what is expected."""

    pages: tuple[Page, ...] = ()
    visits: tuple[tuple[Visit, ...], ...] = ()  # newest first, aligned with `pages`
    known: int = 0
    ahead: Prospects = field(default_factory=lambda: by_rate(np.zeros(0)))

    @property
    def scale(self) -> float:
        return max(1.0, self.known / len(self.pages)) if self.pages else 1.0

    @property
    def whole(self) -> bool:
        return len(self.pages) >= self.known

    def all_visits(self) -> Iterable[Visit]:
        return (visit for visits in self.visits for visit in visits)


def draw(found: Reading, now: float, site: str = "", most: int = MOST_PAGES) -> Sample:
    store = found.store
    pages = store.scan(site, None, most)
    known = len(pages) if len(pages) < most else store.totals(site).pages
    visits = tuple(tuple(store.visits(page.id, MOST_VISITS)) for page in pages)
    return Sample(tuple(pages), visits, known, outlook(found, pages, now))
