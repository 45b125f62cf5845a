"""Since when every link of a page that was read has been followed as the site files of today want it.

A page that changed and leads where its copy led leads to nothing new, if that copy was read since then: its links need
no second look. The moment is kept by the folder, beside what the links were followed by; where any of that is another
now, or somebody else has put copies there, it begins anew, and links are looked at wherever they stand.
"""

import json
import math
from collections.abc import Iterable, Sequence

from recrawl.config import Settings
from recrawl.engine.finding.alias_watch import MEMO as ALIASES
from recrawl.engine.finding.discover_memo import hosts_memo
from recrawl.model.address import fingerprint
from recrawl.model.batch import Batch
from recrawl.model.site import Site
from recrawl.ports import Store
from recrawl.version import __version__

FOLLOWED = "followed"  # the memo's name
NEVER = math.inf
UNKNOWN = ((FOLLOWED, b""),)  # memos that say so


def followed_since(settings: Settings, sites: Sequence[Site], store: Store) -> float:
    """NEVER in a cluster: other machines may go by other site files."""
    kept = _kept(store)
    is_same = not settings.state.store and kept.get("by") == _followed_by(settings, sites, store)
    return kept.get("since", NEVER) if is_same else NEVER


def follow_from(settings: Settings, sites: Sequence[Site], store: Store, now: float) -> None:
    """Before a run, by whoever holds the store."""
    if settings.state.store:
        if _kept(store):
            store.save(Batch(memos=UNKNOWN))
    elif followed_since(settings, sites, store) == NEVER:
        told = {"by": _followed_by(settings, sites, store), "since": now}
        store.save(Batch(memos=((FOLLOWED, json.dumps(told).encode()),)))


def since_or_ended(settings: Settings, sites: Sequence[Site], store: Store) -> float:
    """For a crawl that begins, whoever began it: one by other rules than those kept ends them."""
    since = followed_since(settings, sites, store)
    if since == NEVER and not settings.state.store and _kept(store):
        store.save(Batch(memos=UNKNOWN))
    return since


def _kept(store: Store) -> dict[str, float]:
    told: dict[str, float] = json.loads(store.memo(FOLLOWED) or b"{}")
    return told


def _followed_by(settings: Settings, sites: Iterable[Site], store: Store) -> int:
    """All that decides which links are read, what they mean and whether they are let in."""
    in_order = sorted(sites, key=lambda site: site.name)
    grown = [store.memo(name) for name in (ALIASES, *(hosts_memo(site.name) for site in in_order))]
    said = (__version__, in_order, grown, settings.extract, settings.addresses, settings.aliases, settings.traps)
    return fingerprint(repr(said))
