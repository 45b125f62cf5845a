"""Gzip members: one per record, so that a reader can jump to any of them.

What is already compressed is not compressed again: such a block lies in stored deflate blocks behind a compressed
header, all in one member that every gzip reader accepts. Headers and other short texts are deflated by the compiled
part (`native/pack.c`), in a third of the time and with 1 to 3 % more bytes, unless a high level asks for the fewest; it
reads such a member again without finding out its code.
"""

from collections.abc import Iterator
from struct import Struct
from typing import IO

from recrawl.archive.deflate import BROKEN, DEFLATED, GZIP, RAW, SYNC_FLUSH, compress, compressobj, crc32, decompressobj
from recrawl.model.values import dataclass
from recrawl.native import compiled

HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
STORED_BYTES = 0xFFFF
QUICK_LEVELS = (1, 2)
_TRAILER = Struct("<II")
_STORED = Struct("<BHH")
CHUNK_BYTES = 256 * 1024


class BrokenMember(ValueError):
    """The bytes are not one whole gzip member."""


@dataclass(frozen=True, slots=True)
class Member:
    offset: int
    length: int
    data: bytes


def compressed(data: bytes, level: int) -> bytes:
    plain = _deflated(data, level, is_last=True)
    if plain is None:
        return bytes(compress(data, level, wbits=GZIP))
    return b"".join((HEADER, plain, _TRAILER.pack(crc32(data), len(data))))


def stored(head: bytes, block: bytes, level: int) -> bytes:
    """One member: `head` compressed, `block` as it is."""
    parts = [HEADER, _deflated(head, level, is_last=False) or _flushed(head, level)]
    for start in range(0, len(block) or 1, STORED_BYTES):
        piece = block[start : start + STORED_BYTES]
        last = start + STORED_BYTES >= len(block)
        parts += [_STORED.pack(last, len(piece), len(piece) ^ STORED_BYTES), piece]
    parts.append(_TRAILER.pack(crc32(block, crc32(head)), (len(head) + len(block)) & 0xFFFFFFFF))
    return b"".join(parts)


def _deflated(text: bytes, level: int, *, is_last: bool) -> bytes | None:
    """By the compiled part; None where it has no code for it."""
    if compiled is None or level not in QUICK_LEVELS:
        return None
    plain: bytes | None = compiled.deflated(text, is_last)
    return plain


def _flushed(text: bytes, level: int) -> bytes:
    """A stream that goes on behind it, at a whole byte."""
    packer = compressobj(level, DEFLATED, RAW)
    return bytes(packer.compress(text) + packer.flush(SYNC_FLUSH))


def inflated(member: bytes) -> bytes:
    """The bytes of exactly one whole member, its checksum verified."""
    own: bytes | None = compiled.unpacked(member) if compiled is not None else None
    if own is not None and _TRAILER.unpack(member[-_TRAILER.size :])[0] == crc32(own):
        return own
    unpacker = decompressobj(wbits=GZIP)
    try:
        data = unpacker.decompress(member)
    except BROKEN as wrong:
        raise BrokenMember(str(wrong)) from None
    if not unpacker.eof or unpacker.unused_data:
        raise BrokenMember("the member does not end where it should")
    return bytes(data)


def members(file: IO[bytes], offset: int) -> Iterator[Member]:
    """Whole members from `offset` on; ends quietly at the end of the file or at the first one that is not whole."""
    file.seek(offset)
    waiting = b""
    while True:
        unpacker, parts, taken = decompressobj(wbits=GZIP), list[bytes](), 0
        while not unpacker.eof:
            piece = waiting or file.read(CHUNK_BYTES)
            if not piece:
                return
            try:
                parts.append(unpacker.decompress(piece))
            except BROKEN:
                return
            waiting = bytes(unpacker.unused_data)
            taken += len(piece) - len(waiting)
        yield Member(offset, taken, b"".join(parts))
        offset += taken
