"""What a server answers, as a value, and the rules of HTTP it keeps: validators, conditional requests, codings."""

import gzip
import sys
import zlib
from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime
from email.utils import format_datetime, parsedate_to_datetime
from functools import lru_cache

import brotli

from recrawl.lab.faults import ANSWERED, Fault, FaultKind
from recrawl.model.values import dataclass
from recrawl.model.visit import Ask

if sys.version_info >= (3, 14):
    from compression import zstd
else:
    from backports import zstd

Headers = tuple[tuple[str, str], ...]

_ENCODERS: dict[str, Callable[[bytes], bytes]] = {
    "gzip": lambda body: gzip.compress(body, 5, mtime=0),
    "deflate": lambda body: zlib.compress(body, 5),
    "br": lambda body: bytes(brotli.compress(body, quality=4)),
    "zstd": lambda body: zstd.compress(body, 3),
}


@dataclass(frozen=True, slots=True)
class Answer:
    """`body` is what goes over the wire, `plain` the same without its content coding. A `fault` other than an
    error status or a delay is carried out by the transport: it cuts, stalls or refuses."""

    status: int
    headers: Headers
    body: bytes
    plain: bytes
    delay_s: float
    fault: FaultKind | None = None


@dataclass(frozen=True, slots=True)
class Validators:
    """`modified_at` None: the page gives no date."""

    etag: str = ""
    modified_at: float | None = None

    @property
    def headers(self) -> Headers:
        tag = (("ETag", self.etag),) if self.etag else ()
        return tag if self.modified_at is None else (*tag, ("Last-Modified", http_date(self.modified_at)))


def http_date(at: float) -> str:
    return _date(int(at))


@lru_cache(maxsize=8192)
def _date(second: int) -> str:
    return format_datetime(datetime.fromtimestamp(second, UTC), usegmt=True)


def whole_answer(status: int, content_type: str, plain: bytes, at: float, more: Headers = ()) -> Answer:
    headers = (*_common(at), ("Content-Type", content_type), ("Content-Length", str(len(plain))), *more)
    return Answer(status, headers, plain, plain, 0.0)


def not_modified(validators: Validators, at: float) -> Answer:
    return Answer(304, (*_common(at), *validators.headers), b"", b"", 0.0)


def redirect(location: str, at: float) -> Answer:
    plain = f'<!DOCTYPE html><title>Moved</title><p>Moved to <a href="{location}">{location}</a>.</p>\n'.encode()
    return whole_answer(301, "text/html; charset=utf-8", plain, at, (("Location", location),))


def unchanged(ask: Ask, validators: Validators) -> bool:
    """RFC 9110 13.2.2: If-None-Match decides alone where it is sent; it compares weakly."""
    if ask.etag:
        wanted = [_opaque(tag) for tag in ask.etag.split(",")]
        return bool(validators.etag) and ("*" in wanted or _opaque(validators.etag) in wanted)
    if not ask.last_modified or validators.modified_at is None:
        return False
    since_at = _date_at(ask.last_modified)
    return since_at is not None and validators.modified_at <= since_at


def accepted(ask: Ask, coding: str) -> bool:
    """Whether the request takes a content coding. One that says nothing gets the plain body."""
    offered = next((value for name, value in ask.headers if name.lower() == "accept-encoding"), "")
    names = [part.partition(";") for part in offered.lower().split(",")]
    return any(name.strip() == coding and "q=0" not in q.replace(" ", "").split(";") for name, _, q in names)


def coded(answer: Answer, coding: str) -> Answer:
    """The same answer with a content coding; a strong ETag gets a name of its own, as the bytes differ."""
    body = _ENCODERS[coding](answer.plain)
    headers = tuple((name, str(len(body)) if name == "Content-Length" else value) for name, value in answer.headers)
    return replace(answer, headers=(*headers, ("Content-Encoding", coding), ("Vary", "Accept-Encoding")), body=body)


def faulty(answer: Answer, fault: Fault, at: float) -> Answer:
    """The answer as the fault leaves it."""
    late = replace(answer, delay_s=answer.delay_s + fault.delay_s, fault=fault.kind)
    if fault.kind in ANSWERED:
        return replace(_error(fault, at), delay_s=late.delay_s, fault=fault.kind)
    if fault.kind is FaultKind.UNASKED_304:
        return replace(late, status=304, headers=_common(at), body=b"", plain=b"")
    if fault.kind is FaultKind.GARBLED:
        garbled = answer.plain[::-1]
        headers = (*_common(at), ("Content-Type", "text/html"), ("Content-Encoding", "gzip"))
        return replace(late, headers=(*headers, ("Content-Length", str(len(garbled)))), body=garbled, plain=b"")
    return late


def _error(fault: Fault, at: float) -> Answer:
    more: Headers = ()
    if fault.retry_after_s:
        date = http_date(at + fault.retry_after_s)
        more = (("Retry-After", date if fault.retry_as_date else str(fault.retry_after_s)),)
    plain = f"<!DOCTYPE html><title>{fault.kind}</title><p>Please come back later.</p>\n".encode()
    return whole_answer(ANSWERED[fault.kind], "text/html; charset=utf-8", plain, at, more)


def _common(at: float) -> Headers:
    return (("Date", http_date(at)), ("Server", "recrawl-lab"))


def _opaque(tag: str) -> str:
    return tag.strip().removeprefix("W/")


def _date_at(text: str) -> float | None:
    try:
        return parsedate_to_datetime(text).timestamp()
    except (TypeError, ValueError):
        return None
