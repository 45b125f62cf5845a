"""Turns bytes into text: byte order mark, then the header, then what the document says of itself, then its content.

Decoding follows the WHATWG Encoding Standard, whose tables differ from Python's codecs of the same names (EUC-KR is
Windows' code page 949 there, ISO-8859-1 is windows-1252 with the C1 controls, Big5 holds Hong Kong's characters);
turbohtml registers decoders with those tables under `whatwg-…`.

The content is judged by turbohtml's detector (the way of chardetng, which Firefox uses): of 12 undeclared samples in
legacy encodings it read all, charset-normalizer 9 in five times the time. UTF-16 without a mark, which browsers
leave unread, is told here by its zero bytes.
"""

from enum import StrEnum
from functools import lru_cache
from typing import NamedTuple

from recrawl.extract.labels import UTF_16, encoding_of
from recrawl.extract.mime import USUAL_CHARS, essence, parameter
from recrawl.extract.prescan import late_meta, prescan, xml_encoding
from recrawl.extract.turbo_late import decode as decode_whatwg
from recrawl.extract.turbo_late import detect

SAMPLE_BYTES = 16 * 1024

_MARKS = ((b"\xef\xbb\xbf", "utf-8"), (b"\xfe\xff", "utf-16be"), (b"\xff\xfe", "utf-16le"))
_BEGINS = tuple(mark for mark, _ in _MARKS)
_HIDES_DECLARATIONS = b" " * 1024  # the detector would prescan by itself; we have done so
_NO_DETECTION = frozenset({"application/json"})


class How(StrEnum):
    """What decided. `DETECTED` and `DEFAULT` are guesses; the others were said."""

    MARK = "mark"
    HEADER = "header"
    PRESCAN = "prescan"
    LATE_META = "late_meta"
    DETECTED = "detected"
    DEFAULT = "default"


UTF_8 = "utf-8"
_GUESSES = frozenset({How.DETECTED, How.DEFAULT})


class Decoded(NamedTuple):
    text: str
    charset: str
    how: How


def decode(body: bytes, content_type: str = "") -> Decoded:
    """The text of a body, without its byte order mark; what cannot be decoded becomes U+FFFD, as in a browser."""
    if len(content_type) <= USUAL_CHARS and _named(content_type) == UTF_8 and not body.startswith(_BEGINS):
        return Decoded(body.decode(UTF_8, "replace"), UTF_8, How.HEADER)  # as nearly always
    charset, how = sniff(body, content_type)
    if how in _GUESSES and _is_html(content_type) and charset not in UTF_16:
        late = late_meta(body)
        charset, how = (late, How.LATE_META) if late else (charset, how)
    return Decoded(to_text(body, charset), charset, how)


def sniff(body: bytes, content_type: str = "") -> tuple[str, How]:
    """The encoding before any parsing (the HTML Standard's "encoding sniffing algorithm")."""
    if body.startswith(_BEGINS):
        return next(name for mark, name in _MARKS if body.startswith(mark)), How.MARK
    if said := named_charset(content_type):
        return said, How.HEADER
    if declared := _declared(body, content_type):
        return declared, How.PRESCAN
    return _guess(body, content_type)


def named_charset(content_type: str) -> str | None:
    """The encoding that a Content-Type names; None: none that is known."""
    return _named(content_type) if len(content_type) <= USUAL_CHARS else _named.__wrapped__(content_type)


@lru_cache(maxsize=256)  # servers name the same few
def _named(content_type: str) -> str | None:
    return encoding_of(parameter(content_type, "charset"))


def to_text(body: bytes, charset: str) -> str:
    text = body.decode("utf-8", "replace") if charset == "utf-8" else decode_whatwg(body, charset, "replace")
    return text.removeprefix("\ufeff")


def _declared(body: bytes, content_type: str) -> str | None:
    if _is_html(content_type):
        return prescan(body)
    if essence(content_type).endswith(("/xml", "+xml")):
        return xml_encoding(body[:1024]) or prescan(body[:6])
    return None


def _is_html(content_type: str) -> bool:
    return essence(content_type) in ("", "text/html", "*/*", "unknown/unknown", "application/unknown")


def _guess(body: bytes, content_type: str) -> tuple[str, How]:
    if essence(content_type) in _NO_DETECTION:
        return "utf-8", How.DEFAULT
    if wide := _utf_16_by_zeros(body[:SAMPLE_BYTES]):
        return wide, How.DETECTED
    is_xml = essence(content_type).endswith(("/xml", "+xml"))
    if body.isascii() and b"\x1b" not in body:
        return ("utf-8" if is_xml else "windows-1252"), How.DEFAULT
    if _is_utf_8(body):
        return "utf-8", How.DETECTED
    return _detected(body)


def _is_utf_8(body: bytes) -> bool:
    if b"\x1b" in body and body.isascii():
        return False  # perhaps ISO-2022-JP
    try:
        body.decode("utf-8")
    except UnicodeDecodeError as error:
        # A body cut in the middle of its last character is still UTF-8.
        return error.start >= len(body) - 3 and error.reason == "unexpected end of data" and error.start > 0
    return True


def _detected(body: bytes) -> tuple[str, How]:
    match = detect(_HIDES_DECLARATIONS + _sample(body))
    name = encoding_of(match.encoding or "")
    if name is None or match.confidence <= 0.0 or name == "utf-8":
        return "windows-1252", How.DEFAULT
    return name, How.DETECTED


def _sample(body: bytes) -> bytes:
    """From shortly before the first byte that is not ASCII: what stands before it says nothing."""
    if len(body) <= SAMPLE_BYTES:
        return body
    first = len(body) - len(body.lstrip(bytes(range(0x1B)) + bytes(range(0x1C, 0x80))))
    start = min(max(first - 64, 0), len(body) - 1)
    return body[start : start + SAMPLE_BYTES]


def _utf_16_by_zeros(sample: bytes) -> str | None:
    """UTF-16 without a mark: markup and spaces are ASCII, so they stand beside zero bytes, which no other text has."""
    if len(sample) < 32 or sample.count(0) * 50 < len(sample):
        return None
    whole = sample[: len(sample) & ~1]
    texts = {name: decode_whatwg(whole, name) for name in ("utf-16le", "utf-16be")}
    name, text = max(texts.items(), key=lambda item: _markup(item[1]))
    likely = _markup(text) * 50 >= len(text) and text.count("\ufffd") * 100 <= len(text) and "\x00" not in text
    return name if likely else None


def _markup(text: str) -> int:
    return sum(text.count(mark) for mark in "<> \n")
