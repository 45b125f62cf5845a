"""Finds the encoding a document declares in itself: the HTML Standard's prescan, and the XML declaration."""

import re

from recrawl.extract.labels import declared_inside, encoding_of
from recrawl.model.late import late

PRESCAN_BYTES = 1024

_TAG = late(rb"<(?:!--|/?[A-Za-z]|[!/?])")
_META = late(rb"<meta(?=[\t\n\f\r /])", re.IGNORECASE)
_LATE_META = late(rb"<[mM][eE][tT][aA][\t\n\f\r /]")
_NAME_END = late(rb"[\t\n\f\r >]")
_BEFORE_NAME = late(rb"[\t\n\f\r /]*")
_NAME = late(rb"[^\t\n\f\r />][^\t\n\f\r />=]*")
_SPACES = late(rb"[\t\n\f\r ]*")
_UNQUOTED = late(rb"[^\t\n\f\r >]+")
_RAW = late(rb"<(script|style|title|textarea|xmp|iframe|noembed|noframes)(?=[\t\n\f\r />])", re.IGNORECASE)
_CHARSET = late(r"charset[\t\n\f\r ]*=[\t\n\f\r ]*", re.IGNORECASE)
_PLAIN_VALUE = late(r"[^\t\n\f\r ;]*")
_XML_ENCODING = late(rb"encoding[\x00-\x20]*=[\x00-\x20]*(?:\"([^\"]*)\"|'([^']*)')")


class _OutOfBytesError(Exception):
    """The bytes ended inside something: whatever it was does not count."""


def prescan(body: bytes) -> str | None:
    """The encoding declared in the first 1024 bytes, as the HTML Standard finds it before parsing."""
    head = body[:PRESCAN_BYTES]
    if head.startswith(b"<\x00?\x00x\x00"):
        return "utf-16le"
    if head.startswith(b"\x00<\x00?\x00x"):
        return "utf-16be"
    return _first_meta(head, skip_raw=False) or xml_encoding(head)


def late_meta(body: bytes) -> str | None:
    """The encoding of a meta element beyond the prescan: a browser that meets one starts anew with it."""
    cut_tag = max(body.rfind(b"<", 0, PRESCAN_BYTES), 0)
    if len(body) <= PRESCAN_BYTES or _LATE_META.search(body, cut_tag) is None:
        return None
    return _first_meta(body, skip_raw=True)


def xml_encoding(head: bytes) -> str | None:
    """The encoding of an XML declaration at the very start."""
    end = head.find(b">")
    if not head.startswith(b"<?xml") or end < 0:
        return None
    found = _XML_ENCODING.search(head, 0, end)
    if found is None:
        return None
    label = found[1] if found[1] is not None else found[2]
    return None if any(byte <= 0x20 for byte in label) else declared_inside(label.decode("latin-1"))


def charset_in_content(content: str) -> str | None:
    """The standard's "extracting a character encoding from a meta element": `content` of a http-equiv."""
    found = _CHARSET.search(content)
    if found is None:
        return None
    rest = content[found.end() :]
    if rest[:1] in ('"', "'"):
        label, closed, _ = rest[1:].partition(rest[0])
        return encoding_of(label) if closed else None
    plain = _PLAIN_VALUE.match(rest)
    return encoding_of(plain[0]) if plain else None


def _first_meta(data: bytes, skip_raw: bool) -> str | None:
    try:
        return _scan(data, skip_raw)
    except _OutOfBytesError:
        return None


def _scan(data: bytes, skip_raw: bool) -> str | None:
    position = 0
    while (tag := _TAG.search(data, position)) is not None:
        start, kind = tag.start(), tag[0]
        if kind == b"<!--":
            position = _after(data, b"-->", start + 2)
        elif kind in (b"<!", b"</", b"<?"):
            position = _after(data, b">", start + 1)
        elif meta := _META.match(data, start):
            name, position = _meta_charset(data, meta.end())
            if name is not None:
                return name
        else:
            position = _skip_attributes(data, _name_end(data, start))
            if skip_raw and (raw := _RAW.match(data, start)):
                position = _after_raw(data, raw[1], position)
    return None


def _after(data: bytes, mark: bytes, start: int) -> int:
    found = data.find(mark, start)
    if found < 0:
        raise _OutOfBytesError
    return found + len(mark)


def _after_raw(data: bytes, tag: bytes, start: int) -> int:
    closing = re.compile(rb"</" + tag + rb"(?=[\t\n\f\r />])", re.IGNORECASE).search(data, start)
    if closing is None:
        raise _OutOfBytesError
    return closing.start()


def _name_end(data: bytes, start: int) -> int:
    found = _NAME_END.search(data, start)
    if found is None:
        raise _OutOfBytesError
    return found.start()


def _skip_attributes(data: bytes, position: int) -> int:
    while True:
        name, _, position = _attribute(data, position)
        if not name:
            return position


def _meta_charset(data: bytes, position: int) -> tuple[str | None, int]:
    """What one meta declares. Of attributes of one name the first counts; a `content` needs its pragma."""
    seen: set[bytes] = set()
    pragma, needs_pragma, label, found = False, False, None, False
    while True:
        name, value, position = _attribute(data, position)
        if not name:
            break
        if name in seen:
            continue
        seen.add(name)
        text = value.decode("latin-1")
        if name == b"http-equiv":
            pragma = text == "content-type"
        elif name == b"content" and not found and charset_in_content(text):
            label, found, needs_pragma = charset_in_content(text), True, True
        elif name == b"charset":
            label, found, needs_pragma = encoding_of(text), True, False
    if label is None or (needs_pragma and not pragma):
        return None, position
    return declared_inside(label), position


def _attribute(data: bytes, position: int) -> tuple[bytes, bytes, int]:
    """The standard's "get an attribute": name and value lower-cased, '' as name at the end of the tag."""
    position = _span(_BEFORE_NAME, data, position)
    if data[position] == 0x3E:
        return b"", b"", position
    start = position
    position = _span(_NAME, data, position)
    name = data[start:position].lower()
    after = _span(_SPACES, data, position)
    if data[after] != 0x3D:
        return name, b"", after
    return name, *_value(data, _span(_SPACES, data, after + 1))


def _value(data: bytes, position: int) -> tuple[bytes, int]:
    quote = data[position : position + 1]
    if quote in (b'"', b"'"):
        end = _after(data, quote, position + 1)
        return data[position + 1 : end - 1].lower(), end
    if quote == b">":
        return b"", position
    end = _span(_UNQUOTED, data, position)
    return data[position:end].lower(), end


def _span(pattern: re.Pattern[bytes], data: bytes, position: int) -> int:
    """Where the pattern ends; touching the end of the data is running out of bytes."""
    found = pattern.match(data, position)
    end = found.end() if found else position
    if end >= len(data):
        raise _OutOfBytesError
    return end
