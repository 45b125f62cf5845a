"""Watches for several names of one server (S1): by redirects, and by equal content under twin names.

Decisions are `scope.aliases`'; here they are fed and carried out: told, kept in the store's memo, used from then on.
"""

from collections.abc import Container

from recrawl.model.address import fingerprint, origin_of, server_of
from recrawl.model.event import Event, EventKind
from recrawl.model.page import Page
from recrawl.ports import Store
from recrawl.scope.aliases import (
    AliasEvidence,
    AliasTable,
    AliasVerdict,
    decide,
    main_of_pair,
    saw_copies,
    saw_redirect,
    twin,
)
from recrawl.scope.domains import Domains

MEMO = "aliases"
MOST = 1000  # pairs watched at once


class AliasWatch:
    def __init__(self, store: Store, table: AliasTable) -> None:
        self._store = store
        self.table = _recalled(store.memo(MEMO), table)
        self._pairs: dict[tuple[str, str], AliasEvidence] = {}
        self._domains = Domains()
        self._news: list[Event] = []

    def redirected(self, page: Page, target: str, now: float) -> None:
        pair = (page.server, server_of(target))
        if pair[0] != pair[1]:
            self._weigh(saw_redirect(self._evidence(pair), page.url, target), now)

    def fetched(self, page: Page, digest: bytes, known_servers: Container[str], now: float) -> None:
        """A copy came: is the same path kept under the twin name too?"""
        other = twin(page.server)
        if other == page.server or other not in known_servers:
            return
        origin = origin_of(page.url)
        path = page.url[len(origin) :]
        found = self._store.pages([fingerprint(f"{origin.partition('://')[0]}://{other}{path}")])
        if found:
            pair = main_of_pair(page.server, other)
            digests = (digest, found[0].body_digest) if pair[0] == page.server else (found[0].body_digest, digest)
            self._weigh(saw_copies(self._evidence(pair), path, *digests), now)

    def news(self) -> tuple[list[Event], dict[str, bytes]]:
        """What to tell and what to keep since the last call, beside what other workers kept meanwhile."""
        events, self._news = self._news, []
        if not events:
            return [], {}
        self.table = _recalled(self._store.memo(MEMO), self.table)
        kept = "\n".join(f"{alias} {main}" for alias, main in sorted(self.table.learnt.items()))
        return events, {MEMO: kept.encode()}

    def _evidence(self, pair: tuple[str, str]) -> AliasEvidence:
        return self._pairs.get(pair) or AliasEvidence(*pair)

    def _weigh(self, evidence: AliasEvidence, now: float) -> None:
        if len(self._pairs) >= MOST:
            self._pairs.clear()
        self._pairs[evidence.alias, evidence.main] = evidence
        decision = decide(evidence, self._domains)
        if decision.verdict is not AliasVerdict.FOUND or self.table.main(decision.alias) == decision.main:
            return
        self.table = self.table.learn(decision.alias, decision.main)
        facts: dict[str, object] = {"alias": decision.alias, "main": decision.main, "because": decision.sentence}
        self._news.append(Event(EventKind.ALIAS_FOUND, now, facts=facts))


def _recalled(memo: bytes | None, table: AliasTable) -> AliasTable:
    for line in (memo or b"").decode().splitlines():
        alias, _, main = line.partition(" ")
        table = table.learn(alias, main)
    return table
