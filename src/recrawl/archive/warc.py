"""From a capture to its WARC records.

A capture becomes one main record (response, or revisit where the payload is already kept) with its request and its
metadata beside it, tied by WARC-Concurrent-To; a 304 that says "as you have it" is a revisit record and no more.
Digests in the fields are sha1 in base 32, which readers verify; `Recrawl-Body-Digest` is sha256 of the decoded body,
recrawl's own identity of a version.
"""

from collections.abc import Callable
from functools import lru_cache
from ipaddress import ip_address

from recrawl.archive.coding import codings_of, readable_as_sent
from recrawl.archive.http_head import protocol_of, request_head, response_head
from recrawl.archive.record import Fields, Record, record_id, sha1, target_uri, warc_date
from recrawl.archive.settings import ArchiveSettings
from recrawl.formats.cdxj import CdxLine
from recrawl.model.capture import Capture
from recrawl.model.failure import Failure
from recrawl.model.late import late
from recrawl.model.swift import replace, swift
from recrawl.model.values import dataclass
from recrawl.model.visit import Reply
from recrawl.native import compiled

RESPONSE_TYPE = "application/http; msgtype=response"
REQUEST_TYPE = "application/http; msgtype=request"
FIELDS_TYPE = "application/warc-fields"
PROFILE = "http://netpreserve.org/warc/1.1/revisit/"
SAME_PAYLOAD = PROFILE + "identical-payload-digest"
NOT_MODIFIED = PROFILE + "server-not-modified"
BODY_DIGEST = "Recrawl-Body-Digest"
NO_TOKEN = late(r"[^A-Za-z0-9!#$%&'*+.^_`|~-]")
STATUS_BYTES = 8  # of a head, in which its protocol stands
DIGEST = late("sha256:[0-9a-f]{64}")
EMPTY_DIGEST = sha1(b"")
CODING = (b"transfer-encoding",)  # of a body that is stored as it was sent …
CODINGS = (*CODING, b"content-encoding")  # … and decoded: headers that do not describe it

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
class Sheet:
    """A record on its way into a file: its fields as they stand there but for Content-Length, and its block."""

    fields: str
    block: bytes
    is_packed: bool = False  # the block is compressed already


@swift
@dataclass(frozen=True, slots=True)
class Told:
    """What the index says of a record, its place aside. `head`: of the response that lies in it."""

    url: str
    date: str
    head: bytes
    digest: str
    body_digest: str
    is_revisit: bool


@swift
@dataclass(frozen=True, slots=True)
class Exchange:
    """The records of one capture; `main` is the one a place points to, unless there is a `shown`: what a browser made
    of it. `told` None: it is not in the index."""

    main: Sheet
    told: Told | None
    beside: tuple[Sheet, ...]
    shown: Sheet | None = None


@swift
@dataclass(frozen=True, slots=True)
class Subject:
    """What the records of one capture have in common."""

    identity: str  # of the main record
    date: str
    url: str
    peer: str  # as a field
    protocol: str  # as a field

    @property
    def fields(self) -> str:
        return (
            f"WARC-Record-ID: {self.identity}\r\nWARC-Date: {self.date}\r\nWARC-Target-URI: {self.url}\r\n"
            f"{self.peer}{self.protocol}"
        )


def warcinfo(file: str, at: float, settings: ArchiveSettings, new_id: Callable[[], str]) -> Record:
    facts = (
        ("software", settings.software),
        ("format", "WARC File Format 1.1"),
        ("conformsTo", "http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/"),
        ("robots", "obey"),
        ("operator", settings.operator),
    )
    fields = (
        ("WARC-Type", "warcinfo"),
        ("WARC-Record-ID", record_id(new_id())),
        ("WARC-Date", warc_date(at)),
        ("WARC-Filename", file),
        ("Content-Type", FIELDS_TYPE),
    )
    block = _warc_fields(facts)
    return Record((*fields, ("WARC-Block-Digest", sha1(block))), block)


def exchange(
    capture: Capture, original: CdxLine | None, settings: ArchiveSettings, new_id: Callable[[], str]
) -> Exchange:
    """`original`: the index line of the version the capture says it equals, if the archive holds it."""
    subject, shown = _subject(capture, new_id), None
    if capture.reply.source is not None:
        shown = _shown(capture, subject, new_id) if capture.same_as_at is None else None
        capture = replace(capture, reply=capture.reply.source, digest="")
    main, told = _main(capture, subject, original)
    beside = []
    if settings.requests and (head := request_head(capture.reply.raw_request, settings.secrets)):
        fields = f"{_beside('request', subject, new_id)}{subject.peer}Content-Type: {REQUEST_TYPE}\r\n"
        beside.append(Sheet(fields, head))
    if settings.metadata and told is not None:
        fields = f"{_beside('metadata', subject, new_id)}Content-Type: {FIELDS_TYPE}\r\n"
        beside.append(Sheet(fields, _warc_fields(_facts(capture))))
    return Exchange(main, told, tuple(beside), shown)


