"""Every version as WARC, alone or in a WACZ, with what is believed of each page in a metadata record before them.

Records are copied as they lie in the archive, byte for byte, but for pages that a browser has shown: these come as they
were shown. Any web archive tool reads the result, and recrawl reads its beliefs back.
"""

import hashlib
import zipfile
from collections.abc import Callable, Iterable, Iterator
from dataclasses import field, replace
from datetime import UTC, datetime
from typing import IO

from recrawl.archive.folder import WarcArchive
from recrawl.archive.member import compressed, inflated
from recrawl.archive.reading import CONVERSION, index_line, standing_alone
from recrawl.archive.record import Record, parse, record_id, render, sha1, target_uri, warc_date
from recrawl.archive.settings import ArchiveSettings
from recrawl.archive.warc import FIELDS_TYPE, warcinfo
from recrawl.exchange.export_tables import MOST_VISITS, Source
from recrawl.formats import page_state, wacz
from recrawl.formats.cdxj import render as render_line
from recrawl.formats.page_state import PageState
from recrawl.index.entry import title_of
from recrawl.model.capture import Place
from recrawl.model.failure import NotFound, RecrawlError
from recrawl.model.page import Page
from recrawl.model.values import dataclass
from recrawl.model.visit import Version

WARC_NAME = "data.warc.gz"
SOFTWARE = "recrawl"
LEVEL = 2


@dataclass(slots=True)
class WarcExport:
    """`new_id` gives a fresh UUID for each record that is made, `now` is the moment of the export."""

    source: Source
    archive: WarcArchive
    settings: ArchiveSettings
    new_id: Callable[[], str]
    now: float
    lines: list[str] = field(default_factory=list)  # of the index
    listed: list[wacz.ListedPage] = field(default_factory=list)
    versions: int = 0
    _offset: int = 0

    def write(self, out: IO[bytes], name: str) -> int:
        """The whole WARC; how many versions."""
        for member in self.members(name):
            out.write(member)
        return self.versions

    def members(self, name: str) -> Iterator[bytes]:
        info = warcinfo(name, self.now, replace(self.settings, software=SOFTWARE), self.new_id)
        yield self._placed(compressed(render(info), LEVEL))
        for page in self.source.pages():
            versions = list(reversed(self.source.store.versions(page.id)))
            visits = tuple(reversed(self.source.store.visits(page.id, MOST_VISITS)))
            copies = [(version, copy) for version in versions if (copy := self._copy(version)) is not None]
            state = PageState(page, tuple(version for version, _ in copies), visits)
            yield self._placed(compressed(render(self._state_record(state)), LEVEL))
            for version, copy in copies:
                yield self._indexed(page, version, copy, name)

    def _placed(self, member: bytes) -> bytes:
        self._offset += len(member)
        return member

    def _indexed(self, page: Page, version: Version, member: bytes, name: str) -> bytes:
        record = parse(inflated(member))
        if record.kind == CONVERSION:
            record = standing_alone(record)
            member = compressed(render(record), LEVEL)
        line = index_line(record, self._offset, len(member), name)
        if line is not None:
            self.lines.append(render_line(line))
        self.versions += 1
        if line is not None and "html" in version.content_type:
            self.listed.append(wacz.ListedPage(line.url, _iso(version.at), self._title(page, version)))
        return self._placed(member)

    def _title(self, page: Page, version: Version) -> str:
        if self.source.read is None:
            return ""
        try:
            return title_of(self.source.read(page, version))
        except RecrawlError:
            return ""

    def _copy(self, version: Version) -> bytes | None:
        """The record as it lies there; None if its file is gone."""
        try:
            return self.archive.member(Place(version.warc_file, version.warc_offset, version.warc_length))
        except NotFound:
            return None

    def _state_record(self, state: PageState) -> Record:
        block = page_state.render(state)
        return Record(
            (
                ("WARC-Type", "metadata"),
                ("WARC-Record-ID", record_id(self.new_id())),
                ("WARC-Date", warc_date(self.now)),
                ("WARC-Target-URI", target_uri(state.page.url)),
                ("Content-Type", FIELDS_TYPE),
                ("WARC-Block-Digest", sha1(block)),
            ),
            block,
        )


def write_wacz(export: WarcExport, out: IO[bytes], title: str) -> int:
    """One ZIP whose WARC can be read in place: it is stored, not deflated."""
    resources: list[wacz.Resource] = []
    with zipfile.ZipFile(out, "w", zipfile.ZIP_STORED) as bundle:

        def put(path: str, pieces: Iterable[bytes], how: int = zipfile.ZIP_STORED) -> None:
            digest, size = hashlib.sha256(), 0
            entry = zipfile.ZipInfo(path, datetime.fromtimestamp(export.now, UTC).timetuple()[:6])
            entry.compress_type = how
            with bundle.open(entry, "w", force_zip64=True) as file:
                for piece in pieces:
                    digest.update(piece)
                    size += len(piece)
                    file.write(piece)
            resources.append(wacz.Resource(path, f"sha256:{digest.hexdigest()}", size))

        put(f"archive/{WARC_NAME}", export.members(WARC_NAME))
        if not export.versions:
            raise NotFound("no version is kept yet: nothing to export")
        index, blocks = wacz.index_blocks(sorted(export.lines, key=str.encode))
        put(wacz.INDEX, [index])
        put(wacz.BLOCKS, [blocks])
        put(wacz.PAGES, wacz.page_lines(export.listed), zipfile.ZIP_DEFLATED)
        package = wacz.package(resources, _iso(export.now), SOFTWARE, title)
        put(wacz.PACKAGE, [package], zipfile.ZIP_DEFLATED)
        put(wacz.SEAL, [wacz.seal(package)], zipfile.ZIP_DEFLATED)
    return export.versions


def _iso(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
