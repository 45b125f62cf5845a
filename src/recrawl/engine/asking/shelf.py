"""Documents of pages that are known already wait a moment for each other.

Among answers that need no reading one document is read by code that nothing has touched for a while; several in a row
are read by code that is at hand. So their lanes go on, and stop to read when enough of them have come. Filled by the
convoy, emptied by the lanes.
"""

from typing import NamedTuple

from recrawl.engine.finding.discover import Quarry
from recrawl.extract.document import Parsed
from recrawl.model.page import Page
from recrawl.model.site import Kind
from recrawl.model.visit import Reply

ENOUGH = 48
ENOUGH_BYTES = 1024 * 1024
PATIENCE_S = 0.3  # of the first of them
PROMPT_S = 0.05  # a server that takes longer to answer might keep its lane, and so what waits, for long
LARGE_BYTES = 256 * 1024
LIST = Kind.LIST


class Unread(NamedTuple):
    """`parsed`: what was opened already, and needs more than a look."""

    page: Page
    quarry: Quarry
    reply: Reply
    parsed: Parsed | None = None


class Shelf:
    def __init__(self) -> None:
        self._waiting = self._bytes = 0
        self._since = 0.0  # the first of them has waited
        self._is_emptied = False  # until nothing waits

    def takes(self, page: Page, reply: Reply, asked_at: float, now: float) -> bool:
        """One more. Whether it may wait: a first visit may lead on, and so may a list, which others wait for."""
        if not self._waiting:
            self._since = now
        self._waiting += 1
        self._bytes += len(reply.body)
        is_known = page.body_digest and page.kind is not LIST
        return bool(is_known) and now - asked_at <= PROMPT_S and len(reply.body) <= LARGE_BYTES

    def is_due(self, now: float) -> bool:
        """Whether those who hold a part of it shall read."""
        if self._waiting >= ENOUGH or self._bytes >= ENOUGH_BYTES or now - self._since > PATIENCE_S:
            self._is_emptied = True
        return self._is_emptied

    def give(self, unread: list[Unread]) -> list[Unread]:
        """They are read now."""
        self._waiting -= len(unread)
        self._bytes -= sum(len(one.reply.body) for one in unread)
        if not self._waiting:
            self._is_emptied = False
        return unread
