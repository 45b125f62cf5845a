"""From a WARC record back: its index line, and the payload it holds."""

import hashlib
import re

from recrawl.archive.coding import Undecodable, codings_of, decoded
from recrawl.archive.http_head import Headers, as_received, headers_of, split, status_of
from recrawl.archive.record import BrokenRecord, Record, at_of, digits14, sha1
from recrawl.archive.warc import BODY_DIGEST, Told
from recrawl.formats.cdxj import CdxLine, urlkey
from recrawl.model.capture import Payload, Place
from recrawl.model.late import late
from recrawl.native import compiled

INDEXED = ("response", "revisit")
CONVERSION = "conversion"  # what a browser made of a response beside it
RESOURCE = "resource"  # the same without that response
UNKNOWN_TYPE = "unk"  # what pywb writes where the server named no type
REVISIT_TYPE = "warc/revisit"
CONTENT_TYPE = late(rb"\ncontent-type[ \t]*:[ \t]*([^;\s]*)", re.IGNORECASE)


def index_line(record: Record, offset: int, length: int, file: str) -> CdxLine | None:
    """The line of a response or revisit that was found again, or of a shown page that stands for one."""
    kind, field = record.kind, record.field
    if kind == RESOURCE:
        head = f"HTTP/1.1 200 OK\r\nContent-Type: {field('Content-Type')}\r\n\r\n".encode()
        told = Told(field("WARC-Target-URI"), field("WARC-Date"), head, sha1(record.block), field(BODY_DIGEST), False)
        return line_of(told, Place(file, offset, length))
    if kind not in INDEXED:
        return None
    url, date, head = field("WARC-Target-URI"), field("WARC-Date"), split(record.block)[0]
    told = Told(url, date, head, field("WARC-Payload-Digest"), field(BODY_DIGEST), kind == "revisit")
    return line_of(told, Place(file, offset, length))


def line_of(told: Told, place: Place) -> CdxLine:
    """The same for a record just written and for one found again."""
    named = CONTENT_TYPE.search(told.head)
    mime = named[1].decode("latin-1") if named and named[1] else UNKNOWN_TYPE
    return CdxLine(
        urlkey(told.url),
        digits14(told.date),
        told.url,
        REVISIT_TYPE if told.is_revisit else mime,
        "" if told.is_revisit else str(status_of(told.head)),
        told.digest.removeprefix("sha1:"),
        place.length,
        place.offset,
        place.file,
        (("sha256", told.body_digest.removeprefix("sha256:")),) if told.body_digest else (),
    )


def payload_of(record: Record, limit_bytes: int, body_bytes: int = 0) -> Payload:
    """What a response (or the head of a revisit) holds, decoded; or what a browser made of one. A body that does not
    match its digest is an error. `body_bytes`: so long it is known to be, which is proof enough (see `_body`); 0:
    nobody knows."""
    if record.kind == CONVERSION:
        return _shown(record)
    head, sent = split(record.block) if record.kind in INDEXED else (b"", b"")
    headers = headers_of(head)
    is_whole = record.kind == "response"
    body = _body(sent, headers, record.field(BODY_DIGEST), limit_bytes, body_bytes) if is_whole else b""
    return Payload(
        url=record.field("WARC-Target-URI"),
        at=at_of(record.field("WARC-Date")),
        status=status_of(head),
        headers=as_received(headers),
        body=body,
    )


def plain_payload(data: bytes, limit_bytes: int, body_bytes: int = 0) -> Payload | None:
    """`payload_of` the record of a response as ours are, in fewer steps; None: it is another one."""
    told = compiled.response_told(data) if compiled is not None else None
    if told is None:
        return None
    url, date, digest, status, headers, sent = told
    return Payload(url, at_of(date), status, headers, _body(sent, headers, digest, limit_bytes, body_bytes))


def standing_alone(record: Record) -> Record:
    """A shown page without the response it was made of, as readers of web archives replay it."""
    others = tuple(pair for pair in record.fields if pair[0] not in ("WARC-Type", "WARC-Refers-To"))
    return Record((("WARC-Type", RESOURCE), *others), record.block)


def _shown(record: Record) -> Payload:
    if record.field(BODY_DIGEST) not in ("", _sha256(record.block)):
        raise BrokenRecord("the body does not match its digest")
    headers = (("content-type", record.field("Content-Type")),)
    return Payload(record.field("WARC-Target-URI"), at_of(record.field("WARC-Date")), 200, headers, record.block)


def _body(sent: bytes, headers: Headers, digest: str, limit_bytes: int, body_bytes: int) -> bytes:
    """A server may name a coding it did not use: the digest decides between the decoded body and the one sent; or their
    lengths, since what lies in the archive is as it was written by the checksum of its member."""
    try:
        body = decoded(sent, codings_of(headers), limit_bytes)
    except Undecodable as wrong:
        if not digest or _sha256(sent) == digest:
            return sent
        raise BrokenRecord(f"the body cannot be decoded: {wrong}") from None
    if body_bytes and len(body) == body_bytes and (body is sent or len(sent) != body_bytes):
        return body
    if not digest or _sha256(body) == digest:
        return body
    if _sha256(sent) == digest:
        return sent
    raise BrokenRecord("the body does not match its digest")


def _sha256(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()
