"""Reads a sitemap as the web has it: XML or plain text, perhaps gzipped, perhaps broken off, never a bomb."""

import zlib
from itertools import islice

from recrawl.formats import sitemap_xml
from recrawl.formats.sitemap_xml import LONGEST_ADDRESS, MOST_BYTES, MOST_ENTRIES, Listed
from recrawl.model.late import late
from recrawl.model.values import dataclass

TOO_LARGE = " bytes"  # how such a fault ends
_GZIP = b"\x1f\x8b"
_UTF_16 = (b"\xff\xfe", b"\xfe\xff")
_ADDRESS = late(rb"(?:^|[\r\n])[ \t]*+(https?://[^\r\n]*+)")


@dataclass(frozen=True, slots=True)
class SitemapReading:
    """`fault` '' unless something was wrong; what could be read all the same stands in `entries`.
    `other`: XML, but not a sitemap (a feed, perhaps)."""

    entries: tuple[Listed, ...] = ()
    index: bool = False
    fault: str = ""
    cut: bool = False  # there were more entries than may be read
    other: bool = False
    too_large: bool = False  # it is longer, or unpacks to more, than may be read


def read_sitemap(body: bytes, most_bytes: int = MOST_BYTES, most_entries: int = MOST_ENTRIES) -> SitemapReading:
    plain, fault = unzipped(body, most_bytes)
    if fault:
        return SitemapReading(fault=fault, too_large=fault.endswith(TOO_LARGE))
    if plain.startswith(_UTF_16):
        return _from_xml(plain, most_entries)
    start = plain[:1024].lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if not start:
        return SitemapReading(fault="empty")
    if start.startswith((b"<!doctype html", b"<html")):
        return SitemapReading(fault="an HTML page, not a sitemap", other=True)
    return _from_xml(plain, most_entries) if start.startswith(b"<") else _from_text(plain, most_entries)


def unzipped(body: bytes, most_bytes: int) -> tuple[bytes, str]:
    """The plain bytes, or a fault. Never more than `most_bytes` are unpacked."""
    if not body.startswith(_GZIP):
        return (body, "") if len(body) <= most_bytes else (b"", f"longer than {most_bytes}{TOO_LARGE}")
    unpacker = zlib.decompressobj(wbits=31)
    try:
        plain = unpacker.decompress(body, most_bytes + 1)
    except zlib.error as error:
        return b"", f"broken gzip: {error}"
    if len(plain) > most_bytes:
        return b"", f"unpacks to more than {most_bytes}{TOO_LARGE}"
    return plain, ""


def _from_xml(plain: bytes, most: int) -> SitemapReading:
    heard = sitemap_xml.hear(plain if plain.startswith(_UTF_16) else plain.lstrip(b"\xef\xbb\xbf \t\r\n"), most)
    if heard.root not in ("urlset", "sitemapindex"):
        return SitemapReading(fault=heard.ended.fault or f"<{heard.root}> is no sitemap", other=True)
    ended = heard.ended
    fault = f"line {ended.line}, column {ended.column}: {ended.fault}" if ended.fault else ""
    return SitemapReading(heard.sitemap.entries, heard.sitemap.index, fault, ended.enough)


def _from_text(plain: bytes, most: int) -> SitemapReading:
    """The text form of the protocol: one address a line. Read line by line: there may be millions of them."""
    lines = _ADDRESS.finditer(plain.removeprefix(b"\xef\xbb\xbf"))
    urls = (line[1].decode("utf-8", "replace").strip() for line in lines)
    sound = tuple(Listed(url) for url in islice(filter(_is_short, urls), most + 1))
    if not sound:
        return SitemapReading(fault="no addresses in it", other=True)
    return SitemapReading(sound[:most], cut=len(sound) > most)


def _is_short(url: str) -> bool:
    return len(url) <= LONGEST_ADDRESS
