"""Gzip members: one per record, so that a reader can jump to any of them.

What is already compressed is not compressed again: such a block lies in stored deflate blocks behind a compressed
header, all in one member that every gzip reader accepts.
"""

import struct
from collections.abc import Iterator
from typing import IO

from recrawl.archive.deflate import BROKEN, DEFLATED, GZIP, RAW, SYNC_FLUSH, compress, compressobj, crc32, decompressobj
from recrawl.model.values import dataclass

HEADER = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"
STORED_BYTES = 0xFFFF
CHUNK_BYTES = 256 * 1024


class BrokenMember(ValueError):
    """The bytes are not one whole gzip member."""


@dataclass(frozen=True, slots=True)
class Member:
    offset: int
    length: int
    data: bytes


def compressed(data: bytes, level: int) -> bytes:
    return bytes(compress(data, level, wbits=GZIP))


def stored(head: bytes, block: bytes, level: int) -> bytes:
    """One member: `head` compressed, `block` as it is."""
    packer = compressobj(level, DEFLATED, RAW)
    parts = [HEADER, packer.compress(head), packer.flush(SYNC_FLUSH)]
    for start in range(0, len(block) or 1, STORED_BYTES):
        piece = block[start : start + STORED_BYTES]
        last = start + STORED_BYTES >= len(block)
        parts += [struct.pack("<BHH", last, len(piece), len(piece) ^ STORED_BYTES), piece]
    parts.append(struct.pack("<II", crc32(block, crc32(head)), (len(head) + len(block)) & 0xFFFFFFFF))
    return b"".join(parts)


def inflated(member: bytes) -> bytes:
    """The bytes of exactly one whole member, its checksum verified."""
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
