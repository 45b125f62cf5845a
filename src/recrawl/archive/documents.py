"""S2's stored form: the newest HTML of each document under a generated name, with its XML record beside it.

    documents/<site>/<ab>/<16 digits of the address's fingerprint>.html
    documents/<site>/<ab>/<16 digits of the address's fingerprint>.xml

In come documents as they were fetched, newest last; out go the same bytes. What always holds: no part of an address or
of a category gets into a name, a site's name only in a safe spelling; a record exists only beside its whole HTML; a
kill leaves the old pair or the new HTML with the old record, which the repeated visit puts right.
"""

import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from recrawl.archive.open_file import raise_as_ours
from recrawl.model.address import fingerprint, server_of
from recrawl.model.failure import NotFound
from recrawl.model.late import late_module
from recrawl.model.values import dataclass

if TYPE_CHECKING:
    from recrawl.formats.doc_record import DocRecord

_RECORDS = late_module("recrawl.formats.doc_record")  # few sites have them

HTML, RECORD, NEW = ".html", ".xml", ".new"
LONGEST_NAME = 80
WORD = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class StoredDocument:
    """One document to be kept: `body` is its HTML, decoded, byte for byte."""

    url: str
    site: str
    category: str
    at: float
    body: bytes


class DocumentFolder:
    """The newest copies in a folder of plain files."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def put(self, documents: Sequence[StoredDocument]) -> None:
        """The HTML first, then its record, each in one piece."""
        for one in documents:
            stem = self._stem(one.site, one.url)
            try:
                stem.parent.mkdir(parents=True, exist_ok=True)
                _replace(stem.with_name(stem.name + HTML), one.body)
                _replace(stem.with_name(stem.name + RECORD), _RECORDS.render(record_of(one, stem.name + HTML)).encode())
            except OSError as wrong:
                raise_as_ours(wrong, self._folder)

    def read(self, url: str, site: str) -> "tuple[DocRecord, bytes]":
        record = self._stem(site, url)
        record = record.with_name(record.name + RECORD)
        if not record.exists():
            raise NotFound(f"no document of {url} is kept in {self._folder}")
        return _pair(record)

    def walk(self) -> "Iterator[tuple[DocRecord, bytes]]":
        """Every document, in order of its name."""
        for record in sorted(self._folder.glob(f"*/*/*{RECORD}")):
            yield _pair(record)

    def _stem(self, site: str, url: str) -> Path:
        digits = f"{fingerprint(url) & WORD:016x}"
        return self._folder / safe_name(site) / digits[:2] / digits


def record_of(one: StoredDocument, file: str) -> "DocRecord":
    date = datetime.fromtimestamp(one.at, UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    domain = server_of(one.url).partition(":")[0] if "[" not in one.url else server_of(one.url)
    record: DocRecord = _RECORDS.DocRecord(one.url, file, one.site, domain, one.category, date)
    return record


def safe_name(name: str) -> str:
    """A name for one folder on any disk; where letters had to go, digits tell it from others."""
    safe = re.sub(r"[^A-Za-z0-9._-]", "_", name).strip(".")[:LONGEST_NAME]
    return safe if safe and safe == name else f"{safe}-{fingerprint(name) & WORD:016x}"


def _pair(record: Path) -> "tuple[DocRecord, bytes]":
    parsed = _RECORDS.parse(record.read_bytes(), str(record))
    return parsed, record.with_name(Path(parsed.file).name).read_bytes()


def _replace(file: Path, data: bytes) -> None:
    fresh = file.with_name(file.name + NEW)
    with fresh.open("wb") as out:
        out.write(data)
    fresh.replace(file)
