"""One request and what came back: what is asked, what is answered, what is remembered of it (S0's table)."""

from enum import StrEnum

from recrawl.model.failure import Failure
from recrawl.model.headers import all_values, oddly_first, plain_value
from recrawl.model.swift import swift
from recrawl.model.values import dataclass


@dataclass(frozen=True, slots=True)
class Limits:
    """Hard limits of one request. Every one is settable; the defaults suit pages made for people."""

    connect_s: float = 10.0
    first_byte_s: float = 30.0
    total_s: float = 120.0
    slow_bytes_per_s: int = 64  # slower than this …
    slow_for_s: float = 30.0  # … for this long is too slow
    header_bytes: int = 64 * 1024
    header_count: int = 200
    body_bytes: int = 16 * 1024 * 1024  # as sent
    decoded_bytes: int = 32 * 1024 * 1024
    decoded_ratio: float = 200.0  # beyond the first MiB
    encodings: int = 2  # nested content codings


@swift
@dataclass(frozen=True, slots=True)
class Ask:
    """One request. `own` lists what the user owns; there alone private addresses may be connected to."""

    url: str
    etag: str = ""
    last_modified: str = ""
    own: tuple[str, ...] = ()
    headers: tuple[tuple[str, str], ...] = ()
    limits: Limits = Limits()
    form: bytes = b""  # not empty: posted (to a WebSub hub)
    enough_bytes: int = 0  # so much of the body will do: what follows is neither read nor missed; 0: all is wanted
    fresh: bool = False  # over a new connection

    @property
    def conditional(self) -> bool:
        return bool(self.etag or self.last_modified)


@swift
@dataclass(frozen=True, slots=True)
class Times:
    """Seconds from the start of the request; 0 where a phase did not happen (a kept connection)."""

    resolve_s: float = 0.0
    connect_s: float = 0.0
    tls_s: float = 0.0
    first_byte_s: float = 0.0
    total_s: float = 0.0


class Evidence(StrEnum):
    """What kind of answer it was."""

    DOCUMENT = "document"  # 2xx with a body that could be decoded whole
    NOT_MODIFIED = "not_modified"  # 304 to a conditional request
    REDIRECT = "redirect"  # 3xx with a target
    MISSING = "missing"  # 404 or 410
    REFUSED = "refused"  # other 4xx
    BUSY = "busy"  # 429 or 503
    BROKEN = "broken"  # other 5xx, or a 2xx/3xx that makes no sense
    FAILED = "failed"  # no usable answer: `failure` says why


UNUSABLE = frozenset({Evidence.REFUSED, Evidence.BUSY, Evidence.BROKEN, Evidence.FAILED})  # such a visit has failed


class Followed:
    """Somebody may want to know when it is gone."""

    __slots__ = ("__weakref__",)


@swift
@dataclass(frozen=True, slots=True)
class Reply(Followed):
    """Exactly what came back. `sent_body` is the body with its content coding as it came over the wire
    (transfer coding removed), `body` the decoded one; both empty unless the answer was read whole. Once it is judged
    the decoded one may be let go: `body_bytes` says how long it was."""

    ask: Ask
    at: float  # when the request was sent
    evidence: Evidence
    status: int = 0
    headers: tuple[tuple[str, str], ...] = ()  # names lower-cased, latin-1 decoded, in order
    raw_request: bytes = b""  # request head as sent
    raw_head: bytes = b""  # status line and headers as received, final CRLF CRLF included
    sent_body: bytes = b""
    body: bytes = b""
    peer: str = ""  # address connected to
    times: Times = Times()
    failure: Failure | None = None
    detail: str = ""  # one sentence for `why`
    received_bytes: int = 0  # head and body, over the wire
    unanswered: bool = False  # a kept connection ended before a byte of an answer came: it may be asked once more
    source: "Reply | None" = None  # what came, where the body is what a browser made of it
    let_go_bytes: int = 0  # of the decoded body, where it was

    @property
    def body_bytes(self) -> int:
        return self.let_go_bytes or len(self.body)

    @property
    def held_bytes(self) -> int:
        """Of the body that weighs most."""
        return len(self.body) or len(self.sent_body)

    def header(self, name: str) -> str:
        """The first value of a header, '' if absent."""
        plain = plain_value(self.headers, name)
        return oddly_first(self.headers, name) if plain is None else plain

    def all_headers(self, name: str) -> list[str]:
        return all_values(self.headers, name)


class Why(StrEnum):
    """Why a visit was made."""

    FIRST = "first"
    DUE = "due"
    ASKED = "asked"  # --all, or make due
    NOTICE = "notice"
    RETRY = "retry"
    PROBE = "probe"  # second look before a page is called gone


@swift
@dataclass(frozen=True, slots=True)
class Visit:
    """One row of the visit history."""

    page: int
    at: float
    why: Why
    status: int
    evidence: Evidence
    change: str  # model.verdict.Change
    failure: str = ""
    received_bytes: int = 0
    changed_bytes: int = 0
    conditional: bool = False
    milliseconds: float = 0.0


@swift
@dataclass(frozen=True, slots=True)
class Version:
    """One kept version and where its record lies in the archive."""

    page: int
    at: float
    digest: str  # "sha256:…" of the decoded body
    warc_file: str
    warc_offset: int
    warc_length: int
    body_bytes: int
    text_bytes: int  # 0: nobody has read its text yet (a first version, until there is another to compare it with)
    share_changed: float | None = None  # None: first version
    content_type: str = ""
