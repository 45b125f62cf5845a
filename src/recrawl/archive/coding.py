"""Undoes content codings, bounded: what came out of the archive may not eat the memory of the reader."""

from collections.abc import Callable

import brotli
import zstandard

from recrawl.archive.deflate import BROKEN, GZIP, RAW, ZLIB, decompressobj

PIECE_BYTES = 64 * 1024


class Undecodable(ValueError):
    """A content coding that is unknown, broken or too large when undone."""


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
    values = ",".join(value for name, value in headers if name == "content-encoding")
    return [coding for part in values.split(",") if (coding := part.strip(" \t").lower())]


def _identity(payload: bytes, _limit_bytes: int) -> bytes:
    return payload


def _inflate(payload: bytes, limit_bytes: int, wbits: int) -> tuple[bytes, bytes]:
    """One stream: what it held, and what followed it."""
    unpacker = decompressobj(wbits=wbits)
    try:
        data = unpacker.decompress(payload, limit_bytes + 1)
    except BROKEN as wrong:
        raise Undecodable(str(wrong)) from None
    if not unpacker.eof and len(data) <= limit_bytes:
        raise Undecodable("cut off")
    return bytes(data), bytes(unpacker.unused_data)


def _gunzip(payload: bytes, limit_bytes: int) -> bytes:
    """All members; bytes behind the last one that are no member are ignored, as browsers do."""
    data, rest = _inflate(payload, limit_bytes, GZIP)
    parts, total = [data], len(data)
    while rest.startswith(b"\x1f\x8b") and total <= limit_bytes:
        data, rest = _inflate(rest, limit_bytes - total, GZIP)
        parts.append(data)
        total += len(data)
    return b"".join(parts)


def _deflate(payload: bytes, limit_bytes: int) -> bytes:
    """Servers mean two things by it: zlib's format, and the bare stream."""
    try:
        return _inflate(payload, limit_bytes, ZLIB)[0]
    except Undecodable:
        return _inflate(payload, limit_bytes, RAW)[0]


def _unbrotli(payload: bytes, limit_bytes: int) -> bytes:
    unpacker = brotli.Decompressor()
    parts, total = list[bytes](), 0
    try:
        piece = unpacker.process(payload, output_buffer_limit=PIECE_BYTES)
        while piece and total <= limit_bytes:
            parts.append(piece)
            total += len(piece)
            piece = unpacker.process(b"", output_buffer_limit=PIECE_BYTES)
    except brotli.error as wrong:
        raise Undecodable(str(wrong)) from None
    if not unpacker.is_finished() and total <= limit_bytes:
        raise Undecodable("cut off")
    return b"".join(parts)


def _unzstd(payload: bytes, limit_bytes: int) -> bytes:
    unpacker = zstandard.ZstdDecompressor(max_window_size=1 << 27)
    try:
        with unpacker.stream_reader(payload, read_across_frames=True) as stream:
            return bytes(stream.read(limit_bytes + 1))
    except zstandard.ZstdError as wrong:
        raise Undecodable(str(wrong)) from None


DECODERS: dict[str, Callable[[bytes, int], bytes]] = {
    "identity": _identity,
    "gzip": _gunzip,
    "x-gzip": _gunzip,
    "deflate": _deflate,
    "br": _unbrotli,
    "zstd": _unzstd,
}
