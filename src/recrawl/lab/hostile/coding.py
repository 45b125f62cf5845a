"""Content codings: bombs, lies and fragments."""

import gzip
import struct
import sys
import zlib
from collections.abc import Callable
from functools import lru_cache

import brotli

from recrawl.lab.hostile.body import ALL, either, lost, taken
from recrawl.lab.hostile.case import BAD, Answer, Case, Expect, Kind, page
from recrawl.lab.hostile.wire import HTML, Question, Wire

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

BODY = page("Coded")
BOMB_BYTES = 1 << 28
PIECE = bytes(1 << 20)
GZIP_HEAD = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\xff"


def raw_deflate(data: bytes) -> bytes:
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def deflated_zeros(bytes_: int) -> bytes:
    """A block that stands for a megabyte, again and again; then the empty last one."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(PIECE) + packer.flush(zlib.Z_FULL_FLUSH)
    return block * (bytes_ // len(PIECE)) + b"\x03\x00"


def sum_of_zeros(of: Callable[[bytes, int], int], start: int, bytes_: int) -> int:
    for _ in range(bytes_ // len(PIECE)):
        start = of(PIECE, start)
    return start


@lru_cache
def gzip_bomb(bytes_: int = BOMB_BYTES) -> bytes:
    """A quarter of a gigabyte of nothing in a quarter of a megabyte."""
    return (
        GZIP_HEAD
        + deflated_zeros(bytes_)
        + struct.pack("<II", sum_of_zeros(zlib.crc32, 0, bytes_), bytes_ & 0xFFFFFFFF)
    )


@lru_cache
def zlib_bomb() -> bytes:
    return b"\x78\x9c" + deflated_zeros(BOMB_BYTES) + struct.pack(">I", sum_of_zeros(zlib.adler32, 1, BOMB_BYTES))


@lru_cache
def brotli_bomb() -> bytes:
    packer = brotli.Compressor(quality=1, lgwin=22)
    pieces = [packer.process(PIECE) for _ in range(BOMB_BYTES // len(PIECE))]
    return b"".join([*pieces, packer.finish()])


@lru_cache
def zstd_bomb() -> bytes:
    packer = zstd.ZstdCompressor(level=1)
    pieces = [packer.compress(PIECE) for _ in range(BOMB_BYTES // len(PIECE))]
    return b"".join([*pieces, packer.flush()])


@lru_cache
def nested_bomb() -> bytes:
    return gzip.compress(gzip_bomb())


@lru_cache
def many_members() -> bytes:
    return gzip.compress(b"") * 200_000


def coded(make: Callable[[], bytes], *codings: str) -> Answer:
    async def answer(question: Question, wire: Wire) -> None:
        await wire.answer(make(), HTML, *(("Content-Encoding", coding) for coding in codings))

    return answer


async def endless_gzip(question: Question, wire: Wire) -> None:
    await wire.head(200, HTML, ("Content-Encoding", "gzip"))
    await wire.send(GZIP_HEAD)
    await wire.endless(deflated_zeros(64 * len(PIECE))[:-2])


def bomb(name: str, make: Callable[[], bytes], *codings: str) -> Case:
    expect = Expect(lost=(BAD,), says={BAD: "bomb"})
    return Case(name, Kind.CODING, "stops unpacking at its limit", {BAD: coded(make, *codings)}, expect)


def wrong(name: str, make: Callable[[], bytes], *codings: str) -> Case:
    return lost(name, coded(make, *codings), "undecodable", Kind.CODING)


def fine(name: str, make: Callable[[], bytes], *codings: str) -> Case:
    return taken(name, coded(make, *codings), Kind.CODING)


CASES = (
    bomb("gzip-bomb", gzip_bomb, "gzip"),
    bomb("deflate-bomb", zlib_bomb, "deflate"),
    bomb("brotli-bomb", brotli_bomb, "br"),
    bomb("zstd-bomb", zstd_bomb, "zstd"),
    bomb("nested-bomb", nested_bomb, "gzip, gzip"),
    bomb("nested-bomb-in-two-headers", nested_bomb, "gzip", "gzip"),
    Case(
        "bomb-of-members",
        Kind.CODING,
        "does not unpack members for ever",
        {BAD: coded(many_members, "gzip")},
        Expect(lost=(BAD,)),
    ),
    lost("endless-gzip", endless_gzip, "_", Kind.CODING),
    bomb("ten-codings", lambda: gzip.compress(BODY), *(["gzip"] * 10)),
    fine("two-codings", lambda: brotli.compress(gzip.compress(BODY)), "gzip, br"),
    wrong("gzip-that-is-not", lambda: BODY, "gzip"),
    wrong("brotli-that-is-not", lambda: BODY, "br"),
    wrong("zstd-that-is-not", lambda: BODY, "zstd"),
    wrong("gzip-called-brotli", lambda: gzip.compress(BODY), "br"),
    wrong("unknown-coding", lambda: BODY, "rot13"),
    wrong("truncated-gzip", lambda: gzip.compress(BODY)[:-20], "gzip"),
    wrong("truncated-brotli", lambda: brotli.compress(BODY)[:-5], "br"),
    wrong("truncated-zstd", lambda: zstd.compress(BODY)[:-5], "zstd"),
    wrong("broken-gzip", lambda: gzip.compress(BODY)[:40] + b"\xff" * 40 + gzip.compress(BODY)[80:], "gzip"),
    wrong("gzip-with-a-wrong-sum", lambda: gzip.compress(BODY)[:-8] + b"\x00" * 8, "gzip"),
    fine("gzip-with-bytes-behind", lambda: gzip.compress(BODY) + b"\x00garbage", "gzip"),
    fine("gzip-in-members", lambda: gzip.compress(BODY[:200]) + gzip.compress(BODY[200:]), "gzip"),
    fine("raw-deflate", lambda: raw_deflate(BODY), "deflate"),
    fine("zlib-deflate", lambda: zlib.compress(BODY), "deflate"),
    fine("x-gzip", lambda: gzip.compress(BODY), "x-gzip"),
    fine("upper-case-coding", lambda: gzip.compress(BODY), "GZIP"),
    fine("identity-and-empty-codings", lambda: BODY, "identity, "),
    either("gzip-without-saying-so", coded(lambda: gzip.compress(BODY)), Kind.CODING),
    either("empty-gzip", coded(lambda: b"", "gzip"), Kind.CODING),
    Case("plain", Kind.CODING, "reads a plain page", {BAD: coded(lambda: BODY)}, ALL),
)
