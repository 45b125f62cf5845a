"""One page: what is known of an address and when it is due again."""

from enum import StrEnum

from recrawl.model.site import Kind
from recrawl.model.swift import swift
from recrawl.model.values import dataclass


class Status(StrEnum):
    """Where an address stands. Every address is visited, or has a stored reason why not (law 3)."""

    NEW = "new"  # never visited with a usable answer
    LIVE = "live"  # a copy is kept
    MOVED = "moved"  # the server points elsewhere
    GONE = "gone"  # 404 or 410 on consecutive visits
    REFUSED = "refused"  # robots.txt, address guard, or the server says no
    DROPPED = "dropped"  # a limit or a rule let it go; `reason` says which


class Rank:
    """Order within a server: small goes first (S2: detail > list of the start page's category > other lists)."""

    URGENT = 0  # asked for by a person, or the target of a redirect
    NOTICED = 1  # announced by a signal
    DETAIL = 2
    LIST_NEAR = 3
    GENERAL = 4
    LIST = 5
    SIGNAL = 6
    LATER = 7

    ALL = (URGENT, NOTICED, DETAIL, LIST_NEAR, GENERAL, LIST, SIGNAL, LATER)


@swift
@dataclass(frozen=True, slots=True)
class Page:
    """`id` is the fingerprint of `url`. `due_at` None: never again unless something stirs it.
    `belief` is the packed scheduling state (see `model/belief.py`), empty before the first visit."""

    id: int
    url: str
    server: str
    site: str
    kind: Kind = Kind.GENERAL
    category: str = ""
    rank: int = Rank.GENERAL
    importance: float = 1.0
    depth: int = 0
    hops: int = 0  # redirects that led here in a row
    found_from: int | None = None
    found_at: float = 0.0
    due_at: float | None = None
    interval_s: float = 0.0
    belief: bytes = b""
    status: Status = Status.NEW
    reason: str = ""
    etag: str = ""
    last_modified: str = ""
    body_digest: bytes = b""  # sha256 of the decoded body
    text_digest: bytes = b""  # first 8 bytes of sha256 of the normalised main text, noise masked
    simhash: int = 0
    size_bytes: int = 0
    content_type: str = ""
    noise: bytes = b""  # the page's learnt noise mask (see `detect/noise.py`)
    failures: int = 0  # failed visits in a row
    misses: int = 0  # 404 or 410 in a row
    visits: int = 0  # requests made, of any outcome
    changes: int = 0
    conditional: int = 0  # conditional visits in a row (law 10: every tenth or so is unconditional)
    checked_at: float | None = None  # last visit that was evidence
    changed_at: float | None = None
    target: str = ""  # where a moved page went


@swift
@dataclass(frozen=True, slots=True)
class Link:
    """A link as it stands in a document: resolved, not yet canonical, with what is known of its place."""

    url: str
    relation: str = "a"  # a, area, next, canonical, alternate, frame, refresh, redirect, form, script, …
    text: str = ""
    nofollow: bool = False
    rel: str = ""  # the words of its rel attribute, lower-cased: "nofollow ugc"
    language: str = ""  # hreflang of an alternate
    media_type: str = ""  # type of an alternate: "application/atom+xml" is a feed
