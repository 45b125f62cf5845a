"""Replies and captures for the archive's tests, made as the fetcher makes them."""

import gzip
import hashlib
import uuid
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random

import brotli
from backports import zstd

from recrawl.archive.folder import WarcArchive
from recrawl.archive.settings import ArchiveSettings
from recrawl.model.capture import Capture
from recrawl.model.failure import Failure
from recrawl.model.visit import Ask, Evidence, Reply

NOON = 1_700_000_000.25
REQUEST = (
    b"GET / HTTP/1.1\r\nHost: example.com\r\nUser-Agent: recrawl/0.1 (+mailto:a@example.com)\r\nAccept: */*\r\n\r\n"
)

CODERS: dict[str, Callable[[bytes], bytes]] = {
    "": lambda body: body,
    "gzip": lambda body: gzip.compress(body, 6, mtime=0),
    "deflate": zlib.compress,
    "br": brotli.compress,
    "zstd": zstd.compress,
    "x-gzip": gzip.compress,
    "gzip, br": lambda body: brotli.compress(gzip.compress(body)),
}


def sha256(body: bytes) -> str:
    return "sha256:" + hashlib.sha256(body).hexdigest()


def head_of(status_line: str, headers: Sequence[tuple[str, str]]) -> bytes:
    lines = [status_line, *(f"{name}: {value}" for name, value in headers)]
    return ("\r\n".join(lines) + "\r\n\r\n").encode("latin-1")


def reply(
    body: bytes = b"<p>hello</p>",
    *,
    status: int = 200,
    coding: str = "",
    headers: Sequence[tuple[str, str]] = (("Content-Type", "text/html; charset=utf-8"),),
    status_line: str = "",
    url: str = "http://example.com/",
    at: float = NOON,
    raw_request: bytes = REQUEST,
    failure: Failure | None = None,
    peer: str = "127.0.0.1",
) -> Reply:
    shown = [*headers, *([("Content-Encoding", coding)] if coding else [])]
    reasons = {200: "OK", 304: "Not Modified", 404: "Not Found", 301: "Moved Permanently"}
    return Reply(
        ask=Ask(url),
        at=at,
        evidence=Evidence.NOT_MODIFIED if status == 304 else Evidence.DOCUMENT,
        status=status,
        headers=tuple((name.lower(), value) for name, value in shown),
        raw_request=raw_request,
        raw_head=head_of(status_line or f"HTTP/1.1 {status} {reasons[status]}", shown),
        sent_body=CODERS[coding](body),
        body=body,
        peer=peer,
        failure=failure,
    )


def capture(
    url: str = "http://example.com/",
    at: float = NOON,
    body: bytes = b"<p>hello</p>",
    *,
    same_as: Capture | None = None,
    facts: tuple[tuple[str, str], ...] = (("why", "due"),),
    **more: object,
) -> Capture:
    answer = reply(body, url=url, at=at, **more)  # type: ignore[arg-type]
    return captured(answer, url, at, same_as, facts)


def captured(
    answer: Reply,
    url: str,
    at: float,
    same_as: Capture | None = None,
    facts: tuple[tuple[str, str], ...] = (),
) -> Capture:
    return Capture(
        url=url,
        at=at,
        reply=answer,
        digest=sha256(answer.body),
        same_as_at=same_as.at if same_as else None,
        same_as_digest=same_as.digest if same_as else "",
        facts=facts,
    )


def not_modified(of: Capture, at: float) -> Capture:
    answer = reply(b"", status=304, headers=[("ETag", '"v1"')], url=of.url, at=at)
    return captured(answer, of.url, at, same_as=of)


def ids(seed: int = 0) -> Callable[[], str]:
    dice = Random(seed)
    return lambda: str(uuid.UUID(int=dice.getrandbits(128), version=4))


def open_archive(folder: Path, worker: str = "w0", now: float = NOON, **settings: object) -> WarcArchive:
    return WarcArchive(folder, worker, ArchiveSettings(**settings), lambda: now, ids(zlib.crc32(worker.encode())))  # type: ignore[arg-type]


def warcs(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.warc.gz"))
