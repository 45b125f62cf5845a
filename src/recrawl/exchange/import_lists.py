"""Addresses out of files that list them: plain lists, sitemaps, OPML, CSV."""

import csv
import gzip
import io
import zlib
from collections.abc import Callable, Iterator

from recrawl.formats import opml, sitemap_xml
from recrawl.model.failure import FormatError
from recrawl.model.site import Kind
from recrawl.model.values import dataclass

LARGEST = 256 << 20  # bytes of a list when unpacked
URL_COLUMNS = ("url", "address", "link", "loc", "uri", "href")


@dataclass(frozen=True, slots=True)
class Wanted:
    url: str
    kind: Kind = Kind.GENERAL
    category: str = ""
    importance: float = 1.0


def unpacked(data: bytes, source: str) -> bytes:
    """A list may come gzipped."""
    if not data.startswith(b"\x1f\x8b"):
        return data
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(data)) as file:
            plain = file.read(LARGEST + 1)
    except (OSError, EOFError, zlib.error) as wrong:
        raise FormatError(f"damaged: {wrong}", source=source) from None
    if len(plain) > LARGEST:
        raise FormatError(f"more than {LARGEST} bytes when unpacked", source=source)
    return plain


def from_lines(data: bytes, source: str) -> Iterator[Wanted]:
    """One address a line; what follows white space and lines that begin with # are passed over."""
    for line in _text(data, source).splitlines():
        plain = line.strip()
        if plain and not plain.startswith("#"):
            yield Wanted(plain.split()[0])


def from_sitemap(data: bytes, source: str) -> Iterator[Wanted]:
    sitemap = sitemap_xml.parse(data, source)
    kind = Kind.SIGNAL if sitemap.index else Kind.GENERAL
    yield from (Wanted(entry.url, kind) for entry in sitemap.entries)


def from_opml(data: bytes, source: str) -> Iterator[Wanted]:
    """A feed is a page that speaks of others; the folder it stands in is its category."""
    for one in opml.parse(data, source):
        if one.feed:
            yield Wanted(one.feed, Kind.SIGNAL, one.folder)
        if one.page:
            yield Wanted(one.page, Kind.GENERAL, one.folder)


def from_csv(data: bytes, source: str) -> Iterator[Wanted]:
    """With a head: a column `url` (or address, link, loc, uri, href), and if there are, kind, category, importance."""
    reader = csv.DictReader(io.StringIO(_text(data, source), newline=""))
    try:
        yield from _rows(reader, source)
    except csv.Error as error:
        raise FormatError(f"not a table: {error}", reader.line_num + 1, source=source) from error


def _rows(reader: "csv.DictReader[str]", source: str) -> Iterator[Wanted]:
    names = {(name or "").strip().lower(): name for name in reader.fieldnames or ()}
    column = next((names[name] for name in URL_COLUMNS if name in names), None)
    if column is None:
        raise FormatError(f"no column with addresses: call one of them {' or '.join(URL_COLUMNS[:3])}", 1, 1, source)
    for row in reader:
        told = {name: (row.get(key) or "").strip() for name, key in names.items() if key is not None}
        if url := (row.get(column) or "").strip():
            yield Wanted(url, *_facts(told, reader.line_num, source))


def _facts(told: dict[str, str], line: int, source: str) -> tuple[Kind, str, float]:
    kind, importance = told.get("kind", "") or Kind.GENERAL, told.get("importance", "") or "1"
    if kind not in list(Kind):
        raise FormatError(f"{kind!r} is no kind of page; there are {', '.join(Kind)}", line, source=source)
    try:
        weight = float(importance)
    except ValueError:
        weight = -1.0
    if not 0 < weight < 1e9:
        raise FormatError(f"{importance!r} is no importance: write a number above 0", line, source=source)
    return Kind(kind), told.get("category", ""), weight


def _text(data: bytes, source: str) -> str:
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as wrong:
        raise FormatError(f"not UTF-8 at byte {wrong.start}: save the list as UTF-8", source=source) from None


LISTS: dict[str, Callable[[bytes, str], Iterator[Wanted]]] = {
    "urls": from_lines,
    "sitemap": from_sitemap,
    "opml": from_opml,
    "csv": from_csv,
}
BY_NAME = {".txt": "urls", ".urls": "urls", ".lst": "urls", ".xml": "sitemap", ".opml": "opml", ".csv": "csv"}
BY_NAME |= {".warc": "warc", ".wacz": "warc", ".cdxj": "cdxj", ".cdx": "cdxj"}


def format_of(name: str, start: bytes) -> str:
    """By the file's name, else by how it begins."""
    plain = name.lower().removesuffix(".gz")
    ending = plain[plain.rfind(".") :] if "." in plain else ""
    if ending == ".xml" and b"<opml" in start:
        return "opml"
    if ending in BY_NAME:
        return BY_NAME[ending]
    if start.startswith((b"WARC/", b"PK\x03\x04")):
        return "warc"
    if start.lstrip().startswith(b"<"):
        return "opml" if b"<opml" in start else "sitemap"
    return "urls"
