"""The records of one batch on their way into one file."""

from collections.abc import Callable
from math import inf

from recrawl.archive.cdxj_index import Sidecars
from recrawl.archive.deflate import crc32
from recrawl.archive.http_head import request_head
from recrawl.archive.member import QUICK_LEVELS, compressed, stored
from recrawl.archive.open_file import OpenFile, Span
from recrawl.archive.reading import REVISIT_TYPE, line_of
from recrawl.archive.record import END, Record, digests_of, digits14, record_id, render, warc_date
from recrawl.archive.settings import ArchiveSettings
from recrawl.archive.warc import Exchange, Sheet, connection_fields, plainly_unchanged, unchanged
from recrawl.formats.cdxj import CdxLine, parse_written, written
from recrawl.model.capture import Capture, Place
from recrawl.model.visit import Reply, Times
from recrawl.native import compiled

if compiled is not None:
    compiled.captured(Capture, Reply, Place, connection_fields)
    compiled.responding((Capture, Reply, Times), connection_fields, crc32, digests_of)


class Tray:
    """Filled by `append` of the archive, emptied by one write; `end` is where the file will end after it."""

    def __init__(self, file: OpenFile, compress_level: int) -> None:
        self.file, self.end = file, file.size
        self.lines: list[bytes] = []  # of the index, some of them together
        self.originals: list[
            tuple[str, Span]
        ] = []  # which of them a later capture may equal: how they begin, and where
        self.originals_from = inf  # the first moment among these
        self._line_bytes = 0
        self._by_url: dict[str, list[bytes]] = {}
        self._name, self._level = file.name, compress_level
        self._members: list[bytes] = []

    def __bool__(self) -> bool:
        return bool(self._members)

    @property
    def data(self) -> bytes:
        return b"".join(self._members)

    def add(self, exchange: Exchange, at: float) -> Place:
        """The main record first, then those beside it; where the one lies that is to be read."""
        self.originals_from = min(self.originals_from, at)
        place = self._lay(self._member(exchange.main))
        if exchange.told is not None:
            self._index(line_of(exchange.told, place))
        for sheet in exchange.beside:
            self._lay(self._member(sheet))
        return place if exchange.shown is None else self._lay(self._member(exchange.shown))

    def add_plainly(self, capture: Capture, settings: ArchiveSettings, new_id: Callable[[], str]) -> Place | None:
        """All records of a whole response that is kept as it was sent, by the compiled part; None where it leaves that
        to `exchange`."""
        if compiled is None or self._level not in QUICK_LEVELS:
            return None
        request = request_head(capture.reply.raw_request, settings.secrets) if settings.requests else b""
        plain = compiled.responded(capture, request, settings.metadata, new_id, self._name, self.end)
        if plain is None:
            return None
        members, length, line, key_length = plain
        self._add_original(line, line[:key_length].decode(), capture.url)
        self.originals_from = min(self.originals_from, capture.at)
        place = Place(self._name, self.end, length)
        self._members.append(members)
        self.end += len(members)
        return place

    def add_unchanged(self, capture: Capture, original: bytes, new_id: Callable[[], str]) -> Place:
        """A 304 to what was asked of the original (its index line), at the same address."""
        identity = record_id(new_id())
        if self._level in QUICK_LEVELS:
            plain = plainly_unchanged(capture, original, identity, self._name, self.end)
            if plain is not None:
                self._add_line(plain[1])
                return self._lay(plain[0])
        return self._add_oddly_unchanged(capture, parse_written(original), identity)

    def add_all_unchanged(
        self,
        captures: list[Capture],
        start: int,
        sidecars: Sidecars,
        before: float,
        new_id: Callable[[], str],
        limit_bytes: int,
    ) -> list[Place]:
        """`add_unchanged` of every capture from there on whose original is found in a finished sidecar, up to the first
        that is not so plain; `before`: originals of that moment or later may be elsewhere."""
        if compiled is None or self._level not in QUICK_LEVELS:
            return []
        members, lines, places = compiled.unchanged_run(
            captures, start, sidecars.created, sidecars.at_hand, before, new_id, self._name, self.end, limit_bytes
        )
        if places:
            self._add_line(lines)
            self._members.append(members)
            self.end += len(members)
        found: list[Place] = places
        return found

    def _add_oddly_unchanged(self, capture: Capture, original: CdxLine, identity: str) -> Place:
        date = warc_date(capture.at)
        place = self._lay(compressed(unchanged(capture, original, date, identity), self._level))
        sha256 = original.field("sha256")
        self._index(
            CdxLine(
                original.urlkey, digits14(date), original.url, REVISIT_TYPE, "", original.digest, place.length,
                place.offset, self._name, (("sha256", sha256),) if sha256 else (),
            )
        )  # fmt: skip
        return place

    def _index(self, line: CdxLine) -> None:
        text = written(line)
        if line.mime == REVISIT_TYPE:  # never an original: in months of unchanged pages these would fill the memory
            self._add_line(text)
        else:
            self._add_original(text, f"{line.urlkey} {line.timestamp} ", line.url)

    def _add_original(self, text: bytes, key: str, url: str) -> None:
        self.originals.append((key, (self._line_bytes, len(text))))
        self._by_url.setdefault(url, []).append(text)
        self._add_line(text)

    def _add_line(self, text: bytes) -> None:
        self.lines.append(text)
        self._line_bytes += len(text)

    def lines_of(self, url: str) -> list[bytes]:
        return self._by_url.get(url, [])

    def put(self, record: Record) -> Place:
        return self._lay(compressed(render(record), self._level))

    def _member(self, sheet: Sheet) -> bytes:
        """What is compressed already lies in it as it is."""
        head = f"WARC/1.1\r\n{sheet.fields}Content-Length: {len(sheet.block)}\r\n\r\n".encode()
        if sheet.is_packed:
            return stored(head, sheet.block + END, self._level)
        return compressed(head + sheet.block + END, self._level)

    def _lay(self, member: bytes) -> Place:
        place = Place(self._name, self.end, len(member))
        self._members.append(member)
        self.end += len(member)
        return place
