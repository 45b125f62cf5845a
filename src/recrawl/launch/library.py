"""recrawl from Python: a folder opened, crawled, asked and followed."""

import asyncio
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from recrawl.answers.feed import need_cursor
from recrawl.answers.reading import Reading
from recrawl.answers.record_rows import Row, history, newest
from recrawl.answers.record_rows import changes as field_changes
from recrawl.config import Settings, starting_text
from recrawl.engine.assembly import assemble
from recrawl.engine.clock import SystemClock
from recrawl.engine.finding.followed import follow_from
from recrawl.engine.quarries import adopt_pages, canonicaliser_of, readmit_pages
from recrawl.engine.scheduling.spending_together import share_out
from recrawl.engine.set_right import set_right
from recrawl.engine.tally import Tally
from recrawl.engine.worker import Order, Worker
from recrawl.fetch.journal import forget
from recrawl.folder.folder import Folder
from recrawl.folder.mending import mended
from recrawl.folder.opening import open_store
from recrawl.folder.settings import load
from recrawl.folder.site_check import check_together, checked
from recrawl.model.batch import Totals
from recrawl.model.document import Document
from recrawl.model.event import CHANGES, Event
from recrawl.model.failure import UsageError
from recrawl.model.page import Page
from recrawl.model.record import FieldChange
from recrawl.model.site import Site
from recrawl.model.site_name import plain_name
from recrawl.model.values import dataclass
from recrawl.model.visit import Version
from recrawl.ports import Store

POLL_S = 0.5
BATCH = 1000


@dataclass(slots=True)
class Crawl:
    """An open folder. Made by `recrawl.open`; everything it returns is a frozen value."""

    folder: Folder
    settings: Settings
    _store: Store

    def add(self, url: str, *, name: str = "", own: bool = False, **wishes: object) -> Site:
        """Add a site by its first address; `wishes` are fields of `Site` (include, exclude, depth, gap_s, …).

        A program says this whenever it starts: of a site that is there, only what is wished for is changed."""
        address = canonicaliser_of(self.settings, None).canonical(url)
        if address is None:
            raise UsageError(f"{url!r} is not a web address")
        called = name or plain_name(address.server)
        known = next((one for one in self.folder.sites() if one.name == called), None)
        site = known or Site(name=called, seeds=())
        seeds, owned = dict.fromkeys((*site.seeds, address.url)), dict.fromkeys((*site.own, *[address.server] * own))
        site = replace(site, seeds=tuple(seeds), own=tuple(owned), **wishes)  # type: ignore[arg-type]
        if site != known:
            self.folder.put_site(checked(site))
        return site

    async def run(self, *, once: bool = True, for_s: float | None = None, everything: bool = False) -> dict[str, int]:
        """Crawl in this process; the counts of the run. Without `once` or `for_s` it runs until cancelled."""
        sites = self.folder.sites()
        check_together(self.settings, sites)
        tally = Tally()
        with self.folder.locked():
            mended(self.folder, self.settings, SystemClock().now())
            if not self.settings.state.store:
                adopt_pages(self.settings, sites, self._store)
                readmit_pages(self.settings, sites, self._store, SystemClock().now())
                set_right(self._store, SystemClock().now())
                share_out(self._store, 1)
            follow_from(self.settings, sites, self._store, SystemClock().now())
            if everything:
                forget(self.folder.journal)
            async with assemble(self.folder, self.settings, "0") as parts:
                if everything:
                    parts.store.make_due(parts.clock.now())
                order = Order(once=once, for_s=for_s, asked=everything)
                await Worker(parts, order, frozenset(range(parts.store.partitions)), tally).run()
        return tally.as_dict()

    async def changes(self, since: int = 0, *, follow: bool = False) -> AsyncIterator[Event]:
        """Changes after a cursor, oldest first; with `follow`, as they are found. Keep `event.cursor` to resume.
        NotFound if there is no such cursor (yet)."""
        await asyncio.to_thread(need_cursor, self._store, since)
        while True:
            events = await asyncio.to_thread(self._store.events, since, CHANGES, BATCH)
            for event in events:
                since = event.cursor
                yield event
            if len(events) < BATCH:
                if not follow:
                    return
                await asyncio.sleep(POLL_S)

    def status(self, site: str = "") -> Totals:
        return self._store.totals(site)

    def page(self, url: str) -> Page:
        """NotFound if no site has led there yet."""
        return self._reading.page(url)

    def pages(self, site: str = "") -> Iterable[Page]:
        after: int | None = None
        while found := self._store.scan(site, after):
            yield from found
            after = found[-1].id

    def versions(self, url: str) -> list[Version]:
        """Newest first."""
        return self._store.versions(self.page(url).id)

    def body(self, url: str, at: float | None = None) -> bytes:
        """The copy kept, or the one that was current at a moment."""
        return self._reading.payload(self._reading.version(self.page(url), at)).body

    def document(self, url: str, at: float | None = None) -> Document:
        """Title, text, links and language of the copy kept."""
        page = self.page(url)
        return self._reading.document(page, self._reading.version(page, at))

    def records(self, site: str = "", *, every_version: bool = False) -> Iterable[Row]:
        """The newest record of each page, or those of every kept version, oldest first."""
        return history(self._store, site) if every_version else newest(self._store, site)

    def record_changes(self, site: str = "", since_at: float = 0.0) -> list[tuple[Page, FieldChange]]:
        """What changed in the records, field by field, in order of time."""
        return field_changes(self._store, site, since_at=since_at)

    @property
    def _reading(self) -> Reading:
        return Reading(self.folder, self.settings, self._store)


@asynccontextmanager
async def open_crawl(folder: str | Path, *, contact: str = "") -> AsyncIterator[Crawl]:
    """Open a folder, making it if it is not there."""
    place = Folder(Path(folder))
    place.create(starting_text(contact))
    settings = load(place)
    store = open_store(place, settings)
    try:
        yield Crawl(place, settings, store)
    finally:
        store.close()
