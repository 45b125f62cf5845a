"""Lists as signals: what the rows of a list page, and its Last-Modified, say of the pages they lead to."""

from collections.abc import Mapping

from recrawl.engine.finding.discover import Quarry
from recrawl.engine.hearing.heard import Hearing
from recrawl.engine.settling.arrival import Arrival
from recrawl.engine.settling.ledger import Ledger
from recrawl.model.address import fingerprint
from recrawl.model.notice import NoticeKind, Source
from recrawl.model.page import Page
from recrawl.model.site import Kind
from recrawl.model.values import dataclass
from recrawl.model.verdict import Change
from recrawl.model.visit import Evidence
from recrawl.notices import listed
from recrawl.notices.claim import Claim
from recrawl.ports import Store
from recrawl.scope.patterns_site import Wanted


@dataclass(frozen=True, slots=True)
class Lists:
    """Only where a site file says which pages are lists, and which of their links lead to details."""

    store: Store
    quarries: Mapping[str, Quarry]

    def note(self, one: Arrival, ledger: Ledger) -> None:
        """Into the ledger: the list as it is now, and notices of the pages it speaks of."""
        if one.page.kind is not Kind.LIST or one.reply.evidence is not Evidence.DOCUMENT:
            return
        key = listed.memo_key(one.page.id)
        before, after = listed.read(self.store.memo(key)), self._rows(one)
        if after:
            ledger.memos[key] = listed.write(after)
        pages = self._spoken_of(one, before, after)
        claims = [Claim(page.url, NoticeKind.UPDATED, Source.LIST) for page in pages]
        if claims:
            quarry = self.quarries[one.page.site]
            Hearing(self.store, {one.page.site: quarry}).note(claims, one.reply.at, ledger)

    def _spoken_of(self, one: Arrival, before: listed.Rows, after: listed.Rows) -> list[Page]:
        """By its rows; where these are as they were, a date that moved on speaks of all that were not seen since."""
        at = one.reply.at
        if one.verdict.change is Change.CHANGED:
            return self._known(listed.spoken_of(before, after))
        dated = listed.moved_on(one.page.last_modified, one.reply.header("last-modified"), at)
        if one.verdict.change is not Change.SAME or not dated:
            return []
        return [page for page in self._known(list(before)) if (page.checked_at or at) < at - listed.SETTLED_S]

    def _known(self, ids: list[int]) -> list[Page]:
        return [page for start in range(0, len(ids), 500) for page in self.store.pages(ids[start : start + 500])]

    def _rows(self, one: Arrival) -> dict[int, int]:
        """Details that the list leads to, in its order. Nothing where it was not read: not a byte differed."""
        if one.document is None:
            return {}
        quarry, page = self.quarries[one.page.site], one.page
        words: dict[int, list[str]] = {}
        for link in one.document.links:
            read = quarry.script.read(link, page.url, page.category)
            if isinstance(read, Wanted) and read.kind is Kind.DETAIL:
                words.setdefault(quarry.main_name(read.address).id, []).append(link.text)
        return {number: fingerprint(" ".join(texts)) for number, texts in words.items()}
