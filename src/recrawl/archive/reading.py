"""From a WARC record back: its index line, and the payload it holds."""

import hashlib
import re

from recrawl.archive.coding import Undecodable, codings_of, decoded
from recrawl.archive.http_head import Headers, as_received, headers_of, split, status_of
from recrawl.archive.record import BrokenRecord, Record, at_of, digits14
from recrawl.archive.warc import BODY_DIGEST
from recrawl.formats.cdxj import CdxLine, urlkey
from recrawl.model.capture import Payload

INDEXED = ("response", "revisit")
UNKNOWN_TYPE = "unk"  # what pywb writes where the server named no type
REVISIT_TYPE = "warc/revisit"
CONTENT_TYPE = re.compile(rb"\ncontent-type[ \t]*:[ \t]*([^;\s]*)", re.IGNORECASE)


def index_line(record: Record, offset: int, length: int, file: str) -> CdxLine | None:
    """The line of a response or revisit; the same for a record just written and for one found again."""
    kind = record.kind
    if kind not in INDEXED:
        return None
    url, revisit = record.field("WARC-Target-URI"), kind == "revisit"
    head = split(record.block)[0]
    named = CONTENT_TYPE.search(head)
    mime = named[1].decode("latin-1") if named and named[1] else UNKNOWN_TYPE
    return CdxLine(
        urlkey=urlkey(url),
        timestamp=digits14(record.field("WARC-Date")),
        url=url,
        mime=REVISIT_TYPE if revisit else mime,
        status="" if revisit else str(status_of(head)),
        digest=record.field("WARC-Payload-Digest").removeprefix("sha1:"),
        length=length,
        offset=offset,
        filename=file,
        more=tuple((("sha256", known.removeprefix("sha256:")),) if (known := record.field(BODY_DIGEST)) else ()),
    )


def payload_of(record: Record, limit_bytes: int) -> Payload:
    """What a response (or the head of a revisit) holds, decoded. A body that does not match its digest is an error."""
    head, sent = split(record.block) if record.kind in INDEXED else (b"", b"")
    headers = headers_of(head)
    body = _body(sent, headers, record.field(BODY_DIGEST), limit_bytes) if record.kind == "response" else b""
    return Payload(
        url=record.field("WARC-Target-URI"),
        at=at_of(record.field("WARC-Date")),
        status=status_of(head),
        headers=as_received(headers),
        body=body,
    )


def _body(sent: bytes, headers: Headers, digest: str, limit_bytes: int) -> bytes:
    """A server may name a coding it did not use: the digest decides between the decoded body and the one sent."""
    try:
        body = decoded(sent, codings_of(headers), limit_bytes)
    except Undecodable as wrong:
        if not digest or _sha256(sent) == digest:
            return sent
        raise BrokenRecord(f"the body cannot be decoded: {wrong}") from None
    if not digest or _sha256(body) == digest:
        return body
    if _sha256(sent) == digest:
        return sent
    raise BrokenRecord("the body does not match its digest")


def _sha256(data: bytes) -> str:
    return "sha256:" + hashlib.sha256(data).hexdigest()
