"""The versions kept of pages that seem to have changed, read back for several pages at a time.

Visits that go in step say first whom they will ask for, and ask after the step: the first of them has all looked up, in
one question to the store and one turn of whoever reads. Filled and emptied by the visits.
"""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from recrawl.engine.wiring import Parts
from recrawl.model.capture import Payload, Place
from recrawl.model.failure import RecrawlError
from recrawl.model.page import Page
from recrawl.model.visit import Version

MOST = 16
LARGE_BYTES = 256 * 1024  # what is larger is read when its turn comes: what was read waits


class Kept(NamedTuple):
    """`payload` None: there is none, or it cannot be read. `error`: for whoever asks for it."""

    version: Version | None = None
    payload: Payload | None = None
    error: OSError | None = None


class Together:
    """Pages that are looked up at once. `is_read`: by somebody, who may be waiting for it."""

    __slots__ = ("found", "is_read", "pages")

    def __init__(self) -> None:
        self.pages: list[Page] = []
        self.found: dict[int, Kept] = {}
        self.is_read: asyncio.Event | None = None


class LookingBack:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts
        self._gathering = Together()

    def expect(self, page: Page) -> Together | None:
        """Its version will be asked for; None: it comes alone."""
        if page.size_bytes > LARGE_BYTES:
            return None
        if len(self._gathering.pages) >= MOST:
            self._gathering = Together()
        self._gathering.pages.append(page)
        return self._gathering

    async def at(self, page: Page, together: Together | None) -> Kept:
        """The version kept of a page."""
        if together is not None and together.is_read is None:
            await self._read_together(together)
        elif together is not None and together.is_read is not None and not together.is_read.is_set():
            await together.is_read.wait()
        kept = together.found.pop(page.id, None) if together is not None else None
        if kept is None:  # whoever read for the others may have failed
            kept = (await self._parts.look_up(self.read, (page,)))[page.id]
        if kept.error is not None:
            raise kept.error
        return kept

    async def _read_together(self, together: Together) -> None:
        """From now on the others gather anew."""
        if together is self._gathering:
            self._gathering = Together()
        together.is_read = asyncio.Event()
        try:
            together.found = await self._parts.look_up(self.read, together.pages)
        finally:
            together.is_read.set()

    def read(self, pages: Sequence[Page]) -> dict[int, Kept]:
        store = self._parts.store
        newest = store.versions(pages[0].id, 1) if len(pages) == 1 else store.newest_versions([one.id for one in pages])
        versions = {version.page: version for version in newest}
        return {page.id: self._kept(page, versions.get(page.id)) for page in pages}

    def _kept(self, page: Page, newest: Version | None) -> Kept:
        if newest is None:
            return Kept()
        try:
            place = Place(newest.warc_file, newest.warc_offset, newest.warc_length)
            return Kept(newest, self._parts.archive.read(place, newest.body_bytes))
        except RecrawlError as error:
            self._parts.complain(f"{page.url}: the kept version cannot be read: {error}")
            return Kept(newest)
        except OSError as error:
            return Kept(newest, error=error)
