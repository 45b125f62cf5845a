"""What is kept, taken away in the form other tools like."""

from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import IO

from recrawl.answers.indexing import READER, reader_of
from recrawl.answers.reading import Reading
from recrawl.archive.folder import WarcArchive
from recrawl.engine.clock import Dice, SystemClock
from recrawl.engine.quarries import canonicaliser_of
from recrawl.exchange.export_mirror import write_mirror
from recrawl.exchange.export_rows import WRITERS
from recrawl.exchange.export_tables import TABLES, Source
from recrawl.exchange.export_target import whole_file, whole_folder
from recrawl.exchange.export_warc import WarcExport, write_wacz
from recrawl.model.capture import Payload, Place
from recrawl.model.visit import Version

FORMATS = (*WRITERS, "warc", "wacz", "mirror")
Seen = Callable[[int], None]


class Export:
    """One export out of an opened folder. `seen` hears how many pages were walked through."""

    def __init__(self, reading: Reading, site: str = "", text: bool = True, seen: Seen = lambda pages: None) -> None:
        self._reading = reading
        archive = WarcArchive(reading.folder.archive, READER, reading.settings.archive, lambda: 0.0, str)
        self._archive = archive
        read = reader_of(reading.folder, reading.settings, archive) if text else None
        self._source = Source(reading.store, site, read, seen)

    def to_file(self, form: str, table: str, target: Path) -> int:
        """How many rows, versions or files."""
        with closing(self._archive):
            if form == "mirror":
                with whole_folder(target) as folder:
                    return write_mirror(self._source, folder, self._load, self._canonical())
            with whole_file(target) as out:
                return self._to(form, table, out, target.name)

    def to_stream(self, form: str, table: str, out: IO[bytes]) -> int:
        with closing(self._archive):
            return self._to(form, table, out, "export.warc.gz")

    def _to(self, form: str, table: str, out: IO[bytes], name: str) -> int:
        if form in WRITERS:
            return WRITERS[form](TABLES[table], self._source, out)
        settings, folder = self._reading.settings.archive, self._reading.folder
        export = WarcExport(self._source, self._archive, settings, Dice().record_id, SystemClock().now())
        return export.write(out, name) if form == "warc" else write_wacz(export, out, f"recrawl: {folder.path.name}")

    def _load(self, version: Version) -> Payload:
        return self._archive.read(Place(version.warc_file, version.warc_offset, version.warc_length))

    def _canonical(self) -> Callable[[str, str], int | None]:
        settings = self._reading.settings
        by_site = {site.name: canonicaliser_of(settings, site) for site in self._reading.folder.sites()}
        plain = canonicaliser_of(settings, None)

        def number(address: str, site: str) -> int | None:
            found = by_site.get(site, plain).canonical(address)
            return found.id if found else None

        return number
