"""The versions kept of pages that seem to have changed, read back for several pages at a time: in one question to the
store and one turn of whoever reads."""

from collections.abc import Sequence
from typing import NamedTuple

from recrawl.engine.wiring import Parts
from recrawl.model.capture import Payload, Place
from recrawl.model.failure import RecrawlError
from recrawl.model.page import Page
from recrawl.model.visit import Version


class Kept(NamedTuple):
    """`payload` None: there is none, or it cannot be read. `error`: for whoever asks for it."""

    version: Version | None = None
    payload: Payload | None = None
    error: OSError | None = None


class LookingBack:
    def __init__(self, parts: Parts) -> None:
        self._parts = parts

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
