"""How a server looks when it is asked for what cannot exist: one request a server, if the settings ask for it.

Some servers answer 200 to anything. What they show then is remembered, and a page that looks the same is no page. The
request is an errand in the server's own line: robots.txt, the gap and the budget hold for it.
"""

import json
from collections.abc import Callable, Collection
from dataclasses import asdict

from recrawl.detect.soft404 import ErrorPage, error_page
from recrawl.engine.settling.ledger import Ledger
from recrawl.engine.wiring import Parts
from recrawl.extract.document import read
from recrawl.model.address import fingerprint, origin_of
from recrawl.model.document import Document
from recrawl.model.page import Page, Rank
from recrawl.model.site import Kind, Site
from recrawl.model.swift import replace
from recrawl.model.visit import Evidence, Reply

PROBE = "probe"
MOST_SERVERS = 10_000

ReadKept = Callable[[Page, Site], Document | None]


class Missing:
    """`kept` reads the newest copy of a page."""

    def __init__(self, parts: Parts, kept: ReadKept) -> None:
        self._parts, self._kept = parts, kept
        self._known: dict[str, ErrorPage | None] = {}
        self._sent: set[str] = set()

    def forget(self, servers: Collection[str]) -> None:
        for server in servers:
            self._known.pop(server, None)

    def known(self, server: str) -> ErrorPage | None:
        if not self._parts.probe_missing:
            return None
        if server not in self._known:
            if len(self._known) >= MOST_SERVERS:
                self._known.clear()
            memo = self._parts.store.memo(_memo(server))
            self._known[server] = ErrorPage(**json.loads(memo)) if memo else None
        return self._known[server]

    def probe(self, page: Page, now: float) -> list[Page]:
        """The errand that the first page of a server calls for. The page is what an application looks like that shows
        the same to everybody: an answer like it tells nothing."""
        if not self._parts.probe_missing or page.server in self._sent:
            return []
        self._sent.add(page.server)
        origin = origin_of(page.url)
        url = f"{origin}/recrawl-asks-what-is-missing-{fingerprint(origin):x}"
        return [
            Page(
                id=fingerprint(f"{PROBE} {page.server}"),
                url=url,
                server=page.server,
                site=page.site,
                kind=Kind.SIGNAL,
                category=PROBE,
                rank=Rank.SIGNAL,
                found_from=page.id,
                found_at=now,
                due_at=now,
            )
        ]

    def settle(self, probe: Page, reply: Reply, site: Site, ledger: Ledger) -> Page:
        """An honest server says 404; of any other the answer is remembered."""
        found = None
        if reply.evidence is Evidence.DOCUMENT:
            document = read(reply.body, reply.header("content-type"), probe.url, self._parts.extract, reply.headers)
            pages = self._parts.store.pages([probe.found_from]) if probe.found_from is not None else []
            found = error_page(document, self._kept(pages[0], site) if pages else None)
        if found is not None:
            self._known[probe.server] = found
            ledger.memos[_memo(probe.server)] = json.dumps(asdict(found)).encode()
        reason = "answers anything with 200" if found else f"answered {reply.status or reply.detail}"
        return replace(probe, visits=probe.visits + 1, due_at=None, reason=reason)


def _memo(server: str) -> str:
    return f"missing:{server}"
