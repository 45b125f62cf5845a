"""A notice: somebody says that a page changed. Evidence with a learnt trust, never a command."""

from enum import StrEnum

from recrawl.model.values import dataclass


class Source(StrEnum):
    AGENT = "agent"  # S4
    SITEMAP = "sitemap"
    FEED = "feed"
    INDEXNOW = "indexnow"
    WEBSUB = "websub"
    WEBHOOK = "webhook"
    LIST = "list"  # a list page of a site file whose rows changed


class NoticeKind(StrEnum):
    ADDED = "A"
    UPDATED = "U"
    DELETED = "D"


@dataclass(frozen=True, slots=True)
class Notice:
    """`proved` None: no visit has judged it yet."""

    page: int
    url: str
    at: float
    source: Source
    kind: NoticeKind
    proved: bool | None = None