def plainly_unchanged(
    capture: Capture, original: bytes, identity: str, file: str, offset: int
) -> tuple[bytes, bytes] | None:
    """The whole member of a 304 whose original is known, by its index line, and its own index line, by the compiled
    part; None where it leaves that to `unchanged`."""
    if compiled is None or capture.same_as_at is None:
        return None
    reply = capture.reply
    fields = connection_fields(reply.peer, reply.raw_head[:STATUS_BYTES])
    plain: tuple[bytes, bytes] | None = compiled.unchanged(
        original, capture.at, capture.same_as_at, identity, fields, file, offset
    )
    return plain


def unchanged(capture: Capture, original: CdxLine, date: str, identity: str) -> bytes:
    """The whole record of a 304 whose original is known, as bytes: nine in ten records are such. Its block is empty:
    with the head of the 304 in it, replay would answer 304 to a reader who has no copy."""
    reply, sha256, same_as_at = capture.reply, original.field("sha256"), capture.same_as_at
    url, refers_to = original.url, "" if same_as_at is None else warc_date(same_as_at)
    lines = (
        f"WARC/1.1\r\nWARC-Type: revisit\r\nWARC-Record-ID: {identity}\r\nWARC-Date: {date}\r\n"
        f"WARC-Target-URI: {url}\r\n"
        f"{connection_fields(reply.peer, reply.raw_head[:STATUS_BYTES])}"
        f"WARC-Profile: {NOT_MODIFIED}\r\nWARC-Refers-To-Target-URI: {url}\r\n"
        f"{_field('WARC-Refers-To-Date', refers_to)}"
        f"{_field('WARC-Payload-Digest', original.digest and f'sha1:{original.digest}')}"
        f"{_field(BODY_DIGEST, sha256 and f'sha256:{sha256}')}"
        f"Content-Type: {RESPONSE_TYPE}\r\nWARC-Block-Digest: {EMPTY_DIGEST}\r\nContent-Length: 0\r\n\r\n\r\n\r\n"
    )
    return lines.encode("utf-8")


def _main(capture: Capture, subject: Subject, original: CdxLine | None) -> tuple[Sheet, Told | None]:
    """None: a failure is not in the index."""
    reply = capture.reply
    if not reply.status:
        return _failed(capture, subject), None
    if reply.status == 304:
        return _revisit(capture, subject, NOT_MODIFIED, None, _response_head(reply))
    payload, hidden = _payload(reply)
    digest = sha1(payload)
    head = response_head(reply.raw_head, reply.status, reply.headers, hidden)
    if original is not None and payload and original.digest == digest.removeprefix("sha1:"):
        return _revisit(capture, subject, SAME_PAYLOAD, original, head)
    known = capture.digest if DIGEST.fullmatch(capture.digest) and not reply.failure else ""
    fields = (
        f"WARC-Type: response\r\n{subject.fields}WARC-Payload-Digest: {digest}\r\n"
        f"{_field('WARC-Truncated', TRUNCATED.get(reply.failure, '') if reply.failure else '')}"
        f"{_field(BODY_DIGEST, known)}Content-Type: {RESPONSE_TYPE}\r\n"
    )
    is_packed = payload is reply.sent_body and payload != reply.body
    main = _with_digest(fields, head + payload, is_packed)
    return main, Told(subject.url, subject.date, head, digest, known, is_revisit=False)


def _shown(capture: Capture, subject: Subject, new_id: Callable[[], str]) -> Sheet:
    """What a browser made of a response that lies beside it."""
    reply = capture.reply
    fields = (
        f"WARC-Type: conversion\r\nWARC-Record-ID: {record_id(new_id())}\r\nWARC-Date: {subject.date}\r\n"
        f"WARC-Target-URI: {subject.url}\r\nWARC-Refers-To: {subject.identity}\r\n"
        f"{_field(BODY_DIGEST, capture.digest)}Content-Type: {reply.header('content-type')}\r\n"
    )
    return _with_digest(fields, reply.body)


