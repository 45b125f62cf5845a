"""A folder opened for questions, beside a crawl that may be running."""

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf

from recrawl.archive.folder import WarcArchive
from recrawl.config import Settings
from recrawl.engine.finding.discover_memo import trapped
from recrawl.engine.quarries import canonicaliser_of
from recrawl.extract.document import read
from recrawl.folder.folder import Folder
from recrawl.folder.opening import is_crawled, open_store
from recrawl.folder.settings import load
from recrawl.model.address import Address
from recrawl.model.capture import Payload, Place
from recrawl.model.document import Document
from recrawl.model.failure import NotFound, UsageError
from recrawl.model.nearest import nearest
from recrawl.model.page import Page
from recrawl.model.values import dataclass
from recrawl.model.visit import Version
from recrawl.ports import Store
from recrawl.scope.rules import Rules

SHOWN = 20  # sites in a sentence
MICROSECOND = 1e-6  # moments are told in microseconds and kept finer
READER = "reader"  # a worker that never writes, so it has no file to mend
UNKEPT = "the page asks not to be kept (noarchive or nosnippet)"


@dataclass(frozen=True, slots=True)
class Reading:
    folder: Folder
    settings: Settings
    store: Store

    def site(self, name: str) -> str:
        """The name of a site that there is, or of all ("")."""
        known = sorted({*self.store.sites(), *(one.name for one in self.folder.sites())})
        if not name or name in known:
            return name
        near = nearest(name, known)
        meant = f"did you mean {near[0]!r}? " if near else ""
        shown = ", ".join(known[:SHOWN]) + (" …" if len(known) > SHOWN else "")
        raise NotFound(f"there is no site {name!r} here; {meant}there are: {shown or 'none (recrawl add URL)'}")

    def page(self, url: str) -> Page:
        """The page at an address, however it is spelled."""
        for site in (*self.folder.sites(), None):
            for text in (url,) if "://" in url else (f"http://{url}", f"https://{url}"):
                address = canonicaliser_of(self.settings, site).canonical(text)
                found = self.store.pages([address.id]) if address else []
                if found:
                    return found[0]
        if address is None:
            raise UsageError(f"{url!r} is not a web address: write it in full, for example https://example.com/page")
        if unwanted := self._why_not(address):
            raise NotFound(f"{address.url} is not visited: {unwanted}")
        raise NotFound(f"{address.url} is not known here: no site leads to it yet (`recrawl sites`, `recrawl add URL`)")

    def _why_not(self, address: Address) -> str:
        """Why the site on whose server it lies would not let it in; '' if it would, or there is no such site."""
        for site in self.folder.sites():
            rules = Rules.from_site(site, canonicaliser_of(self.settings, site), self.settings.traps)
            if rules.hosts.has(address.server):
                admission = rules.admit(address, 1)
                limits = self.settings.traps
                return admission.sentence or trapped(self.store, site.name, address.url, address.server, limits)
        return ""

    def version(self, page: Page, at: float | None = None, back: int = 0) -> Version:
        """The version that was current at a moment (default: now), or one further back."""
        versions = self.store.versions(page.id, back + 1, inf if at is None else at + MICROSECOND)
        if len(versions) <= back:
            reason = f": {UNKEPT}" if asks_not_to_be_kept(page) else ""
            raise NotFound(
                f"no {'older ' if back else ''}version of {page.url} is kept{' from that time' if at else ''}{reason}"
            )
        return versions[back]

    def payload(self, version: Version) -> Payload:
        archive = WarcArchive(self.folder.archive, READER, self.settings.archive, lambda: version.at, str)
        return archive.read(Place(version.warc_file, version.warc_offset, version.warc_length))

    def document(self, page: Page, version: Version) -> Document:
        payload = self.payload(version)
        return read(payload.body, version.content_type, page.url, self.settings.extract, payload.headers)


def asks_not_to_be_kept(page: Page) -> bool:
    """Of such a page alone a simhash is made, in place of the copy."""
    return page.simhash != 0


@contextmanager
def reading(folder: Folder) -> Iterator[Reading]:
    """Read-only: never disturbs a running crawl, works on a read-only folder."""
    settings = load(folder.need())
    if not is_crawled(folder, settings):
        raise NotFound(f"nothing crawled in {folder.path} yet: `recrawl run {folder.path} --once`")
    store = open_store(folder, settings, readonly=True)
    try:
        yield Reading(folder, settings, store)
    finally:
        store.close()
