"""Content codings undone under a hard bound.

A body that claims to be coded must be: whole, well formed, no further than the limits. Browsers show an error
page for a body whose coding is broken or missing, and so does recrawl (`Undecodable`): a copy nobody can read
must not replace a good one. What browsers let pass, passes here: an empty body under any coding, bytes after the
last gzip member, raw deflate in place of zlib's. A body that is gzip without saying so is left as it is.
"""

import io
import zlib
from collections.abc import Callable, Iterable, Mapping
from typing import Protocol

from isal import igzip_lib

from recrawl.model.late import late_module
from recrawl.model.visit import Ask, Limits

_NEWER = late_module("recrawl.fetch.decode_newer")  # many servers never send what it is for

PIECE_BYTES = 16 * 1024  # of input and of output at a time
AT_ONCE_BYTES = 256 * 1024  # no more comes out of most bodies, and these are inflated in one go
FEW_PIECES = 256  # a body of no more is put together the quick way
FREE_BYTES = 1024 * 1024  # the ratio is judged only beyond this
MOST_MEMBERS = 4096  # gzip members or zstd frames in one body
GZIP_MAGIC = b"\x1f\x8b"

Broken = tuple[type[Exception], ...]
BROKEN: Broken = (
    igzip_lib.IsalError,  # type: ignore[assignment]  # isal declares it as an instance
    zlib.error,
    EOFError,
)

# Names that are no coding at all but are often written there; the body is as it is.
NO_CODING = frozenset({"", "identity", "none", "binary", "utf-8", "utf8", "7bit", "8bit", "iso-8859-1", "text"})


class Undecodable(Exception):
    """The coding is unknown, broken or cut short."""


class Bomb(Exception):
    """More comes out than the limits allow, or from deeper within."""


class Inflater(Protocol):
    """A decompressor of one member or frame that gives at most `max_length` bytes a call."""

    @property
    def eof(self) -> bool: ...

    @property
    def needs_input(self) -> bool: ...

    @property
    def unused_data(self) -> bytes: ...

    def decompress(self, data: bytes, /, max_length: int) -> bytes: ...


def decode(body: bytes, codings: Iterable[str], limits: Limits) -> bytes:
    """The body with every content coding undone. `codings` are the values of Content-Encoding, in order."""
    names = codings_of(codings)
    if not names or not body:
        return body
    if len(names) > limits.encodings:
        said = f"{len(names)} content codings, one inside the other"
        raise Bomb(f"{said}; the limit is {limits.encodings} (limits.encodings)")
    bound = most_bytes(len(body), limits)
    for name in reversed(names):
        undo = CODINGS.get(name)
        if undo is None:
            raise Undecodable(f"unknown content coding {name[:40]!r}")
        body = undo(body, bound)
    return body


def codings_of(values: Iterable[str]) -> list[str]:
    """The real codings named by the headers, in the order they were applied."""
    names = (name.strip(" \t").lower() for value in values for name in value.split(","))
    return [name for name in names if name not in NO_CODING]


def most_bytes(sent_bytes: int, limits: Limits) -> int:
    """How much may come out of a body of this size."""
    return min(limits.decoded_bytes, max(FREE_BYTES, int(sent_bytes * limits.decoded_ratio)))


def _gzip(body: bytes, bound: int) -> bytes:
    if not body.startswith(GZIP_MAGIC):
        raise Undecodable("the body is said to be gzip and is not")
    size = int.from_bytes(body[-4:], "little")  # of what comes out of it, if it is one member and speaks the truth
    if size <= bound and size <= AT_ONCE_BYTES and (whole := _at_once(body, size)) is not None:
        return whole
    return _members(body, bound, _gzip_member, GZIP_MAGIC)


def plainly_inflated(body: bytes, ask: Ask) -> bytes | None:
    """`decode` of a body that is one plain member of gzip. None: it is not so plain."""
    size, limits = int.from_bytes(body[-4:], "little"), ask.limits
    is_plain = body.startswith(GZIP_MAGIC) and size <= AT_ONCE_BYTES and size <= limits.decoded_bytes
    return _at_once(body, size) if is_plain and limits.encodings else None


def _at_once(body: bytes, size: int) -> bytes | None:
    """What comes out of one member of so many bytes. None: it is not so plain."""
    inflater = _gzip_member()
    try:  # with nearly every page: `suppress` would cost more
        whole = inflater.decompress(body, size + 1)
    except BROKEN:
        return None
    return whole if inflater.eof and len(whole) == size and not inflater.unused_data else None


def _deflate(body: bytes, bound: int) -> bytes:
    """RFC 9110 means zlib's format; many servers send it raw, and some raw streams look like zlib at first."""
    if body[0] & 0x0F == 8 and int.from_bytes(body[:2], "big") % 31 == 0:
        try:
            return _members(body, bound, _zlib_stream, None)
        except Undecodable:
            return _members(body, bound, _raw_deflate, None)
    return _members(body, bound, _raw_deflate, None)


def _brotli(body: bytes, bound: int) -> bytes:
    return _members(body, bound, _NEWER.BrotliInflater, None, _NEWER.BROKEN)


def _zstd(body: bytes, bound: int) -> bytes:
    return _members(body, bound, _NEWER.zstd_frame, b"", _NEWER.BROKEN)


def _gzip_member() -> Inflater:
    return igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_GZIP)


def _zlib_stream() -> Inflater:
    return igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_ZLIB)


def _raw_deflate() -> Inflater:
    return igzip_lib.IgzipDecompressor(flag=igzip_lib.DECOMP_DEFLATE)


def _members(
    body: bytes, bound: int, start: Callable[[], Inflater], magic: bytes | None, broken: Broken = BROKEN
) -> bytes:
    """Every member or frame, one after the other. A further one begins with `magic` (None: there is no further
    one); other bytes after a member are ignored."""
    pieces: list[bytes] = []
    room, at = bound, 0
    try:
        for _ in range(MOST_MEMBERS):
            room, at = _one_member(body, at, start(), pieces, room)
            if at >= len(body) or magic is None or not body.startswith(magic, at):
                return _joined(pieces)
    except broken as error:
        raise Undecodable(f"broken content coding: {error}") from error
    raise Bomb(f"more than {MOST_MEMBERS} members")


def _joined(pieces: list[bytes]) -> bytes:
    """Put together without ever holding it twice."""
    if len(pieces) <= FEW_PIECES:
        return b"".join(pieces)
    whole = io.BytesIO()
    for number, piece in enumerate(pieces):
        whole.write(piece)
        pieces[number] = b""
    return whole.getvalue()


def _one_member(body: bytes, at: int, inflater: Inflater, pieces: list[bytes], room: int) -> tuple[int, int]:
    """Inflate one member in bounded pieces; the room left and where the member ended."""
    while not inflater.eof:
        data = b""
        if inflater.needs_input:
            data, at = body[at : at + PIECE_BYTES], at + PIECE_BYTES
        piece = inflater.decompress(data, PIECE_BYTES)
        room -= len(piece)
        if room < 0:
            raise Bomb("more would come out than the limits allow")
        if piece:
            pieces.append(piece)
        elif not data and at >= len(body) and not inflater.eof:
            raise Undecodable("the coded body is cut short")
    return room, min(at, len(body)) - len(inflater.unused_data)


Undo = Callable[[bytes, int], bytes]

CODINGS: Mapping[str, Undo] = {
    "gzip": _gzip,
    "x-gzip": _gzip,
    "deflate": _deflate,
    "br": _brotli,
    "zstd": _zstd,
}
