"""Facts worth telling: one stream for log, metrics, dashboard, webhooks and the change feed."""

from dataclasses import field
from enum import StrEnum

from recrawl.model.swift import swift
from recrawl.model.values import dataclass


class EventKind(StrEnum):
    ADDED = "added"  # a page was kept for the first time, or is there again after it was gone
    UPDATED = "updated"  # the content changed; `share_changed` says how much of the text
    MOVED = "moved"  # the server redirects the page; `facts.target` says where
    REMOVED = "removed"  # 404 or 410 on consecutive visits; the kept versions stay
    LOST = "lost"  # a power cut took the newest versions of a page: it is visited again; `facts.left` says what is kept
    SERVER_FAILING = "server_failing"  # three failures in a row; it rests until `facts.rests_until`
    SERVER_RECOVERED = "server_recovered"  # a failing server answers again
    SERVER_OVERLOADED = "server_overloaded"  # its schedule wants more requests than politeness allows
    SERVER_RELIEVED = "server_relieved"  # an overloaded server's schedule fits again
    ROBOTS_CHANGED = "robots_changed"  # robots.txt of an origin is not what it was
    ALIAS_FOUND = "alias_found"  # two names are one server: `facts.alias`, `.main`, `.because`
    LIMIT_HIT = "limit_hit"  # a limit let something go; `facts` says which
    ARCHIVE_REPAIRED = "archive_repaired"  # a torn last record was cut: `facts.file`, `.cut_bytes`
    DISK_FLOOR = "disk_floor"  # the disk is nearly full: fetching stopped before it was; `facts.low` false: it goes on
    WRAPPER_BROKEN = "wrapper_broken"  # required fields are not found any more: the template changed
    WRAPPER_MENDED = "wrapper_mended"  # they are found again
    STARTED = "started"  # a run began
    STOPPED = "stopped"  # a run ended; `facts` holds its counts


CHANGES = (EventKind.ADDED, EventKind.UPDATED, EventKind.MOVED, EventKind.REMOVED, EventKind.LOST)


@swift
@dataclass(frozen=True, slots=True)
class Event:
    """`cursor` is given by the store, rising in commit order; 0 before that."""

    kind: EventKind
    at: float
    url: str = ""
    site: str = ""
    page: int | None = None
    digest: str = ""
    previous_digest: str = ""
    share_changed: float | None = None
    facts: dict[str, object] = field(default_factory=dict)
    cursor: int = 0
