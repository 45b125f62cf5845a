"""What kind of document it is: by Content-Type where that can be trusted, else by its bytes (WHATWG mimesniff)."""

import re
from enum import Enum
from functools import lru_cache

from recrawl.model.late import late

USUAL_CHARS = 200  # of a Content-Type
RESOURCE_BYTES = 1445  # the standard's resource header


class Kind(Enum):
    HTML = "html"
    XHTML = "xhtml"
    XML = "xml"
    TEXT = "text"
    OTHER = "other"


_KINDS = {
    "text/html": Kind.HTML,
    "application/xhtml+xml": Kind.XHTML,
    "text/xml": Kind.XML,
    "application/xml": Kind.XML,
    "application/json": Kind.TEXT,
    "application/javascript": Kind.TEXT,
    "application/ecmascript": Kind.TEXT,
    "application/x-javascript": Kind.TEXT,
    "application/yaml": Kind.TEXT,
    "application/toml": Kind.TEXT,
}
_UNKNOWN = frozenset({"", "unknown/unknown", "application/unknown", "*/*"})
# What old Apache servers say of everything they do not know: only here may text/plain turn out to be binary.
_APACHE = frozenset(
    {
        "text/plain",
        "text/plain; charset=ISO-8859-1",
        "text/plain; charset=iso-8859-1",
        "text/plain; charset=UTF-8",
    }
)
_TOKEN = late(r"[!#$%&'*+.^_`|~0-9A-Za-z-]+")
_PARAMETER = late(r"[\t\n\r ]*([^;=]*)(?:=(?:\"((?:[^\"\\]|\\.)*)\"?[^;]*|([^;]*)))?(?:;|$)", re.DOTALL)
_HTML_START = late(
    rb"[\t\n\f\r ]*<(?:!DOCTYPE HTML|HTML|HEAD|SCRIPT|IFRAME|H1|DIV|FONT|TABLE|A|STYLE|TITLE|B|BODY|BR|P|!--)[ >]",
    re.IGNORECASE,
)
_XML_START = late(rb"[\t\n\f\r ]*<\?xml")
_TEXT_MARKS = (b"\xfe\xff", b"\xff\xfe", b"\xef\xbb\xbf")
_OTHER_MARKS = (
    b"%PDF-",
    b"%!PS-Adobe-",
    b"\x00\x00\x01\x00",
    b"\x00\x00\x02\x00",
    b"BM",
    b"GIF87a",
    b"GIF89a",
    b"\x89PNG\r\n\x1a\n",
    b"\xff\xd8\xff",
    b"\x1f\x8b\x08",
    b"PK\x03\x04",
    b"Rar \x1a\x07\x00",
    b"OggS\x00",
    b"MThd\x00\x00\x00\x06",
    b"ID3",
    b"\x1aE\xdf\xa3",
    b"wOFF",
    b"wOF2",
)
_BINARY = late(rb"[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]")


def essence(content_type: str) -> str:
    """`type/subtype`, lower-cased; '' where there is none worth the name."""
    return _essence(content_type) if len(content_type) <= USUAL_CHARS else _essence.__wrapped__(content_type)


@lru_cache(maxsize=256)  # servers name the same few
def _essence(content_type: str) -> str:
    name = content_type.partition(";")[0].strip("\t\n\r ").lower()
    first, slash, second = name.partition("/")
    valid = slash and _TOKEN.fullmatch(first) and _TOKEN.fullmatch(second)
    return name if valid or name == "*/*" else ""


def parameter(content_type: str, name: str) -> str:
    """The first value of a parameter of a Content-Type, quotes removed."""
    usual = len(content_type) <= USUAL_CHARS
    return _parameter(content_type, name) if usual else _parameter.__wrapped__(content_type, name)


@lru_cache(maxsize=256)
def _parameter(content_type: str, name: str) -> str:
    rest = content_type.partition(";")[2]
    for found in _PARAMETER.finditer(rest):
        if found[1].strip("\t\n\r ").lower() == name:
            quoted = found[2]
            return re.sub(r"\\(.)", r"\1", quoted) if quoted is not None else (found[3] or "").strip("\t\n\r ")
    return ""


def kind_of(body: bytes, content_type: str, sniff: bool = True) -> Kind:
    """`sniff` False: the server said nosniff, so nothing becomes HTML that was not called HTML."""
    usual = len(content_type) <= USUAL_CHARS
    said, is_doubtful = _said(content_type) if usual else _said.__wrapped__(content_type)
    if said is None:
        return _unknown(body, sniff)
    return _text_or_other(body) if is_doubtful and sniff else said


@lru_cache(maxsize=256)
def _said(content_type: str) -> tuple[Kind | None, bool]:
    """By the name alone, None: it is none; and whether that is what a server says of what it does not know."""
    name = essence(content_type)
    if name in _UNKNOWN:
        return None, True
    return _KINDS.get(name) or _by_family(name), content_type.strip("\t\n\r ") in _APACHE


def _by_family(name: str) -> Kind:
    if name.endswith("+xml"):
        return Kind.XML
    return Kind.TEXT if name.startswith("text/") or name.endswith("+json") else Kind.OTHER


def _unknown(body: bytes, sniff: bool) -> Kind:
    head = body[:RESOURCE_BYTES]
    if sniff and _HTML_START.match(head):
        return Kind.HTML
    if sniff and _XML_START.match(head):
        return Kind.XML
    if head.startswith(_TEXT_MARKS):
        return Kind.TEXT
    return Kind.OTHER if head.startswith(_OTHER_MARKS) or _is_media(head) else _text_or_other(head)


def _is_media(head: bytes) -> bool:
    riff = head[:4] == b"RIFF" and head[8:12] in (b"WEBP", b"WAVE", b"AVI ")
    aiff = head[:4] == b"FORM" and head[8:12] == b"AIFF"
    return riff or aiff or head[4:8] == b"ftyp"


def _text_or_other(body: bytes) -> Kind:
    head = body[:RESOURCE_BYTES]
    if head.startswith(_TEXT_MARKS):
        return Kind.TEXT
    return Kind.OTHER if _BINARY.search(head) else Kind.TEXT
