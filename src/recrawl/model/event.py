"""Facts worth telling: one stream for log, metrics, dashboard, webhooks and the change feed."""

from dataclasses import dataclass, field
from enum import StrEnum


class EventKind(StrEnum):
    ADDED = "added"
    UPDATED = "updated"
    MOVED = "moved"
    REMOVED = "removed"
    SERVER_FAILING = "server_failing"
    SERVER_RECOVERED = "server_recovered"
    SERVER_OVERLOADED = "server_overloaded"
    SERVER_RELIEVED = "server_relieved"
    ROBOTS_CHANGED = "robots_changed"
    ALIAS_FOUND = "alias_found"
    LIMIT_HIT = "limit_hit"
    ARCHIVE_REPAIRED = "archive_repaired"
    DISK_FLOOR = "disk_floor"
    STARTED = "started"
    STOPPED = "stopped"


CHANGES = (EventKind.ADDED, EventKind.UPDATED, EventKind.MOVED, EventKind.REMOVED)


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
