"""What a kill would have asked for again, where no journal keeps it: documents of all servers, visits of each."""

from collections import Counter
from collections.abc import Sequence

from recrawl.engine.arrival import Arrival
from recrawl.model.visit import Evidence

ENOUGH = 16  # documents, or visits of one server, that are gathered
MOST = 18  # written and gathering together


class AtStake:
    """Visits handed over and not yet written, and among them those that are still gathered."""

    def __init__(self) -> None:
        self._documents = self._gathered_documents = 0
        self._visits: Counter[str] = Counter()  # by server
        self._gathered_visits: Counter[str] = Counter()
        self.is_enough = False  # to be written

    def add(self, arrival: Arrival) -> None:
        server = arrival.page.server
        self._visits[server] += 1
        self._gathered_visits[server] += 1
        if arrival.reply.evidence is Evidence.DOCUMENT:
            self._documents += 1
            self._gathered_documents += 1
        if self._gathered_visits[server] >= ENOUGH or self._gathered_documents >= ENOUGH:
            self.is_enough = True

    def is_too_much(self, server: str) -> bool:
        return self._documents >= MOST or self._visits[server] >= MOST

    def begin_anew(self) -> None:
        """What was gathered is about to be written."""
        self._gathered_visits, self._gathered_documents, self.is_enough = Counter(), 0, False

    def let_go(self, written: Sequence[Arrival]) -> None:
        self._documents -= sum(one.reply.evidence is Evidence.DOCUMENT for one in written)
        self._visits -= Counter(one.page.server for one in written)  # drops those of which none are left
