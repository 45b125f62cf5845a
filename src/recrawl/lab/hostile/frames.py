"""HTTP/2 in bytes (RFC 9113 and 7541), right or wrong: what is said here need not make sense."""

from enum import IntEnum

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
OWN_HEAD_BYTES = 9

END_STREAM, ACK, END_HEADERS, PADDED = 0x1, 0x1, 0x4, 0x8
LAST_STREAM = 2**31 - 1

Fields = tuple[tuple[str, str], ...]


class Type(IntEnum):
    DATA = 0
    HEADERS = 1
    PRIORITY = 2
    RST_STREAM = 3
    SETTINGS = 4
    PUSH_PROMISE = 5
    PING = 6
    GOAWAY = 7
    WINDOW_UPDATE = 8
    CONTINUATION = 9
    ALTSVC = 10
    ORIGIN = 12
    UNKNOWN = 0xBB


class Code(IntEnum):
    NO_ERROR = 0
    PROTOCOL_ERROR = 1
    INTERNAL_ERROR = 2
    REFUSED_STREAM = 7
    CANCEL = 8
    ENHANCE_YOUR_CALM = 11
    HTTP_1_1_REQUIRED = 13


class Setting(IntEnum):
    HEADER_TABLE_SIZE = 1
    ENABLE_PUSH = 2
    MAX_CONCURRENT_STREAMS = 3
    INITIAL_WINDOW_SIZE = 4
    MAX_FRAME_SIZE = 5


def frame(kind: int, flags: int, stream: int, payload: bytes = b"") -> bytes:
    return len(payload).to_bytes(3, "big") + bytes((kind, flags)) + stream.to_bytes(4, "big") + payload


def settings(*pairs: tuple[int, int]) -> bytes:
    return frame(
        Type.SETTINGS, 0, 0, b"".join(key.to_bytes(2, "big") + value.to_bytes(4, "big") for key, value in pairs)
    )


def goaway(last_stream: int, code: int = Code.NO_ERROR, words: bytes = b"") -> bytes:
    return frame(Type.GOAWAY, 0, 0, last_stream.to_bytes(4, "big") + code.to_bytes(4, "big") + words)


def reset(stream: int, code: int) -> bytes:
    return frame(Type.RST_STREAM, 0, stream, code.to_bytes(4, "big"))


def window(stream: int, more: int) -> bytes:
    return frame(Type.WINDOW_UPDATE, 0, stream, more.to_bytes(4, "big"))


def headers(stream: int, block: bytes, end: bool = False) -> bytes:
    return frame(Type.HEADERS, END_HEADERS | (END_STREAM if end else 0), stream, block)


def data(stream: int, body: bytes, end: bool = False) -> bytes:
    return frame(Type.DATA, END_STREAM if end else 0, stream, body)


def block(*fields: tuple[str, str]) -> bytes:
    """Fields as they are, none of which enters a table."""
    return b"".join(b"\x00" + _text(name) + _text(value) for name, value in fields)


def remembered(name: str, value: str) -> bytes:
    """A field that enters the table; from then on `INDEXED` means it."""
    return b"\x40" + _text(name) + _text(value)


INDEXED = b"\xbe"  # the youngest entry of the dynamic table


def head_block(status: int, fields: Fields, length: int | None = None) -> bytes:
    said = () if length is None else (("content-length", str(length)),)
    return block((":status", str(status)), *((name.lower(), value) for name, value in fields), *said)


def _text(text: str) -> bytes:
    octets = text.encode("utf-8" if max(text, default="") > "\xff" else "latin-1")
    return _number(len(octets)) + octets


def _number(number: int) -> bytes:
    """An integer behind a prefix of seven bits (RFC 7541, 5.1)."""
    if number < 127:
        return bytes((number,))
    octets, rest = [127], number - 127
    while rest >= 128:
        octets.append(rest % 128 + 128)
        rest //= 128
    return bytes((*octets, rest))
