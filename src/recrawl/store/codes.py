"""Closed sets as small numbers, digests as bytes, addresses without their server: what the rows hold instead."""

from enum import StrEnum
from functools import lru_cache
from typing import Generic, TypeVar

from recrawl.model.address import fingerprint
from recrawl.model.event import EventKind
from recrawl.model.notice import NoticeKind, Source
from recrawl.model.page import Status
from recrawl.model.record import RecordSource
from recrawl.model.site import Kind
from recrawl.model.verdict import Change
from recrawl.model.visit import Evidence, Why

Member = TypeVar("Member", bound=StrEnum)

SHA256 = "sha256:"
SHA256_BYTES = 32
SIGN = 1 << 63
LEAST, MOST = -SIGN, SIGN - 1  # ids
WORD = 1 << 64


class Code(Generic[Member]):
    """A closed set and its numbers. A number once given is never given to another member: it stands in files."""

    def __init__(self, numbers: dict[Member, int]) -> None:
        self.number = numbers
        self.member = {number: member for member, number in numbers.items()}


KIND = Code({Kind.GENERAL: 0, Kind.LIST: 1, Kind.DETAIL: 2, Kind.SIGNAL: 3})
STATUS = Code(
    {Status.NEW: 0, Status.LIVE: 1, Status.MOVED: 2, Status.GONE: 3, Status.REFUSED: 4, Status.DROPPED: 5},
)
WHY = Code({Why.FIRST: 0, Why.DUE: 1, Why.ASKED: 2, Why.NOTICE: 3, Why.RETRY: 4, Why.PROBE: 5})
EVIDENCE = Code(
    {
        Evidence.DOCUMENT: 0,
        Evidence.NOT_MODIFIED: 1,
        Evidence.REDIRECT: 2,
        Evidence.MISSING: 3,
        Evidence.REFUSED: 4,
        Evidence.BUSY: 5,
        Evidence.BROKEN: 6,
        Evidence.FAILED: 7,
    }
)
CHANGE = Code(
    {Change.NEW: 0, Change.SAME: 1, Change.CHANGED: 2, Change.MOVED: 3, Change.GONE: 4, Change.UNKNOWN: 5},
)
EVENT = Code(
    {
        EventKind.ADDED: 0,
        EventKind.UPDATED: 1,
        EventKind.MOVED: 2,
        EventKind.REMOVED: 3,
        EventKind.SERVER_FAILING: 4,
        EventKind.SERVER_RECOVERED: 5,
        EventKind.SERVER_OVERLOADED: 6,
        EventKind.SERVER_RELIEVED: 7,
        EventKind.ROBOTS_CHANGED: 8,
        EventKind.ALIAS_FOUND: 9,
        EventKind.LIMIT_HIT: 10,
        EventKind.ARCHIVE_REPAIRED: 11,
        EventKind.DISK_FLOOR: 12,
        EventKind.STARTED: 13,
        EventKind.STOPPED: 14,
        EventKind.WRAPPER_BROKEN: 20,
        EventKind.WRAPPER_MENDED: 21,
        EventKind.LOST: 22,
    }
)
SOURCE = Code(
    {
        Source.AGENT: 0,
        Source.SITEMAP: 1,
        Source.FEED: 2,
        Source.INDEXNOW: 3,
        Source.WEBSUB: 4,
        Source.WEBHOOK: 5,
        Source.LIST: 6,
    }
)
RECORD_SOURCE = Code(
    {RecordSource.FIELDS: 0, RecordSource.JSON_LD: 1, RecordSource.MICRODATA: 2, RecordSource.OPENGRAPH: 3},
)
NOTICE_KIND = Code({NoticeKind.ADDED: 0, NoticeKind.UPDATED: 1, NoticeKind.DELETED: 2})


def pack_digest(digest: str) -> bytes | None:
    """`sha256:` and 64 lower-case digits in 32 bytes, nothing as nothing, any other text as itself behind a mark;
    the second mark keeps such a text from being 32 bytes long."""
    if not digest:
        return None
    if digest.startswith(SHA256) and len(digest) == len(SHA256) + 2 * SHA256_BYTES:
        packed = _bytes_of_hex(digest[len(SHA256) :])
        if packed is not None:
            return packed
    plain = b"=" + digest.encode("utf-8")
    return plain if len(plain) != SHA256_BYTES else b"+" + plain


def unpack_digest(packed: bytes | None) -> str:
    if not packed:
        return ""
    if len(packed) == SHA256_BYTES:
        return SHA256 + packed.hex()
    return packed[packed.index(b"=") + 1 :].decode("utf-8")


def _bytes_of_hex(digits: str) -> bytes | None:
    """The bytes, unless writing them out again would give other digits."""
    try:
        packed = bytes.fromhex(digits)
    except ValueError:
        return None
    return packed if packed.hex() == digits else None


def signed(word: int) -> int:
    """An unsigned 64-bit number as the signed one with the same bits."""
    return word - WORD if word >= SIGN else word


def unsigned(word: int) -> int:
    return word + WORD if word < 0 else word


server_number = lru_cache(maxsize=4096)(fingerprint)  # of a server's key: many rows name the same


def pack_url(url: str, server: str) -> str:
    """An address without what its server tells: `/path` for https, `h/path` for http, any other as it is."""
    secure, plain = f"https://{server}/", f"http://{server}/"
    if url.startswith(secure):
        return url[len(secure) - 1 :]
    if url.startswith(plain):
        return "h" + url[len(plain) - 1 :]
    return url


def unpack_url(packed: str, server: str) -> str:
    if packed.startswith("/"):
        return f"https://{server}{packed}"
    if packed.startswith("h/"):
        return f"http://{server}{packed[1:]}"
    return packed
