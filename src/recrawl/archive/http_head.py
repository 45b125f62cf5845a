"""Response and request heads as a WARC reader must find them, and back.

A stored body has no transfer coding any more, so a header that describes one would mislead every reader: such a
header is kept under the name `X-Crawler-…`. A status line that is not HTTP/1 (HTTP/2 has none) becomes one.
"""

import re
from collections.abc import Callable, Collection, Iterable
from functools import cache, lru_cache

from recrawl.model.late import late, late_module
from recrawl.native import compiled

PREFIX = b"X-Crawler-"
MISLEADING = (b"transfer-encoding", b"content-length", b"content-encoding")
HEAD_END = late(rb"\n\r?\n")
STATUS_LINE = late(rb"HTTP/1\.[01] [1-9][0-9]{2}(?: .*)?", re.DOTALL)
HTTP_VERSION = late(rb"HTTP/([0-9](?:\.[0-9])?)")
WELL_FORMED = late(rb"HTTP/1\.[01] [1-9][0-9]{2}(?: [^\r\n]*)?\r\n(?:[A-Za-z0-9][^\r\n]*\r\n)*\r\n")
REQUEST_LINE = late(rb"[A-Z]+ [^ \r\n]+ HTTP/1\.1")
PLAIN_FIELDS = late(rb"\r\n(?:[A-Za-z0-9][^\r\n]*\r\n)*\r\n")
REQUEST_VERSION = late(rb" HTTP/[0-9.]+$")
PROTOCOLS = {b"2": "h2", b"2.0": "h2", b"3": "h3", b"3.0": "h3"}
_HTTP = late_module("http")  # for status lines that came without

Headers = tuple[tuple[str, str], ...]


def response_head(raw: bytes, status: int, headers: Headers, hidden: tuple[bytes, ...]) -> bytes:
    """`hidden`: names out of `MISLEADING` that do not describe the stored body."""
    if is_plain_head(raw, hidden):
        return raw
    lines = _lines(raw) or [b"", *(_line(name, value) for name, value in headers)]
    first = lines[0] if STATUS_LINE.fullmatch(lines[0]) else _status_line(status)
    return _joined([first, *(_hide(line, hidden) for line in lines[1:])])


def is_plainly_head(raw: bytes, hidden: tuple[bytes, ...]) -> bool:
    """Well formed, and without lines that may have one of these names."""
    return bool(WELL_FORMED.fullmatch(raw)) and not _names_any(raw, hidden)


is_plain_head: Callable[[bytes, tuple[bytes, ...]], bool] = (
    is_plainly_head if compiled is None else compiled.is_plain_head
)


def is_plainly_request(raw: bytes, secrets: tuple[bytes, ...]) -> bool:
    """Well formed, and without lines that may have one of these names."""
    end = max(raw.find(b"\r\n"), 0)
    is_formed = REQUEST_LINE.fullmatch(raw, 0, end) and PLAIN_FIELDS.fullmatch(raw, end)
    return bool(is_formed) and not _names_any(raw[end:], secrets)


is_plain_request: Callable[[bytes, tuple[bytes, ...]], bool] = (
    is_plainly_request if compiled is None else compiled.is_plain_request
)


def request_head(raw: bytes, secrets: Collection[str]) -> bytes:
    """The request as sent, without the headers that hold secrets."""
    if is_plain_request(raw, _names(tuple(secrets))):
        return raw
    lines = _lines(raw)
    if not lines:
        return b""
    kept, secret = [REQUEST_VERSION.sub(b" HTTP/1.1", lines[0])], False
    for line in lines[1:]:
        if line[:1] not in (b" ", b"\t"):
            secret = _name(line).decode("latin-1") in secrets
        if not secret:
            kept.append(line)
    return _joined(kept)


def protocol_of(raw: bytes) -> str:
    """What the status line loses: 'h2' or 'h3', '' for HTTP/1."""
    found = HTTP_VERSION.match(raw)
    return PROTOCOLS.get(found[1], "") if found else ""


def split(block: bytes) -> tuple[bytes, bytes]:
    """Head and payload of a stored block."""
    head, gap, payload = block.partition(b"\r\n\r\n")
    return head + gap, payload


def status_of(head: bytes) -> int:
    return int(head[9:12]) if STATUS_LINE.match(head) else 0


def headers_of(head: bytes) -> Headers:
    """Headers as stored: names lower-cased, latin-1 decoded, folded lines joined, in order."""
    if compiled is not None and head.count(b"\r") == head.count(b"\r\n"):
        plain: tuple[int, Headers, bytes] | None = compiled.head([line + b"\n" for line in head.split(b"\n")[:-1]])
        if plain is not None:
            return plain[1]
    return odd_headers_of(head)


def odd_headers_of(head: bytes) -> Headers:
    """The same of any head."""
    found: list[tuple[str, str]] = []
    for line in _lines(head)[1:]:
        if line[:1] in (b" ", b"\t"):
            if found:
                name, value = found.pop()
                more = line.strip(b" \t").decode("latin-1")
                found.append((name, f"{value} {more}".strip(" \t")))
        elif b":" in line:
            found.append((_name(line).decode("latin-1"), line.partition(b":")[2].strip(b" \t").decode("latin-1")))
    return tuple(found)


def as_received(headers: Headers) -> Headers:
    """Undo the hiding: names as the server sent them."""
    return tuple((SHOWN.get(name, name), value) for name, value in headers)


SHOWN = {(PREFIX + name).decode("ascii").lower(): name.decode("ascii") for name in MISLEADING}


def _lines(head: bytes) -> list[bytes]:
    """The lines of the last head in `head` (an interim answer may stand before it, trailers behind it), blank ones
    dropped."""
    heads = [part for part in HEAD_END.split(head) if part.lstrip(b"\r\n").startswith(b"HTTP/")]
    last = heads[-1] if heads else head
    return [line for part in last.split(b"\n") if not _blank(line := part.strip(b"\r"))]


def _blank(line: bytes) -> bool:
    """Readers end the head at a line that is empty once any white space is stripped, in either encoding."""
    if line[:1].isalnum():
        return False
    return not line.decode("latin-1").strip() or not line.decode("utf-8", "replace").strip()


def _name(line: bytes) -> bytes:
    return line.partition(b":")[0].strip(b" \t").lower()


def _names_any(raw: bytes, names: tuple[bytes, ...]) -> bool:
    """Whether a line of the head may begin with one of these names."""
    return bool(names) and _beginnings(names).search(raw.lower()) is not None


@lru_cache(maxsize=64)
def _names(secrets: tuple[str, ...]) -> tuple[bytes, ...]:
    return tuple(name.encode("latin-1") for name in secrets)


@lru_cache(maxsize=64)
def _beginnings(names: tuple[bytes, ...]) -> "re.Pattern[bytes]":
    return re.compile(rb"\r\n(?:%s)" % b"|".join(map(re.escape, sorted(names))))


def _line(name: str, value: str) -> bytes:
    return f"{name}: {value}".encode("latin-1", "replace").replace(b"\r", b" ").replace(b"\n", b" ")


def _status_line(status: int) -> bytes:
    return f"HTTP/1.1 {status:03d} {_phrases().get(status, 'Unknown')}".encode("ascii")


def _hide(line: bytes, hidden: tuple[bytes, ...]) -> bytes:
    return PREFIX + line if _name(line) in hidden else line


def _joined(lines: Iterable[bytes]) -> bytes:
    return b"\r\n".join(lines) + b"\r\n\r\n"


@cache
def _phrases() -> dict[int, str]:
    return {int(status): status.phrase for status in _HTTP.HTTPStatus}
