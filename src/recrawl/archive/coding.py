"""Content codings: which bodies are stored as they were sent, and how those are decoded again, bounded.

Stored as sent is what every reader of web archives decodes: plain, one gzip member, deflate. Anything else (br, zstd,
several codings, several members) is stored decoded: warcio stops at `br` where the usual brotli library is installed
and hands out zstd undecoded, and of several gzip members it reads the first.
"""

from collections.abc import Callable

from recrawl.archive.deflate import BROKEN, GZIP, RAW, ZLIB, decompressobj
from recrawl.model.headers import all_values


class Undecodable(ValueError):
    """A content coding that is unknown, broken or too large when undone."""


def readable_as_sent(codings: list[str], sent: bytes, body: bytes) -> bool:
    """Whether any reader gets `body` out of `sent`."""
    if sent == body:
        return True
    if codings == ["gzip"]:
        return sent[-4:] == (len(body) & 0xFFFFFFFF).to_bytes(4, "little")  # one member says its size at the end
    return codings == ["deflate"]


def decoded(payload: bytes, codings: list[str], limit_bytes: int) -> bytes:
    """Undo the codings of a Content-Encoding header, the last one first."""
    for coding in reversed(codings):
        undo = DECODERS.get(coding)
        if undo is None:
            raise Undecodable(f"unknown content coding {coding!r}")
        payload = undo(payload, limit_bytes) if payload else payload
        if len(payload) > limit_bytes:
            raise Undecodable(f"more than {limit_bytes} bytes when decoded")
    return payload


def codings_of(headers: tuple[tuple[str, str], ...]) -> list[str]:
    """`headers` with lower-case names; several headers are one list."""
    values = all_values(headers, "content-encoding")
    if not values or values == ["gzip"]:
        return values  # as nearly always
    return [coding for part in ",".join(values).split(",") if (coding := part.strip(" \t").lower())]


def _identity(payload: bytes, _limit_bytes: int) -> bytes:
    return payload


def _gunzip(payload: bytes, limit_bytes: int) -> bytes:
    return _inflate(payload, limit_bytes, GZIP)


def _deflate(payload: bytes, limit_bytes: int) -> bytes:
    """Servers mean two things by it: zlib's format, and the bare stream."""
    try:
        return _inflate(payload, limit_bytes, ZLIB)
    except Undecodable:
        return _inflate(payload, limit_bytes, RAW)


def _inflate(payload: bytes, limit_bytes: int, wbits: int) -> bytes:
    unpacker = decompressobj(wbits=wbits)
    try:
        data = unpacker.decompress(payload, limit_bytes + 1)
    except BROKEN as wrong:
        raise Undecodable(str(wrong)) from None
    if not unpacker.eof and len(data) <= limit_bytes:
        raise Undecodable("cut off")
    return bytes(data)


DECODERS: dict[str, Callable[[bytes, int], bytes]] = {"identity": _identity, "gzip": _gunzip, "deflate": _deflate}
