"""One visit on its way from the answer to the commit."""

from recrawl.model.directives import may_follow, may_keep
from recrawl.model.document import Document
from recrawl.model.page import Page
from recrawl.model.swift import swift
from recrawl.model.values import dataclass
from recrawl.model.verdict import Verdict
from recrawl.model.visit import Reply, Version, Why
from recrawl.notices.signals import Heard

LONG = 2000  # pages that a list speaks of


@dataclass(frozen=True, slots=True)
class Signal:
    """A sitemap or feed compared with its last reading. `children`: sitemaps that an index names."""

    heard: Heard
    children: tuple[str, ...] = ()
    fault: str = ""

    @property
    def is_long(self) -> bool:
        return len(self.heard.claims) + len(self.heard.leads) + len(self.children) > LONG


@swift
@dataclass(frozen=True, slots=True)
class Arrival:
    """`page` is the page as it was before the visit. `previous`: the newest version kept, where it was looked at."""

    page: Page
    why: Why
    reply: Reply
    verdict: Verdict
    document: Document | None = None
    previous: Version | None = None
    directives: frozenset[str] = frozenset()
    signal: Signal | None = None  # what a sitemap or feed said
    looks: int = 1  # requests made; 2 with a second look at suspected noise

    @property
    def follow(self) -> bool:
        return may_follow(self.directives)

    @property
    def keep(self) -> bool:
        return may_keep(self.directives, self.reply.at)
