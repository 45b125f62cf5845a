"""The records of one batch on their way into one file."""

from collections.abc import Callable

from recrawl.archive.member import compressed, stored
from recrawl.archive.reading import REVISIT_TYPE, index_line
from recrawl.archive.record import END, Record, digits14, render, render_head, warc_date
from recrawl.archive.warc import Exchange, unchanged
from recrawl.formats.cdxj import CdxLine
from recrawl.model.capture import Capture, Place


class Tray:
    """Filled by `append` of the archive, emptied by one write; `end` is where the file will end after it."""

    def __init__(self, file: str, start: int, compress_level: int) -> None:
        self.end = start
        self.lines: list[CdxLine] = []
        self._by_url: dict[str, list[CdxLine]] = {}
        self._file, self._level = file, compress_level
        self._members: list[bytes] = []

    def __bool__(self) -> bool:
        return bool(self._members)

    @property
    def data(self) -> bytes:
        return b"".join(self._members)

    def add(self, exchange: Exchange) -> Place:
        """The main record first, then those beside it."""
        place = self.put(exchange.main, exchange.packed)
        if line := index_line(exchange.main, place.offset, place.length, self._file):
            self.lines.append(line)
            self._by_url.setdefault(line.url, []).append(line)
        for record in exchange.beside:
            self.put(record)
        return place

    def add_unchanged(self, capture: Capture, original: CdxLine, new_id: Callable[[], str]) -> Place:
        """A 304 to what was asked of the original, at the same address."""
        date = warc_date(capture.at)
        place = self._lay(compressed(unchanged(capture, original, date, new_id), self._level))
        sha256 = original.field("sha256")
        self.lines.append(
            CdxLine(
                original.urlkey, digits14(date), original.url, REVISIT_TYPE, "", original.digest, place.length,
                place.offset, self._file, (("sha256", sha256),) if sha256 else (),
            )
        )  # fmt: skip
        return place

    def lines_of(self, url: str) -> list[CdxLine]:
        return self._by_url.get(url, [])

    def put(self, record: Record, packed: bool = False) -> Place:
        """`packed`: the block is compressed already and lies in the member as it is."""
        if packed:
            member = stored(render_head(record), record.block + END, self._level)
        else:
            member = compressed(render(record), self._level)
        return self._lay(member)

    def _lay(self, member: bytes) -> Place:
        place = Place(self._file, self.end, len(member))
        self._members.append(member)
        self.end += len(member)
        return place
