"""One WARC 1.1 record as a value, its bytes, and back."""

import base64
import hashlib
import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from urllib.parse import quote

VERSION = b"WARC/1.1\r\n"
END = b"\r\n\r\n"
SAFE_ADDRESS = re.compile(r"[\x21-\x7e]+")

Fields = tuple[tuple[str, str], ...]


class BrokenRecord(ValueError):
    """The bytes are not one whole WARC record."""


@dataclass(frozen=True, slots=True)
class Record:
    """`fields` are the named fields but for Content-Length, which is the block's."""

    fields: Fields
    block: bytes = b""

    def field(self, name: str) -> str:
        """The first value of a named field, whatever its case; '' if absent."""
        wanted = name.lower()
        return next((value for key, value in self.fields if key.lower() == wanted), "")

    @property
    def kind(self) -> str:
        return self.field("WARC-Type")


def render_head(record: Record) -> bytes:
    """Version line and named fields; the block and `END` follow."""
    lines = "".join(f"{name}: {_one_line(value)}\r\n" for name, value in _present(record.fields))
    return VERSION + lines.encode("utf-8") + b"Content-Length: %d\r\n\r\n" % len(record.block)


def render(record: Record) -> bytes:
    return render_head(record) + record.block + END


def parse(data: bytes) -> Record:
    """The inverse of `render`: the bytes of exactly one whole record, or `BrokenRecord`."""
    head, gap, rest = data.partition(END)
    first, _, lines = head.partition(b"\r\n")
    if not gap or not first.startswith(b"WARC/1."):
        raise BrokenRecord("no WARC header")
    fields = tuple(_field(line) for line in lines.decode("utf-8", "replace").split("\r\n") if line)
    length = next((value for name, value in fields if name.lower() == "content-length"), "")
    if not length.isdecimal() or len(rest) != int(length) + len(END) or not rest.endswith(END):
        raise BrokenRecord("the block is not as long as its header says")
    return Record(tuple(pair for pair in fields if pair[0].lower() != "content-length"), rest[: -len(END)])


def _present(fields: Iterable[tuple[str, str]]) -> Iterable[tuple[str, str]]:
    return ((name, value) for name, value in fields if value)


def _field(line: str) -> tuple[str, str]:
    name, _, value = line.partition(":")
    return name, value.strip(" \t")


def _one_line(value: str) -> str:
    return " ".join(value.split("\n")).replace("\r", " ")


def sha1(data: bytes) -> str:
    """The digest that readers verify: sha1 in base 32."""
    return "sha1:" + base64.b32encode(hashlib.sha1(data, usedforsecurity=False).digest()).decode("ascii")


def warc_date(at: float) -> str:
    """UTC with microseconds, which WARC 1.1 allows; whole seconds without a fraction."""
    moment = datetime.fromtimestamp(at, UTC)
    return moment.strftime("%Y-%m-%dT%H:%M:%S") + (f".{moment.microsecond:06d}Z" if moment.microsecond else "Z")


def at_of(date: str) -> float:
    try:
        return datetime.fromisoformat(date).astimezone(UTC).timestamp()
    except ValueError:
        raise BrokenRecord(f"{date!r} is no WARC-Date") from None


def timestamp14(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).strftime("%Y%m%d%H%M%S")


def target_uri(url: str) -> str:
    """An address as a WARC field can hold it. A canonical address passes unchanged."""
    return (
        url if SAFE_ADDRESS.fullmatch(url) else quote(url, safe="!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", errors="replace")
    )


def record_id(identity: str) -> str:
    return f"<urn:uuid:{identity.removeprefix('urn:uuid:')}>"
