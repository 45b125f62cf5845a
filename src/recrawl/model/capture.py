"""What goes into the archive and where it lies there."""

from collections.abc import Callable
from typing import NamedTuple

from recrawl.model.swift import swift
from recrawl.model.values import dataclass
from recrawl.model.visit import Reply


@swift
@dataclass(frozen=True, slots=True)
class Place:
    """A record in the archive: file (relative to the archive's folder), offset and length of its gzip member."""

    file: str
    offset: int
    length: int


@swift
@dataclass(frozen=True, slots=True)
class Capture:
    """One exchange to be archived. `same_as_at`: the payload equals the version kept at that moment,
    so a revisit record suffices; None: store the whole response."""

    url: str
    at: float
    reply: Reply
    digest: str  # "sha256:…" of the decoded body
    same_as_at: float | None = None
    same_as_digest: str = ""
    facts: tuple[tuple[str, str], ...] = ()  # for the metadata record: why, verdict, share changed, …


@dataclass(frozen=True, slots=True)
class Payload:
    """An archived response read back. `body` is decoded, byte for byte what was seen."""

    url: str
    at: float
    status: int
    headers: tuple[tuple[str, str], ...]
    body: bytes


class Laid(NamedTuple):
    """Captures on their way into an archive. `keep` writes them, which hardly computes; `waits`: but waits for the
    disk."""

    keep: Callable[[], list[Place]]
    waits: bool = False
