"""An even sample of the pages with their visits: whole for small folders, enough for a good estimate of large ones.

Page ids are fingerprints, so the pages after any id are a fair sample of all pages.
"""

from collections.abc import Iterable
from dataclasses import dataclass

from recrawl.model.page import Page
from recrawl.model.visit import Visit
from recrawl.ports import Store

MOST_PAGES = 600
MOST_VISITS = 200  # of one page, newest first


@dataclass(frozen=True, slots=True)
class Sample:
    """`known` is how many pages there are; `scale` what one sampled page stands for."""

    pages: tuple[Page, ...] = ()
    visits: tuple[tuple[Visit, ...], ...] = ()  # newest first, aligned with `pages`
    known: int = 0

    @property
    def scale(self) -> float:
        return max(1.0, self.known / len(self.pages)) if self.pages else 1.0

    @property
    def whole(self) -> bool:
        return len(self.pages) >= self.known

    def all_visits(self) -> Iterable[Visit]:
        return (visit for visits in self.visits for visit in visits)

    def of_server(self, server: str) -> "Sample":
        chosen = [(page, seen) for page, seen in zip(self.pages, self.visits, strict=True) if page.server == server]
        return Sample(tuple(page for page, _ in chosen), tuple(seen for _, seen in chosen), len(chosen))


def draw(store: Store, site: str = "", most: int = MOST_PAGES) -> Sample:
    pages = store.scan(site, None, most)
    known = len(pages) if len(pages) < most else store.totals(site).pages
    return Sample(tuple(pages), tuple(tuple(store.visits(page.id, MOST_VISITS)) for page in pages), known)
