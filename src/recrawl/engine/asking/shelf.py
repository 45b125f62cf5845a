"""Documents of pages that are known already wait a moment for each other.

Among answers that need no reading one document is read by code that nothing has touched for a while; several in a row
are read by code that is at hand. So their lanes go on, and stop to read when enough of them have come. The first that
stops looks at those of all others as well; what calls for more than that look, a second one most of all, each lane does
for its own. Filled by the convoy, emptied by the lanes.
"""

from typing import NamedTuple

from recrawl.engine.finding.discover import Quarry
from recrawl.engine.settling.arrival import Arrival
from recrawl.extract.document import Parsed
from recrawl.model.document import Sides
from recrawl.model.page import Page
from recrawl.model.site import Kind
from recrawl.model.visit import Reply, Version

ENOUGH = 48
ENOUGH_BYTES = 1024 * 1024
PATIENCE_S = 0.3  # of the first of them
PROMPT_S = 0.05  # a server that takes longer to answer might keep its lane, and so what waits, for long
LARGE_BYTES = 256 * 1024
LIST = Kind.LIST


class Begun(NamedTuple):
    """What came, as far as it was looked at. `is_beside`: beside `version`, the one kept, if any. `sides`: what these
    differ in, where that may prove enough as soon as more is known of other pages."""

    parsed: Parsed
    is_beside: bool = False
    version: Version | None = None
    old: Parsed | None = None
    sides: Sides | None = None


class Unread:
    """What came for a page. Once it `is_looked_at`, what that proved, or what it has come to so far; what went wrong
    there goes wrong with this page."""

    __slots__ = ("arrival", "found", "is_looked_at", "page", "quarry", "reply")

    def __init__(self, page: Page, quarry: Quarry, reply: Reply) -> None:
        self.page, self.quarry, self.reply = page, quarry, reply
        self.is_looked_at = False
        self.arrival: Arrival | None = None
        self.found: Begun | Exception | None = None

    def look(self, found: Arrival | Begun | Exception | None) -> None:
        self.is_looked_at = True
        if isinstance(found, Arrival):
            self.arrival = found
        else:
            self.found = found


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
