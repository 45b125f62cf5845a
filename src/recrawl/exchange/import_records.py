"""WARC records of anybody, one after another: plain, gzipped in members or as a whole, or inside a WACZ."""

import gzip
import re
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

from recrawl.archive.http_head import HEAD_END, headers_of
from recrawl.archive.reading import RESOURCE
from recrawl.archive.record import BrokenRecord, Record, at_of
from recrawl.fetch.evidence import answered
from recrawl.model.failure import FormatError
from recrawl.model.visit import Ask, Limits, Reply

Stream = IO[bytes] | gzip.GzipFile

LARGEST_HEAD = 64 * 1024
LARGEST_BLOCK = 256 << 20
GZIP, ZIP, WARC = b"\x1f\x8b", b"PK\x03\x04", b"WARC/"
CHUNK_SIZE = re.compile(rb"([0-9A-Fa-f]{1,8})(?:[ \t]*;[^\r\n]*)?[ \t]*\r\n")
STATUS = re.compile(rb"HTTP/[0-9](?:\.[0-9])?[ \t]+([1-9][0-9]{2})(?![0-9])")  # HTTP/2 has no such line; some write one
WEB = ("http://", "https://")
ASKED = Ask("", etag='"archived"')  # makes a 304 count as an answer to a condition


class TornEnd(Exception):
    """The last record is not whole: whoever wrote it was stopped. What came before it is as good as ever."""


class Unusable(Exception):
    """A record tells of an answer of the web, and what it was cannot be known. `why`: what to count it as."""

    def __init__(self, why: str) -> None:
        super().__init__(why)
        self.why = why


def records(file: Path) -> Iterator[Record]:
    """Every record that can be read. What is broken in the middle ends it with an error that names the place, a torn
    end with `TornEnd`."""
    with file.open("rb") as stream:
        start = stream.read(5)
        stream.seek(0)
        if start.startswith(ZIP):
            yield from _in_zip(stream, file)
        elif start.startswith(GZIP):
            with gzip.GzipFile(fileobj=stream) as plain, _damage_named(file):
                yield from _in_stream(plain, str(file))
        else:
            yield from _in_stream(stream, str(file))


def _in_zip(stream: IO[bytes], file: Path) -> Iterator[Record]:
    """Names inside are only looked at, never used as paths."""
    with _damage_named(file), zipfile.ZipFile(stream) as bundle:
        names = [name for name in bundle.namelist() if name.endswith((".warc", ".warc.gz"))]
        if not names:
            raise FormatError("no WARC in this ZIP", source=str(file))
        for name in sorted(names):
            with bundle.open(name) as member:
                plain: Stream = gzip.GzipFile(fileobj=member) if name.endswith(".gz") else member
                yield from _in_stream(plain, f"{file}:{name}")


@contextmanager
def _damage_named(file: Path) -> Iterator[None]:
    try:
        yield
    except EOFError:
        raise TornEnd from None
    except (OSError, zlib.error, zipfile.BadZipFile) as wrong:
        raise FormatError(f"damaged: {wrong}", source=str(file)) from None


def _in_stream(stream: Stream, source: str) -> Iterator[Record]:
    number = 0
    while True:
        line = stream.readline(LARGEST_HEAD)
        if not line:
            return
        if not line.strip():
            continue
        number += 1
        if not line.startswith(WARC):
            raise FormatError(f"record {number} does not begin like a WARC record", source=source)
        fields = tuple(_fields(stream))
        length = next((value for name, value in fields if name.lower() == "content-length"), "")
        if not length.isascii() or not length.isdecimal() or int(length) > LARGEST_BLOCK:
            raise FormatError(f"record {number} has no length that makes sense", source=source)
        block = stream.read(int(length))
        if len(block) < int(length):
            raise TornEnd
        yield Record(tuple(pair for pair in fields if pair[0].lower() != "content-length"), block)


def _fields(stream: Stream) -> Iterator[tuple[str, str]]:
    left = LARGEST_HEAD
    while left > 0 and (line := stream.readline(left)).strip():
        left -= len(line)
        name, _, value = line.decode("utf-8", "replace").partition(":")
        yield name.strip(), value.strip()


def reply_of(record: Record, limits: Limits) -> Reply | None:
    """What the crawler that wrote the record saw; None if the record tells of no answer of the web."""
    url = record.field("WARC-Target-URI").strip("<>")
    if record.kind not in ("response", "revisit", RESOURCE) or not url.startswith(WEB):
        return None
    try:
        at = at_of(record.field("WARC-Date"))
    except BrokenRecord:
        raise Unusable("unreadable") from None
    if record.kind == "revisit":
        return answered(Ask(url, etag=ASKED.etag, limits=limits), at, 304)
    ask = Ask(url, limits=limits)
    if record.kind == RESOURCE:
        named = (("content-type", record.field("Content-Type")),)
        return answered(ask, at, 200, named, record.block, received_bytes=len(record.block))
    return _answer(record, ask, at) if record.field("Content-Type").startswith("application/http") else None


def _answer(record: Record, ask: Ask, at: float) -> Reply:
    if record.field("WARC-Truncated"):
        raise Unusable("cut")
    end = HEAD_END.search(record.block)
    head, payload = (record.block[: end.end()], record.block[end.end() :]) if end else (record.block, b"")
    status = STATUS.match(head)
    if status is None:
        raise Unusable("unreadable")
    headers = headers_of(head)
    coded = [value.lower() for name, value in headers if name == "transfer-encoding"]
    body = _unchunked(payload) if coded and "chunked" in coded[-1] else payload
    return answered(ask, at, int(status[1]), headers, body, raw_head=head, received_bytes=len(record.block))


def _unchunked(payload: bytes) -> bytes:
    """Some tools keep the chunks, some undo them and keep the header: what does not parse is taken as it is."""
    pieces, at = list[bytes](), 0
    while found := CHUNK_SIZE.match(payload, at):
        size = int(found[1], 16)
        if size == 0:
            return b"".join(pieces)
        pieces.append(payload[found.end() : found.end() + size])
        at = found.end() + size + 2
        if len(pieces[-1]) < size or payload[at - 2 : at] != b"\r\n":
            return payload
    return payload
