"""The folder opened for questions, once for all requests; samples are kept for a moment."""

import threading
import time
from collections.abc import Callable
from contextlib import ExitStack, closing
from dataclasses import dataclass, field

from recrawl.answers.reading import Reading
from recrawl.answers.searching import Search, open_search
from recrawl.fetch.wishes import Wish, wish
from recrawl.folder.folder import Folder
from recrawl.folder.opening import is_crawled, open_store
from recrawl.folder.settings import load
from recrawl.model.failure import NotFound
from recrawl.model.page import Page
from recrawl.model.site import Site
from recrawl.model.visit import Version
from recrawl.ports import Store
from recrawl.web.sample import Sample, draw

KEEP_S = 2.0  # a sample this old is good enough


@dataclass(slots=True)
class Desk:
    """`now` is the clock of the crawl: the machine's, or the town's in the demo."""

    folder: Folder
    now: Callable[[], float]
    _reading: Reading | None = None
    _samples: dict[str, tuple[float, Sample]] = field(default_factory=dict)
    _searches: dict[bool, Search] = field(default_factory=dict)
    _open: ExitStack = field(default_factory=ExitStack)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    @property
    def reading(self) -> Reading:
        """Opened at the first question that can be answered; NotFound before the first crawl."""
        with self._lock:
            if self._reading is None:
                settings = load(self.folder.need())
                if not is_crawled(self.folder, settings):
                    raise NotFound(f"nothing crawled yet: `recrawl run {self.folder.path} --once`")
                self._reading = Reading(self.folder, settings, open_store(self.folder, settings, readonly=True))
            return self._reading

    @property
    def store(self) -> Store:
        return self.reading.store

    def search(self, history: bool = False) -> Search:
        """Over the newest versions, or over all of them; opened when first asked for."""
        reading = self.reading
        with self._lock:
            if history not in self._searches:
                self._searches[history] = self._open.enter_context(open_search(reading, history))
            return self._searches[history]

    def close(self) -> None:
        with self._lock:
            self._open.close()
            self._searches.clear()
            if self._reading is not None:
                self._reading.store.close()
                self._reading = None

    def sites(self) -> dict[str, Site]:
        """As the site files say, by name."""
        return {site.name: site for site in self.folder.sites()}

    def site_names(self) -> list[str]:
        """Those with pages and those with a file."""
        return sorted({*self.store.sites(), *self.sites()})

    def sample(self, site: str = "") -> Sample:
        with self._lock:
            kept = self._samples.get(site)
        if kept is not None and time.monotonic() - kept[0] < KEEP_S:
            return kept[1]
        fresh = draw(self.reading, self.now(), site)
        with self._lock:
            if len(self._samples) > 100:
                self._samples.clear()
            self._samples[site] = (time.monotonic(), fresh)
        return fresh

    def page(self, number: int) -> Page:
        found = self.store.pages([number])
        if not found:
            raise NotFound("no such page is known here")
        return found[0]

    def version(self, page: Page, number: int) -> Version:
        """Versions are counted from 1, the oldest."""
        versions = self.store.versions(page.id)
        if not 1 <= number <= len(versions):
            raise NotFound(f"there is no version {number} of {page.url}: {len(versions)} are kept")
        return versions[len(versions) - number]

    def make_due(self, site: str = "", pages: tuple[int, ...] = ()) -> int:
        """The one thing that is written to the store, in a transaction of its own. Answers that a killed run left do
        not count for these pages."""
        settings, now = load(self.folder.need()), self.now()
        wish(self.folder.journal, Wish(now, site, pages))
        with closing(open_store(self.folder, settings)) as store:
            return store.make_due(now, site, pages)
