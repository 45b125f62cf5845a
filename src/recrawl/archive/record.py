"""One WARC 1.1 record as a value, its bytes, and back."""

import hashlib
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache
from math import modf
from urllib.parse import quote

from recrawl.model.late import late
from recrawl.model.swift import swift
from recrawl.model.values import dataclass
from recrawl.native import compiled

VERSION = b"WARC/1.1\r\n"
END = b"\r\n\r\n"
LENGTH = "content-length"
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567"
BASE_32 = [
    first + second for first in LETTERS for second in LETTERS
]  # ten bits at a time: b32encode takes thrice as long
SAFE_ADDRESS = late(r"[\x21-\x7e]+")

Fields = tuple[tuple[str, str], ...]


class BrokenRecord(ValueError):
    """The bytes are not one whole WARC record."""


@swift
@dataclass(frozen=True, slots=True)
class Record:
    """`fields` are the named fields but for Content-Length, which is the block's."""

    fields: Fields
    block: bytes = b""

    def field(self, name: str) -> str:
        """The first value of a named field, whatever its case; '' if absent."""
        for key, value in self.fields:
            if key == name:
                return value
        wanted = name.lower()
        for key, value in self.fields:
            if key.lower() == wanted:
                return value
        return ""

    @property
    def kind(self) -> str:
        return self.field("WARC-Type")


def render_head(record: Record) -> bytes:
    """Version line and named fields; the block and `END` follow. Empty fields are left out."""
    lines = "".join([f"{name}: {value}\r\n" for name, value in record.fields if value])
    return VERSION + lines.encode("utf-8") + b"Content-Length: %d\r\n\r\n" % len(record.block)


def render(record: Record) -> bytes:
    return render_head(record) + record.block + END


def parse(data: bytes) -> Record:
    """The inverse of `render`: the bytes of exactly one whole record, or `BrokenRecord`."""
    plain: tuple[Fields, bytes] | None = compiled.record_parts(data) if compiled is not None else None
    return odd_record(data) if plain is None else Record(*plain)


def odd_record(data: bytes) -> Record:
    """`parse` of any bytes."""
    head, gap, rest = data.partition(END)
    first, _, lines = head.partition(b"\r\n")
    if not gap or not first.startswith(b"WARC/1."):
        raise BrokenRecord("no WARC header")
    parted = [line.partition(":") for line in lines.decode("utf-8", "replace").split("\r\n") if line]
    fields = [(name, value.strip(" \t")) for name, _, value in parted]
    lengths = [field for field in fields if len(field[0]) == len(LENGTH) and field[0].lower() == LENGTH]
    length = lengths[0][1] if lengths else ""
    if not length.isdecimal() or len(rest) != int(length) + len(END) or not rest.endswith(END):
        raise BrokenRecord("the block is not as long as its header says")
    for field in lengths:
        fields.remove(field)
    return Record(tuple(fields), rest[: -len(END)])


def sha1(data: bytes) -> str:
    """The digest that readers verify: sha1 in base 32."""
    return sha1_text(hashlib.sha1(data, usedforsecurity=False).digest())


def digests_of(head: bytes, payload: bytes) -> tuple[bytes, bytes]:
    """The sha1 of the payload, and of the block that both make."""
    block = hashlib.sha1(head, usedforsecurity=False)
    block.update(payload)
    return hashlib.sha1(payload, usedforsecurity=False).digest(), block.digest()


def plain_sha1_text(digest: bytes) -> str:
    number = int.from_bytes(digest, "big")
    return "sha1:" + "".join([BASE_32[number >> shift & 1023] for shift in range(150, -1, -10)])


sha1_text: Callable[[bytes], str] = plain_sha1_text if compiled is None else compiled.sha1_text


def warc_date(at: float) -> str:
    """UTC with microseconds, which WARC 1.1 allows; whole seconds without a fraction."""
    plain: str | None = compiled.warc_date(at) if compiled is not None else None
    return odd_warc_date(at) if plain is None else plain


def odd_warc_date(at: float) -> str:
    """`warc_date` of any moment."""
    fraction, second = modf(at)
    microseconds = round(fraction * 1e6)
    if not 0 < microseconds < 1_000_000:
        return datetime.fromtimestamp(at, UTC).isoformat().removesuffix("+00:00") + "Z"
    return f"{_second(second)}.{microseconds:06d}Z"


@lru_cache(maxsize=512)  # a crawl writes hundreds of records a second
def _second(at: float) -> str:
    return datetime.fromtimestamp(at, UTC).isoformat().removesuffix("+00:00")


def at_of(date: str) -> float:
    try:
        return datetime.fromisoformat(date).timestamp()
    except ValueError:
        raise BrokenRecord(f"{date!r} is no WARC-Date") from None


def timestamp14(at: float) -> str:
    return digits14(warc_date(at))


def digits14(date: str) -> str:
    """`yyyymmddhhmmss` of a WARC-Date."""
    return date[:4] + date[5:7] + date[8:10] + date[11:13] + date[14:16] + date[17:19]


def target_uri(url: str) -> str:
    """An address as a WARC field can hold it. A canonical address passes unchanged."""
    return (
        url if SAFE_ADDRESS.fullmatch(url) else quote(url, safe="!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", errors="replace")
    )


def record_id(identity: str) -> str:
    """Of a UUID, however much of what WARC wants around it is there already."""
    return identity if identity.startswith("<") else f"<urn:uuid:{identity.removeprefix('urn:uuid:')}>"
