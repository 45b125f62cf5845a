"""From a capture to its WARC records.

A capture becomes one main record (response, or revisit where the payload is already kept) with its request and its
metadata beside it, tied by WARC-Concurrent-To; a 304 that says "as you have it" is a revisit record and no more.
Digests in the fields are sha1 in base 32, which readers verify; `Recrawl-Body-Digest` is sha256 of the decoded body,
recrawl's own identity of a version.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from ipaddress import ip_address

from recrawl.archive.coding import codings_of, readable_as_sent
from recrawl.archive.http_head import protocol_of, request_head, response_head
from recrawl.archive.record import Fields, Record, record_id, sha1, target_uri, warc_date
from recrawl.archive.settings import ArchiveSettings
from recrawl.formats.cdxj import CdxLine
from recrawl.model.capture import Capture
from recrawl.model.failure import Failure
from recrawl.model.swift import swift
from recrawl.model.visit import Reply

RESPONSE_TYPE = "application/http; msgtype=response"
REQUEST_TYPE = "application/http; msgtype=request"
FIELDS_TYPE = "application/warc-fields"
PROFILE = "http://netpreserve.org/warc/1.1/revisit/"
SAME_PAYLOAD = PROFILE + "identical-payload-digest"
NOT_MODIFIED = PROFILE + "server-not-modified"
BODY_DIGEST = "Recrawl-Body-Digest"
NO_TOKEN = re.compile(r"[^A-Za-z0-9!#$%&'*+.^_`|~-]")
DIGEST = re.compile("sha256:[0-9a-f]{64}")
NEXT = "\r\n"
EMPTY_DIGEST = sha1(b"")

TRUNCATED = {
    Failure.BODY_TOO_LARGE: "length",
    Failure.BOMB: "length",
    Failure.TOTAL_TIMEOUT: "time",
    Failure.TOO_SLOW: "time",
    Failure.RESET: "disconnect",
    Failure.TRUNCATED: "disconnect",
    Failure.PROTOCOL: "unspecified",
    Failure.UNDECODABLE: "unspecified",
}


@swift
@dataclass(frozen=True, slots=True)
class Exchange:
    """The records of one capture; `main` is the one a place points to."""

    main: Record
    beside: tuple[Record, ...]
    packed: bool  # the block is compressed already


def warcinfo(file: str, at: float, settings: ArchiveSettings, new_id: Callable[[], str]) -> Record:
    facts = (
        ("software", settings.software),
        ("format", "WARC File Format 1.1"),
        ("conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"),
        ("robots", "obey"),
        ("operator", settings.operator),
    )
    fields = (("WARC-Type", "warcinfo"), *_identity(at, new_id), ("WARC-Filename", file))
    return _with_block((*fields, ("Content-Type", FIELDS_TYPE)), _warc_fields(facts))


def exchange(
    capture: Capture, original: CdxLine | None, settings: ArchiveSettings, new_id: Callable[[], str]
) -> Exchange:
    """`original`: the index line of the version the capture says it equals, if the archive holds it."""
    main = _main(capture, original, new_id)
    beside = []
    if settings.requests and (head := request_head(capture.reply.raw_request, settings.secrets)):
        beside.append(_beside("request", main, new_id, REQUEST_TYPE, head))
    if settings.metadata and main.kind != "metadata":
        beside.append(_beside("metadata", main, new_id, FIELDS_TYPE, _warc_fields(_facts(capture))))
    return Exchange(main, tuple(beside), packed=_is_packed(main, capture.reply))


def unchanged(capture: Capture, original: CdxLine, date: str, new_id: Callable[[], str]) -> bytes:
    """The whole record of a 304 whose original is known, as bytes: nine in ten records are such. Its block is empty:
    with the head of the 304 in it, replay would answer 304 to a reader who has no copy."""
    reply, sha256, same_as_at = capture.reply, original.field("sha256"), capture.same_as_at
    url, peer, protocol = target_uri(capture.url), _ip_address(reply.peer), protocol_of(reply.raw_head)
    lines = (
        f"WARC/1.1\r\nWARC-Type: revisit\r\nWARC-Record-ID: {record_id(new_id())}\r\nWARC-Date: {date}\r\n"
        f"WARC-Target-URI: {url}\r\n"
        f"{f'WARC-IP-Address: {peer}{NEXT}' if peer else ''}{f'WARC-Protocol: {protocol}{NEXT}' if protocol else ''}"
        f"WARC-Profile: {NOT_MODIFIED}\r\nWARC-Refers-To-Target-URI: {url}\r\n"
        f"{f'WARC-Refers-To-Date: {warc_date(same_as_at)}{NEXT}' if same_as_at is not None else ''}"
        f"{f'WARC-Payload-Digest: sha1:{original.digest}{NEXT}' if original.digest else ''}"
        f"{f'{BODY_DIGEST}: sha256:{sha256}{NEXT}' if sha256 else ''}"
        f"Content-Type: {RESPONSE_TYPE}\r\nWARC-Block-Digest: {EMPTY_DIGEST}\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
    )
    return lines.encode("utf-8")


def _main(capture: Capture, original: CdxLine | None, new_id: Callable[[], str]) -> Record:
    reply = capture.reply
    if not reply.status:
        return _failed(capture, new_id)
    if reply.status == 304:
        return _not_modified(capture, new_id)
    payload, hidden = _payload(reply)
    digest = sha1(payload)
    head = response_head(reply.raw_head, reply.status, reply.headers, hidden)
    if original is not None and payload and original.digest == digest.removeprefix("sha1:"):
        fields = _revisit_fields(capture, SAME_PAYLOAD, original, new_id)
        return _with_block((*fields, ("Content-Type", RESPONSE_TYPE)), head)
    fields = (
        ("WARC-Type", "response"),
        *_subject(capture, new_id),
        ("WARC-Payload-Digest", digest),
        ("WARC-Truncated", TRUNCATED.get(reply.failure, "") if reply.failure else ""),
        (BODY_DIGEST, capture.digest if DIGEST.fullmatch(capture.digest) and not reply.failure else ""),
    )
    return _with_block((*fields, ("Content-Type", RESPONSE_TYPE)), head + payload)


def _not_modified(capture: Capture, new_id: Callable[[], str]) -> Record:
    """One whose original is not known (see `unchanged`): its head is all there is."""
    fields = _revisit_fields(capture, NOT_MODIFIED, None, new_id)
    return _with_block((*fields, ("Content-Type", RESPONSE_TYPE)), _response_head(capture.reply))


def _failed(capture: Capture, new_id: Callable[[], str]) -> Record:
    """Nothing came back that could be a response: the facts alone are kept."""
    fields = (("WARC-Type", "metadata"), *_subject(capture, new_id), ("Content-Type", FIELDS_TYPE))
    return _with_block(fields, _warc_fields(_facts(capture)))


def _payload(reply: Reply) -> tuple[bytes, set[bytes]]:
    """The stored body, and the headers that do not describe it."""
    as_sent = readable_as_sent(codings_of(reply.headers), reply.sent_body, reply.body)
    payload = reply.sent_body if as_sent else reply.body
    hidden = {b"transfer-encoding"} if as_sent else {b"transfer-encoding", b"content-encoding"}
    if any(value != str(len(payload)) for value in reply.all_headers("content-length")):
        hidden.add(b"content-length")
    return payload, hidden


def _is_packed(main: Record, reply: Reply) -> bool:
    """The body lies in the block as it was sent, in a coding."""
    coded = len(reply.sent_body) != len(reply.body) or reply.sent_body != reply.body
    return main.kind == "response" and coded and main.block.endswith(reply.sent_body)


def _response_head(reply: Reply) -> bytes:
    return response_head(reply.raw_head, reply.status, reply.headers, _payload(reply)[1])


def _revisit_fields(capture: Capture, profile: str, original: CdxLine | None, new_id: Callable[[], str]) -> Fields:
    known = original is not None and capture.same_as_at is not None
    return (
        ("WARC-Type", "revisit"),
        *_subject(capture, new_id),
        ("WARC-Profile", profile),
        ("WARC-Refers-To-Target-URI", target_uri(capture.url) if known else ""),
        ("WARC-Refers-To-Date", warc_date(capture.same_as_at) if known and capture.same_as_at is not None else ""),
        ("WARC-Payload-Digest", f"sha1:{original.digest}" if original is not None else ""),
        (
            BODY_DIGEST,
            f"sha256:{original.field('sha256')}" if original is not None and original.field("sha256") else "",
        ),
    )


def _identity(at: float, new_id: Callable[[], str]) -> Fields:
    return (("WARC-Record-ID", record_id(new_id())), ("WARC-Date", warc_date(at)))


def _subject(capture: Capture, new_id: Callable[[], str]) -> Fields:
    return (
        *_identity(capture.at, new_id),
        ("WARC-Target-URI", target_uri(capture.url)),
        ("WARC-IP-Address", _ip_address(capture.reply.peer)),
        ("WARC-Protocol", protocol_of(capture.reply.raw_head)),
    )


def _beside(kind: str, main: Record, new_id: Callable[[], str], content_type: str, block: bytes) -> Record:
    known = dict(main.fields)
    fields = (
        ("WARC-Type", kind),
        ("WARC-Record-ID", record_id(new_id())),
        ("WARC-Date", known["WARC-Date"]),
        ("WARC-Target-URI", known["WARC-Target-URI"]),
        ("WARC-Concurrent-To", known["WARC-Record-ID"]),
        ("WARC-IP-Address", known["WARC-IP-Address"] if kind == "request" else ""),
        ("Content-Type", content_type),
    )
    return Record(fields, block)


def _with_block(fields: Fields, block: bytes) -> Record:
    return Record((*fields, ("WARC-Block-Digest", sha1(block))), block)


def _facts(capture: Capture) -> Fields:
    reply = capture.reply
    return (
        ("digest", capture.digest),
        ("evidence", str(reply.evidence)),
        ("failure", str(reply.failure or "")),
        ("detail", reply.detail),
        ("received-bytes", str(reply.received_bytes or "")),
        ("fetch-time-ms", f"{reply.times.total_s * 1000:.1f}" if reply.times.total_s else ""),
        *capture.facts,
    )


def _warc_fields(facts: Sequence[tuple[str, str]]) -> bytes:
    lines = [f"{_token(name)}: {' '.join(value.split())}\r\n" for name, value in facts if value]
    return "".join(lines).encode("utf-8", "replace")


@lru_cache(maxsize=256)
def _token(name: str) -> str:
    return NO_TOKEN.sub("-", name)


@lru_cache(maxsize=4096)
def _ip_address(peer: str) -> str:
    """The address alone: a port or brackets around it are dropped, anything else is no address."""
    for text in (peer, peer.rpartition(":")[0], peer.partition("]")[0].removeprefix("[")):
        try:
            return str(ip_address(text))
        except ValueError:
            continue
    return ""