def _revisit(
    capture: Capture, subject: Subject, profile: str, original: CdxLine | None, head: bytes
) -> tuple[Sheet, Told]:
    """One whose original is not known (see `unchanged`) has its head and nothing else."""
    refers = digest = known = ""
    if original is not None:
        digest = f"sha1:{original.digest}"
        known = f"sha256:{sha256}" if (sha256 := original.field("sha256")) else ""
        if capture.same_as_at is not None:
            date = warc_date(capture.same_as_at)
            refers = f"WARC-Refers-To-Target-URI: {subject.url}\r\nWARC-Refers-To-Date: {date}\r\n"
    fields = (
        f"WARC-Type: revisit\r\n{subject.fields}WARC-Profile: {profile}\r\n{refers}"
        f"{_field('WARC-Payload-Digest', digest)}{_field(BODY_DIGEST, known)}Content-Type: {RESPONSE_TYPE}\r\n"
    )
    return _with_digest(fields, head), Told(subject.url, subject.date, head, digest, known, is_revisit=True)


def _failed(capture: Capture, subject: Subject) -> Sheet:
    """Nothing came back that could be a response: the facts alone are kept."""
    fields = f"WARC-Type: metadata\r\n{subject.fields}Content-Type: {FIELDS_TYPE}\r\n"
    return _with_digest(fields, _warc_fields(_facts(capture)))


def is_kept_as_sent(reply: Reply) -> bool:
    return readable_as_sent(codings_of(reply.headers), reply.sent_body, reply.body)


def _payload(reply: Reply) -> tuple[bytes, tuple[bytes, ...]]:
    """The stored body, and the headers that do not describe it."""
    as_sent = bool(reply.let_go_bytes) or is_kept_as_sent(reply)
    payload = reply.sent_body if as_sent else reply.body
    hidden = CODING if as_sent else CODINGS
    lengths = reply.all_headers("content-length")
    return payload, hidden if lengths in ([], [str(len(payload))]) else (*hidden, b"content-length")


def _response_head(reply: Reply) -> bytes:
    return response_head(reply.raw_head, reply.status, reply.headers, _payload(reply)[1])


def _subject(capture: Capture, new_id: Callable[[], str]) -> Subject:
    reply = capture.reply
    identity, date, url = record_id(new_id()), warc_date(capture.at), target_uri(capture.url)
    return Subject(identity, date, url, _peer(reply.peer), _field("WARC-Protocol", protocol_of(reply.raw_head)))


def _beside(kind: str, main: Subject, new_id: Callable[[], str]) -> str:
    return (
        f"WARC-Type: {kind}\r\nWARC-Record-ID: {record_id(new_id())}\r\nWARC-Date: {main.date}\r\n"
        f"WARC-Target-URI: {main.url}\r\nWARC-Concurrent-To: {main.identity}\r\n"
    )


def _field(name: str, value: str) -> str:
    """Nothing, if there is nothing to say."""
    return f"{name}: {value}\r\n" if value else ""


def _with_digest(fields: str, block: bytes, is_packed: bool = False) -> Sheet:
    return Sheet(f"{fields}WARC-Block-Digest: {sha1(block)}\r\n", block, is_packed)


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


def _warc_fields(facts: Fields) -> bytes:
    plain: bytes | None = compiled.named_fields(facts) if compiled is not None else None
    return odd_warc_fields(facts) if plain is None else plain


def odd_warc_fields(facts: Fields) -> bytes:
    lines = [f"{_token(name)}: {_folded(value)}\r\n" for name, value in facts if value]
    return "".join(lines).encode("utf-8", "replace")


def _folded(value: str) -> str:
    return value if value.isalnum() else " ".join(value.split())


@lru_cache(maxsize=256)
def _token(name: str) -> str:
    return NO_TOKEN.sub("-", name)


@lru_cache(maxsize=4096)
def connection_fields(peer: str, begin: bytes) -> str:
    """As fields: the address connected to, and the protocol that the begin of a head names."""
    return f"{_peer(peer)}{_field('WARC-Protocol', protocol_of(begin))}"


@lru_cache(maxsize=4096)
def _peer(address: str) -> str:
    return _field("WARC-IP-Address", _ip_address(address))


def _ip_address(peer: str) -> str:
    """The address alone: a port or brackets around it are dropped, anything else is no address."""
    for text in (peer, peer.rpartition(":")[0], peer.partition("]")[0].removeprefix("[")):
        try:
            return str(ip_address(text))
        except ValueError:
            continue
    return ""
