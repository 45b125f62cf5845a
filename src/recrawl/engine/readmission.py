"""What a limit or a rule let go is wanted again as soon as it would be let in: the user raised the limit as they were
told to, or changed the site file.

Pages that were known and dropped are due again. Links that were not let in are known to nobody: they stand in pages of
which servers say "not modified". So under wider limits every page of the site is read anew when it is visited next,
and every sitemap is heard as if it spoke for the first time.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict

from recrawl.detect.honesty import read_anew
from recrawl.engine.finding.discover import Quarry
from recrawl.engine.finding.discover_memo import dropped_counts
from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.page import Page, Status
from recrawl.model.site import Kind, Site
from recrawl.model.swift import replace
from recrawl.model.values import dataclass
from recrawl.notices.signals import memo_key
from recrawl.ports import Store
from recrawl.scope.rules import TRAPS
from recrawl.scope.traps import TrapLimits

AT_ONCE = 1000  # pages in one transaction


@dataclass(frozen=True, slots=True)
class Readmitted:
    """`pages` are due again; `links`: of a site some of whose links were not let in, and now may be."""

    site: str
    pages: int = 0
    links: int = 0

    @property
    def sentence(self) -> str:
        said = []
        if self.pages:
            said.append(f"{self.pages} pages of {self.site!r} that a limit or a rule had let go are wanted again")
        if self.links:
            told = "are looked at when the pages they stand in are visited next (`recrawl run --all`: now)"
            said.append(f"{self.links} links of {self.site!r} that [traps] did not let in {told}")
        return "; ".join(said)


def rules_memo(site: str) -> str:
    """Under this name stands by which limits and rules a site's pages were let go."""
    return f"rules:{site}"


def readmit_all(
    store: Store, sites: Sequence[Site], limits: TrapLimits, make: Callable[[Site], Quarry], now: float
) -> list[Readmitted]:
    """Of every site whose rules are others than before, or limits wider. By one that alone writes to the store."""
    told = []
    for site in sites:
        name, now_allowed, rules = rules_memo(site.name), asdict(limits), _rules(site)
        mark = {"limits": now_allowed, "rules": rules}
        before = json.loads(store.memo(name) or b"{}")
        if before == mark:
            continue
        is_wider = any(now_allowed.get(key, 0) > most for key, most in before.get("limits", {}).items())
        if is_wider or before.get("rules", rules) != rules:
            told.append(_readmitted(store, make(site), is_wider, now))
        store.save(Batch(memos=((name, json.dumps(mark).encode()),)))
    return [one for one in told if one.pages or one.links]


def _rules(site: Site) -> int:
    """What besides the limits decides which pages are wanted."""
    rules = (site.hosts, site.include, site.exclude, site.depth, site.patterns, site.rewrites, site.drop_parameters)
    return fingerprint(repr(rules))


def _readmitted(store: Store, quarry: Quarry, is_wider: bool, now: float) -> Readmitted:
    counts = dropped_counts(store, quarry.site.name)
    links = sum(counts[reason] for reason in TRAPS) if is_wider else 0
    again = 0
    for pages in _walked(store, quarry.site.name):
        wanted = [_wanted_again(page, now) for page in pages if is_wanted(page, quarry)]
        asked = [_heard_anew(page, now) for page in pages if links and page.status is not Status.DROPPED]
        forgotten = [(memo_key(page.id), b"") for page in asked if page.kind is Kind.SIGNAL]
        if wanted or asked:
            store.save(Batch(pages=(*wanted, *asked), memos=tuple(forgotten)))
        again += len(wanted)
    return Readmitted(quarry.site.name, again, links)


def _walked(store: Store, site: str) -> Iterator[Sequence[Page]]:
    after = None
    while pages := store.scan(site, after, AT_ONCE):
        after = pages[-1].id
        yield pages


def is_wanted(page: Page, quarry: Quarry) -> bool:
    """Whether a page that was dropped would be let in now."""
    return (
        page.status is Status.DROPPED and quarry.covers(page) and quarry.means(page.url) and not quarry.unwelcome(page)
    )


def _wanted_again(page: Page, now: float) -> Page:
    return replace(page, status=Status.LIVE if page.body_digest else Status.NEW, reason="", due_at=now)


def _heard_anew(page: Page, now: float) -> Page:
    if page.kind is not Kind.SIGNAL:
        return read_anew(page)
    return replace(page, body_digest=b"", due_at=None if page.due_at is None else now)
