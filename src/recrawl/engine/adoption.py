"""A site is known by its name. Of one whose name is gone from the site files, the site that now covers a page takes it
over: with its history, its belief and its due time, so that renaming a site starts nothing anew.

Whoever takes over a seed of the old site is its *heir*: what was learnt of the site as a whole goes to it, too. A page
that nobody covers stays as it is and is not visited: it may be wanted again.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from recrawl.engine.finding.discover import Quarry
from recrawl.engine.finding.discover_memo import (
    MOST_WORKERS,
    bitten_memo,
    closed_memo,
    dropped_memo,
    hosts_memo,
    traps_memo,
)
from recrawl.engine.scheduling.domain import knowledge_memo
from recrawl.engine.settling.savings import saved_memo
from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.late import late_module
from recrawl.model.page import Page
from recrawl.model.swift import replace
from recrawl.model.values import dataclass
from recrawl.ports import Store
from recrawl.schedule.group_names import group_name

_KNOWLEDGE = late_module("recrawl.schedule.knowledge")  # few sites get another name
AT_ONCE = 1000  # pages in one transaction


@dataclass(frozen=True, slots=True)
class Orphans:
    """Pages of a site that has no site file. `heirs`: how many of them went to which site; `left`: how many did not."""

    site: str
    heirs: tuple[tuple[str, int], ...] = ()
    left: int = 0

    @property
    def sentence(self) -> str:
        said = [f"{count} pages of {self.site!r} belong to {heir!r} now" for heir, count in self.heirs]
        if self.left:
            again = f"`recrawl add URL --name {self.site}` makes it one again"
            said.append(f"{self.left} pages of {self.site!r} are not visited: no site file covers them; {again}")
        return "; ".join(said)


def orphaned(store: Store, names: Iterable[str]) -> list[str]:
    """Sites that have pages and no site file, nor a crawler of their own that visits them (`engine/guest.py`)."""
    return [name for name in _nameless(store, names) if not is_guest(store, name)]


def guest_memo(site: str) -> str:
    """Under this name stands that somebody else's crawler visits a site."""
    return f"guest:{site}"


def is_guest(store: Store, site: str) -> bool:
    return bool(store.memo(guest_memo(site)))


def _nameless(store: Store, names: Iterable[str]) -> list[str]:
    return sorted(set(store.sites()) - set(names))


def adopted(page: Page, quarries: Mapping[str, Quarry]) -> Page | None:
    """The page as one of the site that covers it; None if no site does."""
    heir = next((name for name, quarry in quarries.items() if not quarry.gone and quarry.covers(page)), None)
    return None if heir is None else replace(page, site=heir)


def adopt_all(store: Store, quarries: Mapping[str, Quarry]) -> list[Orphans]:
    """Give every page of sites that are gone to whoever covers it. By one that alone writes to the store."""
    gone = _nameless(store, quarries)
    for old, heir in _heirs(store, quarries, gone).items():
        memos = dict(_inherited(store, old, heir))
        store.save(Batch(memos=tuple(memos.items())))
        for server in memos.get(hosts_memo(heir), b"").decode().split():
            quarries[heir].widen(server)
    told = [_looked_through(store, quarries, old) or _given_away(store, quarries, old) for old in gone]
    return [one for one in told if one.heirs or not is_guest(store, one.site)]


def _heirs(store: Store, quarries: Mapping[str, Quarry], gone: Sequence[str]) -> dict[str, str]:
    """By old name: the site one of whose seeds was a page of it."""
    return {
        page.site: name
        for name, quarry in quarries.items()
        for page in store.pages([seed.id for seed in quarry.seeds(0.0)])
        if page.site in gone
    }


def _looked_through(store: Store, quarries: Mapping[str, Quarry], old: str) -> Orphans | None:
    """If nothing has happened since all its pages were offered: a million that nobody wants any more are not read again
    at every start."""
    left, _, mark = (store.memo(orphans_memo(old)) or b"").decode().partition(" ")
    return Orphans(old, left=int(left)) if mark and mark == _mark(store, quarries, old) else None


def _mark(store: Store, quarries: Mapping[str, Quarry], old: str) -> str:
    """Another one when a site file or the pages of the site that is gone are others."""
    totals = store.totals(old)
    return str(fingerprint(repr((totals.pages, totals.visits, [quarry.site for quarry in quarries.values()]))))


def orphans_memo(old: str) -> str:
    """Under this name stands how many pages of a site that is gone nobody covers, and what that was said of."""
    return f"orphans:{old}"


def _given_away(store: Store, quarries: Mapping[str, Quarry], old: str) -> Orphans:
    heirs, left, after = Counter[str](), 0, None
    while pages := store.scan(old, after, AT_ONCE):
        after = pages[-1].id
        moved = [page for page in (adopted(one, quarries) for one in pages) if page is not None]
        store.save(Batch(pages=tuple(moved)))
        heirs.update(page.site for page in moved)
        left += len(pages) - len(moved)
    store.save(Batch(memos=((orphans_memo(old), f"{left} {_mark(store, quarries, old)}".encode()),)))
    return Orphans(old, tuple(heirs.most_common()), left)


def _inherited(store: Store, old: str, heir: str) -> Iterator[tuple[str, bytes]]:
    """What is kept under the old name, under the new one; what the heir has learnt itself stays."""
    for before, after in _memo_names(old, heir):
        kept = store.memo(before)
        if kept and not store.memo(after):
            yield after, kept
    for worker in map(str, range(MOST_WORKERS)):
        for purse, next_purse in (("", ""), (old, heir)):  # the one that is shared, and one of its own
            kept = store.memo(knowledge_memo(worker, purse))
            learnt = _renamed(_KNOWLEDGE.from_bytes(kept), old, heir) if kept else None
            if learnt is not None:
                yield knowledge_memo(worker, next_purse), _KNOWLEDGE.to_bytes(learnt)


def _renamed(learnt: Any, old: str, heir: str) -> Any | None:
    """What the value policy knows. None: it knows nothing of the old name, or has begun to learn under the new one."""
    if old not in learnt.sites or heir in learnt.sites:
        return None
    before, after = group_name(old, ""), group_name(heir, "")
    groups = (after + name.removeprefix(before) if name.startswith(before) else name for name in learnt.groups)
    sites = (heir if name == old else name for name in learnt.sites)
    return replace(learnt, sites=tuple(sites), groups=tuple(groups))


def _memo_names(old: str, heir: str) -> Iterator[tuple[str, str]]:
    yield hosts_memo(old), hosts_memo(heir)
    yield closed_memo(old), closed_memo(heir)
    for worker in map(str, range(MOST_WORKERS)):
        for name_of in (traps_memo, dropped_memo, bitten_memo, saved_memo):
            yield name_of(old, worker), name_of(heir, worker)
