"""warcio as a judge: what `warcio check` would complain of, and what its reader finds."""

from dataclasses import dataclass
from io import BytesIO
from pathlib import Path

from warcio.archiveiterator import ArchiveIterator


@dataclass(frozen=True, slots=True)
class Found:
    url: str
    status: str
    sent: bytes
    body: bytes


def problems(file: Path | bytes) -> list[str]:
    """As `warcio check`: every record whole and every digest right; an unreadable file raises."""
    found: list[str] = []
    reader = ArchiveIterator(_stream(file), check_digests=True)
    for record in reader:
        record.content_stream().read()
        if record.digest_checker.passed is False:
            found += record.digest_checker.problems
    return found + (["content lengths are wrong"] if reader.err_count else [])


def responses(file: Path | bytes) -> list[Found]:
    sent = [record.raw_stream.read() for record in ArchiveIterator(_stream(file)) if record.rec_type == "response"]
    found = []
    for record in ArchiveIterator(_stream(file)):
        if record.rec_type == "response":
            status, url = record.http_headers.get_statuscode(), record.rec_headers.get_header("WARC-Target-URI")
            found.append(Found(url, status, sent[len(found)], record.content_stream().read()))
    return found


def _stream(file: Path | bytes) -> BytesIO:
    return BytesIO(file if isinstance(file, bytes) else file.read_bytes())
